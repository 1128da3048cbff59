"""The prompt cache: what a request reads of it, what it writes, and at which lifetime."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evals.loopback.tokens import canonical

Json = Any
LOOK_BACK_BLOCKS = 20
LIFETIME_S = {"5m": 300.0, "1h": 3600.0}


@dataclass(frozen=True)
class PromptBlock:
    """One block of a prompt; `ttl` is the lifetime of its mark, empty without one."""

    content: Json
    tokens: int
    ttl: str = ""


@dataclass(frozen=True)
class CacheUse:
    """Tokens of one prompt by price tier."""

    uncached: int
    read: int
    write_5m: int
    write_1h: int


@dataclass
class _Entry:
    """What is cached up to one block; it lives as long as it was written for, from its last use."""

    lifetime_s: float
    expires_at: float


class PromptCache:
    """Entries by the digest of everything up to a block."""

    def __init__(self) -> None:
        self._entries: dict[str, _Entry] = {}

    def use(self, blocks: Sequence[PromptBlock], *, minimum_tokens: int, now: float) -> CacheUse:
        """Look a prompt up, store it at its marks, and return what that took."""
        keys, sums = _keys(blocks), _sums(blocks)
        marks = [i for i, block in enumerate(blocks) if block.ttl and sums[i + 1] >= minimum_tokens]
        hit = max((hit for mark in marks if (hit := self._hit(keys, mark, now)) is not None), default=-1)
        if hit >= 0:
            entry = self._entries[keys[hit]]
            entry.expires_at = now + entry.lifetime_s
        written = [mark for mark in marks if mark > hit]
        for mark in written:
            lifetime_s = LIFETIME_S[blocks[mark].ttl]
            self._entries[keys[mark]] = _Entry(lifetime_s, now + lifetime_s)
        long_end = max((mark for mark in written if blocks[mark].ttl == "1h"), default=hit)
        end = max(written, default=hit)
        return CacheUse(
            uncached=sums[-1] - sums[end + 1],
            read=sums[hit + 1],
            write_1h=sums[long_end + 1] - sums[hit + 1],
            write_5m=sums[end + 1] - sums[max(hit, long_end) + 1],
        )

    def _hit(self, keys: Sequence[str], mark: int, now: float) -> int | None:
        for i in range(mark, max(-1, mark - LOOK_BACK_BLOCKS), -1):
            entry = self._entries.get(keys[i])
            if entry is not None and entry.expires_at > now:
                return i
        return None


def _keys(blocks: Sequence[PromptBlock]) -> list[str]:
    keys, digest = [], hashlib.sha256()
    for block in blocks:
        digest.update(canonical(block.content).encode())
        keys.append(digest.hexdigest())
    return keys


def _sums(blocks: Sequence[PromptBlock]) -> list[int]:
    sums = [0]
    for block in blocks:
        sums.append(sums[-1] + block.tokens)
    return sums
