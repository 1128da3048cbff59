"""One service's connection through Google's SDK, with all of the transport in BURP's hands.

The SDK brings a client of its own that follows redirects with the key, has one time limit for everything, and leaves a
stream that is given up to the garbage collector. It takes another client instead.
"""

import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from typing import Any

import httpx2
from google import genai
from google.genai import types
from pydantic import ValidationError

from chat.providers.base import Json
from chat.providers.google_errors import UNREADABLE, UNSENDABLE, StreamError

API_VERSION = "v1beta"
CONNECT_TIMEOUT_S = 5.0
WRITE_TIMEOUT_S = 60.0
# What the SDK raises where a chunk is JSON but not an object, or an error without a code.
SDK_FAULTS = (AttributeError, KeyError, TypeError)
# It warns of keys in the environment, and says that it takes one of them although it was given another.
logging.getLogger("google_genai._api_client").setLevel(logging.ERROR)


class ServiceConnection:
    """A client of the Gemini API. It asks one thing at a time; the key goes into a header and nowhere else."""

    def __init__(self, api_key: str, base_url: str, read_timeout_s: float) -> None:
        self._timeout = httpx2.Timeout(WRITE_TIMEOUT_S, connect=CONNECT_TIMEOUT_S, read=read_timeout_s)
        self._response: httpx2.Response | None = None
        tls = httpx2.create_ssl_context()
        hooks: dict[str, list[Callable[..., Any]]] = {"request": [self._limit], "response": [self._keep]}
        self._http = httpx2.AsyncClient(verify=tls, event_hooks=hooks)
        # Said explicitly, because the SDK would take each of these from variables of its own.
        options = types.HttpOptions(
            base_url=base_url,
            api_version=API_VERSION,
            httpx_async_client=self._http,
            httpx_client=httpx2.Client(transport=httpx2.BaseTransport()),
            async_client_args={"ssl": tls},
        )
        self._client = genai.Client(vertexai=False, api_key=api_key, http_options=options)

    async def chunks(self, model_id: str, body: dict[str, Json]) -> AsyncGenerator[types.GenerateContentResponse, None]:
        """Ask for one message and yield what comes; closing it closes the socket at once."""
        settings = {
            **{name: body[name] for name in ("systemInstruction", "tools") if name in body},
            **body["generationConfig"],
            "automaticFunctionCalling": {"disable": True},
            "automaticContinuation": False,
        }
        try:
            contents: list[Any] = [types.Content.model_validate(content) for content in body["contents"]]
            config = types.GenerateContentConfig(**settings)
        except ValidationError as error:
            # Such as a field that a newer release of the SDK had kept.
            raise StreamError(UNSENDABLE, "The SDK does not take the conversation as it was stored.") from error
        stream: Any = await self._client.aio.models.generate_content_stream(
            model=model_id, contents=contents, config=config
        )
        try:
            while (chunk := await _next(stream)) is not None:
                yield chunk
        finally:
            if self._response is not None:
                await self._response.aclose()
            await stream.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def _limit(self, request: httpx2.Request) -> None:
        request.extensions["timeout"] = self._timeout.as_dict()

    async def _keep(self, response: httpx2.Response) -> None:
        self._response = response


async def _next(stream: AsyncIterator[types.GenerateContentResponse]) -> types.GenerateContentResponse | None:
    """Return the next chunk; None at the end."""
    try:
        return await anext(stream, None)
    except SDK_FAULTS as error:
        raise StreamError(UNREADABLE, "The model's service sent an event that could not be read.") from error
