"""Tell a load balancer or a person whether this process can answer.

Tool servers are shown, and count for nothing: one that is down makes turns fail with a reason, not the site.
"""

from typing import Any

from asgiref.sync import sync_to_async
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse

from tools_catalog.runtime import get_tool_servers

UNAVAILABLE = 503


async def health(request: HttpRequest) -> JsonResponse:
    """Answer 200 while the database answers, else 503."""
    is_up = await sync_to_async(_database_answers)()
    body: dict[str, Any] = {"status": "ok" if is_up else "unavailable", "database": "ok" if is_up else "unavailable"}
    if states := get_tool_servers().states():
        body["tool_servers"] = {upstreams: state.word for upstreams, state in states.items()}
    return JsonResponse(body, status=200 if is_up else UNAVAILABLE, headers={"Cache-Control": "no-store"})


def _database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return False
    return True
