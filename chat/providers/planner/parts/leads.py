"""Which of many drugs to follow further: those the question names, those that got furthest, those papers name."""

import re
from collections.abc import Sequence

from chat.providers.planner import wording
from chat.providers.planner.parts.drugs import Drug


def leading(drugs: Sequence[Drug], *, named: Sequence[str] = (), text: str = "", limit: int) -> list[Drug]:
    """Return at most `limit` drugs, best first. `text` is what articles on the matter say.

    Where the question names drugs, these are it. Drugs that nothing else tells apart come last, and only
    those that have an international name: the longest registered first.
    """
    wanted = {name.casefold() for name in named}
    asked = [drug for drug in drugs if drug.name.casefold() in wanted]
    if asked:
        return asked[:limit]
    lowered = text.casefold()
    scored = [((drug.level, lowered.count(drug.name.casefold())), drug) for drug in drugs]
    told = [pair for pair in scored if pair[0] > (-1.0, 0)]
    ranked = [drug for _, drug in sorted(told, key=lambda pair: pair[0], reverse=True)]
    rest = [drug for drug in drugs if drug not in ranked and wording.DRUG_STEM.match(drug.name)]
    return [*ranked, *sorted(rest, key=_number)][:limit]


def _number(drug: Drug) -> int:
    digits = re.sub(r"\D", "", drug.chembl_id)
    return int(digits) if digits else 0
