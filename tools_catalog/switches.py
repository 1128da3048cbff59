"""Which databases operators have switched off: stored for all processes, read again after a moment by each."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from asgiref.sync import sync_to_async

from tools_catalog.catalog import Catalog, PlatformOff
from tools_catalog.models import PlatformSwitch
from tools_catalog.search import Hit

# A running turn makes many calls; so long it may still ask a database that was just switched off.
KNOWN_S = 2.0


@dataclass
class Switches:
    """The switches as this process last read them."""

    known_s: float = KNOWN_S
    _off: dict[str, str] = field(default_factory=dict)
    _read_at: float = float("-inf")

    async def off(self, *, at_once: bool = False) -> dict[str, str]:
        """Return the databases that are switched off, by key, with the reason; `at_once` reads the store anew."""
        if at_once or time.monotonic() - self._read_at > self.known_s:
            self._off = await sync_to_async(platforms_off)()
            self._read_at = time.monotonic()
        return self._off


_switches = Switches()


def get_switches() -> Switches:
    """Return the switches of this process."""
    return _switches


def platforms_off() -> dict[str, str]:
    """Read the databases that are switched off, by key, with the reason."""
    return dict(PlatformSwitch.objects.filter(is_off=True).values_list("platform_key", "reason"))


def switched_on(hits: Sequence[Hit], catalog: Catalog, limit: int) -> tuple[list[Hit], list[PlatformOff]]:
    """Return the best hits that a catalogue has, and the databases whose absence took one of the best away."""
    keys = {name.partition("__")[0] for name in (hit.name for hit in hits[:limit]) if name not in catalog.by_name}
    return [hit for hit in hits if hit.name in catalog.by_name][:limit], [one for one in catalog.off if one.key in keys]
