"""Only the site's own pages open a WebSocket."""

from typing import Any

import pytest
from channels.testing import WebsocketCommunicator

from burp_site.origin import SameOriginOnly


async def accept(scope: Any, receive: Any, send: Any) -> None:
    """Let in whoever gets through, until they leave."""
    assert (await receive())["type"] == "websocket.connect"
    await send({"type": "websocket.accept"})
    await receive()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("host", "origin", "is_let_in"),
    [
        ("127.0.0.1:8000", "http://127.0.0.1:8000", True),
        ("burp.lab.example", "https://burp.lab.example", True),
        ("Burp.Lab.Example", "https://burp.lab.example", True),
        ("127.0.0.1:8000", "http://127.0.0.1:3000", False),
        ("127.0.0.1:8000", "http://localhost:8000", False),
        ("burp.lab.example", "https://evil.example", False),
        ("burp.lab.example", "https://burp.lab.example.evil.example", False),
        ("burp.lab.example", "null", False),
        ("burp.lab.example", None, False),
        (None, None, False),
    ],
)
async def test_origin_and_host_must_be_one(host: str | None, origin: str | None, is_let_in: bool) -> None:
    pairs: list[tuple[bytes, Any]] = [(b"host", host), (b"origin", origin)]
    headers = [(name, value.encode()) for name, value in pairs if value]
    socket = WebsocketCommunicator(SameOriginOnly(accept), "/ws/", headers=headers)

    connected, _ = await socket.connect()
    await socket.disconnect()

    assert connected is is_let_in
