"""The WebSocket of a session's page: translate its messages, forward its turns as HTML.

No handler waits for a turn: Channels reads the next message only when a handler has returned. Each
turn is forwarded by a task of its own, which is cancelled and awaited when the page leaves.
"""

import asyncio
import json
import logging
import time
from contextlib import aclosing
from typing import Any
from uuid import UUID

from asgiref.sync import sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer
from django.template.loader import render_to_string
from django.utils.html import format_html

from chat import session_feed
from chat.batches import batches
from chat.choices import BadChoice, Choice, read_budget
from chat.config import UnknownModel
from chat.following import follow_turn
from chat.fragments import LivePage, Piece, swap
from chat.models import Session, Turn
from chat.pages import beside_turn, live_page, own_session, turns_after
from chat.services import BlankQuestion, TurnAlreadyRunning
from chat.turns import ServerStopping, stop_turn

log = logging.getLogger(__name__)

NOT_YOURS = 4404
SIGN_OF_LIFE = "<!--here-->"
FAILED = 1011
# Fast enough to look continuous, slow enough that a fast model does not swamp a phone.
WINDOW_S = 0.08
# How long a screen reader is left in peace between two words on progress.
ANNOUNCE_EVERY_S = 3.0


class SessionConsumer(AsyncWebsocketConsumer):  # type: ignore[misc]
    """One page that shows one session."""

    async def connect(self) -> None:
        """Accept the owner's page; close anybody else's as if the session did not exist."""
        self.following: dict[UUID, asyncio.Task[None]] = {}
        self.is_subscribed = False
        self.session: Session | None = None
        await self.accept()
        session_id = self.scope["url_route"]["kwargs"]["session_id"]
        try:
            self.session = await sync_to_async(own_session)(self.scope["user"], session_id)
        except Session.DoesNotExist:
            await self.close(NOT_YOURS)
            return
        await self.channel_layer.group_add(session_feed.group_name(self.session.pk), self.channel_name)

    async def disconnect(self, code: int) -> None:
        """Leave: the turns go on without this page."""
        if self.session is not None:
            await self.channel_layer.group_discard(session_feed.group_name(self.session.pk), self.channel_name)
        for task in self.following.values():
            task.cancel()
        if self.following:
            await asyncio.wait(self.following.values())

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Hand a message of the page to the method of its action."""
        if self.session is None:
            return
        try:
            message = json.loads(text_data or "")
            action = {"ask": self.ask, "stop": self.stop, "subscribe": self.subscribe, "ping": self.ping}[
                message["action"]
            ]
        except (ValueError, KeyError, TypeError):
            await self.refuse("The page sent something that the server does not understand. Reload it.")
            return
        await action(message)

    # --- what the page asks for ---------------------------------------------------------------

    async def ask(self, message: dict[str, Any]) -> None:
        """Start a turn; it comes back to this page, as to all others, through `turn_started`."""
        session = self.own
        try:
            await session_feed.ask(
                session_id=session.pk,
                owner_id=session.owner_id,
                question=str(message.get("question", "")),
                choice=Choice(
                    str(message.get("model", "")),
                    str(message.get("effort", "")),
                    read_budget(str(message.get("budget_usd", ""))),
                    keep=bool(message.get("keep")),
                ),
            )
        except (BlankQuestion, UnknownModel, BadChoice, TurnAlreadyRunning, ServerStopping) as refusal:
            await self.refuse(str(refusal))
        else:
            await self.refuse("")

    async def stop(self, message: dict[str, Any]) -> None:
        """Stop a turn of the session's owner."""
        turn_id = _uuid(message.get("turn"))
        try:
            if turn_id is None:
                raise Turn.DoesNotExist
            await stop_turn(turn_id=turn_id, owner_id=self.own.owner_id)
        except Turn.DoesNotExist:
            await self.refuse("This answer is no longer there.")

    async def subscribe(self, message: dict[str, Any]) -> None:
        """Bring the page up to date: the last turn it knows if that went on, and all later ones."""
        self.is_subscribed = True
        known, after = _uuid(message.get("turn")), message.get("after")
        for turn in await sync_to_async(turns_after)(self.own, known):
            self.follow(turn.pk, is_known=turn.pk == known, after=after if isinstance(after, int) else 0)

    async def ping(self, message: dict[str, Any]) -> None:
        """Give the page a sign of life: its browser can't tell a silent connection from one that is gone."""
        await self.send_html(SIGN_OF_LIFE)

    async def turn_started(self, message: dict[str, Any]) -> None:
        """Show a turn that was begun here, in another tab or over the API."""
        if self.is_subscribed:
            self.follow(UUID(message["turn"]), is_known=False, after=0)

    # --- what the page is told ----------------------------------------------------------------

    @property
    def own(self) -> Session:
        """The session, once the page was let in."""
        assert self.session is not None
        return self.session

    def follow(self, turn_id: UUID, *, is_known: bool, after: int) -> None:
        """Forward a turn in a task, once."""
        if turn_id not in self.following:
            work = self.forward(turn_id, is_known=is_known, after=after)
            self.following[turn_id] = asyncio.create_task(work, name=f"forward {turn_id}")

    async def forward(self, turn_id: UUID, *, is_known: bool, after: int) -> None:
        """Send a turn as it is now, then its changes to its end."""
        try:
            page = await sync_to_async(live_page)(self.own.owner_id, turn_id)
            is_current = is_known and page.view.seq == after
            if is_current:
                page.note_as_shown()
            else:
                await self.send_html(page.whole("log", is_known=is_known))
            if page.view.is_running or not is_current:
                await self.send_html(await self.around() + _status(page))
            if page.view.is_running:
                await self.forward_changes(page, turn_id)
                await self.send_html(await self.around() + _status(page))
        except Turn.DoesNotExist:
            return
        except Exception:
            log.exception("forwarding turn %s broke", turn_id)
            await self.close(FAILED)

    async def forward_changes(self, page: LivePage, turn_id: UUID) -> None:
        """Send what changes, coalesced."""
        said, said_at = page.view.announcement, time.monotonic()
        async with aclosing(batches(follow_turn(turn_id, page.view.seq), WINDOW_S)) as incoming:
            async for batch in incoming:
                html = page.take(batch)
                news = page.view.announcement
                if news != said and time.monotonic() - said_at > ANNOUNCE_EVERY_S:
                    said, said_at = news, time.monotonic()
                    html += _status(page)
                if html:
                    await self.send_html(html)

    async def around(self) -> str:
        """Return what changes beside a turn when it begins or ends: Send or Stop, title, model, list of sessions."""
        beside = await sync_to_async(beside_turn)(self.own)
        pieces = {
            "spent": render_to_string("chat/_spent.html", beside),
            "composer-action": render_to_string("chat/_composer_action.html", beside),
            "session-title": render_to_string("chat/_session_title.html", beside),
            "badges": render_to_string("chat/_badges.html", beside),
            "sessions": render_to_string("chat/_sessions.html", beside),
        }
        return "".join(swap(Piece(name, "", html.strip()), is_known=True) for name, html in pieces.items())

    async def refuse(self, text: str) -> None:
        """Say above the question box why something was not done; empty if it was."""
        await self.send_html(format_html('<p id="composer-error" hx-swap-oob="innerHTML">{}</p>', text))

    async def send_html(self, html: str) -> None:
        """Send fragments; a page that has left misses them."""
        await self.send(text_data=html)


def _uuid(value: Any) -> UUID | None:
    try:
        return UUID(str(value))
    except ValueError:
        return None


def _status(page: LivePage) -> str:
    return format_html('<p id="status" hx-swap-oob="innerHTML">{}</p>', page.view.announcement)
