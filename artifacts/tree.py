"""A stored document as a page shows it: branch by branch, with a search, and its lists as tables.

Everything is asked of the jq workers, with programs that this module writes: no large document is parsed in the web
process, and numbers keep all their digits. What comes from a reader goes into a program as a JSON literal. Blocks.
"""

import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from artifacts.config import ArtifactLimits
from artifacts.errors import ArtifactError
from artifacts.jq import JqEngine
from artifacts.shape import key_step

Json = Any
Path = tuple[str | int, ...]
CHILDREN_SHOWN = 100
HITS_SHOWN = 60
TABLES_SHOWN = 6
TEXT_SHOWN = 400
PATH_MAX = 64
BRANCH_MAX_BYTES = 2_000_000
# A cell that begins with one of these is a formula to a spreadsheet.
FORMULA = re.compile(r"^[=+\-@\t\r\n]")
# What a page tells of one value: its type, how much is in it, and a plain value itself, if long only its beginning.
TOLD = f"""
def told: type as $t | {{
  t: $t,
  n: (if $t == "array" or $t == "object" or $t == "string" then length else null end),
  v: (if $t == "string" then .[:{TEXT_SHOWN}] elif $t == "array" or $t == "object" then null else . end)
}};
"""
# Each of these comes after `… as $path`, `… as $from` or `… as $words`.
BRANCH = f"""
getpath($path) | told, (
  if type == "object" then keys_unsorted[$from:$from + {CHILDREN_SHOWN}][] as $k | .[$k] | told + {{k: $k}}
  elif type == "array" then range($from; [length, $from + {CHILDREN_SHOWN}] | min) as $k | .[$k] | told + {{k: $k}}
  else empty end
)
"""
SEARCH = f"""
def has: ascii_downcase | contains($words);
limit({HITS_SHOWN + 1}; paths as $p | getpath($p) as $v
  | select((($p[-1] | strings | has) // false) or (($v | scalars | tostring | has) // false))
  | ($v | told) + {{p: $p}})
"""
TABLES = f"""
limit({TABLES_SHOWN}; path(., (objects | .[]), (objects | .[] | objects | .[])) as $p | getpath($p)
  | arrays | select(length > 0 and all(.[:50][]; type == "object")) | {{p: $p, n: length}})
"""
COLUMNS = "getpath($path) | arrays | reduce (.[] | objects | keys_unsorted[]) as $k ({}; .[$k] = 1) | keys_unsorted"
CELL = 'if type == "array" or type == "object" then tojson else . end'
ROWS = f"getpath($path) | arrays | .[] | objects | [.[$columns[]] | {CELL}]"


class Number(str):
    """A number as it was written."""


@dataclass(frozen=True)
class Node:
    """One value of a document at its place."""

    path: Path
    kind: str
    size: int | None
    value: Json

    @property
    def key(self) -> str:
        """The last step to it."""
        return str(self.path[-1]) if self.path else ""

    @property
    def is_item(self) -> bool:
        """Whether it stands in a list."""
        return bool(self.path) and isinstance(self.path[-1], int)

    @property
    def is_branch(self) -> bool:
        """Whether there is something in it."""
        return self.kind in ("array", "object") and bool(self.size)

    @property
    def summary(self) -> str:
        """What a branch holds, or a plain value as JSON."""
        if self.kind in ("array", "object"):
            unit = "item" if self.kind == "array" else "key"
            return f"{self.size:,} {unit}{'' if self.size == 1 else 's'}" if self.size else "empty"
        if isinstance(self.value, Number):
            return str(self.value)
        cut = "…" if self.kind == "string" and (self.size or 0) > TEXT_SHOWN else ""
        return json.dumps(self.value, ensure_ascii=False) + cut

    @property
    def as_text(self) -> str:
        """Its path as a page's address carries it."""
        return json.dumps(self.path, ensure_ascii=False)

    @property
    def jq_path(self) -> str:
        """Its path as jq writes it."""
        return jq_path(self.path)


@dataclass(frozen=True)
class Branch:
    """Some of the children of a value; `rest` counts those after them."""

    node: Node
    children: tuple[Node, ...]
    start: int = 0

    @property
    def end(self) -> int:
        """Where the children after these begin."""
        return self.start + len(self.children)

    @property
    def rest(self) -> int:
        """How many follow."""
        return max(0, (self.node.size or 0) - self.end) if self.children else 0


@dataclass(frozen=True)
class Hits:
    """What a search found. `is_cut` says that there is more."""

    nodes: tuple[Node, ...]
    is_cut: bool = False


@dataclass(frozen=True)
class Table:
    """A list of objects, which can be written as rows."""

    path: Path
    rows: int

    @property
    def name(self) -> str:
        """What to call it."""
        return jq_path(self.path)

    @property
    def as_text(self) -> str:
        """Its path as a page's address carries it."""
        return json.dumps(self.path, ensure_ascii=False)


def jq_path(path: Path) -> str:
    """Return a path as jq writes it."""
    text = "".join(f"[{step}]" if isinstance(step, int) else key_step(step) for step in path)
    return text if text.startswith(".") else f".{text}"


def read_path(text: str) -> Path:
    """Return the path that a page's address carries; raise `ValueError` for anything else."""
    path = json.loads(text) if text else []
    if not isinstance(path, list) or len(path) > PATH_MAX:
        raise ValueError("a path is a short list")
    for step in path:
        if isinstance(step, bool) or not isinstance(step, str | int):
            raise ValueError("a path is made of keys and positions")
    return tuple(path)


class Document:
    """One stored document, seen through the jq workers."""

    def __init__(self, content: bytes, limits: ArtifactLimits, jq: JqEngine) -> None:
        self._content = content
        self._limits = limits
        self._jq = jq

    def branch(self, path: Path = (), start: int = 0) -> Branch:
        """Return a value and some of its children. Raises `ArtifactError` where there is none."""
        node, *children = self._asked(f"{TOLD} {json.dumps(path)} as $path | {start} as $from | {BRANCH}")
        return Branch(_node(path, node), tuple(_node((*path, child["k"]), child) for child in children), start)

    def search(self, words: str) -> Hits:
        """Return the values, and the keys, that hold the words in any case."""
        hits = self._asked(f"{TOLD} ({json.dumps(words)} | ascii_downcase) as $words | {SEARCH}")
        found = [_node(tuple(hit["p"]), hit) for hit in hits]
        return Hits(tuple(found[:HITS_SHOWN]), len(found) > HITS_SHOWN)

    def tables(self) -> list[Table]:
        """Return the lists of objects that stand in no other list."""
        return [Table(tuple(found["p"]), int(found["n"])) for found in self._asked(TABLES)]

    def csv(self, path: Path) -> Iterator[str]:
        """Yield a table as CSV, header first. What stands deeper becomes JSON; no cell is a formula."""
        at = f"{json.dumps(path)} as $path"
        columns = next(iter(self._asked(f"{at} | {COLUMNS}")), None)
        if not columns:
            raise ArtifactError("there are no rows at this place")
        rows = self._lines(f"{at} | {json.dumps(columns)} as $columns | {ROWS}", self._limits.stored_max_bytes)
        yield _csv_row(columns)
        for row in rows:
            yield _csv_row(_read(row))

    def _asked(self, program: str) -> list[Json]:
        return [_read(line) for line in self._lines(program, BRANCH_MAX_BYTES)]

    def _lines(self, program: str, max_bytes: int) -> tuple[str, ...]:
        output = self._jq.run(program, self._content, timeout_s=self._limits.jq_timeout_s, output_max_bytes=max_bytes)
        if output.cut is not None and not output.results:
            raise ArtifactError("this part is too large to be shown")
        return output.results


def _read(text: str) -> Json:
    return json.loads(text, parse_int=Number, parse_float=Number)


def _node(path: Path, told: dict[str, Json]) -> Node:
    size = told["n"]
    steps = tuple(int(step) if isinstance(step, Number) else step for step in path)
    return Node(steps, str(told["t"]), int(size) if size is not None else None, told["v"])


def _csv_row(cells: list[Json]) -> str:
    line = io.StringIO()
    csv.writer(line).writerow([_cell(cell) for cell in cells])
    return line.getvalue()


def _cell(value: Json) -> str:
    """Return a value as a cell: texts that a spreadsheet would run get an apostrophe in front, numbers stay."""
    if value is None:
        return ""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, str):
        return f"'{value}" if FORMULA.match(value) else value
    return json.dumps(value, ensure_ascii=False)
