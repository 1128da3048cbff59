"""A gene and a drug: how the gene's variants change the response, by ClinPGx, CPIC and the guidelines."""

from collections.abc import Sequence

from chat.providers.planner import compose
from chat.providers.planner.parts import alleles, annotations, definitions, findings, recommendations
from chat.providers.planner.parts.annotations import annotations_call, read_annotations
from chat.providers.planner.parts.genes import Gene, gene_call, read_gene
from chat.providers.planner.parts.literature import articles_call, cited_list
from chat.providers.planner.parts.molecules import Molecule, drug_call, read_molecule
from chat.providers.planner.parts.stop import AnswerNow
from chat.providers.planner.replay import Recipe, ask
from chat.providers.planner.results import Result, call, list_at, text_at
from chat.providers.planner.shapes import Question

VARIANTS_READ = 2
PAPERS_READ = 2


def recipe(question: Question) -> Recipe[str]:
    """Resolve gene and drug, then ask for annotations, pairs, guidelines, alleles, frequencies, recommendations."""
    why = f"Resolve “{question.gene}” to a gene and “{question.drugs[0]}” to a drug."
    found, drug_result = yield from ask(why, gene_call(question.gene), drug_call(question.drugs[0]))
    gene = read_gene(question.gene, found)
    drug = read_molecule(question.drugs[0], drug_result)
    if drug_result.is_empty or drug_result.is_unknown:
        raise AnswerNow(f"ChEMBL knows no drug called “{compose.plain(question.drugs[0])}”. Check the spelling.")
    name = drug.generic_name if drug else question.drugs[0].lower()
    pair = {"gene_symbol": gene.symbol, "drug_name": name}
    both = f"{gene.symbol} and {name}"
    results = yield from ask(
        f"Ask ClinPGx and CPIC what is known of {both}.",
        annotations_call(drug=name, gene=gene.symbol),
        call("clinpgx__search_cpic_pairs", "the CPIC pair {}", both, **pair),
        call("clinpgx__search_guideline_annotations", "guidelines on {}", both, **pair),
        call("clinpgx__get_cpic_recommendations", "CPIC recommendations on {}", both, **pair),
        call("clinpgx__search_star_alleles", "star alleles of {}", gene.symbol, gene_symbol=gene.symbol),
        call("clinpgx__get_allele_frequencies", "allele frequencies of {}", gene.symbol, gene_symbol=gene.symbol),
    )
    graded, pairs, guidelines, recommended, star, frequencies = results
    read = yield from _read_more(question, pairs)
    defined = yield from _defined(question, gene, star)
    papers = yield from _papers(question, gene, name)
    return compose.document(
        compose.opening(*_summary(gene, name, results), *(each.told for each in defined)),
        *papers,
        _guideline_section(pairs, guidelines, recommended, gene),
        alleles.section(gene, star, frequencies),
        _annotation_section(graded),
        *_more(read),
        compose.section("How the question was read", _reading(gene, drug, question.drugs[0], drug_result)),
        compose.section("Limits, and what to check next", compose.bullets(_limits(gene, name))),
    )


def _read_more(question: Question, pairs: Result) -> Recipe[tuple[Result, ...]]:
    """Read the variants that the question names by rsID, and the guideline's newest paper."""
    rsids = [value for value in question.variants if value.startswith("rs")][:VARIANTS_READ]
    pmids = {str(pmid) for row in pairs.rows() for pmid in list_at(row, "pmids") if str(pmid).isdigit()}
    calls = [call("ensembl__get_variant", "the variant {}", rsid, rsid=rsid) for rsid in rsids]
    if pmids:
        # Numbers grow with time.
        calls.append(articles_call([max(pmids, key=int)], "the guideline's newest paper"))
    results = yield from ask("Read the variants and the guideline's newest paper.", *calls)
    return results


def _defined(question: Question, gene: Gene, star: Result) -> Recipe[list[definitions.Definition]]:
    """Define the alleles that the question names, if it asks where they lie."""
    if "definition" not in question.tasks:
        return []
    wanted = [f"*{allele.partition('*')[2]}" for allele in question.alleles]
    return (yield from definitions.define(gene.symbol, star, wanted))


def _papers(question: Question, gene: Gene, name: str) -> Recipe[list[str]]:
    """Read what ClinPGx has from the papers that the question names."""
    blocks = []
    for pmid in question.identified("pmid")[:PAPERS_READ]:
        found, searches = yield from findings.read_paper(pmid, [gene.symbol], name)
        blocks.append(findings.section(found, searches))
    return blocks


def _summary(gene: Gene, name: str, results: Sequence[Result]) -> list[str]:
    """Answer in a few lines: what CPIC has, what the alleles do, what is recommended, what it rests on."""
    graded, pairs, guidelines, recommended, star, frequencies = results
    both = f"{gene.symbol} and {compose.plain(name)}"
    found = recommendations.read_recommendations(recommended, gene.symbol)
    functions = alleles.in_short(gene, star, frequencies)
    effect = recommendations.effect_in_short(found)
    pair = next(iter(pairs.rows()), None)
    level = f"**CPIC gives {both} level {text_at(pair, 'cpiclevel')}** ({_guideline_link(pair)})" if pair else ""
    return [
        f"{level or f'**CPIC pair of {both}**: {compose.said(pairs)}'}.",
        f"**How the alleles change it** (CPIC): {functions}." if functions else "",
        f"**Effect** (CPIC): {effect}." if effect else "",
        *(f"**CPIC recommends**, {text}." for text in recommendations.in_short(found)),
        f"**Evidence**: {_evidence(both, graded, guidelines)}.",
    ]


def _evidence(both: str, graded: Result, guidelines: Result) -> str:
    found = read_annotations(graded)
    if not found:
        parts = [f"clinical annotations on {both}: {compose.said(graded)}"]
    else:
        strongest = [each for each in found if each.level == found[0].level]
        kinds = compose.listed(list(dict.fromkeys(kind.lower() for each in strongest for kind in each.kinds)))
        links = compose.listed([each.link for each in strongest], 3)
        parts = [
            f"ClinPGx has {compose.of_total(graded, 'clinical annotation')} on {both}, {len(strongest)} of the "
            f"strongest level {found[0].level}, on {kinds} ({links})"
        ]
    sources = list(dict.fromkeys(text_at(row, "source") for row in guidelines.rows()))
    if sources:
        parts.append(f"guideline annotations exist from {compose.listed(sources)}")
    return "; ".join(parts)


def _guideline_link(pair: dict[str, object]) -> str:
    url = text_at(pair, "guidelineurl")
    return (
        compose.link("clinpgx", url.rpartition("/")[2], text_at(pair, "guidelinename") or "guideline", url)
        or "no guideline"
    )


def _guideline_number(pair: dict[str, object]) -> str:
    """Return the number of the guideline's page, by which it is cited."""
    number = text_at(pair, "guidelineurl").rpartition("/")[2]
    return f", {number}" if number else ""


def _reading(gene: Gene, drug: Molecule | None, asked: str, result: Result) -> str:
    items = [f"{gene.reading}: {compose.plain(gene.name)}."]
    items.append(f"{drug.reading}." if drug else f"“{compose.plain(asked)}” in ChEMBL: {compose.said(result)}.")
    return compose.bullets(items)


def _annotation_section(graded: Result) -> str:
    found = read_annotations(graded)
    note = f"{compose.of_total(graded, 'annotation')}, {compose.as_of([graded])}." if found else ""
    if not found and not graded.is_failed:
        note = f"Clinical annotations: {compose.said(graded)}."
    rows = [each.row() for each in found]
    return compose.section("Clinical annotations", compose.table(annotations.HEAD, rows) if rows else "", note)


def _guideline_section(pairs: Result, guidelines: Result, recommended: Result, gene: Gene) -> str:
    items = []
    for row in pairs.rows():
        testing = text_at(row, "pgxtesting")
        pmids = [compose.link("pmid", str(pmid)) for pmid in list_at(row, "pmids")]
        status = " (provisional)" if row.get("provisional") is True else ""
        items.append(
            f"CPIC: {text_at(row, 'genesymbol')} and {compose.plain(text_at(row, 'drugname'))}, level "
            f"{text_at(row, 'cpiclevel')}{status}, ClinPGx level {text_at(row, 'clinpgxlevel') or 'not given'}"
            + (f", label: {compose.plain(testing)}" if testing else "")
            + f"; {_guideline_link(row)}{_guideline_number(row)}"
            + (f"; papers {compose.listed(pmids)}" if pmids else "")
            + "."
        )
    for row in guidelines.rows():
        record = compose.link("clinpgx", text_at(row, "id"), url=text_at(row, "url"))
        summary = compose.plain(text_at(row, "summary"), 400)
        items.append(f"{compose.plain(text_at(row, 'name'))} ({record})" + (f": {summary}" if summary else "") + ".")
    nothing = [
        f"{result.call.about}: {compose.said(result)}" for result in (pairs, guidelines, recommended) if result.is_empty
    ]
    if nothing:
        items.append(f"{compose.listed(nothing)}.")
    listed = compose.bullets(items) if items else ""
    return compose.section("Guidelines", _recommendations(recommended, gene), listed)


def _recommendations(result: Result, gene: Gene) -> str:
    found = recommendations.read_recommendations(result, gene.symbol)
    if not found:
        return ""
    link = _guideline_link(result.rows()[0])
    note = (
        f"From the guideline {link}: {compose.of_total(result, 'recommendation')}, {compose.as_of([result])}; groups "
        "of patients with the same one share a line."
    )
    spelled = recommendations.abbreviations(found)
    return compose.document(recommendations.listed(found, gene.symbol), " ".join(filter(None, (note, spelled))))


def _more(read: Sequence[Result]) -> list[str]:
    blocks = []
    variants = [alleles.variant_line(result) for result in read if result.call.tool == "ensembl__get_variant"]
    blocks.append(compose.section("Variants", compose.bullets(line for line in variants if line)))
    for result in read:
        if result.call.tool == "pubmed__get_articles":
            blocks.append(compose.section("Literature", cited_list(result)))
    return blocks


def _limits(gene: Gene, name: str) -> list[str]:
    return [
        f"Drug labels on {compose.plain(name)} were not asked.",
        f"A genotype is more than one variant: alleles of {gene.symbol} are called from several positions.",
    ]
