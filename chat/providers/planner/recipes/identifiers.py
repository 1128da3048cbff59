"""One gene, its identifiers: "What are the Ensembl, UniProt and ChEMBL identifiers of HER2?"."""

from chat.providers.planner import compose
from chat.providers.planner.parts.genes import Gene, Protein, gene_call, read_gene, resolve_protein
from chat.providers.planner.recognise import Question
from chat.providers.planner.replay import Recipe, ask
from chat.providers.planner.results import Result

_LABELS = {"HGNC": "HGNC", "GeneID": "NCBI Gene", "MIM": "OMIM", "PharmGKB": "ClinPGx"}


def recipe(question: Question) -> Recipe[str]:
    """Resolve the gene with Ensembl, its protein with UniProt, and list what the entry links to."""
    (found,) = yield from ask(f"Resolve “{question.gene}” to a gene.", gene_call(question.gene))
    gene = read_gene(question.gene, found)
    protein, looked = yield from resolve_protein(gene)
    return compose.document(
        _summary(gene, protein, looked),
        compose.table(("Database", "Identifier", "What it is"), _rows(gene, protein, found)),
        _notes(gene, protein),
    )


def _summary(gene: Gene, protein: Protein | None, looked: tuple[Result, ...]) -> str:
    ensembl = f"{gene.reading} in Ensembl"
    if protein is None:
        reason = next((compose.said(result) for result in looked if not result.has_data), "no entry of this gene")
        return f"{ensembl}. Its UniProt and ChEMBL identifiers are not given here: {reason}."
    chembl = compose.listed([compose.target_link(id) for id in protein.chembl]) or "no target given in the entry"
    return f"{ensembl}, {compose.link('uniprot', protein.accession)} in UniProt, {chembl} in ChEMBL."


def _rows(gene: Gene, protein: Protein | None, found: Result) -> list[list[str]]:
    place = ":".join(part for part in (found.text("seq_region_name"), found.text("start")) if part)
    end, assembly = found.text("end"), found.text("assembly_name")
    where = f", {assembly} {place}–{end}" if place and end and assembly else ""
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


def _notes(gene: Gene, protein: Protein | None) -> str:
    notes = []
    if gene.matched_as == "synonym":
        notes.append(f"“{compose.plain(gene.asked)}” is not the approved symbol; that is {gene.symbol}.")
    if protein and protein.ensembl and gene.ensembl_id not in protein.ensembl:
        notes.append("The Ensembl gene that the UniProt entry names is another one: check before you join the two.")
    elif protein and protein.ensembl:
        notes.append(f"The UniProt entry names the same Ensembl gene, {gene.ensembl_id}.")
    return " ".join(notes)
