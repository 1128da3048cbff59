"""Run a tool from its page: for people who are signed in, so many times an hour each."""

from typing import Any

from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from chat import upstreams
from chat.trials import tried
from tools_catalog.mcp_process import ToolCallError
from tools_catalog.runtime import get_tool_servers
from tools_catalog.services import trial_begin
from tools_catalog.trial_form import arguments_of, form_fields
from tools_catalog.views import tool_context

FRAGMENT_TARGET = "trial-result"


@login_required
@require_POST
@never_cache
async def tool_try(request: HttpRequest, name: str) -> HttpResponse:
    """Call a tool with what the form says; show its result as the model would read it, and raw."""
    user = await request.auser()
    assert user.pk is not None
    chat, most = settings.BURP.chat, settings.BURP.catalog.trials_per_hour
    is_fragment = request.headers.get("HX-Target") == FRAGMENT_TARGET
    context: dict[str, Any] = {"is_fragment": is_fragment}
    try:
        process, catalog = await get_tool_servers().get(await upstreams.choose(chat.upstreams, chat.upstream_gateway))
    except ToolCallError:
        return await _page(request, {**context, "refusal": "The tool server is not there just now."})
    tool = catalog.get(name)
    if tool is None:
        raise Http404("no such tool")
    arguments = arguments_of(tool, request.POST)
    if await sync_to_async(trial_begin)(user_id=user.pk, most=most):
        context["trial"] = await tried(process, tool, arguments)
    else:
        context["refusal"] = f"You have tried {most} tools in this hour, which is all that one person may."
    if not is_fragment:
        context |= {**await tool_context(catalog, tool), "fields": form_fields(tool, arguments)}
    return await _page(request, context)


async def _page(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    """Return the result alone, or the whole page for a browser without scripts."""
    has_page = context["is_fragment"] or "tool" not in context
    template = "tools_catalog/_trial.html" if has_page else "tools_catalog/tool_detail.html"
    return await sync_to_async(render)(request, template, context)
