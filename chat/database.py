"""Reach the database from work that outlives a request: a connection that died meanwhile is replaced.

Django looks after connections at the borders of requests. A turn has no such border, and lasts for minutes.
"""

import select
from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec, TypeVar

from asgiref.sync import sync_to_async
from django.db import Error, connection

Given = ParamSpec("Given")
Result = TypeVar("Result")


def in_database(function: Callable[Given, Result]) -> Callable[Given, Coroutine[Any, Any, Result]]:
    """Return `function` for the event loop; it runs in the thread of the turn, on a connection that works."""

    def call(*args: Given.args, **kwargs: Given.kwargs) -> Result:
        if _has_news():
            _replace_if_dead()
        try:
            return function(*args, **kwargs)
        except Error:
            # Whether this call was done nobody knows; the next one shall not meet the same connection.
            _replace_if_dead()
            raise

    return sync_to_async(call)


def _has_news() -> bool:
    """Tell whether the server has said something unasked: in an idle connection that is mostly its end."""
    idle = connection.connection
    if not hasattr(idle, "fileno") or connection.in_atomic_block:
        return False
    if idle.closed:
        return True
    poller = select.poll()
    poller.register(idle.fileno(), select.POLLIN)
    return bool(poller.poll(0))


def _replace_if_dead() -> None:
    if connection.connection is not None and not connection.in_atomic_block and not connection.is_usable():
        connection.close()
