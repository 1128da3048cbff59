"""One pathway by its Reactome id: its name and species, and the proteins that the question names in it."""

from chat.providers.planner import compose
from chat.providers.planner.replay import Recipe, ask
from chat.providers.planner.results import Result, call, text_at
from chat.providers.planner.shapes import Question

PROTEINS_READ = 4
NAMED = "the pathway that the question names"
MEMBERS_SHOWN = 12
SUMMARY_MAX_CHARS = 500


def recipe(question: Question) -> Recipe[str]:
    """Read the pathway, who takes part, and the proteins whose accession the question names."""
    id = question.identifier("reactome")
    accessions = question.identified("uniprot")[:PROTEINS_READ]
    record, parts, *proteins = yield from ask(
        f"Read {id} and who takes part.",
        call("reactome__get_pathway", NAMED, reactome_id=id),
        call("reactome__get_pathway_participants", f"members of {NAMED}", reactome_id=id),
        *(call("uniprot__get_protein", "the protein that the question names", accession=each) for each in accessions),
    )
    name = compose.plain(record.text("displayName"))
    link = compose.link("reactome", record.text("stId"))
    species = compose.plain(record.text("speciesName"))
    lead = (
        f"**{name}** ({link}), {species or 'species not recorded'}."
        if name
        else f"The pathway that the question names: {compose.said(record)}."
    )
    return compose.document(
        compose.opening(lead, *(_protein(each, parts) for each in proteins)),
        compose.section("Summary", compose.plain(record.text("summation"), SUMMARY_MAX_CHARS)),
        _members(parts),
    )


def _protein(protein: Result, parts: Result) -> str:
    """Say which protein an accession is, and whether it takes part."""
    accession = protein.text("primaryAccession")
    if not accession:
        return f"The protein that the question names: {compose.said(protein) or 'an entry without accession'}."
    link = compose.link("uniprot", accession)
    length = protein.text("length")
    facts = [compose.plain(protein.text("proteinName")), f"{length} residues" if length else ""]
    gene = compose.plain(protein.text("geneName")) or "no gene named"
    inside = any(text_at(row, "identifier") == accession for row in parts.rows("participants"))
    role = "takes part in it" if inside else _not_inside(parts)
    return f"**{gene}** ({link}; {', '.join(filter(None, facts))}) {role}."


def _not_inside(parts: Result) -> str:
    if parts.is_failed:
        return f"may take part: its members are {compose.said(parts)}"
    if parts.is_snapshot_part or (parts.total or 0) > (parts.returned or 0):
        return "is not among the members that were read, of which not all are here"
    return "is not among its members"


def _members(parts: Result) -> str:
    rows = [row for row in parts.rows("participants") if text_at(row, "database") == "uniprot"]
    names = [
        f"{compose.plain(text_at(row, 'geneName'))} {compose.link('uniprot', text_at(row, 'identifier'))}"
        for row in rows
    ]
    note = f"Looked at {compose.of_total(parts, 'participant')}, {compose.as_of([parts])}." if names else ""
    return compose.section("Proteins that take part", f"{compose.listed(names, MEMBERS_SHOWN)}." if names else "", note)
