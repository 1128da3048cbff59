"""Serve static files with WhiteNoise without leaving the event loop.

WhiteNoise's own middleware is synchronous: under ASGI it would make every request, streams too,
wait for Django's one synchronous thread.
"""

import asyncio
from collections.abc import Awaitable, Callable

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase
from whitenoise.middleware import WhiteNoiseMiddleware

GetResponse = Callable[[HttpRequest], Awaitable[HttpResponseBase]]


class StaticFilesMiddleware(WhiteNoiseMiddleware):  # type: ignore[misc]
    """WhiteNoise for both kinds of servers; a file is read in a thread and sent whole."""

    async_capable = True
    sync_capable = True

    def __init__(self, get_response: GetResponse) -> None:
        super().__init__(get_response)
        self.is_async = iscoroutinefunction(get_response)
        if self.is_async:
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        """Answer with the file, or hand on."""
        if self.is_async:
            return self._answer(request)
        answer: HttpResponseBase = super().__call__(request)
        return answer

    async def _answer(self, request: HttpRequest) -> HttpResponseBase:
        find = self.find_file if self.autorefresh else self.files.get
        static_file = find(request.path_info)
        if static_file is None:
            onward: HttpResponseBase = await self.get_response(request)
            return onward
        return await asyncio.to_thread(self._read, self.serve(static_file, request))

    @staticmethod
    def _read(streamed: FileResponse) -> HttpResponse:
        whole = HttpResponse(b"".join(streamed), status=streamed.status_code)
        del whole["Content-Type"]
        for name, value in streamed.items():
            whole[name] = value
        streamed.close()
        return whole
