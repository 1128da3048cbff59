"""Which fields of a JSON answer a tool asked for, which of them were not there, and which nobody looked at.

The answer is parsed into dicts that note what is asked of them. A field counts as used when the tool asks
for it, goes through all fields of its record, or hands the record on. It is exact for JSON; XML and plain
text are not watched.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from mcp_server.envelope import Envelope
from mcp_server.http.client import Api
from mcp_server.http.messages import Response, Transport
from mcp_server.server import ToolServer

Json = Any
_IDENTIFIER = re.compile(r"\d{3}")
_LEVELS = re.compile(r"(\.\w+\[\])\1+")


@dataclass
class Reading:
    """What a tool did with the answers to one call, by path (`.molecules[].pref_name`)."""

    present: set[str] = field(default_factory=set)
    asked: set[str] = field(default_factory=set)
    handed_on: set[str] = field(default_factory=set)
    watched: bool = False

    @property
    def missing(self) -> list[str]:
        """Fields that the tool asked for and that no record had."""
        return sorted(self.asked - self.present)

    @property
    def new(self) -> list[str]:
        """Fields that nobody asked for, of records that the tool did look into."""
        opened = {path.rpartition(".")[0] for path in self.asked}
        unread = (path for path in self.present - self.asked if path.rpartition(".")[0] in opened)
        return sorted(path for path in unread if not self._is_handed_on(path))

    def _is_handed_on(self, path: str) -> bool:
        return any(path == top or path.startswith((f"{top}.", f"{top}[")) for top in self.handed_on)

    def note_result(self, data: Json) -> None:
        """Note which records the tool hands on as they are."""
        for part in _nested(data):
            if isinstance(part, Watched):
                self.handed_on.add(part.path)


class Watched(dict[str, Json]):
    """A record that notes what is asked of it."""

    def __init__(self, data: dict[str, Json], path: str, reading: Reading) -> None:
        super().__init__({name: watch(value, _below(path, name), reading) for name, value in data.items()})
        self.path = path
        self._reading = reading
        reading.present.update(_below(path, name) for name in data)

    def _note(self, name: Json) -> None:
        if isinstance(name, str):
            self._reading.asked.add(_below(self.path, name))

    def _note_all(self) -> None:
        self._reading.asked.update(_below(self.path, name) for name in super().__iter__())

    def __getitem__(self, name: str) -> Json:
        self._note(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Json = None) -> Json:
        """Return a field, noting it."""
        self._note(name)
        return super().get(name, default)

    def pop(self, name: str, *default: Json) -> Json:
        """Remove a field, noting it."""
        self._note(name)
        return super().pop(name, *default)

    def __contains__(self, name: object) -> bool:
        self._note(name)
        return super().__contains__(name)

    def __iter__(self) -> Iterator[str]:
        self._note_all()
        return super().__iter__()

    def keys(self) -> Any:
        """Return all names, noting them."""
        self._note_all()
        return super().keys()

    def values(self) -> Any:
        """Return all values, noting them."""
        self._note_all()
        return super().values()

    def items(self) -> Any:
        """Return all fields, noting them."""
        self._note_all()
        return super().items()


def _below(path: str, name: str) -> str:
    """Return a field's path. Identifiers used as names count as one name, a tree's levels as one level."""
    return _LEVELS.sub(r"\1", f"{path}.{'*' if _IDENTIFIER.search(name) else name}")


def watch(value: Json, path: str, reading: Reading) -> Json:
    """Return the value with every record in it watched."""
    if isinstance(value, dict):
        return Watched(value, path, reading)
    if isinstance(value, list):
        return [watch(item, f"{path}[]", reading) for item in value]
    return value


def _nested(data: Json) -> Iterator[Json]:
    yield data
    if isinstance(data, list | tuple):
        for item in data:
            yield from _nested(item)
    elif isinstance(data, dict) and not isinstance(data, Watched):
        for item in data.values():
            yield from _nested(item)


@dataclass
class ReadingApi(Api):
    """An `Api` whose JSON answers are watched."""

    reading: Reading = field(default_factory=Reading)

    @classmethod
    def around(cls, api: Api, reading: Reading) -> "ReadingApi":
        """Return a copy of `api` that watches into `reading`."""
        return cls(**{part.name: getattr(api, part.name) for part in fields(Api)}, reading=reading)

    def _json(self, response: Response, base: str | None = None) -> Json:
        data = super()._json(response, base)
        self.reading.watched = True
        return watch(data, "", self.reading)


class ReadingServer(ToolServer):
    """A tool server whose tools read watched answers."""

    reading = Reading()

    def _api(self, *args: Any, **kwargs: Any) -> Api:
        return ReadingApi.around(super()._api(*args, **kwargs), self.reading)

    async def read(self, name: str, arguments: Mapping[str, Json], transport: Transport) -> tuple[Envelope, Reading]:
        """Call a tool over a transport of its own; return the result and what was read."""
        self.transport, self.reading = transport, Reading()
        envelope = await self.call(name, arguments)
        self.reading.note_result(envelope.content.get("data"))
        return Envelope(plain(envelope.content), envelope.meta), self.reading


def plain(data: Json) -> Json:
    """Return a result without its watchers."""
    return json.loads(json.dumps(data, ensure_ascii=False, default=str))
