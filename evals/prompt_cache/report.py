"""What a played script says of the cache: hits, misses with their reasons, share, cost, and the verdict."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from chat.providers.base import TokenUsage
from evals.prompt_cache.play import Asked
from evals.prompt_cache.reasons import reason
from evals.prompt_cache.scripts import Script

# What a service counts differently from one call to the next (a hidden token or two) is no miss.
HIT_SHARE = 0.98
MIN_READ_SHARE = 0.90
MAX_BELOW_BEST = 0.03
MAX_COST_RATIO = 0.25
# No model needs more for an entry. Where a model's own bound is not known, what is smaller may lawfully not be cached.
SMALLEST_PROMPT_TOKENS = 4096
# The bounds of share and cost hold for turns of this length and steps of one call: a short turn has
# too little to read, and wide steps bring too much that is new.
LONG_STEPS = 15

Price = Callable[[TokenUsage], int]


@dataclass(frozen=True)
class Line:
    """One call in the table. `missed` is empty for a hit and for a first call."""

    number: int
    asked: Asked
    expected_tokens: int
    missed: str = ""


@dataclass(frozen=True)
class Result:
    """A played script. `read_share` and `best_share` count from the second call on.

    `best_pico_usd` is what the calls cost if all is read that was sent before, and the rest is written
    for five minutes.
    """

    script: Script
    lines: tuple[Line, ...]
    cost_pico_usd: int
    best_pico_usd: int
    uncached_pico_usd: int

    @property
    def read_share(self) -> float:
        """The share of prompt tokens that were read from the cache."""
        return sum(line.asked.usage.cache_read for line in self.lines[1:]) / self._prompt_tokens

    @property
    def best_share(self) -> float:
        """The share that no placement of marks can exceed: all that was sent before is read."""
        return sum(line.expected_tokens for line in self.lines[1:]) / self._prompt_tokens

    @property
    def cost_ratio(self) -> float:
        """The cost of all calls in parts of what it would be without a cache."""
        return self.cost_pico_usd / self.uncached_pico_usd if self.uncached_pico_usd else 1.0

    @property
    def best_cost_ratio(self) -> float:
        """The same for the least that can be paid at the model's prices."""
        return self.best_pico_usd / self.uncached_pico_usd if self.uncached_pico_usd else 1.0

    @property
    def _prompt_tokens(self) -> int:
        return max(1, sum(line.asked.prompt_tokens for line in self.lines[1:]))

    def faults(self) -> Iterator[str]:
        """Yield what is not as it must be."""
        missed = [line for line in self.lines if line.missed]
        if missed:
            yield f"{len(missed)} of {len(self.lines) - 1} calls missed the cache"
        if self.read_share < self.best_share - MAX_BELOW_BEST:
            yield f"{self.read_share:.1%} is read, {self.best_share:.1%} could be"
        # Where a model caches no prompt as short as the first ones, a turn can't get to nine tenths.
        if self._is_long and self.read_share < MIN_READ_SHARE <= self.best_share:
            yield f"{self.read_share:.1%} is read, {MIN_READ_SHARE:.0%} must be"
        # Where a read costs a tenth of the input price, a turn that writes its prefix can't get to a quarter.
        is_possible = self.best_cost_ratio <= MAX_COST_RATIO
        bound = MAX_COST_RATIO if is_possible else self.best_cost_ratio + MAX_BELOW_BEST
        if self._is_long and self.cost_ratio > bound:
            yield f"it costs {self.cost_ratio:.1%} of the uncached price, more than {bound:.1%}"

    @property
    def _is_long(self) -> bool:
        return any(len(turn) >= LONG_STEPS and max(map(len, turn)) == 1 for turn in self.script.turns)


def judged(
    script: Script, asked: Sequence[Asked], price: Price, *, smallest_tokens: int = SMALLEST_PROMPT_TOKENS
) -> Result:
    """Return what the calls of a script say."""
    lines = [Line(1, asked[0], 0)]
    for number, (before, now) in enumerate(zip(asked, asked[1:], strict=False), start=2):
        expected = before.prompt_tokens if before.prompt_tokens >= smallest_tokens else 0
        # A small change near the end of a long prompt costs little today and much tomorrow.
        has_changed = now.diagnosis.get("type", "").endswith("_changed")
        is_hit = now.usage.cache_read >= expected * HIT_SHARE and not has_changed
        lines.append(Line(number, now, expected, "" if is_hit else reason(before, now)))
    uncached = [TokenUsage(input=call.prompt_tokens, output=call.usage.output) for call in asked]
    return Result(
        script,
        tuple(lines),
        cost_pico_usd=sum(price(call.usage) for call in asked),
        best_pico_usd=sum(price(_at_best(line)) for line in lines),
        uncached_pico_usd=sum(map(price, uncached)),
    )


def _at_best(line: Line) -> TokenUsage:
    new = max(0, line.asked.prompt_tokens - line.expected_tokens)
    return TokenUsage(cache_read=line.expected_tokens, cache_write_5m=new, output=line.asked.usage.output)


def table(result: Result) -> Iterator[str]:
    """Yield the lines of a report."""
    yield f"{result.script.name}, {len(result.lines)} model calls"
    yield f"  {'call':>4} {'prompt':>9} {'read':>9} {'written':>9} {'rest':>6} {'share':>6}"
    for line in result.lines:
        call = line.asked
        share = call.usage.cache_read / max(1, call.prompt_tokens)
        outcome = "first" if line.number == 1 else f"MISS: {line.missed}" if line.missed else "hit"
        yield (
            f"  {line.number:>4} {call.prompt_tokens:>9,} {call.usage.cache_read:>9,} {call.written_tokens:>9,}"
            f" {call.usage.input:>6,} {share:>6.1%}  {outcome}"
        )
    wanted, made = result.script.most_calls, max(line.asked.tool_calls for line in result.lines)
    if made < wanted:
        yield f"  the model made at most {made} calls in one message, not {wanted}: so long a step was not tried"
    yield (
        f"  from the second call on {result.read_share:.1%} read from the cache (at best {result.best_share:.1%}); "
        f"{result.cost_ratio:.1%} of the uncached price (at best {result.best_cost_ratio:.1%})"
    )
