"""Ask one question from a command: the same turn as on the page, followed in the terminal."""

import asyncio
import json
import logging
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass

from asgiref.sync import sync_to_async

from chat import session_feed, turns
from chat.events import Event, TurnEnd, from_wire, to_wire
from chat.following import follow_turn
from chat.readiness import refuse_outdated_database
from chat.terminal import TurnPrinter
from tools_catalog.runtime import close_tool_servers
from usage.services import local_user_get_or_create


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


def ask(question: str, *, model: str = "", upstreams_setting: str = "", as_json: bool = False) -> Asked:
    """Ask as the local user, print what happens, and keep the session. Ctrl-C stops the turn cleanly.

    Raises `UnknownModel` for a model that `burp.toml` does not have.
    """
    refuse_outdated_database()
    # What goes well is told by the turn itself.
    logging.getLogger("tools_catalog").setLevel(logging.WARNING)
    show = _show_json if as_json else TurnPrinter().show
    return asyncio.run(_ask(question, model, upstreams_setting, show))


def _show_json(event: Event) -> None:
    sys.stdout.write(json.dumps(to_wire(event), ensure_ascii=False) + "\n")
    sys.stdout.flush()


async def _ask(question: str, model: str, upstreams_setting: str, show: Callable[[Event], None]) -> Asked:
    await turns.close_dead_turns()
    user = await sync_to_async(local_user_get_or_create)()
    session = await session_feed.open_session(owner_id=user.pk, model=model, wanted_upstreams=upstreams_setting)
    end: TurnEnd | None = None
    try:
        turn_id = await turns.start_turn(session_id=session.pk, owner_id=user.pk, question=question)
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


def _stop_on_interrupt(turn_id: object, owner_id: int) -> list[asyncio.Task[None]]:
    """Make Ctrl-C stop the turn; return the list that holds the task once it was pressed."""
    pressed: list[asyncio.Task[None]] = []

    def stop() -> None:
        if not pressed:
            pressed.append(asyncio.create_task(turns.stop_turn(turn_id=turn_id, owner_id=owner_id)))  # type: ignore[arg-type]

    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, stop)
    return pressed
