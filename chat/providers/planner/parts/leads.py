"""Which of many drugs to follow further: those the question names, those that got furthest, those papers name."""

from collections.abc import Sequence

from chat.providers.planner.parts.drugs import Drug


def leading(drugs: Sequence[Drug], *, named: Sequence[str] = (), text: str = "", limit: int) -> list[Drug]:
    """Return at most `limit` drugs, best first. `text` is what articles on the matter say.

    Without a stage or a mention nothing sets one drug before another: then none is followed.
    """
    wanted = {name.casefold() for name in named}
    lowered = text.casefold()
    scored = [
        (drug.name.casefold() in wanted, drug.best.rank if drug.best else -1, lowered.count(drug.name.casefold()))
        for drug in drugs
    ]
    ranked = sorted(zip(scored, drugs, strict=True), key=lambda pair: pair[0], reverse=True)
    return [drug for (is_named, rank, mentions), drug in ranked if is_named or rank >= 0 or mentions][:limit]
