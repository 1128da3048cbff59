"""The wire between a browser and the site: it can be cut so that neither side hears of it."""

import asyncio
import threading

WAIT_S = 5.0
CHUNK_BYTES = 65536


class Wire:
    """Passes bytes on between `port` and the site's port; use it as a context manager."""

    def __init__(self, site_port: int) -> None:
        self.port = 0
        self._site_port = site_port
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="wire", daemon=True)
        self._is_cut = False
        self._pumps: set[asyncio.Task[None]] = set()
        self._writers: list[asyncio.StreamWriter] = []

    def cut(self) -> None:
        """From now on nothing passes, on the connections that are open and on new ones; none is closed."""
        self._is_cut = True

    def mend(self) -> None:
        """New connections pass again; the old ones stay dead, as after a change of networks."""
        asyncio.run_coroutine_threadsafe(self._bury(), self._loop).result(WAIT_S)
        self._is_cut = False

    def __enter__(self) -> "Wire":
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result(WAIT_S)
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(WAIT_S)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(WAIT_S)
        self._loop.close()

    async def _listen(self) -> None:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _bury(self) -> None:
        """Let the open connections pass nothing any more, whatever happens."""
        pumps, self._pumps = self._pumps, set()
        for pump in pumps:
            pump.cancel()
        if pumps:
            await asyncio.wait(pumps)

    async def _close(self) -> None:
        self._server.close()
        await self._bury()
        for writer in self._writers:
            writer.close()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        to_site, from_site = None, None
        if not self._is_cut:
            from_site, to_site = await asyncio.open_connection("127.0.0.1", self._site_port)
        self._writers += [end for end in (writer, to_site) if end is not None]
        for source, target in ((reader, to_site), (from_site, writer)):
            if source is not None:
                pump = asyncio.create_task(self._pump(source, target))
                self._pumps.add(pump)

    async def _pump(self, source: asyncio.StreamReader, target: asyncio.StreamWriter | None) -> None:
        try:
            while chunk := await source.read(CHUNK_BYTES):
                if target is not None and not self._is_cut:
                    target.write(chunk)
                    await target.drain()
        except ConnectionError:
            pass
        if target is not None and not self._is_cut:
            target.close()
