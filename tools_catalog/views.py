"""The tool pages: what BURP can ask of which database, with a search, and each tool on a page of its own."""

from typing import Any

from asgiref.sync import sync_to_async
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_GET

from tools_catalog import selectors
from tools_catalog.catalog import Catalog, CatalogTool
from tools_catalog.mcp_process import ToolCallError
from tools_catalog.presentation import check_text, hit_views, platform_views, tool_view
from tools_catalog.runtime import get_tool_servers
from tools_catalog.search import ToolSearch
from tools_catalog.switches import get_switches, switched_on
from tools_catalog.trial_form import form_fields

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
    is_fragment = request.headers.get("HX-Target") == FRAGMENT_TARGET
    context: dict[str, Any] = {"query": query, "is_fragment": is_fragment}
    status = 200
    try:
        search = await _search()
    except ToolCallError as problem:
        context["problem"] = str(problem)
        status = UNAVAILABLE
    else:
        context |= await (_found(search, query) if query else _all(search.catalog))
    template = "tools_catalog/_tools.html" if is_fragment else "tools_catalog/tool_list.html"
    response = await sync_to_async(render)(request, template, context, status=status)
    patch_vary_headers(response, ["HX-Target"])
    return response


@login_required
@require_GET
async def tool_detail(request: HttpRequest, name: str) -> HttpResponse:
    """Show one tool, with a form to try it out that holds the tool's example."""
    await request.auser()
    try:
        catalog = (await _search()).catalog
    except ToolCallError as problem:
        return await sync_to_async(render)(
            request, "tools_catalog/tool_unavailable.html", {"problem": str(problem)}, status=UNAVAILABLE
        )
    tool = catalog.get(name)
    if tool is None:
        raise Http404("no such tool")
    context = await tool_context(catalog, tool)
    return await sync_to_async(render)(request, "tools_catalog/tool_detail.html", context)


async def tool_context(catalog: Catalog, tool: CatalogTool) -> dict[str, Any]:
    """Return what the page of a tool shows."""
    off = catalog.without(await get_switches().off(at_once=True)).off
    days = await sync_to_async(selectors.days)([tool.name])
    checks = await sync_to_async(selectors.last_checks)()
    return {
        "tool": tool_view(tool, days=days),
        "fields": form_fields(tool, tool.example),
        "off": next((one for one in off if one.key == tool.platform_key), None),
        "checks": [check_text(check) for check in checks.get(tool.platform_key, ())],
    }


async def _search() -> ToolSearch:
    """Return the search of a server that runs already: all modes have the same tools."""
    servers = get_tool_servers()
    return await servers.search(servers.running_upstreams() or "snapshot")


async def _found(search: ToolSearch, query: str) -> dict[str, Any]:
    catalog = search.catalog.without(await get_switches().off(at_once=True))
    found = await search.find(query, HITS_MAX + sum(off.tools for off in catalog.off))
    hits, missed = switched_on(found.hits, catalog, HITS_MAX)
    days = await sync_to_async(selectors.days)([hit.name for hit in hits])
    return {
        "tool_count": len(catalog.tools),
        "left_out": catalog.problems,
        "keyword_only": search.keyword_only,
        "hits": hit_views(catalog, hits, days),
        "missed": missed,
        "notice": found.notice,
    }


async def _all(whole: Catalog) -> dict[str, Any]:
    catalog = whole.without(await get_switches().off(at_once=True))
    days = await sync_to_async(selectors.days)()
    checks = await sync_to_async(selectors.last_checks)()
    return {
        "tool_count": len(catalog.tools),
        "left_out": catalog.problems,
        "switched_off": catalog.off,
        "platforms": platform_views(catalog, days, checks),
    }
