"""Who calls the API: a browser with its session cookie and CSRF token, or a program with a bearer token."""

from typing import Any

from asgiref.sync import sync_to_async
from django.conf import settings
from django.http import HttpRequest
from ninja.security import APIKeyCookie, HttpBearer

from usage.services import token_authenticate

BEARER = "bearer "


class BearerAuth(HttpBearer):
    """`Authorization: Bearer …`."""

    async def authenticate(self, request: HttpRequest, token: str) -> Any:
        """Return whom the token belongs to, or None."""
        return await sync_to_async(token_authenticate)(token)


class CookieAuth(APIKeyCookie):
    """The session cookie of a signed-in page. State changes need the CSRF token as well."""

    param_name = settings.SESSION_COOKIE_NAME

    def _get_key(self, request: HttpRequest) -> str | None:
        """Ask for a CSRF token only of those who come with a cookie: the others are simply nobody."""
        return super()._get_key(request) if self.param_name in request.COOKIES else None

    async def authenticate(self, request: HttpRequest, key: str | None) -> Any:
        """Return who is signed in, or None."""
        user = await request.auser()
        return user if user.is_authenticated else None


async def reader_of(request: HttpRequest) -> Any:
    """Return who makes a request that changes nothing, or None."""
    header = request.headers.get("Authorization", "")
    if header.lower().startswith(BEARER):
        return await sync_to_async(token_authenticate)(header[len(BEARER) :].strip())
    user = await request.auser()
    return user if user.is_authenticated else None
