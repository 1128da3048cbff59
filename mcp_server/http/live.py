"""The live transport: one pool of connections, known hosts only, bounded answers."""

import logging
from collections.abc import Iterable
from urllib.parse import urljoin, urlsplit

import httpx2

from mcp_server.http.errors import UpstreamBadResponse, UpstreamUnavailable, UpstreamUnreachable
from mcp_server.http.messages import Request, Response, redact

MAX_BYTES = 64 * 1024 * 1024
MAX_REDIRECTS = 3
# Two attempts at connecting and the wait between them end within ten seconds.
CONNECT_TIMEOUT_S = 4.0
READ_TIMEOUT_S = 30.0

# They log whole addresses, keys included; what was asked stands in the provenance of each result.
for _name in ("httpx2", "httpcore2"):
    logging.getLogger(_name).setLevel(logging.WARNING)


class LiveTransport:
    """Sends requests to the platforms' own hosts, or through a gateway that stands for them.

    With a gateway, `https://HOST/PATH?QUERY` is asked as `GATEWAY/HOST/PATH?QUERY`.
    Redirects are followed on the same host only: another host may hold another assembly.
    """

    def __init__(self, hosts: Iterable[str], *, user_agent: str, gateway: str = "") -> None:
        self._hosts = frozenset(hosts)
        self._gateway = gateway.rstrip("/")
        self._user_agent = user_agent
        self._client = httpx2.AsyncClient(
            timeout=httpx2.Timeout(READ_TIMEOUT_S, connect=CONNECT_TIMEOUT_S),
            limits=httpx2.Limits(max_connections=40, max_keepalive_connections=20),
            follow_redirects=False,
        )

    def _address(self, url: str) -> str:
        parts = urlsplit(url)
        if parts.scheme != "https" or parts.netloc not in self._hosts:
            raise UpstreamBadResponse(parts.netloc, "this host belongs to none of the databases")
        return f"{self._gateway}/{url.removeprefix('https://')}" if self._gateway else url

    async def send(self, request: Request) -> Response:
        """Send the request once, following redirects on the same host."""
        url = request.url
        for _ in range(MAX_REDIRECTS + 1):
            response = await self._send_once(request, url)
            location = response.headers.get("location")
            if response.status not in (301, 302, 303, 307, 308) or not location:
                return response
            url = self._next_url(url, location, request.host)
        raise UpstreamBadResponse(request.host, f"more than {MAX_REDIRECTS} redirects")

    def _next_url(self, url: str, location: str, host: str) -> str:
        if self._gateway and location.startswith(f"{self._gateway}/"):
            location = "https://" + location.removeprefix(f"{self._gateway}/")
        elif self._gateway and location.startswith(f"/{host}/"):
            location = f"https:/{location}"
        target = urljoin(url, location)
        if urlsplit(target).netloc != host:
            raise UpstreamUnavailable(host, f"it redirected to another host, {urlsplit(target).netloc}; not followed")
        return target

    async def _send_once(self, request: Request, url: str) -> Response:
        headers = {"User-Agent": self._user_agent, "Accept": "application/json", **request.headers}
        try:
            async with self._client.stream(
                request.method,
                self._address(url),
                headers=headers,
                json=request.body,
                content=request.text,
            ) as answer:
                content = bytearray()
                async for chunk in answer.aiter_bytes():
                    content += chunk
                    if len(content) > MAX_BYTES:
                        raise UpstreamBadResponse(request.host, f"the answer is larger than {MAX_BYTES >> 20} MB")
                return Response(
                    answer.status_code,
                    {name.lower(): value for name, value in answer.headers.items()},
                    bytes(content),
                )
        except httpx2.ConnectTimeout as error:
            raise UpstreamUnreachable(request.host, f"no connection within {CONNECT_TIMEOUT_S:g} s") from error
        except httpx2.ConnectError as error:
            raise UpstreamUnreachable(request.host, redact(f"no connection: {error}")) from error
        except httpx2.TimeoutException as error:
            raise UpstreamUnavailable(request.host, "no answer within 30 s") from error
        except httpx2.HTTPError as error:
            raise UpstreamUnavailable(request.host, redact(f"{type(error).__name__}: {error}")) from error

    async def aclose(self) -> None:
        """Close the pool."""
        await self._client.aclose()
