"""The site in a process of its own, with a scripted model, to be killed and started anew."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser

from tests import programs

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
inline_max_bytes = 24_000

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
    state: dict = field(default_factory=dict)
    server: subprocess.Popen[str] | None = None

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

    def start(self) -> str:
        """Start the server, wait until it listens, and return the link that signs in."""
        with open(self.folder / "server.log", "a") as log:
            self.server = subprocess.Popen(
                self.manage("serve", "--port", str(self.port)),
                env=self.env,
                cwd=ROOT,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        assert self.server.stdout is not None
        said = ""
        while "Sign in" not in said:
            line = self.server.stdout.readline()
            assert line, (self.folder / "server.log").read_text()
            said += line
        link = re.search(r"http://[^\s]+/sign-in/\S+", said)
        assert link is not None
        return link[0]

    def end(self, *, politely: bool = True) -> None:
        """End the server, or let it die."""
        assert self.server is not None
        if politely:
            self.server.terminate()
        else:
            self.server.kill()
        self.server.communicate(timeout=EXIT_WITHIN_S)


@contextmanager
def served(folder: Path, chromium: Browser, **variables: str) -> Iterator[Site]:
    """Serve a new site until the end, and sign its user in."""
    (folder / "gates").mkdir()
    config = folder / "burp.toml"
    config.write_text((ROOT / "burp_site" / "burp.toml").read_text() + MODEL)
    own = {"BURP_DATA_DIR": str(folder), "BURP_CONFIG": str(config), "BURP_MODEL": "scenes", **variables}
    site = Site(folder, os.environ | own, programs.free_port())
    subprocess.run(site.manage("migrate", "--verbosity", "0"), env=site.env, cwd=ROOT, check=True)
    try:
        link = site.start()
        context = chromium.new_context()
        context.new_page().goto(link)
        site.state = context.storage_state()
        context.close()
        yield site
    finally:
        site.end()
