"""From a disease to the kinases among the proteins that are associated with it."""

from collections.abc import Sequence
from dataclasses import dataclass

from chat.providers.planner import compose
from chat.providers.planner.parts.diseases import Disease
from chat.providers.planner.parts.genes import Gene, proteins_in
from chat.providers.planner.replay import Recipe, ask
from chat.providers.planner.results import Call, Result, call, text_at

TARGETS_LISTED = 50
# How many kinases are followed to their drugs, the biomarker's own protein first.
KINASES_FOLLOWED = 8


@dataclass(frozen=True)
class Kinase:
    """A gene whose protein UniProt files under Kinase, with its association score where it has one."""

    symbol: str
    ensembl_id: str
    accession: str
    score: float | None = None

    @property
    def reading(self) -> str:
        """The symbol with its linked records."""
        score = "" if self.score is None else f", score {self.score:.2f}"
        return f"{self.symbol} ({compose.link('uniprot', self.accession)}{score})"


@dataclass(frozen=True)
class KinaseSearch:
    """What came of looking for kinases. `associated` is None if there was no disease to start from."""

    associated: Result | None
    filed: Result
    kinases: tuple[Kinase, ...]

    @property
    def followed(self) -> tuple[Kinase, ...]:
        """The kinases whose drugs are looked up."""
        return self.kinases[:KINASES_FOLLOWED]


def targets_call(disease: Disease) -> Call:
    """Return the call for a disease's associated targets."""
    about = f"targets associated with {disease.name}"
    tool = "opentargets__get_disease_associated_targets"
    return call(tool, about, disease_id=disease.id, limit=TARGETS_LISTED)


def find_kinases(gene: Gene, disease: Disease | None) -> Recipe[KinaseSearch]:
    """Find the kinases among the disease's associated targets and the biomarker gene."""
    associated = None
    if disease:
        why = f"Start from the proteins that Open Targets associates with {disease.name}."
        (associated,) = yield from ask(why, targets_call(disease))
    scored = _scored(associated)
    symbols = list(scored) if gene.symbol in scored else [*scored, gene.symbol]
    about = f"which of {compose.counted(len(symbols), 'protein')} are kinases"
    tool = "uniprot__search_proteins"
    wanted = call(tool, about, gene_symbols=symbols, keyword="Kinase", limit=TARGETS_LISTED)
    (filed,) = yield from ask("Ask UniProt which of them it files under the keyword Kinase.", wanted)
    return KinaseSearch(associated, filed, tuple(_kinases(gene, scored, filed)))


def _scored(associated: Result | None) -> dict[str, tuple[str, float | None]]:
    """Return Ensembl id and score by symbol, in the order of the list."""
    found: dict[str, tuple[str, float | None]] = {}
    for row in associated.rows("rows") if associated else []:
        symbol, score = text_at(row, "target.approvedSymbol"), row.get("score")
        if symbol and text_at(row, "target.id"):
            number = float(score) if isinstance(score, int | float) else None
            found.setdefault(symbol, (text_at(row, "target.id"), number))
    return found


def _kinases(gene: Gene, scored: dict[str, tuple[str, float | None]], filed: Result) -> list[Kinase]:
    """Return the kinases: the biomarker first, the others in the order of association."""
    accessions = {protein.gene: protein.accession for protein in proteins_in(filed) if protein.is_kinase}
    places = {gene.symbol: (gene.ensembl_id, None), **scored}
    names = [gene.symbol, *(symbol for symbol in scored if symbol != gene.symbol)]
    return [Kinase(name, places[name][0], accessions[name], places[name][1]) for name in names if name in accessions]


def kinase_note(gene: Gene, search: KinaseSearch) -> str:
    """Say what was looked through, which are kinases, and what that rests on."""
    parts = []
    associated = search.associated
    if associated is not None and associated.has_data:
        looked = compose.of_total(associated, "associated target")
        if associated.is_snapshot_part:
            parts.append(
                f"the offline snapshot holds {looked}, so other kinases linked to the disease are missing here"
            )
        else:
            parts.append(f"looked at the first {looked} by score")
    elif associated is not None:
        parts.append(f"the associated targets: {compose.said(associated)}")
    if search.filed.is_failed:
        parts.append(f"which of them are kinases is not known ({compose.said(search.filed)})")
        return "; ".join(parts)
    names = compose.listed([kinase.reading for kinase in search.kinases], KINASES_FOLLOWED)
    parts.append(f"filed under Kinase in UniProt: {names or 'none of them'}")
    if gene.symbol not in [kinase.symbol for kinase in search.kinases]:
        parts.append(f"{gene.symbol} itself is not among them")
    return "; ".join(parts)


def not_followed(search: KinaseSearch) -> Sequence[str]:
    """Return the kinases whose drugs were not asked for."""
    return [kinase.symbol for kinase in search.kinases[KINASES_FOLLOWED:]]
