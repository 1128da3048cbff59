"""What CPIC recommends for a drug by phenotype, with what the phenotype does: the guideline's words, no advice."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from chat.providers.planner import compose, wording
from chat.providers.planner.results import Result, text_at

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


def listed(found: Sequence[Recommendation], gene: str) -> str:
    """Return the recommendations by phenotype, in full: what is cut short may be read as another advice."""
    lines: dict[str, list[str]] = {}
    for each in found:
        effect = f": {compose.plain(each.effect)}" if each.effect else ""
        head = f"- **{compose.plain(each.phenotype) or f'{gene} phenotype not recorded'}**{effect}"
        groups = f"{compose.plain('; '.join(each.groups))}: " if each.groups else ""
        strength = f" ({compose.plain(each.strength).lower()})" if each.strength else " (strength not given)"
        lines.setdefault(head, []).append(f"    - {groups}{compose.plain(each.text)}{strength}")
    return "\n".join("\n".join([head, *texts]) for head, texts in lines.items())


def abbreviations(found: Sequence[Recommendation]) -> str:
    """Spell out the abbreviations by which CPIC names patients."""
    words = {word for each in found for group in each.groups for word in re.findall(r"[A-Z]{3}", group)}
    spelled = [f"{word}: {name}" for word, name in wording.CPIC_ABBREVIATIONS.items() if word in words]
    return f"{'; '.join(spelled)}." if spelled else ""


def in_short(found: Sequence[Recommendation]) -> list[str]:
    """Return what is recommended for each of the phenotypes that change the use of the drug most."""
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
    return texts


def effect_in_short(found: Sequence[Recommendation]) -> str:
    """Return what the last phenotype with a recorded effect does."""
    told = [each for each in found if each.effect and "normal" not in each.phenotype.casefold()]
    return f"{compose.plain(told[-1].phenotype).lower()}: {compose.plain(told[-1].effect)}" if told else ""
