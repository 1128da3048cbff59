"""What the service can tell of its own earlier messages: signatures that it made, prompts that it cached."""

import base64
import hashlib
import hmac
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from evals.strict_messages.tokens import canonical, count

Json = Any
Part = dict[str, Json]
NONCE_BYTES = 8
SIGNATURE = "thoughtSignature"


class Signer:
    """Sign parts with one key. A signature fits one part of one model."""

    def __init__(self, key: str) -> None:
        self._key = key.encode()

    def signed(self, part: Part, model: str) -> Part:
        """Return a part with its signature."""
        nonce = os.urandom(NONCE_BYTES)
        return {**part, SIGNATURE: base64.b64encode(nonce + self._check(nonce, part, model)).decode()}

    def fits(self, part: Part, model: str) -> bool:
        """Whether this key signed the very part for this model. Both alphabets of base64 are read."""
        bare = {name: value for name, value in part.items() if name != SIGNATURE}
        try:
            signature = base64.b64decode(part[SIGNATURE].replace("-", "+").replace("_", "/"), validate=True)
        except ValueError:
            return False
        nonce, check = signature[:NONCE_BYTES], signature[NONCE_BYTES:]
        return hmac.compare_digest(check, self._check(nonce, bare, model))

    def _check(self, nonce: bytes, part: Part, model: str) -> bytes:
        return hmac.new(self._key, nonce + f"{model} {canonical(part)}".encode(), hashlib.sha384).digest()


@dataclass
class Memory:
    """All of it, for one account."""

    signer: Signer
    _cached: set[str] = field(default_factory=set)

    def use_cache(self, parts: Sequence[Json], minimum_tokens: int) -> tuple[int, int]:
        """Return the tokens of a prompt, and those of it read from the cache. Caching is the service's own affair."""
        total = read = 0
        keys: list[str] = []
        digest = hashlib.sha256()
        for part in parts:
            digest.update(canonical(part).encode())
            keys.append(digest.hexdigest())
            total += count(part)
            if keys[-1] in self._cached and total >= minimum_tokens:
                read = total
        self._cached.update(keys)
        return total, read
