"""Google's models over the Gemini API, streamed with the official SDK.

The SDK neither retries nor calls functions by itself: the loop does. The service stores nothing: see `google_wire` for
what goes back to it.
"""

import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Literal

from chat.config import ModelRow, Service
from chat.providers.base import AssistantEntry, ModelEvent, ModelRequest, TokenUsage
from chat.providers.failing import StreamCut
from chat.providers.google_errors import MODEL_ERRORS, ModelError, StreamError, failure, is_history_refused
from chat.providers.google_http import ServiceConnection
from chat.providers.google_progress import StreamProgress
from chat.providers.google_schema import tool_problem
from chat.providers.google_wire import (
    BUDGETS,
    PROVIDER,
    Body,
    GoogleModel,
    output_limit,
    prompt_bytes,
    request_body,
    wire_tools,
)
from chat.providers.preconditions import check_effort, check_key, report_left_out
from chat.providers.progress import so_far
from chat.providers.replay import STARTED_AFRESH, fingerprint
from chat.providers.weight import HIDDEN_PROMPT_TOKENS, Weight, typical_tokens, weigh, worst_tokens

__all__ = ["GoogleModel", "GoogleProvider", "create"]

logger = logging.getLogger(__name__)

KEY_VARIABLE = "GEMINI_API_KEY"
BASE_URL = "https://generativelanguage.googleapis.com"
# How often in one turn a message may end in a call that can't be read before that is a failure.
UNREAD_MAX = 3
# To be raised when `google_wire` puts the same entries into other parts.
WIRE_FORM = "1"


class GoogleProvider:
    """One model of the Gemini API. An instance serves one turn at a time."""

    name = PROVIDER

    def __init__(
        self,
        model: GoogleModel,
        *,
        api_key: str,
        base_url: str = "",
        read_timeout_s: float = 90.0,
        key_variable: str = KEY_VARIABLE,
    ) -> None:
        check_key(api_key, model.id, key_variable)
        self.model = model
        self._api_key = api_key.strip()
        self._base_url = base_url or BASE_URL
        self._connection = ServiceConnection(self._api_key, self._base_url, read_timeout_s)
        self._progress: StreamProgress | None = None
        self._unread = 0
        self._reported: set[str] = set()

    @property
    def replay_scope(self) -> dict[str, str]:
        """A thought signature fits one account and one way of writing a transcript down."""
        return {"form": WIRE_FORM, "account": fingerprint(self._base_url, self._api_key)}

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Stream one message; raise `ModelFailure` for every failure."""
        check_effort(request.effort, self.model.id, self.model.effort_levels)
        report_left_out(map(tool_problem, request.tools), self.model.id, self._reported)
        body = self._body(request)
        progress = self._progress = StreamProgress(request, typical_tokens(prompt_bytes(body)))
        while not progress.is_finished:
            progress.may_have_run = True
            try:
                async with aclosing(self._connection.chunks(self.model.id, body)) as chunks:
                    async for chunk in chunks:
                        if progress.starts_afresh and not progress.has_begun:
                            yield STARTED_AFRESH
                        for delta in progress.feed(chunk):
                            yield delta
                if not progress.is_finished:
                    raise StreamCut
            except MODEL_ERRORS as error:
                # A line that breaks behind the whole message has taken nothing from it.
                if not progress.is_finished:
                    body = self._changed(body, error, progress)
                    progress = self._progress = progress.afresh()
        self._count_unread(progress)
        yield progress.reply()

    def worst_case(self, request: ModelRequest) -> TokenUsage:
        """Return a ceiling: nothing cached yet, every byte of the prompt dense, all the output used."""
        prompt_tokens = worst_tokens(prompt_bytes(self._body(request))) + HIDDEN_PROMPT_TOKENS
        return TokenUsage(input=prompt_tokens, output=output_limit(request, self.model))

    def up_front(self, request: ModelRequest) -> Weight:
        """Weigh prompt and tools."""
        body = self._body(request)
        return weigh(body.get("systemInstruction", ""), wire_tools(request))

    def partial(self) -> tuple[AssistantEntry | None, TokenUsage]:
        """Return what the last stream had brought up to now."""
        return so_far(self._progress)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._connection.aclose()

    def _changed(self, body: Body, error: ModelError, progress: StreamProgress) -> Body:
        """Return what to send in place of a body that was refused; raise the failure if nothing else can be sent."""
        afresh = request_body(progress.request, self.model, is_afresh=True)
        if afresh == body or progress.was_shown or not is_history_refused(error):
            raise failure(error, progress, secret=self._api_key) from error
        logger.warning("context %s was refused and starts afresh: %s", progress.request.context_version, error)
        return afresh

    def _count_unread(self, progress: StreamProgress) -> None:
        """Give up on a model whose calls can't be read time and again."""
        if progress.stop_reason != "pause":
            return
        self._unread += 1
        if self._unread > UNREAD_MAX:
            failed = failure(StreamError(progress.reason), progress, secret=self._api_key)
            failed.retryable = False
            raise failed

    def _body(self, request: ModelRequest) -> Body:
        return request_body(request, self.model)


def create(row: ModelRow, service: Service) -> GoogleProvider:
    """Return the provider of a configured model. Raises `ModelFailure` without a key."""
    thinking: Literal["level", "budget", ""] = "level" if "level" in row.thinking else ""
    if "budget" in row.thinking:
        thinking = "budget"
    levels = row.efforts if thinking != "budget" else tuple(level for level in row.efforts if level in BUDGETS)
    return GoogleProvider(
        GoogleModel(row.model, row.max_output_tokens, levels, thinking),
        api_key=service.api_key,
        base_url=service.base_url,
        read_timeout_s=service.read_timeout_s,
        key_variable=service.key_variable or KEY_VARIABLE,
    )
