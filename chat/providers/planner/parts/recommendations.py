"""What CPIC recommends for a drug by phenotype, with what the phenotype does: the guideline's words, no advice."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from chat.providers.planner import compose, wording
from chat.providers.planner.results import Result, text_at

TEXT_MAX_CHARS = 300
IN_SHORT_MAX_CHARS = 160
IN_SHORT = 3


@dataclass
class Recommendation:
    """One recommendation with the patient groups that it is given for."""

    phenotype: str
    text: str
    strength: str
    groups: list[str] = field(default_factory=list)
    effect: str = ""


def read_recommendations(result: Result, gene: str) -> list[Recommendation]:
    """Return the recommendations in CPIC's order; groups of patients with the same one share it."""
    found: dict[tuple[str, str, str], Recommendation] = {}
    effects: dict[str, str] = {}
    for row in result.rows():
        phenotype = text_at(row, f"lookupkey.{gene}") or text_at(row, f"phenotypes.{gene}")
        key = (phenotype, text_at(row, "drugrecommendation"), text_at(row, "classification"))
        each = found.setdefault(key, Recommendation(*key))
        group = text_at(row, "population")
        each.groups += [group] if group and group not in each.groups else []
        effects.setdefault(phenotype, text_at(row, f"implications.{gene}"))
        effects[phenotype] = effects[phenotype] or text_at(row, f"implications.{gene}")
    for each in found.values():
        each.effect = effects[each.phenotype]
    return list(found.values())


def table(found: Sequence[Recommendation], gene: str) -> str:
    """Return the table of the recommendations."""
    head = (f"{gene} phenotype", "Effect (CPIC)", "Patients", "What CPIC recommends", "Strength")
    rows = [
        [
            compose.plain(each.phenotype),
            compose.plain(each.effect, TEXT_MAX_CHARS) or "not recorded",
            compose.plain("; ".join(each.groups)),
            compose.plain(each.text, TEXT_MAX_CHARS),
            compose.plain(each.strength) or "not given",
        ]
        for each in found
    ]
    return compose.table(head, rows)


def abbreviations(found: Sequence[Recommendation]) -> str:
    """Spell out the abbreviations by which CPIC names patients."""
    words = {word for each in found for group in each.groups for word in re.findall(r"[A-Z]{3}", group)}
    spelled = [f"{word}: {name}" for word, name in wording.CPIC_ABBREVIATIONS.items() if word in words]
    return f"{'; '.join(spelled)}." if spelled else ""


def in_short(found: Sequence[Recommendation]) -> str:
    """Return, for the phenotypes that change the use of the drug most, what is recommended, in one clause."""
    by_phenotype: dict[str, Recommendation] = {}
    for each in found:
        by_phenotype.setdefault(each.phenotype, each)
    # CPIC lists from normal to poor.
    changed = [each for each in reversed(by_phenotype.values()) if "normal" not in each.phenotype.casefold()]
    texts = []
    for each in changed[:IN_SHORT]:
        facts = compose.plain(", ".join(filter(None, (each.groups[0] if each.groups else "", each.strength.lower()))))
        text = compose.plain(each.text, IN_SHORT_MAX_CHARS).rstrip(".")
        texts.append(f"{compose.plain(each.phenotype).lower()}: “{text}”{f' ({facts})' if facts else ''}")
    return "; ".join(texts)


def effect_in_short(found: Sequence[Recommendation]) -> str:
    """Return what the last phenotype with a recorded effect does."""
    told = [each for each in found if each.effect and "normal" not in each.phenotype.casefold()]
    return f"{compose.plain(told[-1].phenotype).lower()}: {compose.plain(told[-1].effect)}" if told else ""
