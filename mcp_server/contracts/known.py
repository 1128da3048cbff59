"""What a person has read and written down about recorded responses: other names of tools, and odd samples.

`tool_names.toml` maps the names under which recorders filed their samples to the tools of today, or says why
there is none. `known_samples.toml` says how a sample must be asked for, or why it can't be parsed; its `file`
may hold `*`, and what several entries say of one file adds up.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

Json = Any
HERE = Path(__file__).parent
TOOL_NAMES = HERE / "tool_names.toml"
KNOWN_SAMPLES = HERE / "known_samples.toml"


@dataclass(frozen=True)
class OtherName:
    """What became of a tool's other name: `tool` with fixed `arguments`, or the reason why there is none."""

    tool: str = ""
    arguments: Mapping[str, Json] = field(default_factory=dict)
    dropped: str = ""


@dataclass(frozen=True)
class KnownSample:
    """What is known of samples whose names fit `file`. With `reason` they are not replayed.

    `within` (with `aside` beside it), `first`, `listed`, `root` and `before` undo what the recorder did to the body.
    An argument `""` takes the example's away. `url` takes the place of the manifest's address.
    """

    platform: str
    file: str
    reason: str = ""
    tool: str = ""
    arguments: Mapping[str, Json] = field(default_factory=dict)
    url: str = ""
    within: str = ""
    aside: Mapping[str, Json] = field(default_factory=dict)
    first: bool = False
    listed: bool = False
    root: str = ""
    before: str = ""
    status: int | None = None
    empty: bool = False


@dataclass(frozen=True)
class Knowledge:
    """Both tables."""

    names: Mapping[str, Mapping[str, OtherName]] = field(default_factory=dict)
    samples: tuple[KnownSample, ...] = ()

    @classmethod
    def read(cls, names: Path = TOOL_NAMES, samples: Path = KNOWN_SAMPLES) -> "Knowledge":
        """Read the tables."""
        by_platform = {
            platform: {name: _other_name(value) for name, value in entries.items()}
            for platform, entries in tomllib.loads(names.read_text(encoding="utf-8")).items()
        }
        tables = tomllib.loads(samples.read_text(encoding="utf-8"))
        rows = [KnownSample(platform, **row) for platform, rows in tables.items() for row in rows]
        return cls(by_platform, tuple(rows))

    def name(self, platform: str, word: str) -> OtherName | None:
        """Return what became of a tool's other name."""
        return self.names.get(platform, {}).get(word)

    def sample(self, platform: str, file: str) -> KnownSample:
        """Return what is known of a sample."""
        fitting = [one for one in self.samples if one.platform == platform and fnmatchcase(file, one.file)]
        facts: dict[str, Json] = {"arguments": {}}
        for known in fitting:
            said = {part.name: getattr(known, part.name) for part in fields(known) if getattr(known, part.name)}
            facts |= {**said, "arguments": {**facts["arguments"], **known.arguments}}
        return KnownSample(**{**facts, "platform": platform, "file": file})


def _other_name(value: Json) -> OtherName:
    return OtherName(tool=value) if isinstance(value, str) else OtherName(**value)
