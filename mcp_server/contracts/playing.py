"""The transports of a replay: one that learns what a tool asks, one that plays a sample to it."""

from collections.abc import Mapping, Sequence

from mcp_server.contracts.addresses import Exchange, nearest, stand_in
from mcp_server.contracts.samples import Sample
from mcp_server.http.errors import NotInSnapshot
from mcp_server.http.messages import Request, Response, canonical_key
from mcp_server.http.snapshot import SnapshotTransport
from mcp_server.tool import ToolSpec


class Learning:
    """Passes requests to the records, and keeps what was asked and answered."""

    def __init__(self, inner: SnapshotTransport) -> None:
        self._inner = inner
        self.exchanges: list[Exchange] = []

    async def send(self, request: Request) -> Response:
        """Answer from the records."""
        try:
            response = await self._inner.send(request)
        except NotInSnapshot:
            self.exchanges.append(Exchange(request, None))
            raise
        self.exchanges.append(Exchange(request, response))
        return response

    async def aclose(self) -> None:
        """Nothing is held open."""


class Playing:
    """Plays one sample for one tool, and for its other requests what other samples and the records hold.

    What nobody recorded is answered as in the tool's example, speaking of what is asked here; after an
    error that is not done, since its cause would be the same for every request.
    """

    def __init__(
        self,
        sample: Sample,
        tool: ToolSpec,
        exchanges: Sequence[Exchange],
        others: Mapping[str, Response],
    ) -> None:
        self._sample = sample
        self._tool = tool
        self._exchanges = exchanges
        self._others = others
        self._key = key_of(sample.request) if sample.request else ""
        best = nearest(tool, exchanges, sample.request) if sample.request else None
        self._like = best[1] if best else None
        self.way = ""
        self.unanswered = ""

    async def send(self, request: Request) -> Response:
        """Answer, or say that nobody recorded this."""
        key = key_of(request)
        if key == self._key:
            self.way = "exact"
            return self._sample.response
        best = nearest(self._tool, self._exchanges, request)
        role = best[1] if best else None
        if self._like is not None and role is self._like and self.way != "exact":
            self.way = "address"
            return self._sample.response
        if self._like is None and not self.way:
            self.way = "fed"
            return self._sample.response
        answer = None
        if not (self.way and is_error(self._sample)):
            answer = self._others.get(key) or (stand_in(role, request) if role else None)
        if answer is None:
            self.unanswered = self.unanswered or f"{request.method} {request.public_url}"
            raise NotInSnapshot(request.host, "nobody recorded this request")
        return answer

    async def aclose(self) -> None:
        """Nothing is held open."""


def is_error(sample: Sample) -> bool:
    """Tell whether the sample answers a request that failed."""
    return sample.is_error or sample.response.status >= 400


def key_of(request: Request) -> str:
    """Return what two requests for the same answer have in common."""
    return canonical_key(request.method, request.url, request.body, request.text)
