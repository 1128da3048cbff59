"""The programs beside Python that some tests drive: find them, install them on Debian, run servers.

`python -m tests.programs` installs what is missing through apt where that is possible, and elsewhere
prints one line a program; what comes from npm it installs anywhere (`tests/node.py`).
"""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests import node

START_WITHIN_S = 5.0
STOP_WITHIN_S = 5.0
PAUSE_S = 0.02
UNPRIVILEGED_USER = "nobody"
# A test lets two hundred turns spend together, each over a connection of its own.
POSTGRES_CONNECTIONS = 250


@dataclass(frozen=True)
class Program:
    """A program, where it may be, and how to get it."""

    name: str
    commands: tuple[str, ...]
    apt_package: str
    elsewhere: str
    folders: tuple[str, ...] = ()


PROGRAMS = {
    program.name: program
    for program in (
        Program("chromium", ("chromium", "chromium-browser", "google-chrome"), "chromium", "brew install chromium"),
        Program("redis-server", ("redis-server",), "redis-server", "brew install redis"),
        Program(
            "postgres",
            ("initdb",),
            "postgresql",
            "brew install postgresql",
            folders=("/usr/lib/postgresql/*/bin", "/opt/homebrew/opt/postgresql*/bin"),
        ),
    )
}


def find(name: str) -> Path | None:
    """Return the path of the program, also where it is installed outside PATH."""
    program = PROGRAMS[name]
    for folder in program.folders:
        for candidate in sorted(Path("/").glob(folder.lstrip("/")), reverse=True):
            if (candidate / program.commands[0]).exists():
                return candidate / program.commands[0]
    for command in program.commands:
        if found := shutil.which(command):
            return Path(found)
    return None


def require(name: str) -> Path:
    """Return the program's path; without it skip the test, or fail it where CI is set."""
    found = find(name)
    if found:
        return found
    message = f"{name} is not installed ({how_to_get(name)})"
    if os.environ.get("CI"):
        pytest.fail(message, pytrace=False)
    pytest.skip(message)


def how_to_get(name: str) -> str:
    """Return the command that installs the program."""
    program = PROGRAMS[name]
    return program.elsewhere if sys.platform == "darwin" else f"apt install {program.apt_package}"


# --- servers ---------------------------------------------------------------------------------


def free_port() -> int:
    """Return a TCP port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def wait_until(is_ready: Callable[[], bool], what: str, *, within_s: float = START_WITHIN_S) -> None:
    """Return as soon as `is_ready()` holds; fail when it doesn't in time."""
    deadline = time.monotonic() + within_s
    while not is_ready():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what} was not ready within {within_s} s")
        time.sleep(PAUSE_S)


def is_listening(port: int) -> bool:
    """Return whether something accepts connections on the port."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a process, politely first."""
    process.terminate()
    try:
        process.wait(STOP_WITHIN_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(STOP_WITHIN_S)


@contextmanager
def redis_server(port: int | None = None) -> Iterator[str]:
    """Run a Redis server that keeps nothing, and yield its URL."""
    port = port or free_port()
    command = [str(find("redis-server")), "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", "/"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: is_listening(port), "redis-server")
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        stop(process)


@contextmanager
def postgres_server() -> Iterator[str]:
    """Run a PostgreSQL server on a new cluster, and yield the URL of its database."""
    initdb = require("postgres").resolve()
    port = free_port()
    # A folder of its own right under the temporary one: another user must be able to reach it.
    with tempfile.TemporaryDirectory(prefix="burp-postgres-") as folder:
        unprivileged = _unprivileged(folder)
        data = Path(folder, "data")
        create = [initdb, "-D", data, "-U", "burp", "--auth=trust", "--encoding=UTF8", "--no-sync"]
        subprocess.run(create, check=True, capture_output=True, **unprivileged)
        command = [initdb.with_name("postgres"), "-D", data, "-p", str(port), "-c", "fsync=off"]
        command += ["-c", f"max_connections={POSTGRES_CONNECTIONS}"]
        command += ["-c", "listen_addresses=127.0.0.1", "-c", f"unix_socket_directories={folder}"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **unprivileged)
        try:
            wait_until(lambda: is_listening(port), "postgres", within_s=2 * START_WITHIN_S)
            yield f"postgres://burp@127.0.0.1:{port}/postgres"
        finally:
            process.send_signal(signal.SIGINT)  # ends the sessions and stops
            stop(process)


def _unprivileged(folder: str) -> dict[str, Any]:
    """Return how to start a process that PostgreSQL accepts: it refuses to run as root."""
    if os.geteuid() != 0:
        return {"cwd": folder}
    person = pwd.getpwnam(UNPRIVILEGED_USER)
    os.chown(folder, person.pw_uid, person.pw_gid)
    return {"cwd": folder, "user": person.pw_uid, "group": person.pw_gid, "extra_groups": []}


# --- installing ------------------------------------------------------------------------------


def main() -> int:
    """Install or name what is missing. Always 0: the tests themselves decide what they need."""
    missing = [name for name in PROGRAMS if find(name) is None]
    if missing and shutil.which("apt-get") and os.geteuid() == 0:
        _apt_install([PROGRAMS[name].apt_package for name in missing])
        missing = [name for name in missing if find(name) is None]
    for name in missing:
        print(f"missing: {name}; its tests are skipped ({how_to_get(name)})")
    for package in node.install():
        print(f"missing: {package}; its tests are skipped ({node.ADVICE})")
    return 0


def _apt_install(packages: list[str]) -> None:
    """Install Debian packages; refresh the package lists only when they don't know one."""
    environ = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    install = ["apt-get", "install", "-y", "-q", "--no-install-recommends", *packages]
    if subprocess.run(install, env=environ, stdout=subprocess.DEVNULL, check=False).returncode:
        subprocess.run(["apt-get", "update", "-q"], env=environ, stdout=subprocess.DEVNULL, check=False)
        subprocess.run(install, env=environ, stdout=subprocess.DEVNULL, check=False)


if __name__ == "__main__":
    sys.exit(main())
