"""One variant: what ClinVar says, which drugs act on its gene, trials in a disease, literature, pharmacogenomics."""

from dataclasses import dataclass, field

from chat.providers.planner import compose
from chat.providers.planner.parts import alleles, annotations, clinvar, literature, residues, trials
from chat.providers.planner.parts.diseases import Disease, choose_disease, disease_call
from chat.providers.planner.parts.drugs import Drug, join_forms, shown, target_drugs_call
from chat.providers.planner.parts.gene_drugs import drug_section, drugs_in_short
from chat.providers.planner.parts.genes import Gene, accession_of, gene_call, protein_search_call, read_gene
from chat.providers.planner.parts.leads import leading
from chat.providers.planner.parts.named import shown as shown_if_held
from chat.providers.planner.parts.named import subject
from chat.providers.planner.replay import Recipe, ask
from chat.providers.planner.results import Call, Json, Result, call, records_at, text_at
from chat.providers.planner.shapes import Question

ARTICLES = 5
FOLLOWED = 6


@dataclass
class Found:
    """What the recipe has come to know. Parts that were not asked for stay empty."""

    question: Question
    search: Result
    row: dict[str, Json]
    gene: Gene | None = None
    disease: Disease | None = None
    record: Result | None = None
    dbsnp: Result | None = None
    drug_list: Result | None = None
    annotations: Result | None = None
    accession: str = ""
    residue: Result | None = None
    drugs: list[Drug] = field(default_factory=list)
    followed: list[Drug] = field(default_factory=list)
    trials: dict[str, Result] = field(default_factory=dict)
    articles: Result | None = None
    papers: Result | None = None

    @property
    def name(self) -> str:
        """The variant as the user means it."""
        change = self.question.variants[0]
        return f"{self.gene.symbol} {change}" if self.gene and _is_change(change) else change

    def asked_trials(self) -> list[tuple[str, Result]]:
        """Pair drug names with their trials."""
        return [
            (shown(drug.name), self.trials[drug.chembl_id]) for drug in self.followed if drug.chembl_id in self.trials
        ]


def recipe(question: Question) -> Recipe[str]:
    """Find the variant, then its record, the gene's drugs, papers and annotations, then trials."""
    found = yield from _resolve(question)
    yield from _look_up(found)
    yield from _follow(found)
    return compose.document(
        _summary(found),
        _clinvar_section(found),
        compose.section("The residue in UniProt", residues.listed(found.residue, found.accession)),
        _drugs(found),
        trials.section(
            found.asked_trials(),
            question.disease,
            (question.variants[0], question.gene),
            open_first=question.wants_open_trials,
        ),
        _annotation_section(found),
        _literature(found),
        compose.section("How the question was read", _reading(found)),
        compose.section("Limits, and what to check next", compose.bullets(_limits(found))),
    )


def _is_change(change: str) -> bool:
    return not change.startswith(("rs", "VCV", "N", "ENS"))


def _resolve(question: Question) -> Recipe[Found]:
    """Resolve gene and variant; a variant without a gene brings its gene along."""
    change = question.variants[0]
    words = f"{question.gene} {change}" if question.gene and _is_change(change) else change
    calls = [clinvar.variant_call(words)]
    calls += [gene_call(question.gene)] if question.gene else []
    calls += [disease_call(question.disease)] if question.disease else []
    calls += [_dbsnp_call(change)] if change.startswith("rs") else []
    results = yield from ask(f"Look up {words}.", *calls)
    by_tool = {result.call.tool: result for result in results}
    search = results[0]
    found = Found(question, search, clinvar.first_candidate(search), dbsnp=by_tool.get("ensembl__get_variant"))
    gene_result = by_tool.get("ensembl__lookup_gene") or by_tool.get("ensembl__get_gene")
    if gene_result:
        found.gene = read_gene(question.gene, gene_result)
    else:
        yield from _gene_of_variant(found)
    disease_result = by_tool.get("opentargets__search_entities")
    found.disease = choose_disease(question.disease, disease_result) if disease_result else None
    return found


def _dbsnp_call(rsid: str) -> Call:
    return call("ensembl__get_variant", *subject("variant", rsid), rsid=rsid)


def _gene_of_variant(found: Found) -> Recipe[None]:
    """Take the gene that the variant's records name."""
    named = [str(symbol) for symbol in found.row.get("genes") or []]
    named += [text_at(row, "gene_symbol") for row in records_at(found.dbsnp.data if found.dbsnp else None, "genes")]
    if named and named[0]:
        (result,) = yield from ask(f"The variant lies in {named[0]}: look it up.", gene_call(named[0]))
        found.gene = read_gene(named[0], result)


def _look_up(found: Found) -> Recipe[None]:
    """Ask for the record, the gene's drugs, papers and annotations side by side."""
    calls: dict[str, Call] = {}
    if found.row:
        calls["record"] = clinvar.record_call(text_at(found.row, "variation_id"))
    rsid = text_at(found.row, "rsid")
    if rsid and found.dbsnp is None and not _is_change(found.question.variants[0]):
        calls["dbsnp"] = _dbsnp_call(rsid)
    if found.gene:
        calls["drug_list"] = target_drugs_call(found.gene.symbol, found.gene.ensembl_id)
        calls["annotations"] = annotations.annotations_call(gene=found.gene.symbol)
        if _is_change(found.question.variants[0]):
            calls["protein"] = protein_search_call(found.gene.symbol)
    query = " ".join(part for part in (found.name, found.question.disease) if part)
    calls["articles"] = literature.search_call(query, ARTICLES)
    results = yield from ask(f"Ask what is known of {found.name}.", *calls.values())
    by_name = dict(zip(calls, results, strict=True))
    protein = by_name.pop("protein", None)
    if found.gene and protein:
        found.accession = accession_of(found.gene, protein)
    for name, result in by_name.items():
        setattr(found, name, result)


def _follow(found: Found) -> Recipe[None]:
    """Read the papers; follow the drugs that lead to their trials."""
    pmids = literature.found_pmids(found.articles) if found.articles else []
    residue = residues.residue_call(found.accession, found.question.variants[0])
    calls = [literature.articles_call(pmids, f"articles on {found.name}")] if pmids else []
    results = yield from ask(
        "Read the articles found, and what UniProt knows of the residue.", *calls, *filter(None, [residue])
    )
    by_tool = {result.call.tool: result for result in results}
    found.papers, found.residue = by_tool.get("pubmed__get_articles"), by_tool.get("uniprot__get_variants")
    if not found.gene or not found.drug_list:
        return
    found.drugs = join_forms([(found.gene.symbol, found.drug_list)])
    text = str(found.papers.data) if found.papers and found.papers.has_data else ""
    named = found.question.drugs
    found.followed = leading(found.drugs, named=named, text=text, limit=FOLLOWED)
    names = compose.listed([shown(drug.name) for drug in found.followed])
    calls = [trials_call_of(drug, found) for drug in found.followed]
    results = yield from ask(f"Look for trials of {names}.", *calls)
    found.trials = dict(zip([drug.chembl_id for drug in found.followed], results, strict=True))


def trials_call_of(drug: Drug, found: Found) -> Call:
    """Return the call for a drug's trials in the question's disease."""
    return trials.trials_call(shown(drug.name), found.question.disease)


def _summary(found: Found) -> str:
    parts = _classified_in_short(found)
    told = residues.in_short(found.residue, found.accession, found.question.variants[0])
    parts.append(f"**What it does**: {told}." if told else "")
    if found.gene and found.drug_list:
        gene = found.gene
        parts.append(drugs_in_short(gene.symbol, gene.ensembl_id, found.drug_list, found.drugs, found.followed))
    with_open = found.question.wants_open_trials
    parts.append(trials.in_short(found.asked_trials(), found.question.disease, with_open=with_open))
    return compose.opening(*parts)


def _classified_in_short(found: Found) -> list[str]:
    """Return what ClinVar says, for the question's disease first if it has that."""
    row = found.row
    name = compose.plain(shown_if_held("variant", found.name, (found.search, found.dbsnp)))
    if not row:
        return [f"**{name}**: {compose.said(found.search) or 'no ClinVar record'}."]
    said = clinvar.in_short(row) or "no classification"
    record = found.record.data if found.record and found.record.has_data else None
    disease = compose.plain(found.question.disease)
    if of_disease := clinvar.for_condition(record, found.question.disease):
        return [
            f"**{name}** for {disease}, in ClinVar: {of_disease}.",
            f"**Over all conditions** ({clinvar.record_link(row)}): {said}.",
        ]
    return [f"**{name}** in ClinVar ({clinvar.record_link(row)}): {said}."]


def _reading(found: Found) -> str:
    items = []
    if found.gene:
        items.append(f"{found.gene.reading}: {compose.plain(found.gene.name)}.")
    if found.row:
        read_as = compose.plain(found.search.text("read_as"))
        items.append(f"Variant, read as {read_as}: {clinvar.identity(found.row)}.")
        others = len(found.search.rows("candidates")) - 1
        if others > 0:
            items.append(f"ClinVar holds {compose.counted(others, 'further record')} that fit the name.")
    if found.disease:
        items.append(f"{found.disease.reading}.")
    if found.dbsnp:
        line = alleles.variant_line(found.dbsnp)
        items += [line] if line else []
    return compose.bullets(items) if items else ""


def _clinvar_section(found: Found) -> str:
    if not found.row:
        return ""
    note = f"ClinVar {compose.as_of([found.search])}. The three classifications are separate statements."
    conditions = ""
    if found.record and found.record.has_data:
        listed = clinvar.by_condition(found.record.data, (found.question.disease,))
        conditions = f"{listed} Record {compose.as_of([found.record])}." if listed else ""
    return compose.section("ClinVar", clinvar.statements(found.row), note, conditions)


def _drugs(found: Found) -> str:
    if not found.gene or not found.drug_list:
        return ""
    return drug_section(found.gene.symbol, found.drug_list, found.drugs, found.followed, trials=found.trials)


def _annotation_section(found: Found) -> str:
    if not found.gene or not found.annotations:
        return ""
    question = found.question
    rsid = text_at(found.row, "rsid")
    words = annotations.Words(question.disease, question.drugs, tuple(filter(None, (*question.variants, rsid))))
    return annotations.section([(found.gene.symbol, found.annotations)], about=words if question.disease else None)


def _literature(found: Found) -> str:
    if not found.articles:
        return ""
    read = found.papers if found.papers and found.papers.has_data else found.articles
    papers = literature.cited_list(read) if read.has_data else ""
    return compose.section("Literature", papers, literature.searched_note(found.articles))


def _limits(found: Found) -> list[str]:
    if not found.gene:
        return ["No gene is known of this variant here, so drugs that act on its product were not asked."]
    symbol = found.gene.symbol
    items = [f"The drugs are those on record against {symbol}: whether a drug needs this variant, its label says."]
    if found.drugs and not found.followed:
        items.append("No drug was followed to its trials: nothing in the records read sets one before another.")
    return items
