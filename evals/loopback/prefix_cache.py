"""A prompt cache that the service keeps by itself: of each prompt, the longest beginning that was sent before."""

import hashlib
from collections.abc import Sequence
from typing import Any

from evals.loopback.tokens import canonical, count

Json = Any


class PrefixCache:
    """The beginnings of all prompts of one account."""

    def __init__(self) -> None:
        self._kept: set[str] = set()

    def use(self, parts: Sequence[Json], minimum_tokens: int) -> tuple[int, int]:
        """Keep a prompt; return its tokens, and those of its longest known beginning that is no shorter than that."""
        total = read = 0
        keys: list[str] = []
        digest = hashlib.sha256()
        for part in parts:
            digest.update(canonical(part).encode())
            keys.append(digest.hexdigest())
            total += count(part)
            if keys[-1] in self._kept and total >= minimum_tokens:
                read = total
        self._kept.update(keys)
        return total, read
