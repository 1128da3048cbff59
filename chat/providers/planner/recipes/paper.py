"""One paper by its PubMed number: its citation, whether it can be read freely, and what was curated from it."""

from collections.abc import Sequence
from dataclasses import dataclass

from chat.providers.planner import compose
from chat.providers.planner.parts import alleles, findings
from chat.providers.planner.parts.literature import articles_call
from chat.providers.planner.replay import Recipe, ask
from chat.providers.planner.results import Json, Result, call, list_at, records_at, text_at
from chat.providers.planner.shapes import Question

PAPERS_READ = 3
NAMED = "the paper that the question names"
VARIANTS_READ = 4
SUBSTANCES_SHOWN = 12
AUTHORS_SHOWN = 4


@dataclass(frozen=True)
class Paper:
    """What was looked up of one paper."""

    pmid: str
    article: Result
    converted: Result
    access: Result | None
    found: list[findings.Finding]
    searches: tuple[Result, ...]
    variants: tuple[Result, ...]

    @property
    def row(self) -> dict[str, Json]:
        """PubMed's record, or nothing."""
        return next(iter(records_at(self.article.data, "articles")), {})

    @property
    def ids(self) -> dict[str, Json]:
        """The paper's other identifiers, or nothing."""
        return next(iter(records_at(self.converted.data, "records")), {})


def recipe(question: Question) -> Recipe[str]:
    """Read each paper that the question names, and what ClinPGx has from it if a drug is named."""
    blocks = []
    for pmid in question.identified("pmid")[:PAPERS_READ]:
        paper = yield from _read(question, pmid)
        blocks.append(_block(paper))
    return compose.document(*blocks)


def _read(question: Question, pmid: str) -> Recipe[Paper]:
    access = call("europepmc__get_article", f"the access to {NAMED}", pmid=pmid)
    article, converted, *rest = yield from ask(
        f"Read PMID {pmid} in PubMed, and whether PubMed Central has it.",
        articles_call([pmid], NAMED),
        call("pubmed__convert_ids", f"other identifiers of {NAMED}", ids=[pmid]),
        *([access] if "access" in question.tasks else []),
    )
    found, searches = yield from curated(question, pmid)
    calls = [
        call("ensembl__get_variant", "the variant {}", rsid, rsid=rsid)
        for rsid in findings.rsids(found)[:VARIANTS_READ]
    ]
    variants = yield from ask("Where do these variants lie?", *calls)
    return Paper(pmid, article, converted, next(iter(rest), None), found, searches, variants)


def curated(question: Question, pmid: str) -> Recipe[tuple[list[findings.Finding], tuple[Result, ...]]]:
    """Return what ClinPGx has from a paper on the question's drug; without a drug nothing is asked."""
    if not question.drugs:
        return [], ()
    drug = question.drugs[0].lower()
    genes = question.genes
    if not genes:
        genes = yield from findings.genes_of_drug(drug)
    variants = [*question.alleles, *(name for name in question.variants if name.startswith("rs"))]
    return (yield from findings.read_paper(pmid, genes, drug, variants))


def _block(paper: Paper) -> str:
    places = [alleles.variant_line(result) for result in paper.variants]
    return compose.document(
        compose.opening(*_summary(paper)),
        findings.section(paper.found, paper.searches, [line for line in places if line]),
        compose.section("How PubMed files it", compose.bullets(_filed(paper.row))),
    )


def _summary(paper: Paper) -> list[str]:
    row, link = paper.row, compose.link("pmid", paper.pmid)
    if not row:
        reason = compose.said(paper.article) or "PubMed has no such article"
        # A number that only the question has is not repeated: nothing here stands for it.
        return [f"**The paper that the question names**: {reason}.", *_free_text(paper), *_in_short(paper.found)]
    title = compose.plain(text_at(row, "title").rstrip("."))
    source = [text_at(row, "journal") or text_at(row, "source"), text_at(row, "pubdate")]
    doi = text_at(row, "doi") or text_at(paper.ids, "doi")
    return [
        f"**{title}** ({link}){', ' if any(source) else ''}{compose.plain(', '.join(filter(None, source)))}.",
        f"**DOI**: {compose.link('doi', doi)}." if doi else "",
        *_free_text(paper),
        *_retraction(paper, row),
        *_in_short(paper.found),
    ]


def _free_text(paper: Paper) -> list[str]:
    """Say whether PubMed Central has a copy: "no" is an answer of its own, "not known" another."""
    if paper.converted.is_failed or not paper.ids:
        return [f"**Free full text**: not known, {compose.said(paper.converted) or 'no answer on this number'}."]
    pmcid = text_at(paper.ids, "pmcid")
    if pmcid:
        return [f"**Full text**: a copy is in PubMed Central, {compose.link('pmcid', pmcid)}.", *_access(paper.access)]
    if paper.ids.get("in_pmc") is False:
        return ["**Free full text**: not in PMC (PubMed Central has no copy)."]
    return []


def _access(access: Result | None) -> list[str]:
    """Say whether the copy is open access: to be read is not to be reused."""
    if access is None or not access.has_data:
        return [f"**Open access**: not known, {compose.said(access)}."] if access else []
    is_open = access.data.get("open_access") if isinstance(access.data, dict) else None
    if not isinstance(is_open, bool):
        return ["**Open access**: Europe PMC does not say."]
    told = "open access" if is_open else "not open access: it can be read there, not reused"
    return [f"**Open access**: {told} (Europe PMC, {compose.as_of([access])})."]


def _retraction(paper: Paper, row: Json) -> list[str]:
    """Say if PubMed marks the paper as retracted or corrected; silence is not proof where the record is a part."""
    kinds = [text_at(each, "type") for each in records_at(row, "corrections")]
    marked = [kind for kind in kinds if kind.startswith(("Retract", "ExpressionOfConcern"))]
    types = [str(kind) for kind in list_at(row, "pubtypes")]
    if marked or "Retracted Publication" in types:
        return [f"**Retracted or under concern**, by PubMed: {compose.plain(compose.listed(marked) or 'retracted')}."]
    if paper.article.is_snapshot_part:
        return []
    return [f"No retraction or expression of concern in PubMed, {compose.as_of([paper.article])}."]


def _in_short(found: Sequence[findings.Finding]) -> list[str]:
    said = {"yes": "found", "no": "not associated"}
    parts = [
        f"{compose.listed(list(map(compose.plain, each.genes)))} {said.get(each.significance.casefold(), 'not stated')}"
        for each in found
    ]
    return [f"**ClinPGx from this paper**: {compose.listed(list(dict.fromkeys(parts)))}."] if parts else []


def _filed(row: Json) -> list[str]:
    authors = [str(name) for name in list_at(row, "authors")]
    count = text_at(row, "authorCount")
    banks = [
        compose.link("nct", str(id))
        for bank in records_at(row, "databanks")
        for id in list_at(bank, "accessions")
        if str(id).startswith("NCT")
    ]
    lists = {
        "Authors": compose.plain(compose.listed(authors, AUTHORS_SHOWN)) + (f" ({count} in all)" if count else ""),
        "Kind": compose.plain(compose.listed([str(kind) for kind in list_at(row, "pubtypes")])),
        "Substances": compose.plain(
            compose.listed([str(name) for name in list_at(row, "substances")], SUBSTANCES_SHOWN)
        ),
        "Registered trials": compose.listed(banks),
    }
    return [f"{name}: {text}." for name, text in lists.items() if text.strip()]
