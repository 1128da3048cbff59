"""Models of local and other servers that speak Chat Completions: Ollama, llama.cpp, vLLM.

Address, model and key come from the configuration. The official SDK streams; it does not retry,
and nothing that is meant for its own service (key, organisation) goes to another one.
"""

import logging
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack

import openai
from openai.types.chat import ChatCompletionChunk

from chat.config import ModelRow, Service
from chat.providers.base import AssistantEntry, ModelEvent, ModelFailure, ModelRequest, TokenUsage
from chat.providers.failing import StreamCut
from chat.providers.openai_compatible_errors import failure, is_history_refused
from chat.providers.openai_compatible_progress import StreamProgress
from chat.providers.openai_compatible_wire import (
    PROVIDER,
    CompatibleModel,
    Message,
    prompt_bytes,
    request_body,
    tool_problem,
)
from chat.providers.openai_errors import MODEL_ERRORS, is_answer
from chat.providers.preconditions import check_effort, check_key, report_left_out
from chat.providers.progress import so_far
from chat.providers.replay import STARTED_AFRESH, fingerprint
from chat.providers.weight import HIDDEN_PROMPT_TOKENS, Weight, typical_tokens, weigh, worst_tokens
from mcp_server.codes import TurnOutcome

__all__ = ["CompatibleModel", "OpenAICompatibleProvider", "create", "new_client"]

logger = logging.getLogger(__name__)

TOTAL_TIMEOUT_S = 600.0
CONNECT_TIMEOUT_S = 5.0
# To be raised when `openai_compatible_wire` puts the same entries into other messages.
WIRE_FORM = "1"
# The SDK wants a key; this one is never sent.
NO_KEY = "none"


class OpenAICompatibleProvider:
    """One model of a server that speaks Chat Completions. An instance serves one turn at a time.

    `base_url` is everything before `/chat/completions`. Without an `api_key` none is sent.
    """

    name = PROVIDER

    def __init__(
        self, model: CompatibleModel, *, base_url: str, api_key: str = "", read_timeout_s: float = 90.0
    ) -> None:
        self.model = model
        self._api_key = api_key
        self._client = new_client(api_key, base_url=base_url, read_timeout_s=read_timeout_s)
        self._progress: StreamProgress | None = None
        self._reported: set[str] = set()

    @property
    def replay_scope(self) -> dict[str, str]:
        """A message's own form fits one server and one way of writing a transcript down."""
        return {"form": WIRE_FORM, "server": fingerprint(str(self._client.base_url))}

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Stream one message; raise `ModelFailure` for every failure."""
        body = self._body(request)
        prompt_estimate = typical_tokens(prompt_bytes(body))
        self._check(request, prompt_estimate)
        progress = self._progress = StreamProgress(request, prompt_estimate)
        try:
            async with AsyncExitStack() as stack:
                stream = await self._opened(stack, request, body, progress)
                if progress.starts_afresh:
                    yield STARTED_AFRESH
                async for chunk in stream:
                    for delta in progress.feed(chunk):
                        yield delta
            if not progress.is_finished:
                raise StreamCut
        except MODEL_ERRORS as error:
            # A line that breaks behind the whole message has taken nothing from it.
            if is_answer(error) or not progress.is_finished:
                raise failure(error, progress, secret=self._api_key) from error
        yield progress.reply()

    def worst_case(self, request: ModelRequest) -> TokenUsage:
        """Return a ceiling: nothing cached yet, every byte of the prompt dense, all the output used."""
        body = self._body(request)
        prompt_tokens = worst_tokens(prompt_bytes(body)) + HIDDEN_PROMPT_TOKENS
        return TokenUsage(input=prompt_tokens, output=body["max_tokens"])

    def up_front(self, request: ModelRequest) -> Weight:
        """Weigh prompt and tools."""
        body = self._body(request)
        return weigh([m for m in body["messages"] if m["role"] == "system"], body.get("tools", []))

    def partial(self) -> tuple[AssistantEntry | None, TokenUsage]:
        """Return what the last stream had brought up to now."""
        return so_far(self._progress)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _opened(
        self, stack: AsyncExitStack, request: ModelRequest, body: Message, progress: StreamProgress
    ) -> openai.AsyncStream[ChatCompletionChunk]:
        """Open the stream; once more from the projection if the server does not take messages back as they were."""
        progress.may_have_run = True
        try:
            stream = await self._asked(body)
        except openai.APIStatusError as error:
            afresh = request_body(request, self.model, is_afresh=True)
            if afresh == body or not is_history_refused(error):
                raise
            logger.warning("context %s was refused and starts afresh: %s", request.context_version, error)
            progress.starts_afresh = True
            stream = await self._asked(afresh)
        stack.push_async_callback(stream.close)
        progress.request_id = stream.response.headers.get("x-request-id", "")
        return stream

    async def _asked(self, body: Message) -> openai.AsyncStream[ChatCompletionChunk]:
        headers = {} if self._api_key else {"Authorization": openai.Omit()}
        stream: openai.AsyncStream[ChatCompletionChunk] = await self._client.chat.completions.create(
            stream=True, extra_headers=headers, **body
        )
        return stream

    def _check(self, request: ModelRequest, prompt_estimate: int) -> None:
        """Refuse what the model can't do, and log the tools that are left out.

        A prompt that can't fit is refused here: some servers would cut its beginning off and say nothing.
        """
        check_effort(request.effort, self.model.id, self.model.effort_levels)
        if prompt_estimate > self.model.context_window:
            raise ModelFailure(
                TurnOutcome.CONTEXT_OVERFLOW,
                f"A prompt of about {prompt_estimate:,} tokens does not fit the window of {self.model.id}, "
                f"which has {self.model.context_window:,}.",
            )
        report_left_out(map(tool_problem, request.tools), self.model.id, self._reported)

    def _body(self, request: ModelRequest) -> Message:
        return request_body(request, self.model)


def create(row: ModelRow, service: Service) -> OpenAICompatibleProvider:
    """Return the provider of a configured model. Raises `ModelFailure` without an address or a key it needs."""
    if not service.base_url:
        raise ModelFailure(
            TurnOutcome.MODEL_BAD_REQUEST,
            f"No address for {row.key}: set base_url of [services.{service.name}] in the configuration file.",
        )
    api_key = service.api_key.strip()
    if service.key_variable and service.key_required:
        check_key(api_key, row.key, service.key_variable)
    model = CompatibleModel(row.model, row.context_window, row.max_output_tokens, row.efforts)
    return OpenAICompatibleProvider(
        model, base_url=service.base_url, api_key=api_key, read_timeout_s=service.read_timeout_s
    )


def new_client(api_key: str, *, base_url: str, read_timeout_s: float) -> openai.AsyncOpenAI:
    """Return an SDK client with everything switched off that the loop does itself, or that another service is told."""
    return openai.AsyncOpenAI(
        api_key=api_key or NO_KEY,
        base_url=base_url,
        max_retries=0,
        timeout=openai.Timeout(TOTAL_TIMEOUT_S, read=read_timeout_s, connect=CONNECT_TIMEOUT_S),
        default_headers={"OpenAI-Organization": openai.Omit(), "OpenAI-Project": openai.Omit()},  # type: ignore[dict-item]
    )
