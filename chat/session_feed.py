"""Open sessions and ask in them, telling every page that watches the session that a turn began."""

from uuid import UUID

from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer
from django.conf import settings

from chat import services, turns, upstreams
from chat.choices import Choice, check_effort
from chat.config import UnknownModel
from chat.models import Session


def group_name(session_id: UUID) -> str:
    """Return the channel group of the pages that show a session."""
    return f"session.{session_id}"


async def upstreams_in_use(wanted: str = "") -> str:
    """Return where a new session's records come from: `live` or `snapshot`."""
    chat = settings.BURP.chat
    return await upstreams.choose(wanted or chat.upstreams, chat.upstream_gateway)


async def open_session(*, owner_id: int, model: str = "", effort: str = "", wanted_upstreams: str = "") -> Session:
    """Start a session with the configured model and upstreams unless others are wanted.

    Raises `UnknownModel` and `BadChoice`.
    """
    row = settings.BURP.chat.model(model or settings.BURP.chat.default_model)
    check_effort(row, effort)
    mode = await upstreams_in_use(wanted_upstreams)
    session: Session = await sync_to_async(services.session_create)(
        owner_id=owner_id, model=row.key, effort=effort, upstreams=mode
    )
    return session


async def ask(*, session_id: UUID, owner_id: int, question: str, choice: Choice | None = None) -> UUID:
    """Start a turn and announce it.

    Raises what `turns.start_turn` raises, and `UnknownModel` for a model that can't be used.
    """
    usable = tuple(row.key for row in settings.BURP.chat.usable_models())
    if choice is not None and choice.model and choice.model not in usable:
        raise UnknownModel(choice.model, usable)
    turn_id = await turns.start_turn(session_id=session_id, owner_id=owner_id, question=question, choice=choice)
    message = {"type": "turn.started", "turn": str(turn_id)}
    await get_channel_layer().group_send(group_name(session_id), message)
    return turn_id
