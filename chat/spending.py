"""How much of a turn's money the next model call may use, so that there is always enough left for an answer.

Pure. A call's output limit is lowered to what the budgets hold; once they hold but one more call beside
the one that concludes, the model is told to conclude.
"""

from dataclasses import dataclass

from mcp_server.codes import TurnOutcome

# What a model needs to think and to write an answer, and with less than what it is not worth asking.
CONCLUDING_TOKENS = 4_000
LEAST_TOKENS = 500


@dataclass(frozen=True)
class SpendRoom:
    """What the tightest budget holds for the next call, in pico-USD.

    `prompt_pico_usd` is the call's prompt at its worst, `output_pico_usd` one token of its output. `outcome` is
    how a turn ends whose money runs out here, `resets_at` when there is new money (ISO 8601, UTC).
    """

    left_pico_usd: int
    prompt_pico_usd: int
    output_pico_usd: int
    outcome: TurnOutcome
    resets_at: str = ""

    def output_tokens(self, *, keep_pico_usd: int = 0) -> int:
        """Return how many tokens the call may write when so much is kept for later."""
        free = self.left_pico_usd - self.prompt_pico_usd - keep_pico_usd
        return max(0, free // self.output_pico_usd)


@dataclass(frozen=True)
class Allowance:
    """How much the next call may write, whether it should be the last one, and whether there is money for it."""

    output_tokens: int
    is_last: bool
    is_paid_for: bool = True


def allowance(room: SpendRoom | None, wanted_tokens: int) -> Allowance:
    """Return what the next call may write of the `wanted_tokens`; all of them where nothing limits it."""
    if room is None or not room.output_pico_usd:
        return Allowance(wanted_tokens, is_last=False)
    concluding_pico_usd = room.prompt_pico_usd + CONCLUDING_TOKENS * room.output_pico_usd
    besides = room.output_tokens(keep_pico_usd=concluding_pico_usd)
    if besides >= min(wanted_tokens, CONCLUDING_TOKENS):
        return Allowance(min(wanted_tokens, besides), is_last=False)
    # Too little is asked for all the same: the refusal says how much is missing.
    least = min(wanted_tokens, LEAST_TOKENS)
    left = room.output_tokens()
    return Allowance(min(wanted_tokens, max(left, least)), is_last=True, is_paid_for=left >= least)
