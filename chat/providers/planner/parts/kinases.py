"""From a disease to the kinases among the proteins that are associated with it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from chat.providers.planner import compose
from chat.providers.planner.parts.diseases import Disease
from chat.providers.planner.parts.genes import Gene, proteins_in
from chat.providers.planner.replay import Recipe, ask
from chat.providers.planner.results import Call, Result, call, text_at

TARGETS_LISTED = 50
# Records of one disease phrase whose associated targets are asked for.
DISEASES_ASKED = 3
# Kinases that are followed to their drugs, the biomarker's own protein first.
KINASES_FOLLOWED = 8
NAMES_SHOWN = 8


@dataclass(frozen=True)
class Kinase:
    """A gene whose protein UniProt files under Kinase, with its highest association score where it has one."""

    symbol: str
    ensembl_id: str
    accession: str
    score: float | None = None
    chembl: tuple[str, ...] = ()

    @property
    def reading(self) -> str:
        """The symbol with its linked records."""
        target = f", {compose.target_link(self.chembl[0])}" if self.chembl else ""
        score = "" if self.score is None else f", score {self.score:.2f}"
        return f"{self.symbol} ({compose.link('uniprot', self.accession)}{target}{score})"


@dataclass(frozen=True)
class KinaseSearch:
    """What came of looking for kinases: what each disease record lists, what UniProt files, the kinases."""

    lists: tuple[tuple[Disease, Result], ...]
    symbols: tuple[str, ...]
    filed: Result
    kinases: tuple[Kinase, ...]
    linked: frozenset[str] = frozenset()
    diseases_not_asked: int = 0

    @property
    def linked_kinases(self) -> tuple[Kinase, ...]:
        """The kinases that the disease's lists hold: the biomarker may not be among them."""
        return tuple(kinase for kinase in self.kinases if kinase.symbol in self.linked)

    @property
    def followed(self) -> tuple[Kinase, ...]:
        """The kinases whose drugs are looked up."""
        return self.kinases[:KINASES_FOLLOWED]

    @property
    def not_followed(self) -> tuple[Kinase, ...]:
        """The kinases whose drugs were not asked for."""
        return self.kinases[KINASES_FOLLOWED:]


def targets_call(disease: Disease) -> Call:
    """Return the call for a disease's associated targets."""
    tool = "opentargets__get_disease_associated_targets"
    return call(tool, "targets associated with {}", disease.name, disease_id=disease.id, limit=TARGETS_LISTED)


def find_kinases(gene: Gene, disease: Disease | None) -> Recipe[KinaseSearch]:
    """Find the kinases among the associated targets of every record that the phrase fits, and the biomarker gene."""
    records = disease.records if disease else ()
    asked = [Disease(name, id, name) for id, name in records[:DISEASES_ASKED]]
    names = compose.listed([each.name for each in asked])
    why = f"Start from the proteins that Open Targets associates with {names}."
    results = yield from ask(why, *(targets_call(each) for each in asked))
    scored = _scored(gene, results)
    symbols = tuple(scored)
    about = f"which of {compose.counted(len(symbols), 'protein')} are kinases"
    tool = "uniprot__search_proteins"
    wanted = call(tool, about, gene_symbols=list(symbols), keyword="Kinase", limit=TARGETS_LISTED)
    (filed,) = yield from ask("Ask UniProt which of them it files under the keyword Kinase.", wanted)
    lists = tuple(zip(asked, results, strict=True))
    places = _places(results, scored)
    kinases = _kinases(gene, scored, places, filed)
    return KinaseSearch(lists, symbols, filed, kinases, frozenset(places), len(records) - len(asked))


def _scored(gene: Gene, lists: Sequence[Result]) -> dict[str, tuple[str, float | None]]:
    """Return Ensembl id and highest score by symbol, in the order of the rows, the biomarker among them."""
    found: dict[str, tuple[str, float | None]] = {}
    for row in (row for result in lists for row in result.rows("rows")):
        symbol, id, score = text_at(row, "target.approvedSymbol"), text_at(row, "target.id"), row.get("score")
        if not symbol or not id:
            continue
        known = found.get(symbol, (id, None))[1]
        number = float(score) if isinstance(score, int | float) and not isinstance(score, bool) else None
        found[symbol] = (id, max((each for each in (known, number) if each is not None), default=None))
    found.setdefault(gene.symbol, (gene.ensembl_id, None))
    return found


def _places(lists: Sequence[Result], scored: Collection[str]) -> dict[str, int]:
    """Return the best place of each symbol over the lists."""
    places: dict[str, int] = {}
    for result in lists:
        for place, row in enumerate(result.rows("rows")):
            symbol = text_at(row, "target.approvedSymbol")
            if symbol in scored:
                places[symbol] = min(place, places.get(symbol, place))
    return places


def _kinases(
    gene: Gene, scored: dict[str, tuple[str, float | None]], places: dict[str, int], filed: Result
) -> tuple[Kinase, ...]:
    """Return the kinases: the biomarker first, the others by their best place in the lists, which are by score."""
    proteins = {protein.gene: protein for protein in proteins_in(filed) if protein.is_kinase}
    kinases = [
        Kinase(symbol, id, proteins[symbol].accession, score, proteins[symbol].chembl)
        for symbol, (id, score) in scored.items()
        if symbol in proteins
    ]
    return tuple(sorted(kinases, key=lambda each: (each.symbol != gene.symbol, places.get(each.symbol, 0))))


def looked_at(search: KinaseSearch) -> list[str]:
    """Say for each disease record how many of its associated targets were looked at."""
    parts = []
    for disease, result in search.lists:
        counted = compose.of_total(result, "associated target") if result.has_data else compose.said(result)
        parts.append(f"{disease.link}: {counted}")
    return parts


def kinase_note(gene: Gene, search: KinaseSearch) -> list[str]:
    """Say what was looked through, which are kinases, and what that rests on."""
    items = []
    if search.lists:
        part = any(result.is_snapshot_part for _, result in search.lists)
        cut = "; the offline snapshot holds no more of them, so other kinases are missing here" if part else ""
        items.append(
            f"Associated proteins looked at, in the order of their scores: {'; '.join(looked_at(search))}{cut}."
        )
        if gene.symbol not in search.linked:
            items.append(
                f"{gene.symbol} is not in what was looked at of these lists: it is asked about as the biomarker."
            )
    if search.diseases_not_asked:
        count = compose.counted(search.diseases_not_asked, "further disease record")
        items.append(f"Not asked: the associated targets of {count} that the words fit.")
    if search.filed.is_failed:
        return [*items, f"Which of them are kinases is not known: {compose.said(search.filed)}."]
    names = compose.listed([kinase.reading for kinase in search.kinases], KINASES_FOLLOWED)
    absent = (
        "" if any(kinase.symbol == gene.symbol for kinase in search.kinases) else f"; {gene.symbol} is not among them"
    )
    count = compose.counted(len(search.symbols), "protein")
    items.append(f"Of these {count}, UniProt files under Kinase: {names or 'none'}{absent}.")
    if search.not_followed:
        rest = compose.listed([kinase.symbol for kinase in search.not_followed], NAMES_SHOWN)
        items.append(f"Not asked, beyond the first {KINASES_FOLLOWED} kinases: drugs on {rest}.")
    return items
