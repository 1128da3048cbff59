"""The API: open a session, ask, follow the events as a stream, stop. Errors are JSON with a code.

The stream is a plain async view: it ends with the turn, and goes on from `Last-Event-ID` after a
lost connection.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing, suppress
from typing import Any, Literal
from uuid import UUID

from asgiref.sync import sync_to_async
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse, StreamingHttpResponse
from django.urls import reverse
from django.views.decorators.http import require_GET
from ninja import NinjaAPI, Schema
from ninja.errors import AuthenticationError, HttpError, ValidationError
from ninja.responses import Status
from pydantic import Field

from chat import pages, selectors, services, session_feed
from chat.api_auth import BearerAuth, CookieAuth, reader_of
from chat.api_money import router as money_router
from chat.choices import BadChoice, Choice, read_budget
from chat.config import UnknownModel
from chat.event_schema import schema
from chat.following import follow_turn
from chat.forms import QUESTION_MAX_CHARACTERS
from chat.models import Session, Turn
from chat.services import BlankQuestion, TurnAlreadyRunning
from chat.turns import ServerStopping, stop_turn

HEARTBEAT_S = 15.0


class SessionWish(Schema):
    """What a new session should use; empty means the configured."""

    model: str = ""
    effort: str = ""
    upstreams: Literal["", "auto", "live", "snapshot"] = ""


class SessionOpened(Schema):
    """A new session."""

    id: UUID
    model: str
    effort: str
    upstreams: str
    page_url: str
    turns_url: str


class SessionModel(Schema):
    """With what the next questions of a session are asked."""

    model: str
    effort: str = ""


class Question(Schema):
    """A question. Empty `model` and `effort` mean the session's, then the configured.

    They are of this question only, unless `keep` says that the session goes on with them. `budget_usd` is what
    the answer may cost, such as "0.50"; empty means the configured.
    """

    question: str = Field(min_length=1, max_length=QUESTION_MAX_CHARACTERS)
    model: str = ""
    effort: str = ""
    budget_usd: str = ""
    keep: bool = False


class TurnBegun(Schema):
    """A turn that has begun: follow `events_url`."""

    turn_id: UUID
    events_url: str
    stop_url: str


class Problem(Schema):
    """Why a request was refused."""

    code: str
    message: str


class Refusal(Schema):
    """The body of every error."""

    error: Problem


api = NinjaAPI(
    title="BURP",
    version="1",
    description=(
        "Ask research questions and follow the answers as they are found. `events_url` streams the events of a turn "
        "as `text/event-stream`, from the beginning or after `Last-Event-ID`, and ends with `turn_end`."
    ),
    urls_namespace="chat:api",
    auth=[BearerAuth(), CookieAuth()],
)

api.add_router("", money_router)

_STATUS_CODES = {401: "unauthenticated", 403: "forbidden", 404: "not_found", 405: "method_not_allowed"}


def refusal(code: str, message: str, status: int) -> JsonResponse:
    """Return an error's response."""
    return JsonResponse({"error": {"code": code, "message": message}}, status=status)


@api.exception_handler(AuthenticationError)
def _unauthenticated(request: HttpRequest, error: Any) -> HttpResponse:
    return refusal("unauthenticated", "Sign in, or send a token as `Authorization: Bearer …`.", 401)


@api.exception_handler(ValidationError)
def _invalid(request: HttpRequest, error: Any) -> HttpResponse:
    first = error.errors[0]
    field = ".".join(str(part) for part in first["loc"][2:]) or "body"
    return refusal("invalid", f"{field}: {first['msg']}", 422)


@api.exception_handler(HttpError)
def _http_error(request: HttpRequest, error: Any) -> HttpResponse:
    return refusal(_STATUS_CODES.get(error.status_code, "refused"), str(error), error.status_code)


@api.exception_handler(Session.DoesNotExist)
@api.exception_handler(Turn.DoesNotExist)
def _not_found(request: HttpRequest, error: Any) -> HttpResponse:
    return refusal("not_found", "There is no such session or turn.", 404)


@api.exception_handler(UnknownModel)
def _unknown_model(request: HttpRequest, error: Any) -> HttpResponse:
    return refusal("unknown_model", str(error), 422)


@api.exception_handler(BadChoice)
def _bad_choice(request: HttpRequest, error: Any) -> HttpResponse:
    return refusal(error.code, str(error), 422)


@api.exception_handler(BlankQuestion)
def _blank(request: HttpRequest, error: Any) -> HttpResponse:
    return refusal("invalid", str(error), 422)


@api.exception_handler(TurnAlreadyRunning)
def _running(request: HttpRequest, error: Any) -> HttpResponse:
    return refusal("turn_running", str(error), 409)


@api.exception_handler(ServerStopping)
def _stopping(request: HttpRequest, error: Any) -> HttpResponse:
    return refusal("server_stopping", str(error), 503)


@api.post("/sessions", response={201: SessionOpened, 401: Refusal, 422: Refusal}, summary="Open a session")
async def session_open(request: HttpRequest, wish: SessionWish) -> Status[dict[str, Any]]:
    """Open a session with a model and upstreams."""
    session = await session_feed.open_session(
        owner_id=_caller(request), model=wish.model, effort=wish.effort, wanted_upstreams=wish.upstreams
    )
    return Status(201, _opened(session))


@api.patch(
    "/sessions/{uuid:session_id}",
    response={200: SessionOpened, 401: Refusal, 404: Refusal, 422: Refusal},
    summary="Choose a session's model",
)
async def session_model(request: HttpRequest, session_id: UUID, wish: SessionModel) -> Status[dict[str, Any]]:
    """Choose model and effort of the session's next questions; a running answer goes on as it began."""
    session = await sync_to_async(selectors.session_get)(owner_id=_caller(request), session_id=session_id)
    set_model = sync_to_async(services.session_model_set)
    return Status(200, _opened(await set_model(session=session, model=wish.model, effort=wish.effort)))


def _opened(session: Session) -> dict[str, Any]:
    return {
        "id": session.pk,
        "model": session.model,
        "effort": session.effort,
        "upstreams": session.upstreams,
        "page_url": reverse("chat:session_detail", args=[session.pk]),
        "turns_url": reverse("chat:api:turn_begin", args=[session.pk]),
    }


@api.post(
    "/sessions/{uuid:session_id}/turns",
    response={202: TurnBegun, 401: Refusal, 404: Refusal, 409: Refusal, 422: Refusal},
    summary="Ask a question",
    url_name="turn_begin",
)
async def turn_begin(request: HttpRequest, session_id: UUID, body: Question) -> Status[dict[str, Any]]:
    """Start a turn; it runs whether or not its events are followed, for a grace period."""
    owner_id = _caller(request)
    session = await sync_to_async(selectors.session_get)(owner_id=owner_id, session_id=session_id)
    choice = Choice(body.model, body.effort, read_budget(body.budget_usd), body.keep)
    turn_id = await session_feed.ask(session_id=session.pk, owner_id=owner_id, question=body.question, choice=choice)
    return Status(
        202,
        {
            "turn_id": turn_id,
            "events_url": reverse("chat:api_turn_events", args=[turn_id]),
            "stop_url": reverse("chat:api:turn_stop", args=[turn_id]),
        },
    )


@api.post(
    "/turns/{uuid:turn_id}/stop",
    response={202: None, 401: Refusal, 404: Refusal},
    summary="Stop a turn",
    url_name="turn_stop",
)
async def turn_stop(request: HttpRequest, turn_id: UUID) -> Status[None]:
    """Ask a turn to end; its last event says when it has."""
    await stop_turn(turn_id=turn_id, owner_id=_caller(request))
    return Status(202, None)


@api.get("/events/schema", auth=None, summary="Get the JSON schema of a turn's events")
def events_schema(request: HttpRequest) -> dict[str, Any]:
    """Describe every event that `events_url` streams."""
    return schema()


def _caller(request: HttpRequest) -> int:
    return int(request.auth.pk)  # type: ignore[attr-defined]


@require_GET
async def turn_events(request: HttpRequest, turn_id: UUID) -> HttpResponseBase:
    """Stream a turn's events from the beginning, or from `Last-Event-ID` on."""
    reader = await reader_of(request)
    if reader is None:
        return refusal("unauthenticated", "Sign in, or send a token as `Authorization: Bearer …`.", 401)
    last = request.headers.get("Last-Event-ID", "0")
    if not last.isdecimal():
        return refusal("invalid", f"Last-Event-ID: {last!r} is not a number", 422)
    try:
        page = await sync_to_async(pages.live_page)(reader.pk, turn_id)
    except Turn.DoesNotExist:
        return refusal("not_found", "There is no such session or turn.", 404)
    if not page.view.is_running and page.view.seq <= int(last):
        # What is over stays over: a browser's EventSource would otherwise ask again for ever.
        return HttpResponse(status=204)
    response = StreamingHttpResponse(event_stream(turn_id, int(last)), content_type="text/event-stream")
    response["Cache-Control"] = "no-cache"
    response["X-Accel-Buffering"] = "no"
    return response


async def event_stream(turn_id: UUID, after_seq: int, heartbeat_s: float = HEARTBEAT_S) -> AsyncIterator[bytes]:
    """Write events as a browser's EventSource reads them, with a comment now and then while nothing happens."""
    pending: asyncio.Future[dict[str, Any] | None] | None = None
    async with aclosing(follow_turn(turn_id, after_seq)) as events:  # type: ignore[type-var]
        try:
            while True:
                pending = pending or asyncio.ensure_future(anext(events, None))
                done, _ = await asyncio.wait({pending}, timeout=heartbeat_s)
                if not done:
                    yield b": still here\n\n"
                    continue
                event, pending = pending.result(), None
                if event is None:
                    return
                yield f"id: {event['seq']}\nevent: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
        finally:
            if pending is not None:
                pending.cancel()
                with suppress(asyncio.CancelledError):
                    await asyncio.wait({pending})
