"""With REDIS_URL the channel layer and the cache are shared between processes."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
from channels_redis.pubsub import RedisPubSubChannelLayer

ROOT = Path(__file__).parents[2]
WAIT_S = 5.0
OTHER_PROCESS = """
import django
django.setup()
from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.core.cache import cache
async_to_sync(get_channel_layer().group_send)("turn.1", {"type": "turn.event", "seq": 7})
print(cache.add("once", 1), cache.add("once", 1))
"""


async def test_a_message_of_one_process_reaches_another(redis_url: str) -> None:
    layer: Any = RedisPubSubChannelLayer(hosts=[redis_url], prefix="burp")
    channel = await layer.new_channel()
    await layer.group_add("turn.1", channel)

    said = await anyio.to_thread.run_sync(run_other_process, redis_url)

    with anyio.fail_after(WAIT_S):
        assert await layer.receive(channel) == {"type": "turn.event", "seq": 7}
    assert said == "True False\n"
    await layer.flush()


def run_other_process(redis_url: str) -> str:
    """Send a message to the group from a process of its own, and return what it printed."""
    environ = {**os.environ, "REDIS_URL": redis_url, "DJANGO_SETTINGS_MODULE": "burp_site.settings"}
    run = subprocess.run(
        [sys.executable, "-c", OTHER_PROCESS],
        cwd=ROOT,
        env=environ,
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    return run.stdout
