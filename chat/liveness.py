"""Which processes are alive: each holds a locked file in the data folder for as long as it lives.

The system takes the lock away however a process ends, also by `kill -9` or when its container is gone.
So the next start can tell at once, without waiting for any lease, whose turns nobody runs any more.
"""

import fcntl
import logging
import os
import uuid
from contextlib import suppress
from functools import cache
from pathlib import Path

from django.conf import settings

log = logging.getLogger(__name__)


def own_name() -> str:
    """Return the name of this process, which it keeps for life."""
    return _claimed(os.getpid())


def is_gone(name: str) -> bool:
    """Tell whether the process of this name is certainly dead; False where that can't be known from here."""
    if not name:
        return False
    try:
        # For writing: some network file systems give an exclusive lock to nobody else.
        file = open(_folder() / name, "r+b")  # noqa: SIM115 - closed below
    except OSError:
        return False
    with file:
        return _takes_lock(file.fileno())


def forget_the_gone() -> None:
    """Remove the files of dead processes; call it when their turns are closed."""
    for path in _folder().glob("*"):
        if is_gone(path.name):
            with suppress(OSError):
                path.unlink()


@cache
def _claimed(pid: int) -> str:
    """Make and lock this process's file. The pid is asked for so that a fork gets one of its own."""
    name = uuid.uuid4().hex
    folder = _folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    # It gets its name only when it is locked: a file without a lock means a death.
    hidden = folder.with_name(f"{folder.name}-{name}")
    descriptor = os.open(hidden, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    if not _takes_lock(descriptor):
        log.warning("%s can't be locked: turns of a dead process are closed by their lease only", folder)
    hidden.rename(folder / name)
    return name


def _takes_lock(descriptor: int) -> bool:
    """Take the lock if it is free; tell whether it was."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _folder() -> Path:
    return Path(settings.DATA_DIR) / "processes"
