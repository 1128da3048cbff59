"""With what a question is asked: model, effort and budget; of the question, else of the session, else of the site.

Pure.
"""

from dataclasses import dataclass

from chat.config import ChatConfig, ModelRow
from usage.money import format_usd, pico_from_usd


class BadChoice(ValueError):
    """Something was chosen that does not exist; `code` says what, the message what does."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class Choice:
    """What somebody chose. Empty: not chosen. The budget is of one question, in pico-USD.

    With `keep`, the session goes on with the model and the effort of this question.
    """

    model: str = ""
    effort: str = ""
    budget_pico_usd: int | None = None
    keep: bool = False


@dataclass(frozen=True)
class Asking:
    """What a question is asked with, in full."""

    row: ModelRow
    effort: str
    budget_pico_usd: int


def chosen(chat: ChatConfig, of_question: Choice, of_session: Choice, *, turn_pico_usd: int) -> Asking:
    """Return what a question is asked with. Raises `UnknownModel` and `BadChoice`, which list what there is.

    A session's effort belongs to its model: with another model, that one's own default holds.
    """
    row = chat.model(of_question.model or of_session.model or chat.default_model)
    session_row = chat.model(of_session.model) if of_session.model in chat.keys else None
    effort = of_question.effort or (of_session.effort if row is session_row else "")
    check_effort(row, effort)
    budget = of_question.budget_pico_usd
    return Asking(row, effort or row.default_effort, turn_pico_usd if budget is None else budget)


def check_effort(row: ModelRow, effort: str) -> None:
    """Raise `BadChoice` for an effort that the model does not have."""
    if effort and effort not in row.efforts:
        levels = f"it has {', '.join(row.efforts)}" if row.efforts else "it has no such setting"
        raise BadChoice("unknown_effort", f"{row.label} has no effort {effort!r}; {levels}")


def read_budget(text: str) -> int | None:
    """Read a budget such as "0.50" or "$0.50" as pico-USD; nothing for a blank. Raises `BadChoice`."""
    amount = text.strip().removeprefix("$").strip()
    if not amount:
        return None
    try:
        pico = pico_from_usd(amount)
    except ValueError as problem:
        raise BadChoice("invalid_budget", f'A budget is an amount in USD such as "0.50": {problem}.') from None
    if pico > MOST_PICO_USD:
        raise BadChoice("invalid_budget", f"A budget of one question may be at most {format_usd(MOST_PICO_USD)}.")
    return pico


# A slip of the comma; and what a 64-bit column holds is not much more.
MOST_PICO_USD = 10_000 * 10**12
