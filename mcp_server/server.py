"""All tools over one registry and one transport: list them, call one, turn whatever happens into an envelope."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import mcp_types as types

from mcp_server.codes import ToolCode
from mcp_server.config import ServerConfig
from mcp_server.envelope import Envelope, InvalidArguments, envelope_schema, failure, success, upstream_failure
from mcp_server.http.breaker import Breakers
from mcp_server.http.cache import ResponseCache
from mcp_server.http.client import Api, CallTrace
from mcp_server.http.errors import UpstreamError
from mcp_server.http.live import LiveTransport
from mcp_server.http.messages import Transport
from mcp_server.http.rate_limit import RateLimits
from mcp_server.http.shared import SharedTransport
from mcp_server.http.snapshot import PACKAGED, RecordingTransport, SnapshotTransport
from mcp_server.registry import tools_by_name
from mcp_server.renamed import no_such_tool
from mcp_server.tool import Platform, ToolSpec
from mcp_server.unified import TOOLS as UNIFIED
from mcp_server.unified.tool import AT_ONCE, READ_ONLY, Desk, UnifiedTool

Json = Any
Progress = Callable[[str], None]
log = logging.getLogger(__name__)
VERSION = "0.1.0"


class ToolServer:
    """The tools of some platforms and those over all of them, bound to one transport."""

    def __init__(
        self,
        platforms: Iterable[Platform],
        config: ServerConfig,
        transport: Transport | None = None,
        unified: Sequence[UnifiedTool] = UNIFIED,
    ) -> None:
        self.platforms = list(platforms)
        self.tools = tools_by_name(self.platforms)
        self.unified = {tool.name: tool for tool in unified}
        self.config = config
        self.transport = transport or make_transport(self.platforms, config)
        # Records on disk may be read as fast as one likes.
        offline = config.upstreams == "snapshot"
        self.limits = RateLimits(frozenset({"ncbi"} if config.ncbi_api_key else ()), unlimited=offline)
        self.breakers = Breakers()
        self.cache = ResponseCache(config.data_dir / "cache") if config.upstreams == "live" and config.cache else None

    def listing(self) -> list[types.Tool]:
        """Return all tools as the protocol lists them, sorted by name."""
        schema = envelope_schema(spooled=self.config.spool_dir is not None)
        tools = [tool.listed(self.platforms) for tool in self.unified.values()]
        tools += [_listed(tool, schema) for tool in self.tools.values()]
        return sorted(tools, key=lambda tool: tool.name)

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Json],
        progress: Progress | None = None,
        *,
        conversation: str = "",
        platforms_off: Mapping[str, str] | None = None,
    ) -> Envelope:
        """Run one tool within its time budget; every failure becomes an envelope, cancellation passes.

        `platforms_off` are not asked, also not by a tool over several databases; by name, with the reason.
        """
        tell = progress or (lambda message: None)
        off = platforms_off or {}
        trace = CallTrace()
        if name in self.unified:
            desk = self._desk(trace, tell, conversation, off)
            return await self._safely(name, self.unified[name].call(desk, arguments), trace)
        budget_s = self.config.tool_timeout_s
        return await self._call_platform(name, arguments, trace, tell, budget_s, platforms_off=off)

    async def _call_platform(
        self,
        name: str,
        arguments: Mapping[str, Json],
        trace: CallTrace,
        progress: Progress,
        within_s: float,
        transport: Transport | None = None,
        *,
        platforms_off: Mapping[str, str],
    ) -> Envelope:
        tool = self.tools.get(name)
        if tool is None:
            return failure(ToolCode.TOOL_UNKNOWN, no_such_tool(name, [*self.tools, *self.unified]), trace)
        if tool.platform.name in platforms_off:
            why = tool.platform.switched_off(platforms_off[tool.platform.name])
            return failure(ToolCode.PLATFORM_OFF, why, trace)
        api = self._api(tool.platform, trace, progress, within_s, transport)
        return await self._safely(name, self._answered(tool, api, arguments), trace, within_s)

    async def _answered(self, tool: ToolSpec, api: Api, arguments: Mapping[str, Json]) -> Envelope:
        answer, citations = await tool.call(api, arguments)
        self._keep(tool, api.trace)
        return success(answer, citations, api.trace)

    def _desk(self, trace: CallTrace, progress: Progress, conversation: str, platforms_off: Mapping[str, str]) -> Desk:
        """Lay out what a tool over several databases works with."""
        deadline = time.monotonic() + self.config.tool_timeout_s
        shared = SharedTransport(self.transport, AT_ONCE)

        def api_for(platform: Platform, own: CallTrace) -> Api:
            return self._api(platform, own, progress, deadline - time.monotonic(), shared)

        async def call_tool(name: str, arguments: Mapping[str, Json], *, within_s: float | None = None) -> Envelope:
            left_s = max(0.0, deadline - time.monotonic())
            own = CallTrace()
            budget_s = left_s if within_s is None else min(left_s, within_s)
            try:
                return await self._call_platform(
                    name, arguments, own, progress, budget_s, shared, platforms_off=platforms_off
                )
            finally:
                trace.add(own)

        return Desk(
            self.platforms,
            api_for,
            call_tool,
            self.breakers,
            deadline,
            trace,
            progress,
            conversation,
            platforms_off,
        )

    async def _safely(
        self, name: str, work: Awaitable[Envelope], trace: CallTrace, within_s: float | None = None
    ) -> Envelope:
        """Await a call within its time; whatever it raises becomes an envelope."""
        budget_s = self.config.tool_timeout_s if within_s is None else within_s
        try:
            async with asyncio.timeout(budget_s):
                return await work
        except InvalidArguments as error:
            facts = {"argument": error.argument, "example": error.example}
            return failure(ToolCode.TOOL_INVALID_ARGUMENTS, str(error), trace, **facts)
        except UpstreamError as error:
            return upstream_failure(error, trace)
        except TimeoutError:
            return failure(ToolCode.TOOL_TIMEOUT, f"no result within {budget_s:g} s", trace)
        except Exception as error:
            # Whatever it is, it must not take other calls with it.
            log.exception("tool %s failed", name)
            return _unexpected(name, error, trace)

    def _keep(self, tool: ToolSpec, trace: CallTrace) -> None:
        """Keep the answers that the tool has understood."""
        if self.cache is not None:
            for request, response in trace.fresh:
                self.cache.keep(request, response, tool.platform.keep_s)

    def _api(
        self,
        platform: Platform,
        trace: CallTrace,
        progress: Progress,
        within_s: float,
        transport: Transport | None = None,
    ) -> Api:
        identification = {
            platform.key_parameter: self.config.ncbi_api_key,
            platform.contact_parameter: self.config.contact,
        }
        return Api(
            platform=platform.name,
            base_url=platform.base_url,
            rate=platform.rate,
            transport=transport or self.transport,
            limits=self.limits,
            deadline=time.monotonic() + within_s,
            credentials={name: value for name, value in identification.items() if name and value},
            pause_s=platform.pause_s,
            progress=progress,
            trace=trace,
            breakers=self.breakers,
            cache=self.cache,
        )

    async def aclose(self) -> None:
        """Close the transport and the cache."""
        await self.transport.aclose()
        if self.cache is not None:
            await self.cache.aclose()


def _unexpected(name: str, error: Exception, trace: CallTrace) -> Envelope:
    """Tell an answer of another shape than the tool can read from a fault of the tool alone."""
    words = f"{type(error).__name__}: {error}"
    if isinstance(error, LookupError | TypeError | AttributeError | ValueError) and trace.answered:
        host = urlsplit(trace.requests[-1]["url"]).netloc
        return failure(ToolCode.UPSTREAM_BAD_RESPONSE, f"{host} answered in an unexpected shape ({words})", trace)
    return failure(ToolCode.INTERNAL, f"{words} in {name}", trace)


def make_transport(platforms: Iterable[Platform], config: ServerConfig) -> Transport:
    """Return the transport of the configured mode."""
    if config.upstreams == "snapshot":
        return SnapshotTransport((PACKAGED, *config.snapshot_dirs))
    contact = f"; {config.contact}" if config.contact else ""
    live = LiveTransport(
        [host for platform in platforms for host in platform.all_hosts],
        user_agent=f"BURP/{VERSION} (biomedical research agent{contact})",
        gateway=config.gateway,
    )
    return RecordingTransport(live, config.data_dir / "recorded") if config.upstreams == "record" else live


def _listed(tool: ToolSpec, output_schema: dict[str, Json]) -> types.Tool:
    meta: dict[str, Json] = {"burp/platform": tool.platform.title, "burp/example": dict(tool.example)}
    # What is left out costs nothing in the list.
    if tool.core:
        meta["burp/core"] = True
    if tool.noise:
        meta["burp/noise"] = tool.noise
    if tool.normalised:
        meta["burp/normalised"] = tool.normalised
    if tool.asks:
        meta["burp/asks"] = list(tool.asks)
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=output_schema,
        annotations=READ_ONLY,
        _meta=meta,
    )
