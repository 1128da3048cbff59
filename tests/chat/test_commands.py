"""`manage.py ask` and `demo` as a person runs them: real processes, what they print, how they exit."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WITHIN_S = 60


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    """A data folder with a migrated database."""
    run(tmp_path, "migrate", "-v0")
    return tmp_path


def environment(data_dir: Path, **variables: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return {**kept, "BURP_DATA_DIR": str(data_dir), "PYTHONWARNINGS": "ignore", **variables}


def run(data_dir: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=environment(data_dir, **variables),
        capture_output=True,
        text=True,
        timeout=WITHIN_S,
        check=False,
    )


def test_the_demo_answers_the_headline_question_on_a_pipe(data_dir: Path) -> None:
    done = run(data_dir, "demo")
    assert done.returncode == 0, done.stderr
    for expected in (
        "Recipe planner (no language model) · offline snapshot",
        "[ENSG00000141736](https://www.ensembl.org/id/ENSG00000141736)",
        "[CHEMBL3989868](https://platform.opentargets.org/drug/CHEMBL3989868)",
        "[NCT01808573](https://clinicaltrials.gov/study/NCT01808573)",
        "https://www.clinpgx.org/clinicalAnnotation/1444712823",
        "Outcome    completed",
        "`make serve` opens it",
    ):
        assert expected in done.stdout
    assert "\x1b[" not in done.stdout
    grounded, named = [int(n) for n in done.stdout.partition("Grounding  ")[2].split(" identifiers")[0].split(" of ")]
    assert grounded == named > 50


def test_ask_prints_one_event_a_line(data_dir: Path) -> None:
    question = "What are the Ensembl, UniProt and ChEMBL identifiers of HER2?"
    done = run(data_dir, "ask", question, "--json", "--upstreams", "snapshot")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert (done.returncode, events[0]["type"], events[-1]["type"]) == (0, "turn_started", "turn_end")
    assert [event["seq"] for event in events] == sorted({event["seq"] for event in events})
    answer = "".join(event["text"] for event in events if event["type"] == "text")
    for identifier in ("ENSG00000141736", "P04626", "CHEMBL1824"):
        assert identifier in answer


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["What is HER2?", "--model", "gpt-0"], "no model has the key 'gpt-0'; known: recipes, claude-sonnet-5-5"),
        (["  "], "write a question first"),
    ],
    ids=["unknown model", "blank question"],
)
def test_what_cannot_be_asked_is_refused_with_the_next_step(data_dir: Path, arguments: list[str], said: str) -> None:
    done = run(data_dir, "ask", *arguments, "--upstreams", "snapshot")
    assert done.returncode == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_database_that_is_not_migrated_is_told_apart(tmp_path: Path) -> None:
    done = run(tmp_path, "ask", "What is HER2?")
    assert "run `python manage.py migrate` first" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.fixture
def stalling() -> Iterator[tuple[str, threading.Event]]:
    """A gateway that takes requests and never answers, and the event of its first request."""
    asked, over = threading.Event(), threading.Event()

    class Stall(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.set()
            over.wait(WITHIN_S)

        do_POST = do_GET

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Stall)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}", asked
    over.set()
    server.shutdown()
    server.server_close()
    thread.join(5)


def test_ctrl_c_stops_the_turn_and_says_so(data_dir: Path, stalling: tuple[str, threading.Event]) -> None:
    gateway, asked = stalling
    command = [sys.executable, "manage.py", "ask", "What are the identifiers of HER2?", "--upstreams", "live", "--json"]
    variables = environment(data_dir, BURP_UPSTREAM_GATEWAY=gateway, BURP_UPSTREAM_CACHE="0")
    with subprocess.Popen(
        command, cwd=ROOT, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert asked.wait(WITHIN_S)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=WITHIN_S)
    events = [json.loads(line) for line in out.splitlines()]
    assert process.returncode == 1
    assert events[-1]["outcome"] == "aborted_by_user"
    assert {event["error_code"] for event in events if event["type"] == "tool_end"} == {"tool_cancelled"}
    assert "Traceback" not in err
