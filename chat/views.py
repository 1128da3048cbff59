"""The chat pages. Each works without JavaScript too; what streams comes over `chat.consumers`."""

from typing import Any
from uuid import UUID

from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from chat import pages, selectors, services, session_feed
from chat.choices import BadChoice
from chat.config import UnknownModel
from chat.examples import EXAMPLES
from chat.forms import QUESTION_MAX_CHARACTERS, ChoiceForm, QuestionForm, ThemeForm, TitleForm
from chat.model_choices import choices
from chat.models import Session, Turn
from chat.preferences import remember_theme
from chat.services import BlankQuestion, TurnAlreadyRunning
from chat.turns import ServerStopping, stop_turn

UNAVAILABLE = 503
UNPROCESSABLE = 422


def _page(request: HttpRequest, template: str, context: dict[str, Any], status: int = 200) -> HttpResponse:
    """Render a page with what stands on all of them."""
    return render(request, template, {"question_max_characters": QUESTION_MAX_CHARACTERS} | context, status=status)


def _own_session(request: HttpRequest, session_id: UUID) -> Session:
    """Return the reader's session; anybody else's does not exist."""
    try:
        return pages.own_session(request.user, session_id)
    except Session.DoesNotExist:
        raise Http404("no such session") from None


def _first_error(form: QuestionForm) -> str:
    return str(next(iter(form.errors.values()))[0])


@login_required
@require_GET
def home(request: HttpRequest) -> HttpResponse:
    """Go to the latest session, or to an empty page."""
    assert request.user.pk is not None
    latest = selectors.session_list(owner_id=request.user.pk).first()
    return redirect("chat:session_detail", latest.pk) if latest else redirect("chat:session_new")


@login_required
@require_http_methods(["GET", "POST"])
@never_cache
async def session_new(request: HttpRequest) -> HttpResponse:
    """Show the empty page; with a question, open a session and start its first turn."""
    user = await request.auser()
    assert user.pk is not None
    form = QuestionForm(request.POST if request.method == "POST" else None)
    error, status = "", 200
    if request.method == "POST":
        try:
            session = await _opened_with(form, user.pk)
        except (UnknownModel, BadChoice, BlankQuestion) as refusal:
            error, status = str(refusal), UNPROCESSABLE
        except ServerStopping as refusal:
            error, status = str(refusal), UNAVAILABLE
        else:
            return redirect("chat:session_detail", session.pk)
    default_model = settings.BURP.chat.default_model
    context = {
        "use": pages.in_use(default_model, await session_feed.upstreams_in_use()),
        "choices": await sync_to_async(choices)(owner_id=user.pk, model=default_model, effort=""),
        "examples": EXAMPLES,
        "ask_url": reverse("chat:session_new"),
        "question": request.POST.get("question", request.GET.get("q", ""))[:QUESTION_MAX_CHARACTERS],
        "error": error,
    }
    return await sync_to_async(_page)(request, "chat/session_new.html", context, status)


async def _opened_with(form: QuestionForm, owner_id: int) -> Session:
    """Open a session with what was chosen and ask its first question; nothing is opened for what can't be asked."""
    if not form.is_valid():
        raise BlankQuestion(_first_error(form))
    choice = form.choice
    session = await session_feed.open_session(owner_id=owner_id, model=choice.model, effort=choice.effort)
    await session_feed.ask(
        session_id=session.pk, owner_id=owner_id, question=form.cleaned_data["question"], choice=choice
    )
    return session


@login_required
@require_GET
@never_cache
def session_detail(request: HttpRequest, session_id: UUID) -> HttpResponse:
    """Show a session: what was asked and answered, and what runs now."""
    session = _own_session(request, session_id)
    turns = pages.shown_turns(session)
    running = next((turn.view.turn_id for turn in turns if turn.view.is_running), "")
    context = {
        "session": session,
        "turns": turns,
        "running_turn_id": running,
        "use": pages.in_use(session.model, session.upstreams),
        "choices": choices(
            owner_id=session.owner_id, model=session.model, effort=session.effort, session_id=session.pk
        ),
        "ask_url": reverse("chat:turn_ask", args=[session.pk]),
    }
    return _page(request, "chat/session_detail.html", context)


@login_required
@require_POST
async def turn_ask(request: HttpRequest, session_id: UUID) -> HttpResponse:
    """Ask in a session without JavaScript."""
    await request.auser()
    session = await sync_to_async(_own_session)(request, session_id)
    form = QuestionForm(request.POST)
    if form.is_valid():
        try:
            await session_feed.ask(
                session_id=session.pk,
                owner_id=session.owner_id,
                question=form.cleaned_data["question"],
                choice=form.choice,
            )
        except (UnknownModel, BadChoice, BlankQuestion, TurnAlreadyRunning, ServerStopping) as refusal:
            messages.error(request, str(refusal))
    else:
        messages.error(request, _first_error(form))
    return redirect("chat:session_detail", session.pk)


@login_required
@require_POST
async def turn_stop(request: HttpRequest, turn_id: UUID) -> HttpResponse:
    """Stop a turn without JavaScript."""
    user = await request.auser()
    assert user.pk is not None
    try:
        await stop_turn(turn_id=turn_id, owner_id=user.pk)
        turn = await sync_to_async(selectors.turn_get)(owner_id=user.pk, turn_id=turn_id)
    except Turn.DoesNotExist:
        raise Http404("no such turn") from None
    return redirect("chat:session_detail", turn.session_id)


@login_required
@require_POST
def session_rename(request: HttpRequest, session_id: UUID) -> HttpResponse:
    """Give a session another name."""
    session = _own_session(request, session_id)
    form = TitleForm(request.POST)
    if form.is_valid():
        services.session_rename(session=session, title=form.cleaned_data["title"])
    else:
        messages.error(request, "A name needs at least one letter, and at most 200.")
    return redirect("chat:session_detail", session.pk)


@login_required
@require_POST
def session_model(request: HttpRequest, session_id: UUID) -> HttpResponse:
    """Choose with what the session's next questions are asked."""
    session = _own_session(request, session_id)
    form = ChoiceForm(request.POST)
    try:
        if not form.is_valid():
            raise BadChoice("invalid", "There is no such model.")
        chosen = {name: form.cleaned_data[name] for name in ("model", "effort")}
        services.session_model_set(session=session, **chosen)
    except (UnknownModel, BadChoice) as refusal:
        messages.error(request, str(refusal))
    return redirect("chat:session_detail", session.pk)


@login_required
@require_http_methods(["GET", "POST"])
def session_delete(request: HttpRequest, session_id: UUID) -> HttpResponse:
    """Ask whether to delete a session, and delete it."""
    session = _own_session(request, session_id)
    if request.method == "GET":
        return _page(request, "chat/session_delete.html", {"session": session})
    try:
        services.session_delete(session=session)
    except TurnAlreadyRunning:
        messages.error(request, "Stop the running answer before you delete its session.")
        return redirect("chat:session_detail", session.pk)
    messages.success(request, "The session was deleted.")
    return redirect("chat:home")


@require_POST
def theme_set(request: HttpRequest) -> HttpResponse:
    """Remember the colours without JavaScript."""
    form = ThemeForm(request.POST)
    after = request.POST.get("next", "")
    is_own = url_has_allowed_host_and_scheme(after, allowed_hosts={request.get_host()})
    response = redirect(after if is_own else "chat:home")
    if form.is_valid():
        remember_theme(response, form.cleaned_data["theme"])
    return response
