"""What a provider's harness does for the shared behaviours, and where all harnesses are found."""

import importlib
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Literal, Self, get_args

import pytest

from chat.providers.base import AssistantEntry, Provider
from evals.loopback.faults import Failure
from evals.loopback.server import LoopbackServer, Recorded
from tests.chat.providers.contract import harnesses
from tests.chat.providers.contract.script import Answer, Declined, Step

Ability = Literal[
    "thinking",  # shows reasoning
    "sealed",  # seals reasoning, which goes back as it came
    "argument_text",  # arguments come as text, which may be broken off or no JSON
    "error_events",  # errors come inside a stream that began well
    "refusals",  # declines in a stop reason of its own
    "effort",  # has levels of effort
    "key",  # asks for a key
    "deferral",  # holds tools back by itself: the list never grows
]
ALL: frozenset[Ability] = frozenset(get_args(Ability))
TIERS = frozenset({"input", "output", "cache_write_5m", "cache_write_1h", "cache_read"})
# Where a stream can break: the name, the `Break`'s block and deltas. Part 0 is text, part 1 a call.
Where = tuple[int | Literal["start", "end", "stop"] | None, int]
PLACES: dict[str, Where] = {
    "before everything": (None, 0),
    "after the start": ("start", 0),
    "in text": (0, 1),
    "in arguments": (1, 1),
    "before the stop reason": ("end", 0),
    "before the final event": ("stop", 0),
}


class Harness(ABC):
    """One provider on its strict server. An asynchronous context manager that runs the server.

    A harness says which server that is by its own `server`.
    """

    server: LoopbackServer[Any, Any]

    name: ClassVar[str]
    models: ClassVar[tuple[str, str]]
    abilities: ClassVar[frozenset[Ability]] = ALL
    tiers: ClassVar[frozenset[str]] = TIERS
    places: ClassVar[dict[str, Where]] = PLACES

    def __init__(self) -> None:
        self._opened: list[Provider] = []

    @abstractmethod
    def reply(self, answer: Answer) -> Any:
        """Return a message as the server's script has it."""

    @abstractmethod
    def failure(self, declined: Declined) -> Failure:
        """Return a failure as the service has it."""

    @abstractmethod
    def create(self, *, model: str, api_key: str, base_url: str, read_timeout_s: float) -> Provider:
        """Return a provider of one of the models."""

    @abstractmethod
    def said(self, request: Recorded) -> list[str]:
        """Return the conversation of a request, item by item in its order, each as text; without cache marks."""

    @abstractmethod
    def offered(self, request: Recorded) -> list[str]:
        """Return the names of the tools that the model may call in a request, in their order."""

    @abstractmethod
    def system(self, request: Recorded) -> str:
        """Return the system prompt of a request."""

    @abstractmethod
    def sealed(self, entry: AssistantEntry) -> list[str]:
        """Return what of a stored message only its own service can read."""

    def effort(self, request: Recorded) -> str:
        """Return the level of effort that a request asks for."""
        raise NotImplementedError

    def provider(
        self, *, model: str = "", api_key: str | None = None, base_url: str = "", read_timeout_s: float = 5.0
    ) -> Provider:
        """Return a provider of the first model, or of another, whose requests go to the server."""
        provider = self.create(
            model=model or self.models[0],
            api_key=self.api_key if api_key is None else api_key,
            base_url=base_url or self.server.base_url,
            read_timeout_s=read_timeout_s,
        )
        self._opened.append(provider)
        return provider

    def script(self, *steps: Step) -> None:
        """Add what the next accepted requests are answered with."""
        self.server.script(*(self.reply(step) if isinstance(step, Answer) else self.failure(step) for step in steps))

    @property
    def api_key(self) -> str:
        """Return the key that the server accepts."""
        return self.server.api_key

    @property
    def requests(self) -> Sequence[Recorded]:
        """Return all requests that came in."""
        return self.server.requests

    @property
    def statuses(self) -> list[int]:
        """Return what the requests were answered with."""
        return [request.status for request in self.requests]

    async def __aenter__(self) -> Self:
        self.server.__enter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        for provider in self._opened:
            await provider.aclose()
        self.server.__exit__()


def for_each(*needed: Ability) -> pytest.MarkDecorator:
    """Run a test against every provider whose wire format has these abilities."""
    found = {name: kind for name, kind in all_harnesses().items() if kind.abilities >= {*needed}}
    return pytest.mark.parametrize("harness", found.values(), ids=found.keys(), indirect=True)


def for_each_break() -> pytest.MarkDecorator:
    """Run a test against every provider with each way to break a stream (`how`) at each `place` that it has."""
    cases = [
        pytest.param(kind, how, place, id=f"{name}-{how}-{place}")
        for name, kind in all_harnesses().items()
        for how in (["error"] if "error_events" in kind.abilities else []) + ["close", "cut"]
        for place in kind.places
    ]
    return pytest.mark.parametrize(("harness", "how", "place"), cases, indirect=["harness"])


def all_harnesses() -> dict[str, type[Harness]]:
    """Return the harness of each module in `harnesses/`, by the provider's name."""
    for module in pkgutil.iter_modules(harnesses.__path__):
        importlib.import_module(f"{harnesses.__name__}.{module.name}")
    return {found.name: found for found in sorted(Harness.__subclasses__(), key=lambda harness: harness.name)}
