"""A disease in several vocabularies: its codes, and where a term for a sign and one for a disease share the name."""

from collections.abc import Sequence

from chat.providers.planner import compose
from chat.providers.planner.parts import disease_comments
from chat.providers.planner.parts.diseases import Disease, choose_disease, disease_call, look_up_words
from chat.providers.planner.replay import Recipe, ask
from chat.providers.planner.results import Json, Result, call, list_at, text_at
from chat.providers.planner.shapes import Question

PROTEINS_SHOWN = 4
# How vocabularies are called in Open Targets' lists, and by people.
_LABELS = {
    "DOID": "Disease Ontology",
    "EFO": "EFO",
    "HP": "Human Phenotype Ontology",
    "ICD10": "ICD-10",
    "ICD10CM": "ICD-10-CM",
    "ICD10WHO": "ICD-10 (WHO)",
    "ICD9": "ICD-9",
    "MEDGEN": "MedGen",
    "MESH": "MeSH",
    "MSH": "MeSH",
    "NCIT": "NCI Thesaurus",
    "OMIM": "OMIM",
    "ORPHANET": "Orphanet",
    "SCTID": "SNOMED CT",
    "UMLS": "UMLS",
}
# Of these the prefix belongs to the identifier.
_WITH_PREFIX = ("DOID", "EFO", "HP")


def recipe(question: Question) -> Recipe[str]:
    """Look the disease up in Open Targets, MedGen and UniProt, and read its cross-references."""
    words = question.disease
    with_protein = "protein" in question.tasks
    search, medgen, *filed = yield from ask(
        f"Look for “{words}” in Open Targets, in MedGen{' and in UniProt' if with_protein else ''}.",
        disease_call(words),
        call("clinvar__find_condition", "the condition “{}” in MedGen", words, condition=look_up_words(words)),
        *([disease_comments.search_call(words)] if with_protein else []),
    )
    disease = choose_disease(words, search)
    listed = [each for result in filed for each in disease_comments.found_diseases(result)]
    listed = disease_comments.fitting(words, listed, question.types)
    tool = "opentargets__get_disease_info"
    calls = [call(tool, "the record of {}", disease.name, disease_id=disease.id)] if disease else []
    calls += [disease_comments.proteins_call(listed[0].name)] if listed else []
    results = yield from ask("Read its codes, and which proteins it belongs to.", *calls)
    info = results[0] if disease else None
    proteins = results[-1] if len(calls) > bool(disease) else None
    concept = _concept(medgen)
    return compose.document(
        compose.opening(*_summary(words, search, disease, concept, _protein_words(proteins))),
        _section(disease, info, concept, medgen),
        compose.section("Limits, and what to check next", compose.bullets(_limits(info))),
    )


def _concept(medgen: Result) -> dict[str, Json]:
    """Return MedGen's concept whose name is what was asked, or nothing."""
    return next((row for row in medgen.rows() if row.get("exact") is True), {})


def _summary(words: str, search: Result, disease: Disease | None, concept: Json, proteins: str) -> list[str]:
    if disease is None:
        lead = f"“{compose.plain(words)}” in Open Targets: {compose.said(search) or 'no disease of this name'}."
    else:
        lead = f"**{disease.reading}**: the term under which Open Targets files a disease's evidence, GWAS included."
    phenotypes = [str(id) for id in list_at(concept, "xrefs.hpo")]
    hpo = compose.listed([compose.link("ontology", id) for id in phenotypes])
    linked = f"[{text_at(concept, 'cui')}](https://www.ncbi.nlm.nih.gov/medgen/{text_at(concept, 'cui')})"
    also = f"**A phenotype term shares the name**: {hpo} in the Human Phenotype Ontology (MedGen {linked})."
    return [lead, also if phenotypes else "", proteins]


def _protein_words(proteins: Result | None) -> str:
    if proteins is None:
        return ""
    named = [
        f"{compose.plain(text_at(row, 'geneName'))} {compose.link('uniprot', text_at(row, 'primaryAccession'))}"
        for row in proteins.rows()
    ]
    told = compose.listed(named, PROTEINS_SHOWN) or compose.said(proteins) or "none named"
    return f"**Protein in UniProt's disease comments**: {told}."


def _section(disease: Disease | None, info: Result | None, concept: Json, medgen: Result) -> str:
    rows = (
        [["MONDO", compose.link("ontology", disease.id, disease.id.replace("_", ":")), "Open Targets"]]
        if (disease and disease.id.startswith("MONDO"))
        else []
    )
    rows += [[_label(prefix), id, "Open Targets"] for prefix, id in _codes(info)]
    known = {(row[0], row[1]) for row in rows}
    rows += [row for row in _of_medgen(concept) if (row[0], row[1]) not in known]
    notes = [] if info is None or info.has_data else [f"Open Targets' record: {compose.said(info)}."]
    if not concept:
        notes.append(f"MedGen: {compose.said(medgen) or 'no concept with exactly this name'}.")
    dated = [result for result in (info, medgen) if result and result.has_data]
    notes.append(f"{compose.as_of(dated).capitalize()}." if dated else "")
    return compose.section("Codes", compose.table(("Vocabulary", "Code", "From"), rows), " ".join(filter(None, notes)))


def _label(prefix: str) -> str:
    return _LABELS.get(prefix.upper(), compose.plain(prefix))


def _codes(info: Result | None) -> list[tuple[str, str]]:
    """Return vocabulary and code of each cross-reference, those with a label only."""
    found = []
    for entry in map(str, list_at(info.data, "dbXRefs") if info else []):
        prefix, _, code = entry.partition(":")
        if prefix.upper() in _LABELS and code:
            found.append((prefix, f"{prefix}:{code}" if prefix in _WITH_PREFIX else code))
    return found


def _of_medgen(concept: Json) -> list[list[str]]:
    names: Sequence[tuple[str, str]] = (("hpo", "HP"), ("omim", "OMIM"), ("mesh", "MESH"), ("orphanet", "ORPHANET"))
    return [[_label(prefix), str(id), "MedGen"] for name, prefix in names for id in list_at(concept, f"xrefs.{name}")]


def _limits(info: Result | None) -> list[str]:
    items = ["Two vocabularies seldom mean exactly the same: a code here is a cross-reference, not a definition."]
    count = text_at(info.data, "dbXRefsCount") if info else ""
    if info and count and int(count) > len(list_at(info.data, "dbXRefs")):
        items.append(f"Open Targets has {count} cross-references of this disease; not all were read.")
    return items
