"""Make a test run independent of the machine: own data folder, no keys, no network but loopback."""

import atexit
import os
import shutil
import socket
import sys
import tempfile
from typing import Any

import django

REMOVED = (
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "OPENAI_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "DATABASE_URL",
    "REDIS_URL",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
)
# The only way to another database: the tests of PostgreSQL run a part of the tests with it.
DATABASE_URL_OF_TESTS = "TEST_DATABASE_URL"
LOOPBACK = ("127.", "localhost", "::1")


class NetworkForbidden(RuntimeError):
    """A test tried to leave the machine."""

    def __init__(self, host: object) -> None:
        super().__init__(f"tests must not reach {host!r}: only loopback is allowed")


def prepare() -> None:
    """Set up this process's environment; child processes inherit it.

    The settings are named only while Django starts: a variable that stays would make the pytest of a
    child process read them before its own environment is prepared.
    """
    if "burp_site.settings" in sys.modules:
        raise RuntimeError("the settings were read too early: unset DJANGO_SETTINGS_MODULE to run the tests")
    for name in [name for name in os.environ if name.startswith("BURP_")] + list(REMOVED):
        os.environ.pop(name, None)
    folder = tempfile.mkdtemp(prefix="burp-tests-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ["BURP_DATA_DIR"] = folder
    os.environ["BURP_UPSTREAMS"] = "snapshot"
    # Embedding all tools takes a core for seconds: the tests of the search ask for it themselves.
    os.environ["BURP_EMBEDDER"] = "none"
    # Tests count the requests that they cause.
    os.environ["BURP_UPSTREAM_CACHE"] = "0"
    if url := os.environ.get(DATABASE_URL_OF_TESTS):
        os.environ["DATABASE_URL"] = url


def start_django() -> None:
    """Load the settings and the apps."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "burp_site.settings"
    django.setup()
    del os.environ["DJANGO_SETTINGS_MODULE"]


def block_network() -> None:
    """Refuse every connection and name look-up that leaves the machine."""
    for name in ("connect", "connect_ex"):
        setattr(socket.socket, name, _loopback_only(getattr(socket.socket, name)))
    look_up = socket.getaddrinfo

    def getaddrinfo(host: Any, *args: Any, **kwargs: Any) -> Any:
        _refuse_remote(host)
        return look_up(host, *args, **kwargs)

    socket.getaddrinfo = getaddrinfo


def _loopback_only(method: Any) -> Any:
    def guarded(self: socket.socket, address: Any) -> Any:
        if self.family in (socket.AF_INET, socket.AF_INET6):
            _refuse_remote(address[0])
        return method(self, address)

    return guarded


def _refuse_remote(host: Any) -> None:
    name = host.decode() if isinstance(host, bytes) else host
    if name and not name.startswith(LOOPBACK) and name != "0.0.0.0":
        raise NetworkForbidden(name)
