"""Claude over the Messages API, streamed with the official SDK.

The SDK does not retry: it would sleep for as long as a `retry-after` header says, beyond any
deadline of the turn. Its telemetry is off: it would count each call twice beside our own.
Thinking blocks are bound to everything before them; see `anthropic_wire` for what is replayed.
"""

import logging
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack

import anthropic
from anthropic.lib.streaming import AsyncMessageStream

from chat.config import ModelRow, Service
from chat.providers.anthropic_errors import MODEL_ERRORS, failure, is_history_refused
from chat.providers.anthropic_progress import StreamProgress
from chat.providers.anthropic_wire import (
    PROVIDER,
    AnthropicModel,
    Block,
    diagnosed,
    prompt_bytes,
    request_body,
    tool_problem,
)
from chat.providers.base import AssistantEntry, Json, ModelEvent, ModelRequest, TokenUsage
from chat.providers.failing import StreamCut
from chat.providers.preconditions import check_effort, check_key, report_left_out
from chat.providers.progress import so_far
from chat.providers.replay import STARTED_AFRESH, fingerprint
from chat.providers.weight import HIDDEN_PROMPT_TOKENS, Weight, typical_tokens, weigh, worst_tokens

__all__ = ["AnthropicModel", "AnthropicProvider", "create", "new_client"]

logger = logging.getLogger(__name__)

KEY_VARIABLE = "ANTHROPIC_API_KEY"
TOTAL_TIMEOUT_S = 600.0
# To be raised when `anthropic_wire` puts the same entries into other blocks: what was sent before
# would no longer be what precedes the stored thinking.
WIRE_FORM = "1"


class AnthropicProvider:
    """One model of the Messages API. An instance serves one turn at a time.

    Without `base_url` the SDK's own default holds, which ANTHROPIC_BASE_URL overrides. A `client`
    that is passed in stays open, so that turns can share its connections. With `diagnoses_cache`
    each request asks why its prompt cache missed, if it did: see `cache_diagnosis`.
    """

    name = PROVIDER

    def __init__(
        self,
        model: AnthropicModel,
        *,
        api_key: str,
        base_url: str | None = None,
        read_timeout_s: float = 90.0,
        connect_timeout_s: float = 5.0,
        client: anthropic.AsyncAnthropic | None = None,
        diagnoses_cache: bool = False,
        key_variable: str = KEY_VARIABLE,
    ) -> None:
        check_key(api_key, model.id, key_variable)
        self.model = model
        self._api_key = api_key
        self.diagnoses_cache = diagnoses_cache
        self._owns_client = client is None
        self._client = client or new_client(
            api_key, base_url=base_url, read_timeout_s=read_timeout_s, connect_timeout_s=connect_timeout_s
        )
        self._progress: StreamProgress | None = None
        self._reported: set[str] = set()

    @property
    def replay_scope(self) -> dict[str, str]:
        """Thinking fits one account and one way of writing a transcript down."""
        account = fingerprint(str(self._client.base_url), self._api_key)
        form = f"{WIRE_FORM}, thinking {self.model.thinking}"
        return {"form": form if self.model.supports_deferral else f"{form}, no deferral", "account": account}

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Stream one message; raise `ModelFailure` for every failure."""
        check_effort(request.effort, self.model.id, self.model.effort_levels)
        report_left_out(map(tool_problem, request.tools), self.model.id, self._reported)
        body = self.body(request)
        prefix_bytes, message_bytes = prompt_bytes(body)
        progress = self._progress = StreamProgress(request, typical_tokens(prefix_bytes + message_bytes))
        try:
            async with AsyncExitStack() as stack:
                stream = await self._opened(stack, request, body, progress)
                if progress.starts_afresh:
                    yield STARTED_AFRESH
                async for event in stream:
                    delta = progress.feed(event)
                    if event.type == "message_start":
                        progress.message = stream.current_message_snapshot
                    if delta:
                        yield delta
            if not progress.is_finished:
                raise StreamCut
        except MODEL_ERRORS as error:
            raise failure(error, progress, secret=self._api_key) from error
        yield progress.reply()

    @property
    def cache_diagnosis(self) -> dict[str, Json]:
        """What the service said of the last request's cache miss; empty if it said nothing."""
        message = self._progress.message if self._progress else None
        found = message.diagnostics.cache_miss_reason if message and message.diagnostics else None
        return found.to_dict() if found else {}

    def worst_case(self, request: ModelRequest) -> TokenUsage:
        """Return a ceiling: nothing cached yet, every byte of the prompt dense, all the output used."""
        prefix_bytes, message_bytes = prompt_bytes(self.body(request))
        return TokenUsage(
            output=min(request.max_output_tokens, self.model.max_output),
            cache_write_1h=worst_tokens(prefix_bytes) + HIDDEN_PROMPT_TOKENS,
            cache_write_5m=worst_tokens(message_bytes),
        )

    def up_front(self, request: ModelRequest) -> Weight:
        """Weigh prompt and tools; the API keeps deferred ones out of what the model reads."""
        body = self.body(request)
        return weigh(body.get("system", []), [tool for tool in body.get("tools", ()) if not tool.get("defer_loading")])

    def partial(self) -> tuple[AssistantEntry | None, TokenUsage]:
        """Return what the last stream had brought up to now."""
        return so_far(self._progress)

    async def aclose(self) -> None:
        """Close the connections, unless they belong to a client that was passed in."""
        if self._owns_client:
            await self._client.close()

    async def _opened(
        self, stack: AsyncExitStack, request: ModelRequest, body: Block, progress: StreamProgress
    ) -> AsyncMessageStream[None]:
        """Open the stream; once more from the projection if the API does not take the messages back as they were."""
        progress.may_have_run = True
        try:
            stream = await stack.enter_async_context(self._client.messages.stream(**body))
        except anthropic.BadRequestError as error:
            afresh = self.body(request, is_afresh=True)
            if afresh == body or not is_history_refused(error):
                raise
            logger.warning("context %s was refused and starts afresh: %s", request.context_version, error)
            progress.starts_afresh = True
            stream = await stack.enter_async_context(self._client.messages.stream(**afresh))
        progress.request_id = stream.request_id or ""
        return stream

    def body(self, request: ModelRequest, *, is_afresh: bool = False) -> Block:
        """Return the request as it is sent."""
        body = request_body(request, self.model, is_afresh=is_afresh)
        return diagnosed(body, request) if self.diagnoses_cache else body


def create(row: ModelRow, service: Service, *, diagnoses_cache: bool = False) -> AnthropicProvider:
    """Return the provider of a configured model. Raises `ModelFailure` without a key."""
    model = AnthropicModel(
        row.model,
        max_output=row.max_output_tokens,
        thinking="adaptive" if "adaptive" in row.thinking else "none",
        effort_levels=row.efforts,
        supports_deferral=row.deferred_tools,
    )
    return AnthropicProvider(
        model,
        api_key=service.api_key,
        base_url=service.base_url or None,
        read_timeout_s=service.read_timeout_s,
        diagnoses_cache=diagnoses_cache,
        key_variable=service.key_variable or KEY_VARIABLE,
    )


def new_client(
    api_key: str, *, base_url: str | None = None, read_timeout_s: float = 90.0, connect_timeout_s: float = 5.0
) -> anthropic.AsyncAnthropic:
    """Return an SDK client with everything switched off that the loop does itself."""
    return anthropic.AsyncAnthropic(
        api_key=api_key,
        base_url=base_url,
        max_retries=0,
        timeout=anthropic.Timeout(TOTAL_TIMEOUT_S, read=read_timeout_s, connect=connect_timeout_s),
        open_telemetry=False,
    )
