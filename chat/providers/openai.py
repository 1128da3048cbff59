"""OpenAI's models over the Responses API, streamed with the official SDK.

The SDK does not retry: the loop does, within the turn's deadline. The service stores nothing: see
`openai_wire` for what goes back to it.
"""

import logging
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack

import openai
from openai.types.responses import ResponseStreamEvent

from chat.config import ModelRow, Service
from chat.providers.base import AssistantEntry, ModelEvent, ModelReply, ModelRequest, TokenUsage
from chat.providers.failing import StreamCut
from chat.providers.openai_errors import (
    MODEL_ERRORS,
    ModelError,
    code_of,
    failure,
    is_history_refused,
    is_policy_refusal,
    refuses_summaries,
)
from chat.providers.openai_progress import StreamProgress
from chat.providers.openai_wire import (
    PROVIDER,
    Item,
    OpenAIModel,
    output_limit,
    prompt_bytes,
    request_body,
    tool_problem,
)
from chat.providers.preconditions import check_effort, check_key, report_left_out
from chat.providers.progress import so_far
from chat.providers.replay import STARTED_AFRESH, fingerprint
from chat.providers.weight import HIDDEN_PROMPT_TOKENS, Weight, typical_tokens, weigh, worst_tokens

__all__ = ["OpenAIModel", "OpenAIProvider", "create", "new_client"]

logger = logging.getLogger(__name__)

KEY_VARIABLE = "OPENAI_API_KEY"
TOTAL_TIMEOUT_S = 900.0
# To be raised when `openai_wire` puts the same entries into other items.
WIRE_FORM = "1"


class OpenAIProvider:
    """One model of the Responses API. An instance serves one turn at a time.

    Without `base_url` the SDK's own default holds, which OPENAI_BASE_URL overrides. A `client`
    that is passed in stays open, so that turns can share its connections.
    """

    name = PROVIDER

    def __init__(
        self,
        model: OpenAIModel,
        *,
        api_key: str,
        base_url: str | None = None,
        read_timeout_s: float = 90.0,
        connect_timeout_s: float = 5.0,
        client: openai.AsyncOpenAI | None = None,
        key_variable: str = KEY_VARIABLE,
    ) -> None:
        check_key(api_key, model.id, key_variable)
        self.model = model
        self._api_key = api_key
        self._owns_client = client is None
        self._client = client or new_client(
            api_key, base_url=base_url, read_timeout_s=read_timeout_s, connect_timeout_s=connect_timeout_s
        )
        self._progress: StreamProgress | None = None
        self._with_summary = True
        self._reported: set[str] = set()

    @property
    def replay_scope(self) -> dict[str, str]:
        """Sealed reasoning fits one account and one way of writing a transcript down."""
        form = WIRE_FORM if self.model.supports_deferral else f"{WIRE_FORM}, no deferral"
        return {"form": form, "account": fingerprint(str(self._client.base_url), self._api_key)}

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Stream one message; raise `ModelFailure` for every failure."""
        check_effort(request.effort, self.model.id, self.model.effort_levels)
        report_left_out(map(tool_problem, request.tools), self.model.id, self._reported)
        body = self._body(request)
        search = next((tool.name for tool in request.tools if tool.finds_tools), "")
        progress = self._progress = StreamProgress(request, typical_tokens(prompt_bytes(body)), search)
        try:
            async with AsyncExitStack() as stack:
                stream = await self._opened(stack, request, body, progress)
                if progress.starts_afresh:
                    yield STARTED_AFRESH
                async for event in stream:
                    delta = progress.feed(event)
                    if delta:
                        yield delta
                    if progress.is_finished:
                        break
            if not progress.is_finished:
                raise StreamCut
            reply = progress.reply()
        except MODEL_ERRORS as error:
            reply = self._declined(error, progress)
        yield reply

    def worst_case(self, request: ModelRequest) -> TokenUsage:
        """Return a ceiling: nothing cached yet but all of it written, every byte dense, all the output used."""
        prompt_tokens = worst_tokens(prompt_bytes(self._body(request))) + HIDDEN_PROMPT_TOKENS
        return TokenUsage(output=output_limit(request, self.model), cache_write_5m=prompt_tokens)

    def up_front(self, request: ModelRequest) -> Weight:
        """Weigh prompt and tools; what a search loads comes with its answer."""
        body = self._body(request)
        return weigh(body.get("instructions", ""), body.get("tools", []))

    def partial(self) -> tuple[AssistantEntry | None, TokenUsage]:
        """Return what the last stream had brought up to now."""
        return so_far(self._progress)

    async def aclose(self) -> None:
        """Close the connections, unless they belong to a client that was passed in."""
        if self._owns_client:
            await self._client.close()

    async def _opened(
        self, stack: AsyncExitStack, request: ModelRequest, body: Item, progress: StreamProgress
    ) -> openai.AsyncStream[ResponseStreamEvent]:
        """Open the stream; again without what the service does not take from this account."""
        progress.may_have_run = True
        while True:
            try:
                stream = await self._client.responses.create(stream=True, **body)
                break
            except (openai.BadRequestError, openai.NotFoundError) as error:
                changed = self._changed(body, error, request, progress)
                if changed is None:
                    raise
                logger.warning("context %s was refused and is sent otherwise: %s", request.context_version, error)
                body = changed
        stack.push_async_callback(stream.close)
        progress.request_id = stream.response.headers.get("x-request-id", "")
        return stream

    def _changed(
        self, body: Item, error: openai.APIStatusError, request: ModelRequest, progress: StreamProgress
    ) -> Item | None:
        """Return what to send in place of a body that was refused; None if nothing else can be sent."""
        if refuses_summaries(error) and self._with_summary:
            self._with_summary = False
            return self._body(request)
        afresh = request_body(request, self.model, is_afresh=True, with_summary=self._with_summary)
        if afresh == body or not is_history_refused(error):
            return None
        progress.starts_afresh = True
        return afresh

    def _body(self, request: ModelRequest) -> Item:
        return request_body(request, self.model, with_summary=self._with_summary)

    def _declined(self, error: ModelError, progress: StreamProgress) -> ModelReply:
        """Return the reply for content that the service declined; raise the failure of all else."""
        failed = failure(error, progress, secret=self._api_key)
        if is_policy_refusal(error):
            return progress.declined(code_of(error), failed.message)
        raise failed from error


def create(row: ModelRow, service: Service) -> OpenAIProvider:
    """Return the provider of a configured model. Raises `ModelFailure` without a key."""
    model = OpenAIModel(
        row.model,
        max_output=row.max_output_tokens,
        effort_levels=row.efforts,
        supports_deferral=row.deferred_tools,
    )
    return OpenAIProvider(
        model,
        api_key=service.api_key,
        base_url=service.base_url or None,
        read_timeout_s=service.read_timeout_s,
        key_variable=service.key_variable or KEY_VARIABLE,
    )


def new_client(
    api_key: str, *, base_url: str | None = None, read_timeout_s: float = 90.0, connect_timeout_s: float = 5.0
) -> openai.AsyncOpenAI:
    """Return an SDK client with everything switched off that the loop does itself."""
    return openai.AsyncOpenAI(
        api_key=api_key,
        base_url=base_url,
        max_retries=0,
        timeout=openai.Timeout(TOTAL_TIMEOUT_S, read=read_timeout_s, connect=connect_timeout_s),
    )
