"""What any placement of cache marks could read of a series of prompts, found by search.

A request may carry four marks, on any block that can carry one. What it writes, it writes at its
marks; what it reads is the longest entry within 20 blocks of one of them.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations

from evals.strict_messages.prompt_cache import LOOK_BACK_BLOCKS, PromptBlock, PromptCache

MARKS = 4
TTL = "1h"


def best_tokens_read(prompts: Sequence[Sequence[PromptBlock]], markable: Sequence[set[int]], minimum: int) -> int:
    """Return the most tokens that the prompts can read, one after the other, each going on from the one before.

    The state is the longest entry there is. A shorter one is never better: a mark may stand right on
    an entry, so each can be read at the price of one mark, and one is enough to write the next.
    """
    sums = [_sums(prompt) for prompt in prompts]

    @cache
    def best(number: int, longest: int) -> int:
        if number == len(prompts):
            return 0
        read = sums[number][longest]
        ends = [i + 1 for i in markable[number] if i + 1 > longest and sums[number][i + 1] >= minimum]
        return read + max(best(number + 1, end) for end in [longest, *ends])

    return best(0, 0)


def most_tokens_read(prompts: Sequence[Sequence[PromptBlock]], markable: Sequence[set[int]], minimum: int) -> int:
    """Return the same by trying every placement with the cache itself: for small prompts only."""
    states: dict[frozenset[int], int] = {frozenset(): 0}
    for prompt, places in zip(prompts, markable, strict=True):
        after: dict[frozenset[int], int] = {}
        for entries, total in states.items():
            for marks in _placements(places):
                read, written = _used(prompt, entries, marks, minimum)
                key = entries | written
                after[key] = max(after.get(key, 0), total + read)
        states = after
    return max(states.values())


def tokens_read(prompts: Sequence[Sequence[PromptBlock]], minimum: int) -> int:
    """Return what the prompts read with the marks that they carry."""
    cached = PromptCache()
    return sum(cached.use(prompt, minimum_tokens=minimum, now=0).read for prompt in prompts)


def _placements(places: set[int]) -> Iterator[tuple[int, ...]]:
    for number in range(MARKS + 1):
        yield from combinations(sorted(places), number)


def _used(
    prompt: Sequence[PromptBlock], entries: frozenset[int], marks: tuple[int, ...], minimum: int
) -> tuple[int, set[int]]:
    """Return what one prompt reads and where it writes; entries are counted in blocks."""
    sums = _sums(prompt)
    usable = [mark for mark in marks if sums[mark + 1] >= minimum]
    hits = [end for mark in usable for end in entries if 0 <= mark + 1 - end < LOOK_BACK_BLOCKS]
    hit = max(hits, default=0)
    return sums[hit], {mark + 1 for mark in usable if mark + 1 > hit}


def _sums(prompt: Sequence[PromptBlock]) -> list[int]:
    sums = [0]
    for block in prompt:
        sums.append(sums[-1] + block.tokens)
    return sums
