"""The MCP server over one registry: list the tools, call a tool, turn whatever happens into an envelope."""

import asyncio
import logging
import os
import time
import uuid
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server

from mcp_server.codes import ToolCode
from mcp_server.config import ServerConfig
from mcp_server.envelope import Envelope, InvalidArguments, compact, failure, success, upstream_failure
from mcp_server.http.breaker import Breakers
from mcp_server.http.cache import ResponseCache
from mcp_server.http.client import Api, CallTrace
from mcp_server.http.errors import UpstreamError
from mcp_server.http.live import LiveTransport
from mcp_server.http.messages import Transport
from mcp_server.http.rate_limit import RateLimits
from mcp_server.http.snapshot import PACKAGED, RecordingTransport, SnapshotTransport
from mcp_server.registry import tools_by_name
from mcp_server.tool import Platform, ToolSpec
from mcp_server.unified import about

Json = Any
log = logging.getLogger(__name__)
VERSION = "0.1.0"
INSTRUCTIONS = (
    "Biomedical databases behind one server. Resolve names to identifiers first, then ask by identifier. "
    "Every result says whether it holds data, nothing, an unknown identifier, or a failure, and cites its records."
)


class ToolServer:
    """The tools of some platforms, bound to one transport."""

    def __init__(self, platforms: Iterable[Platform], config: ServerConfig, transport: Transport | None = None) -> None:
        self.platforms = list(platforms)
        self.tools = tools_by_name(self.platforms)
        self.config = config
        self.transport = transport or make_transport(self.platforms, config)
        # Records on disk may be read as fast as one likes.
        offline = config.upstreams == "snapshot"
        self.limits = RateLimits(frozenset({"ncbi"} if config.ncbi_api_key else ()), unlimited=offline)
        self.breakers = Breakers()
        self.cache = ResponseCache(config.data_dir / "cache") if config.upstreams == "live" and config.cache else None

    def listing(self) -> list[types.Tool]:
        """Return all tools as the protocol lists them, sorted by name."""
        tools = [about.listed(self.platforms), *(_listed(tool) for tool in self.tools.values())]
        return sorted(tools, key=lambda tool: tool.name)

    async def call(self, name: str, arguments: Mapping[str, Json], progress: Any = None) -> Envelope:
        """Run one tool within its time budget; every failure becomes an envelope, cancellation passes."""
        if name == about.NAME:
            return await self._about(arguments)
        tool = self.tools.get(name)
        if tool is None:
            return failure(ToolCode.TOOL_UNKNOWN, f"there is no tool {name!r}")
        trace = CallTrace()
        budget_s = self.config.tool_timeout_s
        api = self._api(tool.platform, trace, progress)
        try:
            async with asyncio.timeout(budget_s):
                answer, citations = await tool.call(api, arguments)
            await self._keep(tool, trace)
            return success(answer, citations, trace)
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

    async def _keep(self, tool: ToolSpec, trace: CallTrace) -> None:
        """Keep the answers that the tool has understood."""
        if self.cache is not None:
            for request, response in trace.fresh:
                await self.cache.keep(request, response, tool.platform.keep_s)

    async def _about(self, arguments: Mapping[str, Json]) -> Envelope:
        try:
            return await about.about_sources(self.platforms, arguments, self._api, self.breakers)
        except InvalidArguments as error:
            facts = {"argument": error.argument, "example": error.example}
            return failure(ToolCode.TOOL_INVALID_ARGUMENTS, str(error), **facts)

    def _api(self, platform: Platform, trace: CallTrace, progress: Any = None) -> Api:
        identification = {
            platform.key_parameter: self.config.ncbi_api_key,
            platform.contact_parameter: self.config.contact,
        }
        return Api(
            platform=platform.name,
            base_url=platform.base_url,
            rate=platform.rate,
            transport=self.transport,
            limits=self.limits,
            deadline=time.monotonic() + self.config.tool_timeout_s,
            credentials={name: value for name, value in identification.items() if name and value},
            pause_s=platform.pause_s,
            progress=progress or (lambda message: None),
            trace=trace,
            breakers=self.breakers,
            cache=self.cache,
        )

    def mcp(self) -> Server:
        """Return the protocol server."""
        return Server(
            "burp",
            version=VERSION,
            title="BURP biomedical databases",
            instructions=INSTRUCTIONS,
            on_list_tools=self._on_list_tools,
            on_call_tool=self._on_call_tool,
        )

    async def _on_list_tools(
        self, context: ServerRequestContext, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=self.listing())

    async def _on_call_tool(
        self, context: ServerRequestContext, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        async with _ProgressSender(context) as progress:
            envelope = await self.call(params.name, params.arguments or {}, progress)
        return self._result(envelope)

    def _result(self, envelope: Envelope) -> types.CallToolResult:
        text = compact(envelope.content)
        meta = dict(envelope.meta)
        content: Json = envelope.content
        size = len(text.encode())
        if self.config.spool_dir and size > self.config.spool_over_bytes:
            # Megabytes through the pipe cost more than their download; the parent reads the file.
            path = self.config.spool_dir / f"{uuid.uuid4().hex}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            os.chmod(path, 0o600)
            meta["burp/spooled"] = {"path": str(path), "bytes": size}
            content, text = None, f"The result of {size} bytes lies in the spool folder."
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=text)],
            structured_content=content,
            is_error=envelope.is_error,
            _meta=meta,
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


class _ProgressSender:
    """Sends progress messages of a call in their order, without holding up the call."""

    def __init__(self, context: ServerRequestContext) -> None:
        self._context = context
        self._queue: asyncio.Queue[str] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None

    def __call__(self, message: str) -> None:
        self._queue.put_nowait(message)

    async def __aenter__(self) -> "_ProgressSender":
        self._task = asyncio.create_task(self._send())
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        assert self._task is not None
        self._task.cancel()
        await asyncio.wait([self._task])

    async def _send(self) -> None:
        number = 0
        while True:
            message = await self._queue.get()
            number += 1
            await self._context.session.report_progress(number, None, message)


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


def _listed(tool: ToolSpec) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema,
        annotations=types.ToolAnnotations(
            title=tool.title, read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=True
        ),
        _meta={
            "burp/platform": tool.platform.title,
            "burp/core": tool.core,
            "burp/noise": tool.noise,
            "burp/example": dict(tool.example),
        },
    )
