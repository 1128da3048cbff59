"""A real server process on a database of its own, and what a person's program does with it."""

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

import httpx2
import psycopg
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from tests import programs
from tests.tools_catalog.conftest import is_alive

Json = Any
ROOT = Path(__file__).parents[2]
WAIT_S = 5.0
# A cold start of server and tool server on a busy machine.
START_S = 60.0
EXIT_S = 8.0
READ_S = 60.0
PREPARE = """
import django
django.setup()
from django.core.management import call_command
from django.urls import reverse
from usage.services import local_user_get_or_create, one_time_link_create, token_issue
call_command("migrate", verbosity=0)
user = local_user_get_or_create()
print(token_issue(user=user, label="desk").secret, token_issue(user=user, label="phone").secret)
print(reverse("usage:redeem_link", args=[one_time_link_create(user=user)]))
"""


@dataclass(frozen=True)
class Home:
    """Where a site lives: its folder, its environment, its database, and what lets its one person in.

    There are tokens of two devices, and a link that signs in once.
    """

    folder: Path
    environ: Mapping[str, str]
    tokens: tuple[str, str]
    link: str

    @classmethod
    def made(cls, folder: Path, **variables: str) -> "Home":
        """Make the tables, a person and two tokens."""
        own = {"BURP_DATA_DIR": str(folder), "PYTHONUNBUFFERED": "1", **variables}
        environ = {**os.environ, **own}
        run = subprocess.run(
            [sys.executable, "-c", PREPARE],
            cwd=ROOT,
            env=environ | {"DJANGO_SETTINGS_MODULE": "burp_site.settings"},
            capture_output=True,
            text=True,
            timeout=START_S,
            check=False,
        )
        assert run.returncode == 0, run.stderr
        desk, phone, link = run.stdout.split()
        return cls(folder, environ, (desk, phone), link)

    def key(self, uuid: str) -> str:
        """Return how this database writes a UUID."""
        return uuid if self.has_row_locks else uuid.replace("-", "")

    @property
    def has_row_locks(self) -> bool:
        """Whether the database locks rows, not all of itself."""
        return "DATABASE_URL" in self.environ

    @contextmanager
    def nothing_reserved(self) -> Iterator[None]:
        """Let nobody reserve money meanwhile: SQLite lets nobody write at all."""
        if self.has_row_locks:
            with psycopg.connect(self.environ["DATABASE_URL"]) as connection:
                connection.execute("SELECT id FROM usage_user FOR NO KEY UPDATE")
                yield
            return
        connection = sqlite3.connect(self.folder / "burp.sqlite3", timeout=WAIT_S, isolation_level=None)
        with closing(connection):
            connection.execute("BEGIN IMMEDIATE")
            yield

    def drop_connections(self) -> None:
        """End all connections to PostgreSQL, as its restart does."""
        others = "datname = current_database() AND pid <> pg_backend_pid()"
        self.rows(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {others}")

    def is_waiting_for_a_lock(self) -> bool:
        """Tell whether somebody waits for a row of PostgreSQL."""
        return self.rows("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'") != [(0,)]

    def status(self, turn_id: str) -> str:
        """Return what the database says of a turn."""
        return str(self.rows("SELECT status FROM chat_turn WHERE id = ?", self.key(turn_id))[0][0])

    def rows(self, query: str, *values: str) -> list[tuple[Json, ...]]:
        """Ask the database itself; `?` stands for a value."""
        if self.has_row_locks:
            with psycopg.connect(self.environ["DATABASE_URL"]) as connection:
                return connection.execute(query.replace("?", "%s"), values).fetchall()
        with closing(sqlite3.connect(self.folder / "burp.sqlite3", timeout=WAIT_S)) as connection:
            return connection.execute(query, values).fetchall()


@dataclass
class Following:
    """The events of a turn as a program reads them, in a thread of its own."""

    turn_id: str
    events: list[dict[str, Json]] = field(default_factory=list)
    raw: bytes = b""
    status: int = 0
    is_over: bool = False
    _changed: threading.Condition = field(default_factory=threading.Condition)
    _socket: socket.socket | None = None

    def read(self, port: int, token: str, after: int) -> None:
        """Read to the end of the stream, or until `leave`."""
        connection = HTTPConnection("127.0.0.1", port, timeout=READ_S)
        headers = {"Authorization": f"Bearer {token}", "Last-Event-ID": str(after)}
        try:
            connection.connect()
            self._socket = connection.sock
            connection.request("GET", f"/api/turns/{self.turn_id}/events", headers=headers)
            response = connection.getresponse()
            self.status = response.status
            while chunk := response.read1(65536):
                self._take(chunk)
        except (OSError, HTTPException):
            pass  # left, or left alone: what came so far counts
        finally:
            connection.close()
            with self._changed:
                self.is_over = True
                self._changed.notify_all()

    def leave(self) -> None:
        """Close the connection."""
        assert self._socket is not None
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self.until_over()

    def until_over(self) -> None:
        """Wait until the stream has ended, whoever ended it."""
        with self._changed:
            assert self._changed.wait_for(lambda: self.is_over, WAIT_S), "the stream goes on"

    def until(self, condition: Callable[[list[dict[str, Json]]], bool], within_s: float = WAIT_S) -> None:
        """Wait until the events so far satisfy a condition."""
        with self._changed:
            found = self._changed.wait_for(lambda: condition(self.events), within_s)
        assert found, f"not within {within_s} s: {[event['type'] for event in self.events]}"

    def until_seen(self, kind: str, count: int = 1, within_s: float = WAIT_S) -> None:
        """Wait for so many events of a type."""
        self.until(lambda events: [event["type"] for event in events].count(kind) >= count, within_s)

    def ended(self, within_s: float = WAIT_S) -> dict[str, Json]:
        """Wait for the turn's end and return that event."""
        self.until_seen("turn_end", 1, within_s)
        return self.events[-1]

    @property
    def answer(self) -> str:
        """The text so far."""
        return "".join(event["text"] for event in self.events if event["type"] == "text")

    def _take(self, chunk: bytes) -> None:
        with self._changed:
            self.raw += chunk
            records = self.raw.decode().split("\n\n")[:-1]
            data = [line for record in records for line in record.splitlines() if line.startswith("data: ")]
            self.events[:] = [json.loads(line.removeprefix("data: ")) for line in data]
            self._changed.notify_all()


@dataclass
class Device:
    """A program with a token."""

    client: httpx2.Client
    port: int
    token: str

    def open_session(self) -> str:
        """Open a session and return its id."""
        response = self.client.post("/api/sessions", json={})
        assert response.status_code == 201, response.text
        return str(response.json()["id"])

    def post_question(self, session_id: str, question: str = "What is P04626?") -> httpx2.Response:
        """Ask, whatever comes of it."""
        return self.client.post(f"/api/sessions/{session_id}/turns", json={"question": question})

    def ask(self, session_id: str, question: str = "What is P04626?") -> Following:
        """Ask and follow."""
        response = self.post_question(session_id, question)
        assert response.status_code == 202, response.text
        return self.follow(response.json()["turn_id"])

    def follow(self, turn_id: str, after: int = 0) -> Following:
        """Follow a turn."""
        following = Following(turn_id)
        threading.Thread(target=following.read, args=(self.port, self.token, after), daemon=True).start()
        return following

    def stop(self, turn_id: str) -> None:
        """Press the button."""
        assert self.client.post(f"/api/turns/{turn_id}/stop").status_code == 202


@dataclass
class Running:
    """A server process."""

    process: subprocess.Popen[str]
    home: Home
    port: int
    log: Path

    def device(self, number: int = 0) -> Device:
        """Return one of the person's two devices."""
        token = self.home.tokens[number]
        headers = {"Authorization": f"Bearer {token}"}
        limits = httpx2.Limits(max_keepalive_connections=0)
        client = httpx2.Client(
            base_url=f"http://127.0.0.1:{self.port}", headers=headers, timeout=WAIT_S, trust_env=False, limits=limits
        )
        return Device(client, self.port, token)

    def signed_in(self) -> str:
        """Sign a browser in and return its cookie."""
        response = httpx2.get(f"http://127.0.0.1:{self.port}{self.home.link}", trust_env=False)
        return f"burp_session={response.cookies['burp_session']}"

    def open_page(self, session_id: str, cookie: str) -> ClientConnection:
        """Open the socket of a session's page."""
        return connect(
            f"ws://127.0.0.1:{self.port}/ws/sessions/{session_id}/",
            additional_headers={"Cookie": cookie},
            origin=Origin(f"http://127.0.0.1:{self.port}"),
            proxy=None,
        )

    def family(self) -> set[int]:
        """Return the process and all that it has started, directly or not."""
        listed = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
        parents = {int(pid): int(parent) for pid, parent in (line.split() for line in listed.splitlines())}
        found = {self.process.pid}
        while more := {pid for pid, parent in parents.items() if parent in found} - found:
            found |= more
        return found

    def terminate(self) -> None:
        """Ask it to end, as a supervisor does, and wait until it has."""
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(EXIT_S) in (0, -signal.SIGTERM), self.log.read_text()[-3000:]

    def kill(self) -> None:
        """Let it die without a word."""
        self.process.kill()
        self.process.wait(EXIT_S)


def command(server: str, port: int) -> list[str]:
    """Return the command line of a server as it is documented."""
    if server == "daphne":
        return ["manage.py", "serve", "--port", str(port)]
    options = ["--timeout-graceful-shutdown", "6", "--log-level", "warning"]
    return ["-m", "uvicorn", "burp_site.asgi:application", "--port", str(port), *options]


@contextmanager
def running(server: str, home: Home) -> Iterator[Running]:
    """Run a server until it is killed, at the latest at the end."""
    port = programs.free_port()
    log = home.folder / f"{server}-{port}.log"
    with open(log, "w") as output:
        process = subprocess.Popen(
            [sys.executable, *command(server, port)],
            cwd=ROOT,
            env=dict(home.environ),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            text=True,
        )
    site = Running(process, home, port, log)
    family: set[int] = set()
    try:
        programs.wait_until(lambda: is_up(site), f"{server}: {log}", within_s=START_S)
        yield site
    finally:
        if process.poll() is None:
            family = site.family()
            process.kill()
            process.wait(EXIT_S)
        programs.wait_until(lambda: not any(map(is_alive, family)), "the end of what the server had started")


def is_up(site: Running) -> bool:
    """Tell whether the server answers; fail if it has ended."""
    assert site.process.poll() is None, site.log.read_text()[-3000:]
    if not programs.is_listening(site.port):
        return False
    return site.device().client.get("/healthz").status_code == 200
