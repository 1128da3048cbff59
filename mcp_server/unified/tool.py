"""How a tool over several databases is declared, what it is given to work with, and what it gives back.

A platform's tool is a typed function; a tool over all of them is listed and answers in a form of its own.
Both are called through the same server: one trace, one cache, one set of limits and circuit breakers.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import mcp_types as types

from mcp_server.codes import ResultOutcome
from mcp_server.envelope import Citation, Envelope, provenance
from mcp_server.http.breaker import Breakers
from mcp_server.http.client import Api, CallTrace
from mcp_server.tool import Platform

Json = Any
# Requests of one call that are under way at the same time.
AT_ONCE = 12
OUTCOME = "burp/outcome"
# Of all tools here: they read, from databases that change and that nobody here owns.
READ_ONLY = types.ToolAnnotations(read_only_hint=True, destructive_hint=False, open_world_hint=True)


class CallTool(Protocol):
    """Calls a platform's tool within the present call: its requests join the call's trace, whatever comes of it."""

    async def __call__(self, name: str, arguments: Mapping[str, Json], *, within_s: float | None = None) -> Envelope:
        """Return the tool's envelope; only cancellation is raised. `within_s` shortens its time budget."""


@dataclass(frozen=True)
class Desk:
    """What a tool over several databases works with during one call.

    `deadline` is on the monotonic clock; the server ends the call there. `progress` tells a waiting person what
    goes on. `conversation` is the same for all calls of one conversation and for no others: what is remembered
    between calls is kept under it. A client that names none and has no session gets a new one with each call.
    `platforms_off` are the databases that must not be asked, by name, with the reason.
    """

    platforms: Sequence[Platform]
    api_for: Callable[[Platform, CallTrace], Api]
    call_tool: CallTool
    breakers: Breakers
    deadline: float
    trace: CallTrace = field(default_factory=CallTrace)
    progress: Callable[[str], None] = lambda message: None
    conversation: str = ""
    platforms_off: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class OwnForm(Envelope):
    """A result whose content has a form of its own; what an envelope says in `outcome` stands in its `_meta`."""

    @property
    def is_error(self) -> bool:
        """Whether the call failed or was refused."""
        return bool(self.meta.get(OUTCOME) == ResultOutcome.FAILED)


def own_form(
    content: dict[str, Json],
    desk: Desk,
    *,
    outcome: ResultOutcome = ResultOutcome.DATA,
    citations: Sequence[Citation] = (),
    **meta: Json,
) -> OwnForm:
    """Build a result from its content, the call's provenance and further `meta`, whose names get their prefix."""
    unique = {(citation.kind, citation.identifier): citation for citation in citations}
    facts = {f"burp/{name}": value for name, value in meta.items()}
    cited = [citation.wire() for citation in unique.values()]
    return OwnForm(content, {OUTCOME: outcome.value, "burp/citations": cited, **provenance(desk.trace), **facts})


@dataclass(frozen=True)
class UnifiedTool:
    """A tool that is not a platform's: how it is listed over the platforms at hand, and how it is called.

    `call` may raise `InvalidArguments` and whatever else a platform's tool may raise: the server answers with a
    failed envelope then. A result that is handed over as a file has `outcome` and `spooled` in place of its own
    form. An output schema must accept all three. `noise` and `keep` are as in `Platform.tool`.
    """

    name: str
    listed: Callable[[Sequence[Platform]], types.Tool]
    call: Callable[[Desk, Mapping[str, Json]], Awaitable[Envelope]]
    noise: str = ""
    keep: tuple[str, ...] = ()
