"""The ASGI application: pages and API over HTTP, live turns over WebSocket, start and end over lifespan."""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "burp_site.settings")

from asgiref.typing import ASGIReceiveCallable, ASGISendCallable, Scope
from django.core.asgi import get_asgi_application

http_application = get_asgi_application()  # loads the apps, which the imports below need

from channels.auth import AuthMiddlewareStack
from channels.routing import ProtocolTypeRouter, URLRouter
from channels.security.websocket import AllowedHostsOriginValidator

from burp_site.lifespan import lifespan
from burp_site.origin import SameOriginOnly
from chat.routing import websocket_urlpatterns

site = ProtocolTypeRouter(
    {
        "http": http_application,
        "websocket": AllowedHostsOriginValidator(
            SameOriginOnly(AuthMiddlewareStack(URLRouter(websocket_urlpatterns))),
        ),
    },
)


async def application(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
    """Answer one connection."""
    if scope["type"] == "lifespan":
        await lifespan(receive, send)
    else:
        await site(scope, receive, send)
