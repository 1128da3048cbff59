"""The tool page: what BURP can ask of which database, with a search."""

from typing import Any

from asgiref.sync import sync_to_async
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_GET

from tools_catalog.mcp_process import ToolCallError
from tools_catalog.presentation import hit_views, platform_views
from tools_catalog.runtime import get_tool_servers

UNAVAILABLE = 503
QUERY_MAX_CHARACTERS = 200
HITS_MAX = 20
# The element that a search refills without a new page.
FRAGMENT_TARGET = "tools"


@login_required
@require_GET
async def tool_list(request: HttpRequest) -> HttpResponse:
    """Show the tools by database, or those that a search finds."""
    await request.auser()
    query = request.GET.get("q", "").strip()[:QUERY_MAX_CHARACTERS]
    context: dict[str, Any] = {"query": query}
    status = 200
    servers = get_tool_servers()
    try:
        search = await servers.search(servers.running_upstreams() or "snapshot")
    except ToolCallError as problem:
        context["problem"] = str(problem)
        status = UNAVAILABLE
    else:
        catalog = search.catalog
        context |= {"tool_count": len(catalog.tools), "keyword_only": search.keyword_only, "left_out": catalog.problems}
        if query:
            context["hits"] = hit_views(catalog, (await search.find(query, HITS_MAX)).hits)
        else:
            context["platforms"] = platform_views(catalog)
    is_fragment = request.headers.get("HX-Target") == FRAGMENT_TARGET
    template = "tools_catalog/_tools.html" if is_fragment else "tools_catalog/tool_list.html"
    response = await sync_to_async(render)(request, template, context, status=status)
    patch_vary_headers(response, ["HX-Target"])
    return response
