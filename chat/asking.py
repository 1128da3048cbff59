"""Ask one question from a command: the same turn as on the page, followed in the terminal."""

import asyncio
import json
import logging
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from asgiref.sync import sync_to_async

from chat import selectors, session_feed, turns
from chat.choices import Choice
from chat.events import Event, TurnEnd, from_wire, to_wire
from chat.following import follow_turn
from chat.models import Session
from chat.readiness import refuse_outdated_database
from chat.terminal import TurnPrinter
from tools_catalog.runtime import close_tool_servers
from usage.services import local_user_get_or_create


class NoSuchSession(LookupError):
    """The session to ask in is not there, or belongs to somebody else."""


@dataclass(frozen=True)
class Asked:
    """How a question that was asked from a command ended."""

    session_id: str
    end: TurnEnd | None

    @property
    def is_sound(self) -> bool:
        """Whether the turn completed with every identifier of the answer grounded."""
        return (
            self.end is not None and self.end.outcome == "completed" and not self.end.grounding.get("not_in_evidence")
        )


def ask(
    question: str,
    *,
    choice: Choice | None = None,
    session_id: UUID | None = None,
    upstreams_setting: str = "",
    as_json: bool = False,
) -> Asked:
    """Ask as the local user, print what happens, and keep the session. Ctrl-C stops the turn cleanly.

    Asks in a new session unless one is given. Raises `UnknownModel` and `BadChoice` for what can't be chosen,
    `NoSuchSession` for a session that is not there.
    """
    refuse_outdated_database()
    # What goes well is told by the turn itself.
    logging.getLogger("tools_catalog").setLevel(logging.WARNING)
    show = _show_json if as_json else TurnPrinter().show
    return asyncio.run(_ask(question, choice or Choice(), session_id, upstreams_setting, show))


def _show_json(event: Event) -> None:
    sys.stdout.write(json.dumps(to_wire(event), ensure_ascii=False) + "\n")
    sys.stdout.flush()


async def _ask(
    question: str, choice: Choice, session_id: UUID | None, upstreams_setting: str, show: Callable[[Event], None]
) -> Asked:
    await turns.close_dead_turns()
    user = await sync_to_async(local_user_get_or_create)()
    if session_id is None:
        session = await session_feed.open_session(
            owner_id=user.pk, model=choice.model, effort=choice.effort, wanted_upstreams=upstreams_setting
        )
    else:
        session = await _session(user.pk, session_id)
    end: TurnEnd | None = None
    try:
        turn_id = await turns.start_turn(session_id=session.pk, owner_id=user.pk, question=question, choice=choice)
        stopping = _stop_on_interrupt(turn_id, user.pk)
        async for wire in follow_turn(turn_id):
            event = from_wire(wire)
            show(event)
            if isinstance(event, TurnEnd):
                end = event
        for pressed in stopping:
            await pressed
    finally:
        await turns.shutdown()
        await close_tool_servers()
    return Asked(str(session.pk), end)


async def _session(owner_id: int, session_id: UUID) -> Session:
    try:
        return await sync_to_async(selectors.session_get)(owner_id=owner_id, session_id=session_id)
    except Session.DoesNotExist:
        raise NoSuchSession(f"there is no session {session_id}") from None


def _stop_on_interrupt(turn_id: object, owner_id: int) -> list[asyncio.Task[None]]:
    """Make Ctrl-C stop the turn; return the list that holds the task once it was pressed."""
    pressed: list[asyncio.Task[None]] = []

    def stop() -> None:
        if not pressed:
            pressed.append(asyncio.create_task(turns.stop_turn(turn_id=turn_id, owner_id=owner_id)))  # type: ignore[arg-type]

    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, stop)
    return pressed
