"""A gene by whatever name the user gave it: Ensembl says which one, UniProt which protein."""

from dataclasses import dataclass

from chat.providers.planner import compose
from chat.providers.planner.parts.stop import AnswerNow
from chat.providers.planner.replay import Recipe, ask
from chat.providers.planner.results import Call, Json, Result, call, list_at, records_at, text_at


@dataclass(frozen=True)
class Gene:
    """A gene as Ensembl knows it. `asked` is the user's own spelling."""

    asked: str
    symbol: str
    ensembl_id: str
    name: str
    matched_as: str

    @property
    def reading(self) -> str:
        """How the name was read, with its link."""
        found = f"{self.symbol} ({compose.link('ensembl', self.ensembl_id)})"
        if self.asked.upper() == self.symbol.upper():
            return found
        return f"“{compose.plain(self.asked)}” is read as {found}"


@dataclass(frozen=True)
class Protein:
    """A UniProt entry with the identifiers it gives for other databases."""

    accession: str
    name: str
    gene: str
    keywords: tuple[str, ...]
    chembl: tuple[str, ...]
    ensembl: tuple[str, ...]
    others: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def is_kinase(self) -> bool:
        """Whether UniProt files it under the keyword Kinase."""
        return "Kinase" in self.keywords


def gene_call(name: str) -> Call:
    """Return the call that resolves a gene name or an Ensembl id."""
    if name.upper().startswith("ENSG"):
        return call("ensembl__get_gene", "the gene {}", name, ensembl_id=name)
    return call("ensembl__lookup_gene", "the gene called {}", name, gene_symbol=name)


def read_gene(name: str, result: Result) -> Gene:
    """Return the gene of a result, or end the recipe with a question back or the reason."""
    candidates = result.rows("candidates")
    if candidates:
        raise AnswerNow(_which_gene(name, result))
    ensembl_id, symbol = result.text("id"), result.text("display_name")
    if not ensembl_id:
        raise AnswerNow(_no_gene(name, result))
    description = result.text("description").partition(" [Source")[0]
    return Gene(name, symbol or ensembl_id, ensembl_id, description, result.text("matched_as"))


def _which_gene(name: str, result: Result) -> str:
    rows = [
        f"{compose.plain(text_at(row, 'display_name'))} ({compose.link('ensembl', text_at(row, 'id'))}): "
        f"{compose.plain(text_at(row, 'description').partition(' [Source')[0])}"
        for row in result.rows("candidates")
    ]
    return compose.document(
        f"Which gene do you mean? “{compose.plain(name)}” stands for {compose.counted(len(rows), 'gene')} in Ensembl:",
        compose.bullets(rows),
        "Ask again with the approved symbol or the Ensembl id.",
    )


def _no_gene(name: str, result: Result) -> str:
    shown = compose.plain(name)
    if result.is_failed:
        return f"The question could not be answered: which gene “{shown}” is could not be looked up."
    note = f" {compose.plain(result.note)}" if result.note else ""
    return f"Ensembl knows no human gene called “{shown}”.{note} Nothing else was asked. Check the spelling."


def protein_search_call(symbol: str) -> Call:
    """Return the call that finds the reviewed human protein of a gene."""
    return call("uniprot__search_proteins", "the protein of {}", symbol, gene_symbols=[symbol])


def resolve_protein(gene: Gene) -> Recipe[tuple[Protein | None, tuple[Result, ...]]]:
    """Find the gene's reviewed protein and read its entry."""
    (search,) = yield from ask(f"Look for the reviewed protein of {gene.symbol}.", protein_search_call(gene.symbol))
    accession = accession_of(gene, search)
    if not accession:
        return None, (search,)
    wanted = call("uniprot__get_protein", "the protein {}", accession, accession=accession)
    (entry,) = yield from ask(f"Read {accession}.", wanted)
    return read_protein(entry), (search, entry)


def resolve_proteins(gene: Gene) -> Recipe[tuple[Result, list[dict[str, Json]]]]:
    """Find the gene's reviewed proteins: most genes have one, a few loci several."""
    (search,) = yield from ask(f"Look for the reviewed proteins of {gene.symbol}.", protein_search_call(gene.symbol))
    rows = [row for row in search.rows() if text_at(row, "geneName").upper() == gene.symbol.upper()]
    return search, rows


def accession_of(gene: Gene, search: Result) -> str:
    """Return the accession of the entry whose gene is this one, or an empty string."""
    rows = [row for row in search.rows() if text_at(row, "geneName").upper() == gene.symbol.upper()]
    return text_at(rows[0], "primaryAccession") if rows else ""


def proteins_in(search: Result) -> list[Protein]:
    """Return the proteins of a search, in its order."""
    return [
        Protein(
            accession=text_at(row, "primaryAccession"),
            name=text_at(row, "proteinName"),
            gene=text_at(row, "geneName"),
            keywords=tuple(map(str, list_at(row, "keywords"))),
            chembl=tuple(map(str, list_at(row, "chembl"))),
            ensembl=tuple(map(str, list_at(row, "ensembl"))),
        )
        for row in search.rows()
        if text_at(row, "primaryAccession")
    ]


def read_protein(entry: Result) -> Protein | None:
    """Return the protein of an entry, or None if there is none."""
    accession = entry.text("primaryAccession")
    if not accession:
        return None
    known = {name: _ids(entry, name) for name in ("ChEMBL", "Ensembl", "HGNC", "GeneID", "MIM", "PharmGKB")}
    return Protein(
        accession=accession,
        name=entry.text("proteinName"),
        gene=entry.text("geneName"),
        keywords=tuple(map(str, list_at(entry.data, "keywords"))),
        chembl=known["ChEMBL"],
        ensembl=known["Ensembl"],
        others=tuple((name, ids) for name, ids in known.items() if ids),
    )


def _ids(entry: Result, database: str) -> tuple[str, ...]:
    path = f"crossReferences.{database}"
    plain = [str(value) for value in list_at(entry.data, path) if isinstance(value, str)]
    return tuple(plain or [text_at(row, "id") for row in records_at(entry.data, path)])
