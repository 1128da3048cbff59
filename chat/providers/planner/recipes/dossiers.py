"""Short dossiers from parts of the other recipes: one gene, one drug, one disease."""

from chat.providers.planner import compose
from chat.providers.planner.parts import annotations, trials
from chat.providers.planner.parts.chembl_drugs import add_mechanisms, mechanisms_call
from chat.providers.planner.parts.diseases import choose_disease, disease_call
from chat.providers.planner.parts.drugs import Drug, join_forms, shown, target_drugs_call
from chat.providers.planner.parts.gene_drugs import drug_section, drugs_in_short
from chat.providers.planner.parts.genes import gene_call, read_gene, resolve_protein
from chat.providers.planner.parts.inhibitors import mechanism_text
from chat.providers.planner.parts.kinases import targets_call
from chat.providers.planner.parts.molecules import drug_call, read_molecule
from chat.providers.planner.replay import Recipe, ask
from chat.providers.planner.results import Result, call, text_at
from chat.providers.planner.shapes import Question

FOLLOWED = 8
TARGETS_SHOWN = 10


def gene(question: Question) -> Recipe[str]:
    """Say which gene it is, its protein, its drugs and its pharmacogenomics."""
    name = question.gene or question.identifier("ensembl")
    (gene_result,) = yield from ask(f"Resolve “{name}” to a gene.", gene_call(name))
    found = read_gene(name, gene_result)
    protein, looked = yield from resolve_protein(found)
    listed, graded = yield from ask(
        f"Ask for drugs that act on {found.symbol} and for pharmacogenomic annotations.",
        target_drugs_call(found.symbol, found.ensembl_id),
        annotations.annotations_call(gene=found.symbol),
    )
    drugs = join_forms([(found.symbol, listed)])
    staged = sorted((drug for drug in drugs if drug.best), key=lambda drug: -drug.level)
    first = staged[:FOLLOWED]
    place = ":".join(part for part in (gene_result.text("seq_region_name"), gene_result.text("start")) if part)
    card = f"{gene_result.text('assembly_name')} {place}–{gene_result.text('end')}" if place else ""
    facts = [
        compose.plain(found.name),
        compose.plain(gene_result.text("biotype").replace("_", " ")),
        compose.plain(card),
    ]
    entry = looked[-1] if protein else None
    function = compose.plain(entry.text("function"), 400) if entry else ""
    link = compose.link("uniprot", protein.accession) if protein else ""
    protein_line = f"Protein {link}: {compose.plain(protein.name)}. {function}" if protein else ""
    missing = "" if protein else f"Protein: {compose.said(looked[-1]) or 'no reviewed entry of this gene'}."
    return compose.document(
        f"**{found.reading}**: {'; '.join(fact for fact in facts if fact)}. "
        + drugs_in_short(found.symbol, found.ensembl_id, listed, drugs, first),
        protein_line or missing,
        drug_section(found.symbol, listed, drugs, first),
        annotations.section([(found.symbol, graded)]),
    )


def drug(question: Question) -> Recipe[str]:
    """Say which drug it is, how it acts, what it is for, its warnings, trials and pharmacogenomics."""
    asked = question.identifier("chembl") or question.drugs[0]
    (resolved,) = yield from ask(f"Resolve “{asked}” to a drug.", drug_call(asked))
    molecule = read_molecule(asked, resolved)
    if molecule is None:
        reason = "could not be looked up" if resolved.is_failed else compose.said(resolved)
        return f"The drug “{compose.plain(asked)}”: {reason}. Nothing else was asked."
    name, id = molecule.generic_name, molecule.chembl_id
    parent = Drug(id, molecule.name)
    curated, indications, warnings, registered, graded = yield from ask(
        f"Ask how {name} acts, what it is for, and what trials and annotations there are.",
        mechanisms_call(parent),
        call("chembl__get_drug_indications", "indications of {}", name, chembl_id=id),
        call("chembl__get_drug_warnings", "warnings on {}", name, chembl_id=id),
        trials.trials_call(name, question.disease),
        annotations.annotations_call(drug=name),
    )
    add_mechanisms(parent, curated)
    return compose.document(
        f"**{molecule.reading}.** Mechanism: {mechanism_text(parent, curated)}. "
        + trials.in_short([(name, registered)], question.disease),
        _indication_section(indications),
        _warning_section(warnings),
        trials.section([(name, registered)], question.disease, ()),
        annotations.section([(name, graded)]),
    )


def _indication_section(result: Result) -> str:
    rows = [
        [
            compose.plain(text_at(row, "efo_term") or text_at(row, "mesh_heading")),
            compose.plain(text_at(row, "max_phase_for_ind").removesuffix(".0")),
            compose.link("chembl", text_at(row, "molecule_chembl_id")),
        ]
        for row in result.rows("drug_indications")[:10]
    ]
    if not rows:
        return "" if result.is_failed else f"Indications: {compose.said(result)}."
    note = (
        f"First {len(rows)} of {compose.counted(result.total or len(rows), 'indication')}, {compose.as_of([result])}."
    )
    return compose.section("Indications in ChEMBL", compose.table(("Disease", "Phase", "Form"), rows), note)


def _warning_section(result: Result) -> str:
    lines = []
    for row in result.rows("drug_warnings"):
        facts = [text_at(row, f"warning_{name}") for name in ("year", "country", "class", "description")]
        record = compose.link("chembl", text_at(row, "molecule_chembl_id"))
        kind = compose.plain(text_at(row, "warning_type"))
        lines.append(f"**{kind}**: {compose.plain(', '.join(filter(None, facts)))} ({record}).")
    if not lines:
        return "" if result.is_failed else f"Withdrawals and boxed warnings: {compose.said(result)}."
    return compose.section("Withdrawals and boxed warnings", compose.bullets(lines))


def disease(question: Question) -> Recipe[str]:
    """Say which disease it is, its strongest associated targets, its drugs and trials."""
    words = question.disease
    (search,) = yield from ask(f"Look for the disease “{words}”.", disease_call(words))
    found = choose_disease(words, search)
    if found is None:
        reason = "could not be looked up" if search.is_failed else compose.said(search)
        return f"The disease “{compose.plain(words)}”: {reason}. Nothing else was asked."
    targets, listed = yield from ask(
        f"Ask for targets and drugs of {found.name}.",
        targets_call(found),
        call("opentargets__get_disease_drugs", "drugs tried in {}", found.name, disease_id=found.id),
    )
    drugs = join_forms([(found.name, listed)])
    names = compose.listed([f"{shown(each.name)} {each.ids}" for each in drugs], FOLLOWED)
    rows = [
        [
            compose.plain(text_at(row, "target.approvedSymbol")),
            compose.open_targets_link("target", text_at(row, "target.id")),
            f"{row['score']:.2f}" if isinstance(row.get("score"), int | float) else "",
        ]
        for row in targets.rows("rows")[:TARGETS_SHOWN]
    ]
    count = compose.of_total(listed, "record")
    on_record = (
        f"Drugs tried in it ({count}): {names}." if drugs else f"Drugs: {compose.said(listed) or 'none listed'}."
    )
    total = compose.counted(targets.total or len(rows), "associated target")
    note = f"{len(rows)} of {total}, {compose.as_of([targets])}."
    return compose.document(
        f"{found.reading}. {on_record}",
        compose.section("Associated targets", compose.table(("Gene", "Record", "Score"), rows), note) if rows else "",
    )
