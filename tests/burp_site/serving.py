"""The real site plus one endless stream and one slow end, to be run as a process of its own.

`python -m tests.burp_site.serving` runs `manage.py serve`; uvicorn loads `application`.
A drain says "draining", waits until stdin has something to read, and says "drained".
"""

import asyncio
import os
import sys
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "burp_site.settings")

from burp_site import asgi
from chat import lifecycle

drained = asyncio.Event()


@lifecycle.on_start
async def say_started() -> None:
    """Show that the start callbacks ran."""
    print("started", flush=True)


@lifecycle.on_shutdown
async def say_drained() -> None:
    """Show that the shutdown callbacks ran, and let the test decide how long they take."""
    print("draining", flush=True)
    go_on = asyncio.Event()
    asyncio.get_running_loop().add_reader(sys.stdin, go_on.set)
    await go_on.wait()
    drained.set()
    print("drained", flush=True)


async def stream(send: Any) -> None:
    """Say hello, and goodbye when the process ends."""
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
    await send({"type": "http.response.body", "body": b"data: hello\n\n", "more_body": True})
    await drained.wait()
    await send({"type": "http.response.body", "body": b"data: bye\n\n"})


async def application(scope: Any, receive: Any, send: Any) -> None:
    """Answer `/stream` here and everything else with the real site."""
    if scope["type"] == "http" and scope["path"] == "/stream":
        await stream(send)
    else:
        await site(scope, receive, send)


site = asgi.application

if __name__ == "__main__":
    from django.core.management import execute_from_command_line

    asgi.application = application
    execute_from_command_line(["manage.py", "serve", *sys.argv[1:]])
