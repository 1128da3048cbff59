"""A gene in a disease, mutated or not: drugs on it, how they act, a variant, trials, annotations, papers."""

import re
from dataclasses import dataclass, field

from chat.providers.planner import compose
from chat.providers.planner.parts import annotations, clinvar, inhibitors, literature, trials
from chat.providers.planner.parts.diseases import Disease, choose_disease, disease_call
from chat.providers.planner.parts.drugs import Drug, join_forms, shown, target_drugs_call
from chat.providers.planner.parts.gene_drugs import drug_section, drugs_in_short
from chat.providers.planner.parts.genes import Gene, accession_of, gene_call, protein_search_call, read_gene
from chat.providers.planner.parts.leads import leading
from chat.providers.planner.parts.stop import refuse_absent_marker
from chat.providers.planner.recognise import Question
from chat.providers.planner.replay import Recipe, ask
from chat.providers.planner.results import Call, Result, call, list_at, records_at, text_at

ARTICLES = 5
# Drugs that are followed to mechanism, trials and annotations.
FOLLOWED = 3


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
        compose.section("How the question was read", _reading(found, results[1])),
        _variant_section(found),
        _drugs(found),
        trials.section(found.named(found.trials), question.disease, (change, question.gene)),
        annotations.section(_annotated(found)),
        _literature(found),
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
    position = "".join(filter(str.isdigit, found.change))
    if found.accession and position:
        calls.append(_residue_call(found.accession, int(position)))
    for result in (yield from ask("Read the articles, and what UniProt knows of the residue.", *calls)):
        if result.call.tool == "pubmed__get_articles":
            found.papers = result
        else:
            found.residue = result


def _residue_call(accession: str, position: int) -> Call:
    about = f"natural variants of {accession} at residue {position}"
    return call("uniprot__get_variants", about, accession=accession, position=position)


def _follow(found: Found) -> Recipe[None]:
    """Follow the leading drugs to mechanisms, trials and annotations."""
    text = str(found.papers.data) if found.papers and found.papers.has_data else ""
    found.followed = leading(found.drugs, named=found.question.drugs, text=text, limit=FOLLOWED)
    drugs = found.followed
    names = compose.listed([shown(drug.name) for drug in drugs])
    results = yield from ask(
        f"Follow {names} to mechanism, trials and annotations.",
        *(inhibitors.mechanisms_call(drug) for drug in drugs),
        *(trials.trials_call(shown(drug.name), found.question.disease) for drug in drugs),
        *(annotations.annotations_call(drug=shown(drug.name)) for drug in drugs),
    )
    ids, count = [drug.chembl_id for drug in drugs], len(drugs)
    found.curated = dict(zip(ids, results[:count], strict=True))
    found.trials = dict(zip(ids, results[count : 2 * count], strict=True))
    found.annotations |= dict(zip(ids, results[2 * count :], strict=True))


def _annotated(found: Found) -> list[tuple[str, Result]]:
    of_gene = [(found.gene.symbol, found.annotations[""])] if "" in found.annotations else []
    return [*of_gene, *found.named(found.annotations)]


def _summary(found: Found) -> str:
    gene, parts = found.gene, []
    if found.drug_list:
        parts.append(drugs_in_short(gene.symbol, gene.ensembl_id, found.drug_list, found.drugs, found.followed))
    for drug in found.followed[:1]:
        curated = found.curated.get(drug.chembl_id)
        if curated and curated.has_data:
            parts.append(f"{shown(drug.name).capitalize()}: {inhibitors.mechanism_text(drug, curated)}.")
    if found.change and found.variant:
        row = clinvar.first_candidate(found.variant)
        said = (
            f"{clinvar.in_short(row) or 'no classification'} ({clinvar.record_link(row)})"
            if row
            else compose.said(found.variant)
        )
        parts.append(f"{gene.symbol} {found.change} in ClinVar: {said}.")
    parts.append(trials.in_short(found.named(found.trials), found.question.disease))
    return " ".join(part for part in parts if part)


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
    return compose.section(f"{found.gene.symbol} {found.change}", *blocks, _residue(found))


def _residue(found: Found) -> str:
    if found.residue is None:
        return ""
    lines = []
    for row in records_at(found.residue.data, "variants"):
        new = compose.listed([str(each) for each in list_at(row, "alternativeSequences")])
        ids = compose.listed([compose.link("rsid", str(rsid)) for rsid in list_at(row, "dbSNP")])
        change = f"{text_at(row, 'originalSequence')}{text_at(row, 'start')}{new}"
        description = re.sub(r"(?:; )?dbSNP:rs\d+", "", text_at(row, "description"))
        facts = "; ".join(part for part in (compose.plain(description), ids) if part)
        lines.append(f"UniProt {compose.link('uniprot', found.accession)}, {change}: {facts}.")
    if not lines and not found.residue.is_failed:
        return f"Natural variants at this residue: {compose.said(found.residue) or 'none listed'}."
    return compose.bullets(lines) if lines else ""


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
    if found.drugs and not found.followed:
        items.append("No drug was followed further: the question names none that is on record, and no stage is known.")
    missing = [name for name in found.question.drugs if name.lower() not in [drug.name.lower() for drug in found.drugs]]
    if missing and found.drug_list and found.drug_list.has_data:
        items.append(
            f"Not on record against {found.gene.symbol}: {compose.listed([compose.plain(m) for m in missing])}."
        )
    return items
