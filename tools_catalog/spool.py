"""Results that the tool server hands over as files: read once, checked to lie in the spool folder, then deleted.

Synchronous: call it in a thread.
"""

import gc
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic_core import from_json

SPOOLED = "burp/spooled"
DATA_KEY = b',"data":'
SPOOL_MAX_BYTES = 64 * 1024 * 1024
# A file this old belongs to a call that was cancelled or to a process that is gone.
LEFTOVER_S = 3600


class SpoolProblem(Exception):
    """A spooled result can't be used."""


class SpoolTooLarge(SpoolProblem):
    """A spooled result has more bytes than are read."""


def read_spooled(reference: Mapping[str, Any], spool_dir: Path | None, *, unread: bool = False) -> tuple[Any, int]:
    """Return the JSON value of a spooled result and its size in bytes; delete the file in any case.

    With `unread` the `data` is left as it is, in bytes, where the reference says at which place it begins: parsing
    megabytes would hold up every thread of this process.
    """
    if spool_dir is None:
        raise SpoolProblem("the tool server spooled a result, but no spool folder was agreed")
    path = Path(str(reference.get("path", "")))
    # Resolved before the check: a link or `..` in the child's answer must not reach any other file.
    if path.is_symlink() or path.resolve().parent != spool_dir.resolve():
        raise SpoolProblem(f"the spooled result {str(path)!r} does not lie in the spool folder")
    try:
        size = path.stat().st_size
        if size > SPOOL_MAX_BYTES:
            raise SpoolTooLarge(f"the result has {size:,} bytes, more than {SPOOL_MAX_BYTES:,}; ask for less")
        content = path.read_bytes()
        return (_parted(content, reference.get("data_at")) if unread else None) or _parsed(content), size
    except (OSError, ValueError) as problem:
        raise SpoolProblem(f"the spooled result can't be read: {problem}") from problem
    finally:
        path.unlink(missing_ok=True)


def _parted(content: bytes, begin: Any) -> dict[str, Any] | None:
    """Return an envelope with its data unread, or None where the data is not where it should be."""
    if not isinstance(begin, int) or content[begin - len(DATA_KEY) : begin] != DATA_KEY or not content.endswith(b"}"):
        return None
    rest = from_json(content[: begin - len(DATA_KEY)] + b"}")
    return {**rest, "data": content[begin:-1]}


def _parsed(content: bytes) -> Any:
    """Parse without the garbage collector, which would look through everything several times; JSON has no cycles."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        return from_json(content)
    finally:
        if was_enabled:
            gc.enable()


def prepare_spool(spool_dir: Path, *, now: float | None = None) -> None:
    """Make the folder, for us only, and delete what others left there over an hour ago."""
    spool_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    oldest = (time.time() if now is None else now) - LEFTOVER_S
    for path in spool_dir.iterdir():
        with suppress(OSError):
            if path.is_file() and path.lstat().st_mtime < oldest:
                path.unlink()
