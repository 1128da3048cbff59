"""The table of measurements, on the screen and in `docs/benchmarks.md`."""

import os
import platform
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

DOCUMENT = Path(__file__).parents[2] / "docs" / "benchmarks.md"
HEAD = """# Benchmarks

Machines are shared and noisy: compare the ratios and bounds of one run, not seconds of different runs.

"""

FOOT = """
What the rows are:

- **child**: `python -m mcp_server` in snapshot mode from spawn to the first `tools/list`, in turns with an empty server
  on the bare SDK that lists as many tools (`tests/benchmarks/empty_server.py`).
- **loop**: a scripted model and a tool that answer at once, so that what is measured is the loop itself: checked
  arguments, events, transcript, grounding. With the database on, each message and result, each reservation and booking,
  and each event is stored in SQLite; a model that costs money is also held against the caps of turn, day and month.
  The slope is a step of 300 over a step of 30.
- **pydantic-ai, openai-agents, langgraph**: the public frameworks of the given versions, in an environment of their
  own, in turns with ours; their own scripted models and tools do the same (`tests/benchmarks/loop_peers_child.py`).
  Bare they keep everything in memory; two of them have a store in SQLite. None checks budgets or keeps events.
- **event log**: one event of a tool with five citations, stored and told, twenty at a time.
- **stop**: real servers in processes of their own, the strict model service and hanging databases on loopback; from
  the moment before the button's request (or the signal) is sent until the last connection of the turn is closed, as
  those services see it (`tests/benchmarks/stop_to_closed.py`).
- **headline question**: the recipe planner over the offline snapshot, with the real child, database and event log.
- **turn of … steps**: made-up results in the sizes of real ones, the prefix of real sessions, the simulated prompt
  cache of `evals/strict_messages` with its rules; prices of Claude Sonnet 5.5, output included. "At best" is all that
  was sent before, read whole (`manage.py prompt_cache_gate`, [prompt-cache.md](prompt-cache.md)).
- **up front**: instructions and loaded tools of a session's first request, counted from its bytes at three bytes a
  token ([0064](decisions/0064-core-tools.md)); no request is sent (`tests/benchmarks/up_front.py`).
- **tool search**: the whole catalogue and the labelled queries of `tests/data/tool_search`, vectors in SQLite; the
  quickest of five rounds counts for each query, since others work on the machine (`make bench ARGS=tool_search`). Over
  labelled queries by others, beside plain BM25, FTS5 and the embedder alone: [tool-search.md](tool-search.md).
- **5 MB answer**: a database on loopback, in a process of its own, answers with 5 MB of records; a tool hands them on
  as they are, through the child and the spool folder. The same answer downloaded and parsed in one process, in turns
  with it, is what nobody can save (`tests/benchmarks/big_answer.py`).
- **large results**: records of 10 MB that come as bytes, as from the tool server's spool file, through noise policy,
  preview and store (SQLite, files), a new one each time, while a task on the event loop looks every millisecond how
  late it is woken. jq through the real worker, five filters, the best of five rounds, since others work on the machine.
  Recorded responses are sent through the pipeline as a turn does, the text around them counted too; "further" are those
  of the folder that `BURP_SAMPLES` names. The question runs on the strict Messages API, which counts the prompts
  (`tests/benchmarks/large_outputs.py`, [large-outputs.md](large-outputs.md)).
- **peers**: the public packages of the given versions, each installed by the benchmark itself into a folder of its own,
  started over stdio. Without a network means a network namespace without any interface: each server is asked for
  articles once, with its own search (`tests/benchmarks/peers.py`).
- Twelve NCBI calls at once over PubMed and ClinVar tools: 12 of 12 succeed within the allowed rate
  (`tests/mcp_server/test_ncbi_rate.py`; a count, not a time).
"""


@dataclass(frozen=True)
class Row:
    """One measured number and the bound it is held against."""

    what: str
    value: str
    bound: str


def table(rows: Iterable[Row]) -> str:
    """Return the rows as a Markdown table."""
    lines = ["| what | measured | bound |", "|---|---|---|"]
    return "\n".join([*lines, *(f"| {row.what} | {row.value} | {row.bound} |" for row in rows)])


def document(rows: Iterable[Row]) -> str:
    """Return the whole page."""
    where = f"{os.cpu_count()} cores, Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    when = datetime.now(UTC).date().isoformat()
    return f"{HEAD}`make bench ARGS='--write --peers'` on {when}: {where}.\n\n{table(rows)}\n{FOOT}"
