"""What is known on the way from a disease to the inhibitors of its kinases, and which of these to follow.

The caps keep a turn at about 45 calls with live data; what they leave out is said to be not asked.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from chat.providers.planner.parts.diseases import Disease
from chat.providers.planner.parts.drug_kinds import Classified, Kind, is_named_inhibitor, of_kind
from chat.providers.planner.parts.drugs import shown
from chat.providers.planner.parts.genes import Gene
from chat.providers.planner.parts.kinases import Kinase, KinaseSearch
from chat.providers.planner.parts.trials import read_trials
from chat.providers.planner.results import Result
from chat.providers.planner.shapes import Question

# Inhibitors whose trials are asked for; of these, how many of other kinases than the biomarker's own protein.
TRIALS_ASKED = 16
OF_OTHER_KINASES = 6
ANNOTATIONS_ASKED = 12
# A drug that got this far is asked about before one whose stage no record gives.
LEAD_LEVEL = 2.0


@dataclass
class Found:
    """What the recipe has come to know, by the order in which it is found."""

    question: Question
    gene: Gene
    disease: Disease | None
    disease_search: Result
    search: KinaseSearch
    kinases: tuple[Kinase, ...]
    lists: dict[str, Result]
    mechanisms: dict[str, Result] = field(default_factory=dict)
    classified: list[Classified] = field(default_factory=list)
    asked: list[Classified] = field(default_factory=list)
    trials: dict[str, Result] = field(default_factory=dict)
    annotations: dict[str, Result] = field(default_factory=dict)

    @property
    def condition(self) -> str:
        """The disease in the user's words, as trials are searched by."""
        return self.question.disease

    @property
    def marker_words(self) -> tuple[str, str]:
        """The names by which a trial may call the biomarker."""
        return (self.question.gene, self.gene.symbol)

    @property
    def inhibitors(self) -> list[Classified]:
        """All inhibitors by stage; within one, those named as kinase inhibitors first, then what both sources have."""
        found = of_kind(self.classified, Kind.INHIBITOR)
        return sorted(found, key=lambda each: (-each.drug.level, not each.is_named, not each.drug.is_confirmed))

    def target_of(self, each: Classified) -> str:
        """The kinase that a drug is listed under: the first of those followed."""
        return next((kinase.symbol for kinase in self.kinases if kinase.symbol in each.drug.targets), "")

    def of_kinase(self, symbol: str) -> list[Classified]:
        """The inhibitors that are listed under a kinase."""
        return [each for each in self.inhibitors if self.target_of(each) == symbol]

    @property
    def own(self) -> list[Classified]:
        """The inhibitors of the biomarker's own protein."""
        return self.of_kinase(self.gene.symbol)

    @property
    def not_asked(self) -> list[Classified]:
        """The inhibitors whose trials were not asked for."""
        return [each for each in self.inhibitors if each not in self.asked]

    def named(self, results: dict[str, Result]) -> list[tuple[str, Result]]:
        """Pair the names of the drugs asked about with what came of it."""
        found = [(each.drug, results.get(each.drug.chembl_id)) for each in self.asked]
        return [(shown(drug.name), result) for drug, result in found if result is not None]


def first_leads(found: Found) -> list[Classified]:
    """Return the approved inhibitors of the biomarker's protein, whose trials tell of others."""
    approved = [each for each in found.own if each.drug.is_approved and is_named_inhibitor(each.drug.name)]
    return approved[: TRIALS_ASKED - OF_OTHER_KINASES]


def further_leads(found: Found) -> list[Classified]:
    """Return further inhibitors: those with a kinase inhibitor's name, by stage, then those that known trials name.

    Some places are kept for the other kinases, which take turns. A drug that no record gives a stage comes
    after those in phase 2, one that is known to have stopped before is not asked about.
    """
    named = " ".join(trial.tested for result in found.trials.values() for trial in read_trials(result))

    def order(each: Classified) -> tuple[bool, float, bool, bool, bool]:
        drug = each.drug
        level = drug.level if drug.level >= 0 else LEAD_LEVEL - 0.1
        unnamed = drug.name.casefold() not in named
        return (not is_named_inhibitor(drug.name), -level, unnamed, not drug.is_confirmed, not drug.mechanisms)

    def leads(listed: list[Classified]) -> list[Classified]:
        far = [each for each in listed if not 0 <= each.drug.level < LEAD_LEVEL and each not in found.asked]
        return sorted(far, key=order)

    groups = [leads(found.of_kinase(kinase.symbol)) for kinase in found.kinases if kinase.symbol != found.gene.symbol]
    known = [[each for each in group if each.drug.level >= LEAD_LEVEL] for group in groups]
    own, places = leads(found.own), TRIALS_ASKED - len(found.asked)
    others = list(_in_turn(known))[: max(OF_OTHER_KINASES, places - len(own))]
    return [*own[: places - len(others)], *others]


def drugs_to_annotate(found: Found) -> list[Classified]:
    """Return the drugs whose annotations are asked for: those in trials; if no trials are known, the first."""

    def order(each: Classified) -> tuple[float, int]:
        listed = read_trials(found.trials[each.drug.chembl_id])
        return (each.drug.level, sum(trial.mentions(found.marker_words) for trial in listed))

    in_trials = [each for each in found.asked if found.trials[each.drug.chembl_id].has_data]
    return sorted(in_trials or found.asked, key=order, reverse=True)[:ANNOTATIONS_ASKED]


def _in_turn(groups: Sequence[list[Classified]]) -> Iterator[Classified]:
    """Yield the first of each group, then the second of each, and so on."""
    for place in range(max(map(len, groups), default=0)):
        yield from (group[place] for group in groups if place < len(group))
