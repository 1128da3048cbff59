"""Are the databases reachable? A new session uses them live if they are, else the offline snapshot."""

import asyncio
import time
from urllib.parse import urlsplit

PROBED = ("rest.uniprot.org", "rest.ensembl.org", "www.ebi.ac.uk")
CONNECT_S = 1.5
REMEMBERED_S = 300.0

_last: tuple[float, bool] | None = None


async def choose(setting: str, gateway: str = "") -> str:
    """Return `live` or `snapshot` for a setting of `live`, `snapshot` or `auto`."""
    if setting in ("live", "snapshot"):
        return setting
    return "live" if await _is_reachable(gateway) else "snapshot"


async def _is_reachable(gateway: str) -> bool:
    """Tell whether any of the probed hosts, or the gateway that stands for them, takes a connection."""
    global _last
    if _last is not None and time.monotonic() - _last[0] < REMEMBERED_S:
        return _last[1]
    if gateway:
        parts = urlsplit(gateway)
        addresses = [(parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80))]
    else:
        addresses = [(host, 443) for host in PROBED]
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_connects(host, port)) for host, port in addresses]
    reachable = any(task.result() for task in tasks)
    _last = (time.monotonic(), reachable)
    return reachable


async def _connects(host: str, port: int) -> bool:
    try:
        async with asyncio.timeout(CONNECT_S):
            _, writer = await asyncio.open_connection(host, port)
    except (OSError, TimeoutError):
        return False
    writer.close()
    return True
