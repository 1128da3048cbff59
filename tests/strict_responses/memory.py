"""What the service can tell of its own earlier responses: seals it made, items it issued, prompts it cached."""

import base64
import hashlib
import hmac
import json
from dataclasses import dataclass, field
from typing import Any

from evals.loopback.prefix_cache import PrefixCache
from evals.loopback.tokens import canonical

Json = Any
Item = dict[str, Json]


class Sealer:
    """Seal reasoning with one key. A seal says of which item and model it is."""

    def __init__(self, key: str) -> None:
        self._key = key.encode()

    def seal(self, item_id: str, model: str) -> str:
        """Return the encrypted content of an item."""
        signed = {"id": item_id, "model": model, "check": self._check(item_id, model)}
        return "gAAAA" + base64.b64encode(json.dumps(signed).encode()).decode()

    def fits(self, sealed: str, item_id: str, model: str) -> bool:
        """Whether this key sealed it for this item and model."""
        try:
            signed = json.loads(base64.b64decode(sealed.removeprefix("gAAAA"), validate=True))
        except ValueError:
            return False
        return signed == {"id": item_id, "model": model, "check": self._check(item_id, model)}

    def _check(self, item_id: str, model: str) -> str:
        return hmac.new(self._key, f"{item_id} {model}".encode(), hashlib.sha256).hexdigest()[:32]


@dataclass
class Memory:
    """All of it."""

    sealer: Sealer
    # By item id: the item as it was issued, and the id of the reasoning that led to it.
    issued: dict[str, str] = field(default_factory=dict)
    reasoning_of: dict[str, str] = field(default_factory=dict)
    cache: PrefixCache = field(default_factory=PrefixCache)

    def note(self, items: list[Item]) -> None:
        """Remember the items of one response."""
        reasoning = ""
        for item in items:
            self.issued[item["id"]] = canonical(item)
            if item["type"] == "reasoning":
                reasoning = item["id"]
            elif reasoning:
                self.reasoning_of[item["id"]] = reasoning

    def use_cache(self, parts: list[Json], minimum_tokens: int) -> tuple[int, int, int]:
        """Return the tokens of a prompt, those of it read from the cache, and those written to it."""
        total, read = self.cache.use(parts, minimum_tokens)
        return total, read, total - read if total >= minimum_tokens else 0
