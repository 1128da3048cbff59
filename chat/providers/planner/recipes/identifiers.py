"""One gene, its identifiers and its proteins: "What are the Ensembl, UniProt and ChEMBL identifiers of HER2?"."""

from collections.abc import Sequence
from dataclasses import dataclass

from chat.providers.planner import compose
from chat.providers.planner.parts import disease_comments, places
from chat.providers.planner.parts.diseases import gene_diseases_call, is_kind_of
from chat.providers.planner.parts.genes import Gene, Protein, gene_call, read_gene, read_protein, resolve_proteins
from chat.providers.planner.replay import Recipe, ask
from chat.providers.planner.results import Call, Result, text_at
from chat.providers.planner.shapes import Question

_LABELS = {"HGNC": "HGNC", "GeneID": "NCBI Gene", "MIM": "OMIM", "PharmGKB": "ClinPGx"}
ENTRIES_FOLLOWED = 6
DISEASES_SHOWN = 12


@dataclass(frozen=True)
class Found:
    """What was looked up: the gene, its reviewed entries, and what the question asks beside identifiers."""

    question: Question
    gene: Gene
    record: Result
    entries: tuple[dict[str, object], ...]
    protein: Protein | None
    looked: tuple[Result, ...]
    diseases: tuple[Result, ...] = ()
    associated: Result | None = None
    bands: Result | None = None


def recipe(question: Question) -> Recipe[str]:
    """Resolve the gene with Ensembl, its proteins with UniProt, and list what the entries say and link to."""
    name = question.gene or question.identifier("ensembl")
    (record,) = yield from ask(f"Resolve “{name}” to a gene.", gene_call(name))
    gene = read_gene(name, record)
    search, entries = yield from resolve_proteins(gene)
    accessions = [text_at(row, "primaryAccession") for row in entries[:ENTRIES_FOLLOWED]]
    calls = _further_calls(question, gene, record, accessions)
    results = yield from ask(f"Read {compose.listed(accessions) or 'what else is asked'}.", *calls.values())
    by_name = dict(zip(calls, results, strict=True))
    entry = by_name.get("entry")
    found = Found(
        question,
        gene,
        record,
        tuple(entries),
        read_protein(entry) if entry else None,
        (search, *filter(None, [entry])),
        tuple(by_name[id] for id in accessions if id in by_name),
        by_name.get("associated"),
        by_name.get("bands"),
    )
    return compose.document(
        _summary(found),
        compose.table(("Database", "Identifier", "What it is"), _rows(found)),
        _entry_section(found),
        _disease_section(found),
        _associated(found),
        _notes(found),
    )


def _further_calls(question: Question, gene: Gene, record: Result, accessions: Sequence[str]) -> dict[str, Call]:
    """Return the calls for the first entry, and for diseases and band where the question asks for them."""
    calls: dict[str, Call] = {}
    if accessions:
        calls["entry"] = Call("uniprot__get_protein", "the protein {}", accessions[0], {"accession": accessions[0]})
    if "conditions" in question.tasks:
        calls |= {id: disease_comments.involvement_call(id) for id in accessions}
    if question.disease and "open targets" in question.text.casefold():
        calls["associated"] = gene_diseases_call(gene.symbol, gene.ensembl_id)
    band = places.band_call(gene.symbol, record) if "cytoband" in question.tasks else None
    return calls | ({"bands": band} if band else {})


def _summary(found: Found) -> str:
    ensembl = f"{found.gene.reading} in Ensembl"
    protein = found.protein
    if protein is None:
        reason = next((compose.said(result) for result in found.looked if not result.has_data), "no entry of this gene")
        return f"{ensembl}. Its UniProt and ChEMBL identifiers are not given here: {reason}."
    chembl = compose.listed([compose.target_link(id) for id in protein.chembl]) or "no target given in the entry"
    length = text_at(found.entries[0], "length")
    size = f" ({length} residues)" if length else ""
    if len(found.entries) > 1:
        links = [compose.link("uniprot", text_at(row, "primaryAccession")) for row in found.entries]
        count = compose.counted(len(links), "reviewed entry", "reviewed entries")
        return f"{ensembl}; {count} in UniProt, each a protein of its own: {compose.listed(links)}."
    return f"{ensembl}, {compose.link('uniprot', protein.accession)}{size} in UniProt, {chembl} in ChEMBL."


def _rows(found: Found) -> list[list[str]]:
    gene, protein = found.gene, found.protein
    place = ", ".join(filter(None, (places.place(found.record), places.cytoband(found.record, found.bands))))
    where = f", {place}" if place else ""
    rows = [["Ensembl", compose.link("ensembl", gene.ensembl_id), f"gene: {compose.plain(gene.name)}{where}"]]
    if protein is None:
        return rows
    rows.append(["UniProt", compose.link("uniprot", protein.accession), f"protein: {compose.plain(protein.name)}"])
    rows += [["ChEMBL", compose.target_link(id), "drug target"] for id in protein.chembl]
    kinds = {"HGNC": "hgnc", "PharmGKB": "clinpgx"}
    for database, ids in protein.others:
        if database in _LABELS:
            shown = [compose.link(kinds[database], id) if database in kinds else compose.plain(id) for id in ids]
            rows.append([_LABELS[database], compose.fitting(shown), f"as linked from {protein.accession}"])
    return rows


def _entry_section(found: Found) -> str:
    """Return the table of the entries where a gene has several."""
    if len(found.entries) < 2:
        return ""
    rows = [
        [
            compose.link("uniprot", text_at(row, "primaryAccession")),
            compose.plain(text_at(row, "proteinName")),
            text_at(row, "length"),
        ]
        for row in found.entries
    ]
    return compose.section(
        f"Reviewed entries of {found.gene.symbol}", compose.table(("Entry", "Protein", "Residues"), rows)
    )


def _disease_section(found: Found) -> str:
    """Return the diseases of each entry, and which entries have the disease that the question names."""
    listed = [(str(result.call.arguments["accession"]), result) for result in found.diseases]
    items = []
    for accession, result in listed:
        names = [each.link for each in disease_comments.involved(result)]
        told = compose.listed(names, DISEASES_SHOWN) if names else compose.said(result) or "none in the entry"
        items.append(f"{compose.link('uniprot', accession)}: {told}")
    if not items:
        return ""
    return compose.section("Diseases in UniProt", *_asked_diseases(found, listed), compose.bullets(items))


def _asked_diseases(found: Found, listed: Sequence[tuple[str, Result]]) -> list[str]:
    lines = []
    for words in found.question.diseases:
        holding = [
            f"{compose.link('uniprot', accession)} ({compose.listed([each.link for each in fits], 3)})"
            for accession, result in listed
            if (fits := disease_comments.fitting(words, disease_comments.involved(result)))
        ]
        if holding:
            lines.append(f"“{compose.plain(words)}” is filed for {compose.listed(holding)}.")
    return lines


def _associated(found: Found) -> str:
    """Return the question's disease as Open Targets files it among those of the gene."""
    result = found.associated
    if result is None:
        return ""
    rows = [
        f"{compose.plain(text_at(row, 'disease.name'))} "
        f"({compose.open_targets_link('disease', text_at(row, 'disease.id'))}), score {row.get('score', 0):.2f}"
        for row in result.rows("rows")
        if is_kind_of(text_at(row, "disease.name"), found.question.disease)
    ]
    asked = compose.plain(found.question.disease)
    nothing = f"“{asked}”: {compose.said(result) or 'not among the diseases that were read'}."
    note = f"Looked at {compose.of_total(result, 'disease')} of {found.gene.symbol}, {compose.as_of([result])}."
    return compose.section(
        "The disease in Open Targets", compose.bullets(rows) if rows else nothing, note if result.has_data else ""
    )


def _notes(found: Found) -> str:
    gene, protein, notes = found.gene, found.protein, []
    if gene.matched_as == "synonym":
        notes.append(f"“{compose.plain(gene.asked)}” is not the approved symbol; that is {gene.symbol}.")
    if protein and protein.ensembl and gene.ensembl_id not in protein.ensembl:
        notes.append("The Ensembl gene that the UniProt entry names is another one: check before you join the two.")
    elif protein and protein.ensembl:
        notes.append(f"The UniProt entry names the same Ensembl gene, {gene.ensembl_id}.")
    return " ".join(notes)
