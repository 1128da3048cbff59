"""Put together what one turn needs: model, catalogue, history, money, tools."""

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import DatabaseError

from artifacts.jq import jq_engine
from chat import selectors, services, upstreams
from chat.adapters import (
    ServerGateway,
    SessionShrinker,
    catalog_search,
    session_inspect,
)
from chat.bookings import TurnLedger, TurnTranscript
from chat.config import ModelRow, UnknownModel
from chat.context import SYSTEM_PROMPT, Prefix, build_prefix
from chat.dispatch import Dispatcher, ToolFacts
from chat.endings import turn_end
from chat.events import Event, Notice, TurnStarted
from chat.lease import Lease
from chat.loop import Deps, Question
from chat.model_choices import estimate_for
from chat.models import Session, Turn
from chat.prefix_changes import changes, notices
from chat.providers.base import Entry, ModelFailure, Provider, TokenUsage, ToolDefinition
from chat.providers.registry import create_provider, load_provider
from chat.retry import RetryPolicy
from chat.stopping import StopSignal
from chat.switched_off import off_note, off_notices
from chat.system_tools import DEFINITIONS, OwnTools
from chat.upfront import UpFront, compare, report, up_front
from mcp_server.codes import TurnOutcome
from tools_catalog.calls import ToolCallError
from tools_catalog.catalog import Catalog, CatalogTool
from tools_catalog.runtime import get_tool_servers
from tools_catalog.services import alarm_raise
from tools_catalog.switches import get_switches
from tools_catalog.timings import get_timings

log = logging.getLogger(__name__)


class CannotStart(Exception):
    """A turn that can't even begin; `outcome` says why."""

    def __init__(self, outcome: TurnOutcome, detail: str) -> None:
        super().__init__(detail)
        self.outcome = outcome
        self.detail = detail


async def assemble(turn: Turn, stop: StopSignal, lease: Lease) -> tuple[Question, Deps]:
    """Return what the loop needs for `turn`. Raises `CannotStart`."""
    row = _model(turn)
    # In a thread: a model's SDK takes seconds to load, and nothing else of this process may wait for it.
    provider = await asyncio.to_thread(_provider, row)
    try:
        return await _assembled(turn, stop, lease, row, provider)
    except BaseException:
        await provider.aclose()
        raise


async def _assembled(
    turn: Turn, stop: StopSignal, lease: Lease, row: ModelRow, provider: Provider
) -> tuple[Question, Deps]:
    session = turn.session
    chat, limits = settings.BURP.chat, settings.BURP.artifacts
    servers = get_tool_servers()
    try:
        server = await servers.get(session.upstreams)
        search = await servers.search(session.upstreams)
    except ToolCallError as error:
        raise CannotStart(TurnOutcome.TOOL_SERVER_DOWN, str(error)) from error
    step_max_tokens = row.step_max_tokens or max(limits.step_max_tokens, row.inline_max_tokens)
    limits = replace(limits, inline_max_tokens=row.inline_max_tokens, step_max_tokens=step_max_tokens)
    catalog = server.catalog.without(await get_switches().off(at_once=True))
    prefix = prefix_of(row, provider, catalog, effort=turn.effort)
    history = await sync_to_async(selectors.transcript)(session_id=session.pk)
    shown = await _weighed(row, provider, prefix)
    dispatcher = Dispatcher(
        gateway=ServerGateway(server.process, session_id=session.pk, switches=get_switches(), timings=get_timings()),
        system_tools=OwnTools(
            catalog_search(search, catalog),
            session_inspect(session_id=session.pk, owner_id=session.owner_id, limits=limits),
        ),
        shrinker=SessionShrinker(session_id=session.pk, owner_id=session.owner_id, limits=limits),
        tools={tool.name: _facts(tool, catalog) for tool in server.catalog.tools},
        timeout_s=chat.turns.tool_timeout_s,
        max_parallel=chat.turns.max_parallel_tool_calls,
        step_max_tokens=limits.step_max_tokens,
    )
    question = Question(
        session_id=str(session.pk),
        turn_id=str(turn.pk),
        text=turn.question,
        model_label=row.label,
        upstreams=session.upstreams,
        max_output_tokens=min(row.max_output_tokens, chat.turns.call_output_tokens),
        max_iterations=chat.turns.max_iterations,
        history=history,
        notices=tuple(await _prefix_notices(session, prefix, history, catalog)),
        timeout_s=chat.turns.turn_timeout_s,
        context_window=row.context_window,
        effort=turn.effort,
        budget_pico_usd=turn.budget_pico_usd or 0,
        estimate_pico_usd=await sync_to_async(_estimate)(turn, row),
    )
    transcript = TurnTranscript(lease)
    ledger = TurnLedger(
        transcript,
        user_id=session.owner_id,
        session_id=session.pk,
        turn_id=turn.pk,
        model_key=row.key,
        effort=turn.effort,
        provider=row.provider,
        turn_limit_pico_usd=turn.budget_pico_usd,
        on_first_call=None if shown is None or history else _comparison(shown, turn.question),
    )
    retry = RetryPolicy(chat.turns.model_attempts, chat.turns.model_wait_max_s)
    return question, Deps(provider, prefix, dispatcher, ledger, transcript, stop, retry)


async def _weighed(row: ModelRow, provider: Provider, prefix: Prefix) -> UpFront | None:
    """Weigh what the model gets up front, and raise what is wrong with that."""
    shown = up_front(provider, prefix, subject=row.key, max_tokens=settings.BURP.catalog.up_front_max_tokens)
    if shown is not None:
        await sync_to_async(report)(shown, _alarm)
    return shown


def _comparison(shown: UpFront, question: str) -> Callable[[TokenUsage], None]:
    """Return what looks at the service's count of a session's first prompt."""
    return lambda usage: compare(shown, usage, len(question.encode()), _alarm)


def _alarm(code: str, subject: str, text: str) -> None:
    try:
        alarm_raise(code=code, subject=subject, text=text)
    except DatabaseError:
        # It is in the log; no answer is held up for it.
        log.exception("the alarm could not be stored")


def _estimate(turn: Turn, row: ModelRow) -> tuple[int, int]:
    """Return between what most such turns cost; nothing known is nothing told."""
    found = estimate_for(row, turn.effort, session_id=turn.session_id)
    return (found.low_pico_usd, found.high_pico_usd) if found else (0, 0)


def prefix_of(row: ModelRow, provider: Provider, catalog: Catalog, *, effort: str = "") -> Prefix:
    """Return what every request of a session with this model, effort and catalogue begins with."""
    return build_prefix(
        _tools(catalog),
        model=row.model,
        effort=effort or row.default_effort,
        system=SYSTEM_PROMPT + off_note(catalog.off),
        scope=provider.replay_scope,
    )


async def warm_up() -> None:
    """Start the processes that the next session will use, so that its first question need not wait."""
    chat = settings.BURP.chat
    await asyncio.to_thread(load_provider, chat.service(chat.model(chat.default_model)))
    await get_tool_servers().get(await upstreams.choose(chat.upstreams, chat.upstream_gateway))
    await sync_to_async(jq_engine(settings.BURP.artifacts).start, thread_sensitive=False)()


def failed_start(turn: Turn, outcome: TurnOutcome, detail: str) -> Iterator[Event]:
    """Yield the two events of a turn that could not begin, or was stopped before it did."""
    at = datetime.now(UTC).isoformat(timespec="milliseconds")
    yield TurnStarted(
        seq=1,
        at=at,
        session_id=str(turn.session_id),
        turn_id=str(turn.pk),
        question=turn.question,
        provider="",
        model=turn.model,
        model_label=_label(turn),
        effort=turn.effort,
        budget_pico_usd=turn.budget_pico_usd or 0,
        upstreams=turn.session.upstreams,
    )
    yield turn_end(outcome, seq=2, at=at, detail=detail)


def _label(turn: Turn) -> str:
    """Return the name that people know a model by, or its key where it is not configured any more."""
    try:
        label: str = settings.BURP.chat.model(turn.model).label
    except UnknownModel:
        return turn.model
    return label


def _model(turn: Turn) -> ModelRow:
    try:
        row: ModelRow = settings.BURP.chat.model(turn.model)
    except UnknownModel as error:
        raise CannotStart(TurnOutcome.MODEL_BAD_REQUEST, str(error)) from error
    return row


def _provider(row: ModelRow) -> Provider:
    try:
        return create_provider(row, settings.BURP.chat.service(row))
    except ModelFailure as failure:
        raise CannotStart(failure.outcome, failure.message) from failure


def _tools(catalog: Catalog) -> list[ToolDefinition]:
    found = [
        ToolDefinition(tool.name, tool.description, tool.input_schema, deferred=not tool.core) for tool in catalog.tools
    ]
    return [*DEFINITIONS, *found]


def _facts(tool: CatalogTool, catalog: Catalog) -> ToolFacts:
    off = next((str(one) for one in catalog.off if one.key == tool.platform_key), "")
    return ToolFacts(
        tool.title,
        tool.platform,
        tool.noise,
        schema=tool.input_schema,
        example=tool.example,
        normalised=tool.normalised,
        off=off,
    )


async def _prefix_notices(session: Session, prefix: Prefix, history: Sequence[Entry], catalog: Catalog) -> list[Notice]:
    """Freeze the prefix for the session; return what a reader should know when it is another one."""
    before = await sync_to_async(services.session_prefix_set)(
        session_id=session.pk, context_version=prefix.version, parts=prefix.parts
    )
    if before is None:
        return [] if history else [*off_notices(catalog.off)]
    change = changes(before, prefix.parts)
    log.warning(
        "session %s goes on under context %s: %s changed", session.pk, prefix.version, ", ".join(change.parts) or "none"
    )
    if change.has_tools:
        log.warning(
            "catalog_changed in session %s: added %s; removed %s; changed %s",
            session.pk,
            *(", ".join(names) or "none" for names in (change.added, change.removed, change.changed)),
        )
    return [*(off_notices(catalog.off) if change.has_tools else ()), *notices(change, history)]
