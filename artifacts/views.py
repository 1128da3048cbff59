"""The page of a stored result: a tree with search, a jq box, downloads. Works without JavaScript too.

Only its owner sees it; for anybody else it does not exist.
"""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar
from uuid import UUID

from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from artifacts.errors import ArtifactError, ArtifactNotFound
from artifacts.inspect import Look
from artifacts.jq import jq_engine
from artifacts.store import ArtifactFacts, artifact_find, artifact_load
from artifacts.tree import Document, read_path

R = TypeVar("R")
QUERY_MAX_CHARACTERS = 200
FILTER_MAX_CHARACTERS = 2_000
# A person reads more than a model, and pays less for it.
ANSWER_MAX_BYTES = 200_000
UNPROCESSABLE = 422
# The elements that are refilled without a new page, with what fills them.
FRAGMENTS = {"found": "artifacts/_found.html", "answer": "artifacts/_answer.html"}


async def _off_loop(work: Callable[[], R]) -> R:
    """Run what reads files or waits for a filter in a thread of its own: the one of the ORM is for all requests."""
    return await sync_to_async(work, thread_sensitive=False)()


def _found(owner_id: int, artifact_id: UUID) -> tuple[ArtifactFacts, bytes]:
    try:
        facts = artifact_find(artifact_id, owner_id=owner_id)
        return facts, artifact_load(artifact_id, session_id=facts.session_id, owner_id=owner_id)
    except ArtifactNotFound:
        raise Http404("no such result") from None


async def _owner_id(request: HttpRequest) -> int:
    user = await request.auser()
    assert user.pk is not None
    return int(user.pk)


@login_required
@require_GET
@never_cache
async def artifact(request: HttpRequest, artifact_id: UUID) -> HttpResponse:
    """Show a result, or a part of it; with a search or a filter what that finds."""
    owner_id = await _owner_id(request)
    target = request.headers.get("HX-Target", "")

    def page() -> dict[str, Any]:
        facts, content = _found(owner_id, artifact_id)
        return _page(request, facts, content, is_fragment=target in FRAGMENTS)

    context = await _off_loop(page)
    template = FRAGMENTS.get(target, "artifacts/artifact.html")
    status = UNPROCESSABLE if context.get("problem") and target not in FRAGMENTS else 200
    response = await sync_to_async(render)(request, template, context, status=status)
    patch_vary_headers(response, ["HX-Target"])
    return response


def _page(request: HttpRequest, facts: ArtifactFacts, content: bytes, *, is_fragment: bool) -> dict[str, Any]:
    """Return what the page shows. A wrong path, search or filter is told in its place."""
    limits = settings.BURP.artifacts
    document = Document(content, limits, jq_engine(limits))
    query = request.GET.get("q", "").strip()[:QUERY_MAX_CHARACTERS]
    jq_filter = request.GET.get("filter", "").strip()[:FILTER_MAX_CHARACTERS]
    context: dict[str, Any] = {"facts": facts, "query": query, "filter": jq_filter}
    try:
        if not is_fragment:
            context["tables"] = document.tables()
            context["branch"] = document.branch(read_path(request.GET.get("path", "")), _start(request))
    except ValueError as problem:
        context["problem"] = str(problem)
    try:
        if query:
            context["hits"] = document.search(query)
    except ArtifactError as problem:
        context["search_problem"] = str(problem)
    if jq_filter:
        context |= _answer(Look(content, limits, jq_engine(limits), ANSWER_MAX_BYTES), jq_filter)
    return context


def _answer(look: Look, jq_filter: str) -> dict[str, str]:
    try:
        return {"answer": look.answer(jq_filter)}
    except ArtifactError as problem:
        return {"filter_problem": str(problem)}


def _start(request: HttpRequest) -> int:
    text = request.GET.get("from", "0")
    return int(text) if text.isdecimal() and len(text) < 12 else 0


@login_required
@require_GET
@never_cache
async def branch(request: HttpRequest, artifact_id: UUID) -> HttpResponse:
    """Show the children of one part of a result."""
    owner_id = await _owner_id(request)

    def asked() -> dict[str, Any]:
        facts, content = _found(owner_id, artifact_id)
        limits = settings.BURP.artifacts
        document = Document(content, limits, jq_engine(limits))
        try:
            return {"facts": facts, "branch": document.branch(read_path(request.GET.get("path", "")), _start(request))}
        except ValueError as problem:
            return {"facts": facts, "problem": str(problem)}

    context = await _off_loop(asked)
    # htmx shows no page with another status; the words say what is wrong.
    return await sync_to_async(render)(request, "artifacts/_branch.html", context)


@login_required
@require_GET
@never_cache
async def download_json(request: HttpRequest, artifact_id: UUID) -> HttpResponse:
    """Give the whole result as it was stored."""
    owner_id = await _owner_id(request)
    facts, content = await _off_loop(lambda: _found(owner_id, artifact_id))
    return _file(content, "application/json", f"{facts.tool}.json")


@login_required
@require_GET
@never_cache
async def download_csv(request: HttpRequest, artifact_id: UUID) -> HttpResponse:
    """Give one list of the result as a table."""
    owner_id = await _owner_id(request)

    def table() -> tuple[ArtifactFacts, Iterator[str]]:
        facts, content = _found(owner_id, artifact_id)
        limits = settings.BURP.artifacts
        try:
            rows = Document(content, limits, jq_engine(limits)).csv(read_path(request.GET.get("at", "")))
            return facts, iter([*rows])
        except ValueError as problem:
            raise Http404(str(problem)) from None

    facts, rows = await _off_loop(table)
    # The mark lets spreadsheets read it as UTF-8.
    return _file("\ufeff" + "".join(rows), "text/csv; charset=utf-8", f"{facts.tool}.csv")


def _file(content: bytes | str, kind: str, name: str) -> HttpResponse:
    return HttpResponse(content, content_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})
