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
SPOOL_MAX_BYTES = 64 * 1024 * 1024
# A file this old belongs to a call that was cancelled or to a process that is gone.
LEFTOVER_S = 3600


class SpoolProblem(Exception):
    """A spooled result can't be used."""


class SpoolTooLarge(SpoolProblem):
    """A spooled result has more bytes than are read."""


def read_spooled(reference: Mapping[str, Any], spool_dir: Path | None) -> tuple[Any, int]:
    """Return the JSON value of a spooled result and its size in bytes; delete the file in any case."""
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
        return _parsed(path.read_bytes()), size
    except (OSError, ValueError) as problem:
        raise SpoolProblem(f"the spooled result can't be read: {problem}") from problem
    finally:
        path.unlink(missing_ok=True)


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
