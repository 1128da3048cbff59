"""Which drugs are small-molecule kinase inhibitors, and how that is known.

The record's own fields decide: its type, and a mechanism that inhibits a protein that UniProt files under
Kinase. Where they are silent, the stem of the generic name is taken, and said to be what it is. What
neither tells stays unclassified.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum

from chat.providers.planner.parts.drugs import Drug, Mechanism

# Stems that the WHO gives to kinase inhibitors, and to antibodies and their fragments.
_INHIBITOR_STEM = re.compile(r"(?i)(?:tinib|rafenib|ciclib|lisib|sertib)$")
# The WHO's stem for inhibitors of vessel growth: small molecules of this name inhibit receptor kinases.
_SMALL_INHIBITOR_STEM = re.compile(r"(?i)anib$")
_ANTIBODY_STEM = re.compile(r"(?i)(?:mab|bart|tug|mig)$")


class Kind(StrEnum):
    """What a drug is, for a question about kinase inhibitors."""

    INHIBITOR = "inhibitor"
    OTHER_SMALL_MOLECULE = "other_small_molecule"
    ANTIBODY = "antibody"
    CONJUGATE = "conjugate"
    OTHER = "other"
    UNCLASSIFIED = "unclassified"


@dataclass(frozen=True)
class Classified:
    """A drug with its kind, and whether only its name told it."""

    drug: Drug
    kind: Kind
    by_stem: bool = False

    @property
    def is_named(self) -> bool:
        """Whether it is an inhibitor and its name says kinase inhibitor, by a stem that a small molecule may have."""
        first = self.drug.name.partition(" ")[0]
        has_stem = _INHIBITOR_STEM.search(first) or _SMALL_INHIBITOR_STEM.search(first)
        return self.kind is Kind.INHIBITOR and bool(has_stem)


def classify(drug: Drug, kinases: Collection[str]) -> Classified:
    """Return what a drug is. `kinases` are the symbols known to be kinases."""
    type_name = drug.drug_type.casefold()
    if "conjugate" in type_name:
        return Classified(drug, Kind.CONJUGATE)
    if "antibody" in type_name:
        return Classified(drug, Kind.CONJUGATE if _is_conjugate_name(drug.name) else Kind.ANTIBODY)
    if type_name == "small molecule" and drug.mechanisms:
        inhibits = any(_inhibits(mechanism.action, mechanism.text) for mechanism in _on(drug, kinases))
        return Classified(drug, Kind.INHIBITOR if inhibits else Kind.OTHER_SMALL_MOLECULE)
    if type_name and type_name not in ("small molecule", "unknown"):
        return Classified(drug, Kind.OTHER)
    return _by_stem(drug)


def _on(drug: Drug, kinases: Collection[str]) -> list[Mechanism]:
    return [mechanism for mechanism in drug.mechanisms if set(mechanism.genes) & set(kinases)]


def _inhibits(action: str, text: str) -> bool:
    acts = ("INHIBITOR", "NEGATIVE ALLOSTERIC MODULATOR")
    return any(word in action.upper() for word in acts) or "inhibitor" in text.casefold()


def _by_stem(drug: Drug) -> Classified:
    first, _, rest = drug.name.partition(" ")
    if _ANTIBODY_STEM.search(first) and drug.drug_type.casefold() != "small molecule":
        return Classified(drug, Kind.CONJUGATE if rest else Kind.ANTIBODY, by_stem=True)
    is_small = drug.drug_type.casefold() == "small molecule" and _SMALL_INHIBITOR_STEM.search(first)
    if is_small or _INHIBITOR_STEM.search(first):
        return Classified(drug, Kind.INHIBITOR, by_stem=True)
    return Classified(drug, Kind.UNCLASSIFIED)


def is_named_inhibitor(name: str) -> bool:
    """Whether a name has the stem of a kinase inhibitor."""
    return bool(_INHIBITOR_STEM.search(name.partition(" ")[0]))


def _is_conjugate_name(name: str) -> bool:
    """An antibody with a second word is one that carries something."""
    first, _, rest = name.partition(" ")
    return bool(rest) and bool(_ANTIBODY_STEM.search(first))


def of_kind(found: Iterable[Classified], kind: Kind) -> list[Classified]:
    """Return those of one kind."""
    return [each for each in found if each.kind is kind]
