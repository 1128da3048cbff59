"""The site in a process of its own, with a scripted model, to be killed and started anew."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser

from tests import programs
from tests.serving.site import command

ROOT = Path(__file__).parents[2]
START_WITHIN_S = 30.0
EXIT_WITHIN_S = 10.0
MODEL = """

[services.scenes]
module = "tests.browser.script_model"

[models.scenes]
provider = "scenes"
model = "scenes"
label = "Scripted model"
context_window = 1_000_000
max_output_tokens = 100_000
inline_max_tokens = 5_000

[[models.scenes.prices]]
from = 2026-01-01
input = "2.00"
output = "10.00"
cache_write_5m = "2.50"
cache_write_1h = "4.00"
cache_read = "0.10"
"""


@dataclass
class Site:
    """A site, its folder, and the cookies of its one user."""

    folder: Path
    env: dict[str, str]
    port: int
    server_name: str = "daphne"
    state: dict = field(default_factory=dict)
    server: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.port}"

    def open_gate(self, name: str) -> None:
        """Let the model go on."""
        (self.folder / "gates" / name).touch()

    def manage(self, *arguments: str) -> list[str]:
        """Return the command line of a management command."""
        return [sys.executable, str(ROOT / "manage.py"), *arguments]

    def start(self) -> None:
        """Start the server and wait until it answers."""
        with open(self.folder / "server.log", "a") as log:
            self.server = subprocess.Popen(
                [sys.executable, *command(self.server_name, self.port)],
                env=self.env,
                cwd=ROOT,
                stdout=log,
                stderr=log,
            )
        programs.wait_until(lambda: programs.is_listening(self.port), "the server", within_s=START_WITHIN_S)

    def sign_in_link(self) -> str:
        """Return a link that signs the user in."""
        run = subprocess.run(
            self.manage("sign_in_link", "--base-url", self.url),
            env=self.env,
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        return run.stdout.strip()

    def end(self, *, politely: bool = True) -> None:
        """End the server, or let it die."""
        assert self.server is not None
        if politely:
            self.server.terminate()
        else:
            self.server.kill()
        self.server.wait(EXIT_WITHIN_S)


@contextmanager
def served(folder: Path, chromium: Browser, server: str = "daphne", **variables: str) -> Iterator[Site]:
    """Serve a new site until the end, and sign its user in."""
    (folder / "gates").mkdir()
    config = folder / "burp.toml"
    config.write_text((ROOT / "burp_site" / "burp.toml").read_text() + MODEL)
    own = {"BURP_DATA_DIR": str(folder), "BURP_CONFIG": str(config), "BURP_MODEL": "scenes", **variables}
    site = Site(folder, os.environ | own, programs.free_port(), server)
    subprocess.run(site.manage("migrate", "--verbosity", "0"), env=site.env, cwd=ROOT, check=True)
    try:
        site.start()
        context = chromium.new_context()
        context.new_page().goto(site.sign_in_link())
        site.state = context.storage_state()
        context.close()
        yield site
    finally:
        site.end()
