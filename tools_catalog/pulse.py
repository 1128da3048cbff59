"""Is the tool server still there? Asked after a call without an answer, and when nothing was heard for a while.

A child that hangs keeps its pipes open: nothing but its silence tells that it has to be replaced.
"""

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass, field

import mcp_types as types
from mcp import Client, MCPError

# Without any answer for so long it is asked, and so long it may take: a child that parses a large answer is busy.
EVERY_S = 30.0
ANSWER_S = 15.0


@dataclass
class Pulse:
    """The signs of life of one child. `beat` is called for each answer, `doubt` for a call that got none in time."""

    every_s: float = EVERY_S
    answer_s: float = ANSWER_S
    _last: float = field(default_factory=time.monotonic)
    _doubted: asyncio.Event = field(default_factory=asyncio.Event)

    def beat(self) -> None:
        """Note an answer."""
        self._last = time.monotonic()

    def doubt(self) -> None:
        """Have the child asked at once."""
        self._doubted.set()

    async def lost(self, client: Client) -> str:
        """Return when the child gives no sign of life any more, with the words for it."""
        while True:
            await self._wait_for_a_reason()
            asked = time.monotonic()
            if not await self._answers(client) and self._last < asked:
                return f"it gave no sign of life for {self.answer_s:g} s"

    async def _wait_for_a_reason(self) -> None:
        """Wait until a call got no answer, or nothing was heard for `every_s`."""
        while not self._doubted.is_set():
            quiet_s = time.monotonic() - self._last
            if quiet_s >= self.every_s:
                break
            with suppress(TimeoutError):
                async with asyncio.timeout(self.every_s - quiet_s):
                    await self._doubted.wait()
        self._doubted.clear()

    async def _answers(self, client: Client) -> bool:
        """Ask for anything at all: to be refused is an answer too."""
        try:
            await client.session.send_request(
                types.PingRequest(), types.EmptyResult, request_read_timeout_seconds=self.answer_s
            )
        except MCPError as error:
            if error.error.code in (types.REQUEST_TIMEOUT, types.CONNECTION_CLOSED):
                return False
        except TimeoutError:
            return False
        except (ValueError, RuntimeError):
            # An answer that can't be read is one.
            pass
        self.beat()
        return True
