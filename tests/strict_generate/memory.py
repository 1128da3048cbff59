"""What the service can tell of its own earlier messages: signatures that it made, prompts that it cached."""

import base64
import hashlib
import hmac
import os
from dataclasses import dataclass, field
from typing import Any

from evals.loopback.prefix_cache import PrefixCache
from evals.loopback.tokens import canonical

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
    cache: PrefixCache = field(default_factory=PrefixCache)
