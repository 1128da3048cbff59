"""The tool server over streamable HTTP: who may reach it, under which names, and how it ends.

Loopback needs no token: whoever can reach it is on this machine. Beyond loopback a bearer token is a must.
A page in a browser on this machine could be made to ask a server on loopback (DNS rebinding): only requests
for the names that this server is known by, and from pages of these names, are answered.
"""

import asyncio
import hmac
import ipaddress
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mcp_server.protocol import EVENTS, protocol_server
from mcp_server.server import ToolServer

PATH = "/mcp"
PORT = 8765
TOKEN_MIN_CHARACTERS = 16
EVERYWHERE = ("", "0.0.0.0", "::")
LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
# Calls that run at the end have this long to finish, and then connections this long to close.
DRAIN_S = 5.0
CLOSE_S = 2
BACKLOG = 128


class BadOptions(ValueError):
    """The server can't be reached safely in the way that was asked for."""


@dataclass(frozen=True)
class HttpOptions:
    """Where to listen. `names` are further host names under which clients reach this server.

    Raises `BadOptions` for an address or a name that others reach when there is no token.
    """

    host: str = "127.0.0.1"
    port: int = PORT
    names: tuple[str, ...] = ()
    token: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        if self.token and len(self.token) < TOKEN_MIN_CHARACTERS:
            raise BadOptions(f"BURP_MCP_TOKEN must have at least {TOKEN_MIN_CHARACTERS} characters")
        others = [name for name in (self.host, *self.names) if not is_loopback(name)]
        if not self.token and others:
            raise BadOptions(
                f"{others[0]!r} can be reached from other machines: set BURP_MCP_TOKEN to a secret that clients send "
                "as 'Authorization: Bearer …', or listen on 127.0.0.1"
            )

    @property
    def known_names(self) -> list[str]:
        """The names for which requests are answered, with and without a port."""
        own = [] if self.host in EVERYWHERE else [_bracketed(self.host)]
        names = dict.fromkeys([*LOOPBACK_NAMES, *own, *self.names])
        return [form for name in names for form in (name, f"{name}:*")]

    @property
    def shown_name(self) -> str:
        """A name that works in an address."""
        everywhere = self.names[0] if self.names else LOOPBACK_NAMES[0]
        return everywhere if self.host in EVERYWHERE else _bracketed(self.host)

    @property
    def security(self) -> TransportSecuritySettings:
        """The checks of the headers Host and Origin."""
        origins = [f"{scheme}://{name}" for scheme in ("http", "https") for name in self.known_names]
        return TransportSecuritySettings(allowed_hosts=self.known_names, allowed_origins=origins)


def is_loopback(host: str) -> bool:
    """Tell whether an address is this machine's own alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


class RequireToken:
    """Lets requests with the token pass; answers all others with 401."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request."""
        if scope["type"] != "http" or self._is_right(dict(scope["headers"]).get(b"authorization", b"")):
            await self._app(scope, receive, send)
            return
        await _say(send, 401, "A bearer token is needed here.", (b"www-authenticate", b'Bearer realm="burp"'))

    def _is_right(self, header: bytes) -> bool:
        scheme, _, token = header.partition(b" ")
        # Compared in constant time: how long it takes must not tell how much of it was right.
        return scheme.lower() == b"bearer" and hmac.compare_digest(token.strip(), self._token)


class RunningCalls:
    """Counts the requests that are being answered, so that the end can wait for them; open streams don't count."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._number = 0
        self._none = asyncio.Event()
        self._none.set()
        self._ending = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; none that comes at the end."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif scope["method"] != "POST":
            await _completed(self._app, scope, receive, send)
        elif self._ending:
            await _say(send, 503, "This server is ending.", (b"retry-after", b"1"))
        else:
            self._number += 1
            self._none.clear()
            try:
                await self._app(scope, receive, send)
            finally:
                self._number -= 1
                if not self._number:
                    self._none.set()

    async def drain(self) -> None:
        """Take no more requests, and wait for those that run, for a while."""
        self._ending = True
        with suppress(TimeoutError):
            async with asyncio.timeout(DRAIN_S):
                await self._none.wait()


async def _completed(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a request to its end: at the server's end an open stream is left off in the middle."""
    is_open = False

    async def noting(message: Message) -> None:
        nonlocal is_open
        if message["type"] == "http.response.start":
            is_open = True
        elif not message.get("more_body", False):
            is_open = False
        await send(message)

    await app(scope, receive, noting)
    if is_open:
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _say(send: Send, status: int, text: str, *headers: tuple[bytes, bytes]) -> None:
    plain = (b"content-type", b"text/plain; charset=utf-8")
    await send({"type": "http.response.start", "status": status, "headers": [plain, *headers]})
    await send({"type": "http.response.body", "body": text.encode()})


def make_app(tools: ToolServer, options: HttpOptions) -> RunningCalls:
    """Return the ASGI application; its lifespan must be run."""
    protocol = protocol_server(tools, EVENTS)
    app: ASGIApp = protocol.streamable_http_app(streamable_http_path=PATH, transport_security=options.security)
    return RunningCalls(RequireToken(app, options.token) if options.token else app)


async def serve(tools: ToolServer, options: HttpOptions) -> None:
    """Serve until SIGTERM or SIGINT; then let running calls finish, within bounds."""
    with _listening(options) as listener:
        address = f"http://{options.shown_name}:{listener.getsockname()[1]}{PATH}"
        app = make_app(tools, options)
        settings = uvicorn.Config(
            app, lifespan="on", ws="none", log_config=None, access_log=False, timeout_graceful_shutdown=CLOSE_S
        )
        print(f"MCP over HTTP at {address}", file=sys.stderr, flush=True)
        await _Server(settings, app).serve(sockets=[listener])


@contextmanager
def _listening(options: HttpOptions) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    try:
        listener = socket.create_server((options.host, options.port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise BadOptions(f"can't listen on {options.host} port {options.port}: {error.strerror}") from error
    with listener:
        yield listener


class _Server(uvicorn.Server):
    """Ends in order at a signal, and with the exit code of a regular end."""

    def __init__(self, config: uvicorn.Config, app: RunningCalls) -> None:
        super().__init__(config)
        self._app = app
        self._draining: asyncio.Task[None] | None = None

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take the signals while serving; once everything is closed there is nothing left to be ended by them."""
        loop = asyncio.get_running_loop()
        ends = (signal.SIGTERM, signal.SIGINT)
        for number in ends:
            loop.add_signal_handler(number, self._end, number)
        try:
            yield
        finally:
            for number in ends:
                loop.remove_signal_handler(number)

    def _end(self, number: signal.Signals) -> None:
        """Wait for running calls first; a second signal ends them."""
        if self._draining is None:
            self._draining = asyncio.create_task(self._app.drain())
            self._draining.add_done_callback(lambda task: self.handle_exit(number, None))
        else:
            self.handle_exit(number, None)
