"""The real server processes: where they listen, who gets in, how they end."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

from tests import programs

ROOT = Path(__file__).parents[2]
WAIT_S = 5.0
START_S = 30.0
EXIT_S = 8.0


@dataclass
class Serving:
    """A server process, what it printed so far, and a client of it that keeps no cookies."""

    process: subprocess.Popen[str]
    printed: str
    port: int
    client: httpx2.Client

    def read_until(self, word: str) -> None:
        """Read what the process prints until `word` appears."""
        assert self.process.stdout is not None
        while word not in self.printed:
            line = self.process.stdout.readline()
            assert line, f"the process ended before it printed {word!r}: {self.printed}"
            self.printed += line

    def finish(self) -> None:
        """Let the drain end, and wait for the process."""
        rest, _ = self.process.communicate("\n", timeout=EXIT_S)
        self.printed += rest


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a data folder with an empty, up-to-date database."""
    folder = tmp_path_factory.mktemp("data")
    environ = {**os.environ, "BURP_DATA_DIR": str(folder)}
    subprocess.run(
        [sys.executable, "manage.py", "migrate", "-v0"], cwd=ROOT, env=environ, check=True, timeout=2 * START_S
    )
    return folder


@pytest.fixture
def serve(data_dir: Path) -> Iterator[Callable[[str], Serving]]:
    """Give a function that starts a server by name and waits until it answers."""
    started: list[Serving] = []

    def start(name: str) -> Serving:
        port = programs.free_port()
        command = {
            "daphne": ["-m", "tests.burp_site.serving", "--port", str(port)],
            "uvicorn": ["-m", "uvicorn", "tests.burp_site.serving:application", "--port", str(port)]
            + ["--timeout-graceful-shutdown", "6", "--log-level", "warning"],
        }[name]
        process = subprocess.Popen(
            [sys.executable, *command],
            cwd=ROOT,
            env={**os.environ, "BURP_DATA_DIR": str(data_dir), "PYTHONUNBUFFERED": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        client = httpx2.Client(base_url=f"http://127.0.0.1:{port}", timeout=WAIT_S, trust_env=False)
        serving = Serving(process, "", port, client)
        started.append(serving)
        serving.read_until("started" if name == "uvicorn" else "Stop with Ctrl+C")
        programs.wait_until(lambda: programs.is_listening(port), name)
        return serving

    yield start
    for serving in started:
        serving.client.close()
        serving.process.kill()
        serving.process.communicate()


def test_the_printed_link_signs_in_once(serve: Callable[[str], Serving]) -> None:
    serving = serve("daphne")
    link = re.search(rf"http://127\.0\.0\.1:{serving.port}(/sign-in/\S+)", serving.printed)
    assert link
    assert "Model:     Recipe planner" in serving.printed
    assert "Upstreams: snapshot (the offline snapshot)" in serving.printed

    first = serving.client.get(link[1])
    assert (first.status_code, first.headers["Location"]) == (302, "/")
    assert "burp_session" in first.cookies
    assert serving.client.get("/sign-in/").status_code == 302
    serving.client.cookies.clear()
    assert serving.client.get("/sign-in/").status_code == 200
    assert serving.client.get(link[1]).status_code == 410


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have one loopback address only")
def test_it_listens_on_one_address_only(serve: Callable[[str], Serving]) -> None:
    serving = serve("daphne")

    assert serving.client.get("/healthz").status_code == 200
    with closing(socket.socket()) as other:
        assert other.connect_ex(("127.0.0.2", serving.port)) != 0


def test_local_mode_refuses_to_be_reached_from_elsewhere(data_dir: Path) -> None:
    refusal = manage(data_dir, "serve", "--host", "0.0.0.0")

    assert refusal == (
        "CommandError: --host 0.0.0.0: in local mode BURP has no passwords and is for this machine only; "
        "use 127.0.0.1, or set BURP_MODE=server\n"
    )


def test_a_busy_port_is_said_in_one_line(data_dir: Path) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as other:
        port = other.getsockname()[1]
        refusal = manage(data_dir, "serve", "--port", str(port))

    assert refusal.splitlines()[-1].startswith(f"CommandError: 127.0.0.1:{port} can't be listened on")


def test_an_outdated_database_is_refused_before_anybody_comes(tmp_path: Path) -> None:
    assert "run `manage.py migrate` first" in manage(tmp_path, "serve")


@pytest.mark.case("C070")
@pytest.mark.parametrize("name", ["daphne", "uvicorn"])
def test_sigterm_drains_first_and_closes_streams_second(serve: Callable[[str], Serving], name: str) -> None:
    serving = serve(name)
    with serving.client.stream("GET", "/stream") as stream:
        lines = stream.iter_lines()
        assert next(lines) == "data: hello"

        serving.process.send_signal(signal.SIGTERM)
        serving.read_until("draining")
        serving.finish()

        assert "data: bye" in lines
    assert "drained" in serving.printed
    assert serving.process.returncode in (0, -signal.SIGTERM)


@pytest.mark.case("C070")
@pytest.mark.parametrize("name", ["daphne", "uvicorn"])
def test_a_second_sigterm_changes_nothing(serve: Callable[[str], Serving], name: str) -> None:
    serving = serve(name)
    serving.process.send_signal(signal.SIGTERM)
    serving.read_until("draining")

    serving.process.send_signal(signal.SIGTERM)
    serving.finish()

    assert serving.printed.count("drain") == 2
    assert serving.process.returncode in (0, -signal.SIGTERM)


@pytest.mark.case("C070")
@pytest.mark.parametrize("name", ["daphne", "uvicorn"])
def test_a_drain_that_hangs_does_not_keep_the_process(serve: Callable[[str], Serving], name: str) -> None:
    serving = serve(name)
    with serving.client.stream("GET", "/stream"):
        serving.process.send_signal(signal.SIGTERM)

        assert serving.process.wait(EXIT_S) in (0, -signal.SIGTERM)


def manage(data_dir: Path, *arguments: str) -> str:
    """Run a management command that fails, and return what it said."""
    run = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env={**os.environ, "BURP_DATA_DIR": str(data_dir)},
        capture_output=True,
        text=True,
        timeout=START_S,
        check=False,
    )
    assert run.returncode == 1
    return run.stderr
