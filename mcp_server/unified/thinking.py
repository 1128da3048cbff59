"""Thinking in steps: what a conversation has thought so far, with its revisions and branches; nothing is searched.

A conversation is known by the id that the caller gives. 100 conversations are kept, 200 thoughts in each, for a day;
the oldest make room for new ones.
"""

import re
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from mcp_server.unified.query.errors import E_BAD_VALUE, QueryError, QueryErrors

Json = Any

SESSIONS_MAX = 100
THOUGHTS_MAX = 200
KEPT_S = 24 * 3600.0

_NAMES = (
    "thought",
    "thoughtNumber",
    "totalThoughts",
    "nextThoughtNeeded",
    "isRevision",
    "revisesThought",
    "branchFromThought",
    "branchId",
    "needsMoreThoughts",
)
_NUMBERS = ("thoughtNumber", "totalThoughts", "revisesThought", "branchFromThought")
_SWITCHES = ("nextThoughtNeeded", "isRevision", "needsMoreThoughts")


@dataclass(frozen=True)
class Thought:
    """One thought as it was recorded; `branch` is empty on the main line."""

    number: int
    text: str
    branch: str = ""
    revises: int | None = None


@dataclass
class _Session:
    last_used_s: float
    thoughts: deque[Thought] = field(default_factory=lambda: deque(maxlen=THOUGHTS_MAX))
    branches: dict[str, int] = field(default_factory=dict)
    total: int = 0


class Thinking:
    """The thoughts of all conversations; `clock` tells seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._sessions: OrderedDict[str, _Session] = OrderedDict()

    def record(self, session_id: str, arguments: Mapping[str, Json]) -> dict[str, Json]:
        """Record a thought and return where the conversation stands; raise QueryErrors for a bad argument."""
        given = _Arguments(arguments)
        known = self._known(session_id)
        thoughts = known.thoughts if known else ()
        given.fits({thought.number for thought in thoughts}, known.branches if known else {})
        given.refuse()
        session = self._session(session_id)
        thought, total = _read(given.values, session)
        session.thoughts.append(thought)
        session.total = total
        if thought.branch:
            session.branches.setdefault(thought.branch, given.values.get("branchFromThought") or thought.number)
        is_going_on = bool(given.values.get("nextThoughtNeeded", True))
        return {
            "domain": "thinking",
            "thoughtNumber": thought.number,
            "totalThoughts": total,
            "nextThoughtNeeded": is_going_on,
            "branches": list(session.branches),
            "historyLength": len(session.thoughts),
            "status": _status(thought, total, session, is_going_on=is_going_on),
        }

    def history(self, session_id: str) -> tuple[Thought, ...]:
        """Return what a conversation has thought, oldest first."""
        session = self._known(session_id)
        return tuple(session.thoughts) if session else ()

    def _known(self, session_id: str) -> _Session | None:
        """Return a conversation that is not over its time."""
        now = self._clock()
        for name in [name for name, one in self._sessions.items() if now - one.last_used_s >= KEPT_S]:
            del self._sessions[name]
        return self._sessions.get(session_id)

    def _session(self, session_id: str) -> _Session:
        session = self._sessions.setdefault(session_id, _Session(self._clock()))
        session.last_used_s = self._clock()
        self._sessions.move_to_end(session_id)
        while len(self._sessions) > SESSIONS_MAX:
            self._sessions.popitem(last=False)
        return session


def _read(values: Mapping[str, Json], session: _Session) -> tuple[Thought, int]:
    """Return the thought and how many there will be; a higher number raises the total."""
    latest = session.thoughts[-1].number if session.thoughts else 0
    number = values.get("thoughtNumber", latest + 1)
    total = max(values.get("totalThoughts", session.total), number)
    if values.get("needsMoreThoughts") and number == total:
        total += 1
    thought = Thought(number, values["thought"], values.get("branchId", ""), values.get("revisesThought"))
    return thought, total


def _status(thought: Thought, total: int, session: _Session, *, is_going_on: bool) -> str:
    text = f"thought {thought.number} of {total} recorded"
    if thought.revises:
        text += f", revises thought {thought.revises}"
    if thought.branch:
        text += f", branch {thought.branch!r} from thought {session.branches[thought.branch]}"
    return text if is_going_on else f"{text}; thinking is finished"


class _Arguments:
    """Reads the arguments in either spelling; all that is wrong is noted before anything is recorded."""

    def __init__(self, arguments: Mapping[str, Json]) -> None:
        self.errors: list[QueryError] = []
        self.values: dict[str, Json] = {}
        for name in _NAMES:
            spellings = [one for one in (name, snake_case(name)) if arguments.get(one) is not None]
            if not spellings:
                continue
            value = self._checked(name, arguments[spellings[0]])
            if len(set(spellings)) > 1 and arguments[spellings[0]] != arguments[spellings[1]]:
                self._fail(name, f"{spellings[0]} and {spellings[1]} differ", "give one of the two")
            elif value is not None:
                self.values[name] = value
        if "thought" not in self.values and not self.errors:
            self._fail("thought", "there is no thought", "give thought as text")

    def _fail(self, name: str, message: str, hint: str) -> None:
        self.errors.append(QueryError(E_BAD_VALUE, message, hint=hint, argument=name))

    def refuse(self) -> None:
        """Raise what is wrong, if anything is."""
        if self.errors:
            raise QueryErrors("", self.errors)

    def _checked(self, name: str, value: Json) -> Json:
        if name in _NUMBERS:
            whole = int(value) if isinstance(value, float) and value.is_integer() else value
            if isinstance(whole, bool) or not isinstance(whole, int) or whole < 1:
                self._fail(name, f"{name} is {value!r}", "give a whole number from 1")
                return None
            return whole
        if name in _SWITCHES:
            if not isinstance(value, bool):
                self._fail(name, f"{name} is {value!r}", "give true or false")
                return None
            return value
        if not isinstance(value, str) or not value.strip():
            self._fail(name, f"{name} is blank or no text", "give it as text")
            return None
        return value.strip()

    def fits(self, numbers: set[int], branches: Mapping[str, int]) -> None:
        """Note references to thoughts that were never recorded, and parts that miss their other half."""
        for name in ("revisesThought", "branchFromThought"):
            number = self.values.get(name)
            if number is not None and number not in numbers:
                recorded = f"recorded are {_runs(numbers)}" if numbers else "none is recorded yet"
                self._fail(name, f"there is no thought {number}", f"{recorded}; leave {name} out, or give one of these")
        if (
            self.values.get("isRevision")
            and "revisesThought" not in self.values
            and not self._has_failed("revisesThought")
        ):
            self._fail("revisesThought", "a revision of which thought?", "give revisesThought, or leave isRevision out")
        branch = self.values.get("branchId")
        if "branchFromThought" in self.values and branch is None:
            self._fail("branchId", "the branch has no name", "give branchId, e.g. b1")
        if branch is not None and branch not in branches and "branchFromThought" not in self.values:
            hint = "give branchFromThought, the thought that the branch leaves the main line at"
            self._fail("branchFromThought", f"branch {branch!r} starts nowhere", hint)

    def _has_failed(self, name: str) -> bool:
        return any(error.argument == name for error in self.errors)


def _runs(numbers: set[int]) -> str:
    """Write numbers shortly: 1–4, 7."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    return ", ".join("–".join(str(number) for number in run) for run in runs)


def snake_case(name: str) -> str:
    """Return `thought_number` for `thoughtNumber`."""
    return re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", name)
