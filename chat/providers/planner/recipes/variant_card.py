"""One variant, its names and numbers: rsID, ClinVar, ClinGen, HGVS, places by assembly, protein."""

from dataclasses import dataclass, field

from chat.providers.planner import compose
from chat.providers.planner.parts import alleles, clinvar, disease_comments, named, residues
from chat.providers.planner.parts.clinical_card import ClinicalCard, card_call, coding_name, read_cards
from chat.providers.planner.parts.genes import Gene, gene_call, protein_search_call, read_gene
from chat.providers.planner.replay import Recipe, ask
from chat.providers.planner.results import Call, Json, Result, at, call, list_at, text_at
from chat.providers.planner.shapes import Question

CHANGE_KINDS = ("rs", "VCV", "N", "ENS", "chr")
HGVS_SHOWN = 8
DISEASES_SHOWN = 12


@dataclass
class Found:
    """What the recipe has come to know; what was not asked stays empty."""

    question: Question
    change: str
    search: Result | None = None
    row: dict[str, Json] = field(default_factory=dict)
    gene: Gene | None = None
    dbsnp: Result | None = None
    cards: list[ClinicalCard] = field(default_factory=list)
    card_result: Result | None = None
    record: Result | None = None
    proteins: Result | None = None
    residue: Result | None = None
    diseases: Result | None = None

    @property
    def is_change(self) -> bool:
        """Whether the variant was named by its change on the protein."""
        return not self.change.startswith(CHANGE_KINDS)

    @property
    def name(self) -> str:
        """The variant as the user means it."""
        gene = self.gene.symbol if self.gene else self.question.gene
        return f"{gene} {self.change}" if gene and self.is_change else self.change

    @property
    def accession(self) -> str:
        """The protein's accession, or an empty string."""
        rows = self.proteins.rows() if self.proteins else []
        return text_at(rows[0], "primaryAccession") if rows else ""


def recipe(question: Question) -> Recipe[str]:
    """Find the variant in ClinVar, MyVariant and Ensembl, then its record, its protein and the residue."""
    found = Found(question, question.variants[0])
    yield from _resolve(found)
    yield from _follow(found)
    return compose.document(
        compose.opening(*_summary(found)),
        compose.section("Names and numbers", compose.table(("What", "Value", "From"), _rows(found))),
        *(card.section() for card in found.cards),
        _record_section(found),
        compose.section("The residue in UniProt", residues.listed(found.residue, found.accession)),
        _disease_section(found),
        compose.section("Limits, and what to check next", compose.bullets(_limits(found))),
    )


def _resolve(found: Found) -> Recipe[None]:
    gene, change = found.question.gene, found.change
    words = f"{gene} {change}" if gene and found.is_change else change
    calls: dict[str, Call] = {}
    if not change.startswith("chr"):
        calls["search"] = clinvar.variant_call(words)
    if found.is_change or change.startswith(("rs", "chr")):
        calls["card_result"] = card_call(words, found.question.text)
    if change.startswith("rs"):
        calls["dbsnp"] = call("ensembl__get_variant", *named.subject("variant", change), rsid=change)
    if gene:
        calls["gene"] = gene_call(gene)
    results = yield from ask(f"Look up {words}.", *calls.values())
    by_name = dict(zip(calls, results, strict=True))
    gene_result = by_name.pop("gene", None)
    for name, result in by_name.items():
        setattr(found, name, result)
    found.row = clinvar.first_candidate(found.search) if found.search else {}
    found.cards = read_cards(found.card_result) if found.card_result else []
    found.gene = read_gene(gene, gene_result) if gene_result else None


def _follow(found: Found) -> Recipe[None]:
    """Read ClinVar's record, the gene's protein, then the residue and the protein's diseases."""
    symbols = [found.gene.symbol] if found.gene else [str(each) for each in list_at(found.row, "genes")][:1]
    calls = {"record": clinvar.record_call(text_at(found.row, "variation_id"))} if found.row else {}
    calls |= {"proteins": protein_search_call(symbols[0])} if symbols else {}
    results = yield from ask(f"Read the records of {found.name}.", *calls.values())
    for name, result in zip(calls, results, strict=True):
        setattr(found, name, result)
    wanted = {"residue": residues.residue_call(found.accession, found.change) if found.is_change else None}
    if found.accession and "conditions" in found.question.tasks:
        wanted["diseases"] = disease_comments.involvement_call(found.accession)
    asked = {name: each for name, each in wanted.items() if each}
    results = yield from ask(f"What does UniProt know of {found.accession}?", *asked.values())
    for name, result in zip(asked, results, strict=True):
        setattr(found, name, result)


def _summary(found: Found) -> list[str]:
    name = named.shown("variant", found.name, (found.search, found.card_result, found.dbsnp))
    name = f"`{name}`" if ">" in name else compose.plain(name)
    reading = f"{found.gene.reading}: {compose.plain(found.gene.name)}." if found.gene else ""
    if found.row:
        said = clinvar.in_short(found.row)
        told = f": {said}" if said else "; its classification is not held in what was read"
        lead = f"**{name}** is `{text_at(found.row, 'title')}` in ClinVar ({clinvar.record_link(found.row)}){told}."
        return [lead, reading]
    if found.cards:
        return [*(card.in_short(name) for card in found.cards), reading]
    failed = [result for result in (found.search, found.card_result) if result is not None]
    reasons = compose.listed([compose.said(result) for result in failed if not result.has_data])
    return [f"**{name}**: {reasons or 'no record was found'}.", reading]


def _rows(found: Found) -> list[list[str]]:
    row, card = found.row, next(iter(found.cards), None)
    hgvs = [str(name) for name in list_at(found.record.data, "hgvs")] if found.record and found.record.has_data else []
    rows = [
        ["Gene", compose.listed([str(each) for each in list_at(row, "genes")]), "ClinVar"],
        ["Title", f"`{text_at(row, 'title')}`" if row else "", "ClinVar"],
        ["Coding name", coding_name(text_at(row, "title")), "ClinVar"],
        ["rsID", compose.link("rsid", text_at(row, "rsid")), "ClinVar"],
        ["ClinVar VariationID", text_at(row, "variation_id"), "ClinVar"],
        ["ClinGen canonical allele", text_at(row, "caid"), "ClinVar"],
        *[[f"Place on {assembly}", _place(found, assembly), "ClinVar"] for assembly in ("GRCh38", "GRCh37")],
        ["HGVS", compose.listed([f"`{name}`" for name in hgvs[:HGVS_SHOWN]]), "ClinVar"],
        ["Protein", _protein(found), "UniProt"],
    ]
    if card and not row:
        rows += card.rows()
    if found.dbsnp:
        rows.append(["Ensembl", alleles.variant_line(found.dbsnp), "Ensembl"])
    return [line for line in rows if line[1]]


def _place(found: Found, assembly: str) -> str:
    """Return the place with its change: the record has the alleles where the search's row lacks them."""
    sources = [found.row, found.record.data if found.record and found.record.has_data else None]
    for data in reversed(sources):
        place = at(data, f"locations.{assembly}")
        if text_at(place, "start"):
            change = ">".join(filter(None, (text_at(place, "ref"), text_at(place, "alt"))))
            return f"{text_at(place, 'chr')}:{text_at(place, 'start')} {change}".strip()
    return ""


def _protein(found: Found) -> str:
    rows = found.proteins.rows() if found.proteins else []
    if not rows:
        return ""
    length = text_at(rows[0], "length")
    size = f", {length} residues" if length else ""
    return f"{compose.link('uniprot', found.accession)}, {compose.plain(text_at(rows[0], 'proteinName'))}{size}"


def _record_section(found: Found) -> str:
    if not found.record or not found.record.has_data:
        return ""
    listed = clinvar.by_condition(found.record.data, found.question.diseases)
    return compose.section("ClinVar by condition", listed, f"Record {compose.as_of([found.record])}." if listed else "")


def _disease_section(found: Found) -> str:
    if not found.diseases:
        return ""
    links = [each.link for each in disease_comments.involved(found.diseases)]
    told = compose.listed(links, DISEASES_SHOWN) or compose.said(found.diseases) or "none in the entry"
    return compose.section("Diseases of the protein in UniProt", f"{told}.")


def _limits(found: Found) -> list[str]:
    items = ["A coordinate means nothing without its assembly: the one of each place stands beside it."]
    if len(found.cards) > 1:
        items.append("The same text is another variant on each assembly: see which one your source means.")
    return items
