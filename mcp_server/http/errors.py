"""What can go wrong with an upstream, by who must react.

    UpstreamError
    ├── UpstreamNotFound      no record at this address: the caller checks the identifier
    ├── UpstreamRefused       the request was wrong: the model corrects the call
    ├── UpstreamRateLimited   too often: wait
    ├── UpstreamUnavailable   unreachable or its own fault: try later
    │   └── UpstreamUnreachable   no connection at all
    ├── UpstreamBadResponse   an answer that is not what was asked for: try later, report
    └── NotInSnapshot         the offline snapshot does not hold the request

No library error leaves `mcp_server.http` unmapped.
"""

from typing import Any

from mcp_server.codes import ToolCode


class UpstreamError(Exception):
    """A request that did not bring a usable answer. `host` never holds keys or paths."""

    code = ToolCode.UPSTREAM_UNAVAILABLE
    retryable = False

    def __init__(
        self,
        host: str,
        message: str,
        *,
        status: int | None = None,
        retry_after_s: float | None = None,
        body: Any = None,
    ) -> None:
        super().__init__(message)
        self.host = host
        self.message = message
        self.status = status
        self.retry_after_s = retry_after_s
        self.body = body

    def __str__(self) -> str:
        status = f" (HTTP {self.status})" if self.status else ""
        return f"{self.host}{status}: {self.message}"


class UpstreamNotFound(UpstreamError):
    """HTTP 404 or 410. `body` is the parsed answer where it was JSON, else its text."""

    code = ToolCode.UPSTREAM_NOT_FOUND


class UpstreamRefused(UpstreamError):
    """Another 4xx: the request itself was not acceptable."""

    code = ToolCode.UPSTREAM_REFUSED


class UpstreamRateLimited(UpstreamError):
    """HTTP 429, or a body that says so."""

    code = ToolCode.UPSTREAM_RATE_LIMITED
    retryable = True


class UpstreamUnavailable(UpstreamError):
    """5xx, no connection, a cut connection, silence."""

    code = ToolCode.UPSTREAM_UNAVAILABLE
    retryable = True


class UpstreamUnreachable(UpstreamUnavailable):
    """No connection at all: no route, no such host, nobody listening, or silence while connecting."""


class UpstreamBadResponse(UpstreamError):
    """A status that promises a record and a body that is none."""

    code = ToolCode.UPSTREAM_BAD_RESPONSE


class NotInSnapshot(UpstreamError):
    """The offline snapshot has no answer; `body` lists near ones."""

    code = ToolCode.NOT_IN_SNAPSHOT
