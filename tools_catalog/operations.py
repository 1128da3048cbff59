"""The operator's page: tool servers of all processes, databases with their switches, errors of the day, alarms."""

from dataclasses import dataclass
from typing import Any

from asgiref.sync import sync_to_async
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from tools_catalog import selectors
from tools_catalog.call_counts import Day
from tools_catalog.catalog import Catalog
from tools_catalog.mcp_process import ToolCallError
from tools_catalog.models import PlatformSwitch
from tools_catalog.presentation import check_text
from tools_catalog.runtime import get_tool_servers
from tools_catalog.services import platform_switch


@dataclass(frozen=True)
class PlatformRow:
    """A database for its operator."""

    key: str
    title: str
    tools: int
    calls: int
    failures: int
    checks: tuple[str, ...]
    switch: PlatformSwitch | None

    @property
    def is_off(self) -> bool:
        """Whether it is switched off."""
        return self.switch is not None and self.switch.is_off


@login_required
@require_GET
@never_cache
async def operations(request: HttpRequest) -> HttpResponse:
    """Show what an operator wants to know; nothing here needs an outside service."""
    await _operator(request)
    context: dict[str, Any] = {}
    servers = get_tool_servers()
    try:
        search = await servers.search(servers.running_upstreams() or "snapshot")
    except ToolCallError as problem:
        context["problem"] = str(problem)
        catalog = Catalog()
    else:
        catalog = search.catalog
        context["notice"] = search.notice
    context |= await sync_to_async(_context)(catalog)
    return await sync_to_async(render)(request, "tools_catalog/operations.html", context)


@login_required
@require_POST
async def switch(request: HttpRequest, platform_key: str) -> HttpResponse:
    """Switch a database off, with a reason, or on again."""
    user_id = await _operator(request)
    servers = get_tool_servers()
    catalog = (await servers.get(servers.running_upstreams() or "snapshot")).catalog
    if not any(tool.platform_key == platform_key for tool in catalog.tools):
        raise Http404("no such database")
    await sync_to_async(platform_switch)(
        platform_key=platform_key,
        is_off=request.POST.get("off") == "yes",
        reason=request.POST.get("reason", ""),
        by_id=user_id,
    )
    return redirect("tools_catalog:operations")


async def _operator(request: HttpRequest) -> int:
    """Return who asks, if that is an operator. Raises `PermissionDenied`."""
    user = await request.auser()
    if not getattr(user, "is_staff", False) or user.pk is None:
        raise PermissionDenied
    return int(user.pk)


def _context(catalog: Catalog) -> dict[str, Any]:
    days = selectors.days()
    known = {tool.platform_key for tool in catalog.tools}
    return {
        "unknown": [one for key, one in selectors.switches().items() if one.is_off and key not in known],
        "servers": selectors.server_states(),
        "alarms": selectors.alarms(),
        "platforms": _platform_rows(catalog, days),
        "troubled": sorted(
            ((tool, day) for tool, day in days.items() if day.failures), key=lambda item: (-item[1].failures, item[0])
        )[:20],
    }


def _platform_rows(catalog: Catalog, days: dict[str, Day]) -> list[PlatformRow]:
    switches, checks = selectors.switches(), selectors.last_checks()
    rows = []
    for title, tools in catalog.platforms().items():
        key = tools[0].platform_key
        called = [days[tool.name] for tool in tools if tool.name in days]
        rows.append(
            PlatformRow(
                key=key,
                title=title,
                tools=len(tools),
                calls=sum(day.calls for day in called),
                failures=sum(day.failures for day in called),
                checks=tuple(check_text(check) for check in checks.get(key, ())),
                switch=switches.get(key),
            )
        )
    return rows
