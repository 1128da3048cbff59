"""Signatures of thinking blocks: bound to their own text and to the conversation before them.

A signature is the base64 of a small JSON object. Nothing in it is secret but the key of the
two checks, so a block of another server, an edited block and a block that was moved into
another conversation can be told apart, as the real API does.
"""

import base64
import hashlib
import hmac
import json
from dataclasses import asdict, dataclass
from typing import Any

from evals.loopback.tokens import canonical

Json = Any


@dataclass(frozen=True)
class Seal:
    """What a signature holds. `before` is the seal id of the thinking block before this one."""

    id: str
    model: str
    text: str
    prefix: str
    before: str


class Signer:
    """Seal and open thinking blocks with one key."""

    def __init__(self, key: str) -> None:
        self._key = key.encode()
        self._sealed = 0

    def seal(self, *, model: str, text: str, prefix: Json, before: str) -> tuple[str, str]:
        """Return the signature of thinking `text` that follows `prefix`, and its seal id."""
        self._sealed += 1
        seal = Seal(
            id=f"seal_{self._sealed}",
            model=model,
            text=self.check(text),
            prefix=self.check(prefix),
            before=before,
        )
        signed = {**asdict(seal), "check": self.check(asdict(seal))}
        return base64.b64encode(json.dumps(signed).encode()).decode(), seal.id

    def open(self, signature: str) -> Seal | None:
        """Return what a signature says; None if this key did not make it."""
        try:
            signed = json.loads(base64.b64decode(signature, validate=True))
            check = signed.pop("check")
        except (ValueError, KeyError, AttributeError):
            return None
        if not hmac.compare_digest(check, self.check(signed)):
            return None
        return Seal(**signed)

    def check(self, value: Json) -> str:
        """Return the keyed digest of a value."""
        return hmac.new(self._key, canonical(value).encode(), hashlib.sha256).hexdigest()[:32]
