"""A gene in a disease, mutated or not: drugs on it, how they act, a variant, trials, annotations, papers."""

from dataclasses import dataclass, field

from chat.providers.planner import compose
from chat.providers.planner.parts import annotations, chembl_drugs, clinvar, inhibitors, literature, residues, trials
from chat.providers.planner.parts.diseases import Disease, choose_disease, disease_call
from chat.providers.planner.parts.drugs import Drug, join_forms, shown, target_drugs_call
from chat.providers.planner.parts.gene_drugs import drug_section, drugs_in_short
from chat.providers.planner.parts.genes import (
    Gene,
    accession_of,
    gene_call,
    protein_search_call,
    proteins_in,
    read_gene,
)
from chat.providers.planner.parts.leads import leading
from chat.providers.planner.parts.stop import refuse_absent_marker
from chat.providers.planner.replay import Recipe, ask
from chat.providers.planner.results import Result, records_at, text_at
from chat.providers.planner.shapes import Question

ARTICLES = 5
# Drugs that are followed to mechanism, trials and annotations.
FOLLOWED = 3
NAMED_SHOWN = 4


@dataclass
class Found:
    """What the recipe has come to know."""

    question: Question
    gene: Gene
    disease: Disease | None
    accession: str = ""
    variant: Result | None = None
    drug_list: Result | None = None
    residue: Result | None = None
    drugs: list[Drug] = field(default_factory=list)
    followed: list[Drug] = field(default_factory=list)
    curated: dict[str, Result] = field(default_factory=dict)
    trials: dict[str, Result] = field(default_factory=dict)
    annotations: dict[str, Result] = field(default_factory=dict)
    articles: Result | None = None
    papers: Result | None = None
    by_target: Result | None = None

    @property
    def change(self) -> str:
        """The variant of the question, as a protein change."""
        return next(iter(self.question.variants), "")

    def named(self, results: dict[str, Result]) -> list[tuple[str, Result]]:
        """Pair the followed drugs' names with what was asked about each."""
        return [(shown(drug.name), results[drug.chembl_id]) for drug in self.followed if drug.chembl_id in results]


def recipe(question: Question) -> Recipe[str]:
    """Resolve gene, disease and variant; list the gene's drugs; follow the leading ones."""
    refuse_absent_marker(question)
    words = f"{question.gene}, “{question.disease}”" + "".join(f", {change}" for change in question.variants[:1])
    calls = [gene_call(question.gene), disease_call(question.disease)]
    change = next(iter(question.variants), "")
    if change:
        calls.append(clinvar.variant_call(f"{question.gene} {change}"))
    results = yield from ask(f"Resolve {words}.", *calls)
    gene = read_gene(question.gene, results[0])
    found = Found(question, gene, choose_disease(question.disease, results[1]))
    found.variant = results[2] if change else None
    yield from _look_up(found)
    yield from _follow(found)
    return compose.document(
        _summary(found),
        _variant_section(found),
        _drugs(found),
        trials.section(
            found.named(found.trials), question.disease, (change, question.gene), open_first=question.wants_open_trials
        ),
        _annotation_section(found),
        _literature(found),
        compose.section("How the question was read", _reading(found, results[1])),
        compose.section("Limits, and what to check next", compose.bullets(_limits(found))),
    )


def _look_up(found: Found) -> Recipe[None]:
    """Ask for the gene's drugs, its protein and papers side by side, then for the residue."""
    gene, question = found.gene, found.question
    query = " ".join([*question.drugs[:1], gene.symbol, found.change or question.disease])
    calls = [
        target_drugs_call(gene.symbol, gene.ensembl_id),
        protein_search_call(gene.symbol),
        literature.search_call(query, ARTICLES),
        annotations.annotations_call(gene=gene.symbol),
    ]
    results = yield from ask(f"Ask for drugs that act on {gene.symbol}, its protein, and papers.", *calls)
    found.drug_list, protein, found.articles, found.annotations[""] = results
    found.accession = accession_of(gene, protein)
    found.drugs = join_forms([(gene.symbol, found.drug_list)])
    calls = []
    pmids = literature.found_pmids(found.articles)
    if pmids:
        calls.append(literature.articles_call(pmids, f"articles on {query}"))
    residue = residues.residue_call(found.accession, found.change)
    calls += [residue] if residue else []
    target = next((each.chembl[0] for each in proteins_in(protein) if each.gene == gene.symbol and each.chembl), "")
    if target and found.drugs:
        calls.append(chembl_drugs.by_target_call(gene.symbol, target))
    why = f"Read the articles, what UniProt knows of the residue, and how the drugs act on {gene.symbol}."
    by_tool = {result.call.tool: result for result in (yield from ask(why, *calls))}
    found.papers = by_tool.get("pubmed__get_articles")
    found.residue = by_tool.get("uniprot__get_variants")
    found.by_target = by_tool.get("chembl__find_drugs_by_target")
    if found.by_target:
        chembl_drugs.add_by_target(found.drugs, gene.symbol, found.by_target)


def _follow(found: Found) -> Recipe[None]:
    """Follow the leading drugs to trials and annotations, and to mechanisms where the target's list has none."""
    text = str(found.papers.data) if found.papers and found.papers.has_data else ""
    found.followed = leading(found.drugs, named=found.question.drugs, text=text, limit=FOLLOWED)
    drugs = found.followed
    names = compose.listed([shown(drug.name) for drug in drugs])
    untold = [drug for drug in drugs if not any(each.form for each in drug.mechanisms)]
    results = yield from ask(
        f"Follow {names} to trials and annotations.",
        *(trials.trials_call(shown(drug.name), found.question.disease) for drug in drugs),
        *(annotations.annotations_call(drug=shown(drug.name)) for drug in drugs),
        *(chembl_drugs.mechanisms_call(drug) for drug in untold),
    )
    ids, count = [drug.chembl_id for drug in drugs], len(drugs)
    found.trials = dict(zip(ids, results[:count], strict=True))
    found.annotations |= dict(zip(ids, results[count : 2 * count], strict=True))
    found.curated = dict(zip([drug.chembl_id for drug in untold], results[2 * count :], strict=True))
    for drug in untold:
        chembl_drugs.add_mechanisms(drug, found.curated[drug.chembl_id])


def _annotation_section(found: Found) -> str:
    of_gene = [(found.gene.symbol, found.annotations[""])] if "" in found.annotations else []
    asked = [*of_gene, *found.named(found.annotations)]
    words = annotations.Words(
        found.question.disease,
        tuple(found.question.drugs),
        (*found.question.variants, *residues.rsids_in(found.residue)),
    )
    return annotations.section(asked, about=words)


def _summary(found: Found) -> str:
    gene, parts = found.gene, []
    listed = found.drug_list
    drugs = drugs_in_short(gene.symbol, gene.ensembl_id, listed, found.drugs, found.followed) if listed else ""
    named = found.followed[:1] if found.question.drugs else []
    parts += [_drug_in_short(found, drug) for drug in named] or [drugs]
    if found.change and found.variant:
        parts.append(_change_in_short(found, found.variant))
    with_open = found.question.wants_open_trials
    parts.append(trials.in_short(found.named(found.trials), found.question.disease, with_open=with_open))
    parts += [drugs] if named else []
    return compose.opening(*parts)


def _drug_in_short(found: Found, drug: Drug) -> str:
    mechanism = inhibitors.mechanism_text(drug, found.curated.get(drug.chembl_id))
    stage = f", {drug.linked_stage}" if drug.linked_stage else ""
    return f"**{shown(drug.name).capitalize()}** on {found.gene.symbol}{stage}: {mechanism}."


def _change_in_short(found: Found, variant: Result) -> str:
    """Say what UniProt and ClinVar know of the change, in one sentence."""
    gene, row = found.gene.symbol, clinvar.first_candidate(variant)
    told = residues.in_short(found.residue, found.accession, found.change)
    said = (
        f"{clinvar.in_short(row) or 'no classification'} ({clinvar.record_link(row)})" if row else compose.said(variant)
    )
    named = _naming(found)
    in_titles = f"; named in the title of {compose.listed(named, NAMED_SHOWN)}" if named else ""
    return f"**{gene} {found.change}**{f': {told}' if told else ''}{in_titles}; in ClinVar: {said}."


def _naming(found: Found) -> list[str]:
    """Return the trials and papers whose title names the change."""
    read = found.papers if found.papers and found.papers.has_data else found.articles
    papers = records_at(read.data, "articles") if read and read.has_data else []
    listed = [trial for _, result in found.named(found.trials) for trial in trials.read_trials(result)]
    links = [compose.link("nct", each.nct_id) for each in listed if found.change.casefold() in each.title.casefold()]
    named = [text_at(row, "pmid") for row in papers if found.change.casefold() in text_at(row, "title").casefold()]
    return [*dict.fromkeys(links), *(compose.link("pmid", pmid) for pmid in named if pmid)]


def _reading(found: Found, disease_search: Result) -> str:
    protein = f", protein {compose.link('uniprot', found.accession)}" if found.accession else ""
    items = [f"{found.gene.reading}{protein}: {compose.plain(found.gene.name)}."]
    asked = compose.plain(found.question.disease)
    items.append(f"{found.disease.reading}." if found.disease else f"“{asked}”: {compose.said(disease_search)}.")
    return compose.bullets(items)


def _variant_section(found: Found) -> str:
    if not found.change or not found.variant:
        return ""
    row = clinvar.first_candidate(found.variant)
    blocks = [f"{clinvar.identity(row)}.", clinvar.statements(row)] if row else []
    return compose.section(
        f"{found.gene.symbol} {found.change}", *blocks, residues.listed(found.residue, found.accession)
    )


def _drugs(found: Found) -> str:
    if not found.drug_list:
        return ""
    listed = found.drug_list
    return drug_section(found.gene.symbol, listed, found.drugs, found.followed, found.curated, found.trials)


def _literature(found: Found) -> str:
    if not found.articles:
        return ""
    read = found.papers if found.papers and found.papers.has_data else found.articles
    papers = literature.cited_list(read) if read.has_data else ""
    return compose.section("Literature", papers, literature.searched_note(found.articles))


def _limits(found: Found) -> list[str]:
    items = ["Trials were searched by condition and drug name, not by mutation: check eligibility in the record."]
    if found.change and found.question.drugs:
        items.append(
            f"How a drug binds {compose.plain(found.change)} is in no field of the records read: see the papers."
        )
    if "resistance" in found.question.tasks and not found.change:
        items.append(
            "Resistance: the question names no variant, so no variant's own records were read. Ask again with the "
            "variant's name to have them read."
        )
    if found.drugs and not found.followed:
        items.append("No drug was followed further: the question names none that is on record, and no stage is known.")
    missing = [name for name in found.question.drugs if name.lower() not in [drug.name.lower() for drug in found.drugs]]
    if missing and found.drug_list and found.drug_list.has_data:
        items.append(
            f"Not on record against {found.gene.symbol}: {compose.listed([compose.plain(m) for m in missing])}."
        )
    return items
