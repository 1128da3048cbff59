"""Let only the site's own pages open a WebSocket.

A browser sends cookies along with a WebSocket that any page opens, and cookies ignore ports: the
origin must therefore be the very host and port that the request is for.
"""

from typing import Any
from urllib.parse import urlsplit

from channels.security.websocket import WebsocketDenier


class SameOriginOnly:
    """Pass on what comes from the own origin; close everything else before it is accepted."""

    def __init__(self, application: Any) -> None:
        self.application = application

    async def __call__(self, scope: Any, receive: Any, send: Any) -> Any:
        """Compare `Origin` with `Host`."""
        headers = dict(scope["headers"])
        origin = urlsplit(headers.get(b"origin", b"").decode("latin-1"))
        host = headers.get(b"host", b"").decode("latin-1")
        if origin.scheme in ("http", "https") and host and origin.netloc.lower() == host.lower():
            return await self.application(scope, receive, send)
        return await WebsocketDenier()(scope, receive, send)
