"""The gene of a disease, or of an odd response to a drug: "Which gene causes Holt-Oram syndrome?".

UniProt's list of diseases says which disease is meant, its entries which proteins, Ensembl where their genes lie.
"""

from dataclasses import dataclass, field

from chat.providers.planner import compose
from chat.providers.planner.parts import disease_comments, places
from chat.providers.planner.parts.disease_comments import FiledDisease
from chat.providers.planner.parts.genes import gene_call
from chat.providers.planner.replay import Recipe, ask
from chat.providers.planner.results import Result, text_at
from chat.providers.planner.shapes import Question

DISEASES_FOLLOWED = 6
PROTEINS_FOLLOWED = 8
OTHERS_SHOWN = 12


@dataclass
class Protein:
    """A protein of one of the diseases, with what was looked up of it and of its gene."""

    accession: str
    gene: str
    name: str
    length: str
    of: list[FiledDisease] = field(default_factory=list)
    involvement: Result | None = None
    gene_record: Result | None = None
    bands: Result | None = None

    @property
    def gene_link(self) -> str:
        """The symbol with its linked Ensembl id."""
        id = self.gene_record.text("id") if self.gene_record else ""
        return f"{compose.plain(self.gene)} ({compose.link('ensembl', id)})" if id else compose.plain(self.gene)

    @property
    def band(self) -> str:
        """The cytogenetic band, or an empty string."""
        return places.cytoband(self.gene_record, self.bands) if self.gene_record else ""

    @property
    def others(self) -> list[FiledDisease]:
        """The diseases of the protein that were not asked for."""
        named = {each.id for each in self.of}
        return (
            [each for each in disease_comments.involved(self.involvement) if each.id not in named]
            if (self.involvement)
            else []
        )


def recipe(question: Question) -> Recipe[str]:
    """Find the disease in UniProt's list, its proteins, their genes' places and their other diseases."""
    words = question.drugs[0] if question.drugs else question.disease
    (search,) = yield from ask(
        f"Look for “{words}” in UniProt's list of diseases.", disease_comments.search_call(words)
    )
    listed = disease_comments.found_diseases(search)
    chosen = disease_comments.fitting(words, listed, question.types) or listed
    if not chosen:
        reason = "could not be looked up: " if search.is_failed else ""
        return f"Genes of “{compose.plain(words)}”: {reason}{compose.said(search) or 'no such disease'}."
    proteins, asked = yield from _proteins(chosen[:DISEASES_FOLLOWED], question.excluded)
    yield from _look_up(proteins)
    return compose.document(
        _summary(words, chosen, proteins, asked),
        _table(proteins),
        _also(question, proteins),
        _others(proteins),
        compose.section("Limits, and what to check next", compose.bullets(_limits(question, search, chosen, proteins))),
    )


def _proteins(diseases: list[FiledDisease], excluded: tuple[str, ...]) -> Recipe[tuple[list[Protein], list[Result]]]:
    """Return the proteins of the diseases, each once, without the genes that the question sets aside."""
    names = compose.listed([each.name for each in diseases])
    calls = [disease_comments.proteins_call(each.name) for each in diseases]
    results = yield from ask(f"Ask UniProt for the proteins of {names}.", *calls)
    known: dict[str, Protein] = {}
    aside = {gene.upper() for gene in excluded}
    for disease, result in zip(diseases, results, strict=True):
        for row in result.rows():
            accession, gene = text_at(row, "primaryAccession"), text_at(row, "geneName")
            if accession and gene.upper() not in aside:
                made = Protein(accession, gene, text_at(row, "proteinName"), text_at(row, "length"))
                known.setdefault(accession, made).of.append(disease)
    return list(known.values())[:PROTEINS_FOLLOWED], list(results)


def _look_up(proteins: list[Protein]) -> Recipe[None]:
    """Ask for the diseases of each protein and the place of its gene, then for the bands."""
    if not proteins:
        return
    genes = compose.listed([protein.gene for protein in proteins])
    calls = [disease_comments.involvement_call(protein.accession) for protein in proteins]
    calls += [gene_call(protein.gene) for protein in proteins]
    results = yield from ask(f"Read the entries of {genes}, and where the genes lie.", *calls)
    for protein, involvement, record in zip(proteins, results[: len(proteins)], results[len(proteins) :], strict=True):
        protein.involvement, protein.gene_record = involvement, record
    placed = [
        (protein, wanted)
        for protein in proteins
        if protein.gene_record and (wanted := places.band_call(protein.gene, protein.gene_record))
    ]
    results = yield from ask("Ask for the cytogenetic bands.", *(wanted for _, wanted in placed))
    for (protein, _), bands in zip(placed, results, strict=True):
        protein.bands = bands


def _summary(words: str, chosen: list[FiledDisease], proteins: list[Protein], asked: list[Result]) -> str:
    if not proteins:
        reason = next((compose.said(result) for result in asked if not result.has_data), "none named")
        names = compose.listed([each.link for each in chosen], 4)
        return f"“{compose.plain(words)}” is {names} in UniProt; its gene: {reason}."
    lines = []
    for protein in proteins:
        facts = [
            f"cytogenetic band {protein.band}" if protein.band else "",
            f"protein {compose.link('uniprot', protein.accession)} ({compose.plain(protein.name)})",
            f"{protein.length} residues" if protein.length else "",
        ]
        diseases = compose.listed([each.link for each in protein.of], 4)
        lines.append(f"**{protein.gene_link}** for {diseases}: {', '.join(filter(None, facts))}.")
    return (
        compose.opening(*lines)
        if len(lines) == 1
        else compose.document(
            f"**{compose.counted(len(proteins), 'gene')} of “{compose.plain(words)}”** in UniProt:",
            compose.bullets(lines),
        )
    )


def _table(proteins: list[Protein]) -> str:
    rows = [
        [
            protein.gene_link,
            protein.band or "not recorded",
            compose.link("uniprot", protein.accession),
            protein.length or "not recorded",
            compose.fitting([compose.plain(each.name) for each in protein.of]),
        ]
        for protein in proteins
    ]
    head = ("Gene", "Cytogenetic band", "Protein", "Residues", "Disease in UniProt")
    return compose.section("Genes and proteins", compose.table(head, rows)) if len(rows) > 1 else ""


def _also(question: Question, proteins: list[Protein]) -> str:
    """Say which of the genes another disease of the question belongs to."""
    lines = []
    for words in question.diseases[1:]:
        holding = [
            f"{protein.gene_link}: {compose.listed([each.link for each in fits], 3)}"
            for protein in proteins
            if (fits := disease_comments.fitting(words, protein.others))
        ]
        if holding:
            lines.append(f"“{compose.plain(words)}” is also filed for {compose.listed(holding)}.")
    return compose.document(*lines)


def _others(proteins: list[Protein]) -> str:
    items = []
    for protein in proteins:
        if protein.others:
            items.append(
                f"{compose.plain(protein.gene)}: {compose.listed([each.link for each in protein.others], OTHERS_SHOWN)}"
            )
        elif protein.involvement and not protein.involvement.is_failed:
            items.append(f"{compose.plain(protein.gene)}: none in the entry")
    return compose.section("Other diseases of the same genes in UniProt", compose.bullets(items)) if items else ""


def _limits(question: Question, search: Result, chosen: list[FiledDisease], proteins: list[Protein]) -> list[str]:
    items = [
        "UniProt's curators file mostly Mendelian diseases; a disease without an entry there may have known genes."
    ]
    rest = len(chosen) - DISEASES_FOLLOWED
    if rest > 0:
        items.append(f"{compose.counted(rest, 'further disease')} that fit the words were not followed.")
    if question.excluded:
        items.append(f"Set aside, as the question asks: {compose.listed(question.excluded)}.")
    if search.is_snapshot_part or any(
        protein.involvement and protein.involvement.is_snapshot_part for protein in proteins
    ):
        items.append("Of UniProt's entries only the fields shown are held offline.")
    return items
