"""Which drugs CPIC grades for a gene, or which genes for a drug, at one level: "drugs at level A for CYP2D6"."""

import re

from chat.providers.planner import compose
from chat.providers.planner.parts import definitions
from chat.providers.planner.replay import Recipe, ask
from chat.providers.planner.results import Json, Result, call, list_at, text_at
from chat.providers.planner.shapes import Question

LEVEL = re.compile(r"(?i)\blevels?\s+(?P<after>[A-D](?:/[A-D])?)\b|\b(?P<before>[A-D])[- ]level\b")


def recipe(question: Question) -> Recipe[str]:
    """List CPIC's pairs of the gene or drug, sift them by the level, and define alleles that are asked about."""
    match = LEVEL.search(question.text)
    level = ((match["after"] or match["before"]) if match else "").upper()
    gene, drug = question.gene, question.drugs[0].lower() if question.drugs else ""
    asked = {"gene_symbol": gene or None, "drug_name": drug or None}
    named = " and ".join(filter(None, (gene, drug)))
    (pairs,) = yield from ask(
        f"Ask CPIC for the pairs of {named}.", call("clinpgx__search_cpic_pairs", "CPIC pairs of {}", named, **asked)
    )
    rows = [row for row in pairs.rows() if not level or text_at(row, "cpiclevel") == level]
    genes = list(dict.fromkeys(text_at(row, "genesymbol") for row in rows))
    defined = yield from _defined(question, genes[0] if genes and not gene else gene)
    return compose.document(
        compose.opening(_summary(named, level, pairs, rows, by_gene=bool(gene)), *(each.told for each in defined)),
        compose.section("Pairs in CPIC", _table(rows), _rest(pairs, rows, level)),
    )


def _defined(question: Question, gene: str) -> Recipe[list[definitions.Definition]]:
    """Define the alleles that the question names of the gene, or of the one gene that was found."""
    wanted = [f"*{allele.partition('*')[2]}" for allele in question.alleles] or list(question.bare_alleles)
    if not gene or not wanted:
        return []
    (listed,) = yield from ask(f"Ask CPIC for the alleles of {gene}.", definitions.alleles_call(gene))
    return (yield from definitions.define(gene, listed, wanted))


def _summary(named: str, level: str, pairs: Result, rows: list[dict[str, Json]], *, by_gene: bool) -> str:
    if not pairs.has_data:
        return f"CPIC pairs of {compose.plain(named)}: {compose.said(pairs)}."
    at_level = f" at level {level}" if level else ""
    column = "drugname" if by_gene else "genesymbol"
    names = list(dict.fromkeys(compose.plain(text_at(row, column)) for row in rows))
    what = compose.counted(len(names), "drug" if by_gene else "gene")
    partial = "at least " if pairs.is_snapshot_part else ""
    listed = f": {compose.listed(names)}" if names else ""
    when = compose.as_of([pairs])
    return f"**CPIC has {partial}{what}{at_level} for {compose.plain(named)}**{listed} ({when})."


def _table(rows: list[dict[str, Json]]) -> str:
    lines = [
        [
            compose.plain(text_at(row, "genesymbol")),
            compose.plain(text_at(row, "drugname")),
            f"{text_at(row, 'cpiclevel')}{' (provisional)' if row.get('provisional') is True else ''}",
            text_at(row, "clinpgxlevel") or "not given",
            _guideline(row),
            compose.listed([compose.link("pmid", str(pmid)) for pmid in list_at(row, "pmids")]) or "not given",
        ]
        for row in rows
    ]
    head = ("Gene", "Drug", "CPIC level", "ClinPGx level", "Guideline", "Papers")
    return compose.table(head, lines) if lines else ""


def _guideline(row: Json) -> str:
    url = text_at(row, "guidelineurl")
    return compose.link("clinpgx", url.rpartition("/")[2], url=url) if url else "not given"


def _rest(pairs: Result, rows: list[dict[str, Json]], level: str) -> str:
    """Say how many pairs are left out, so that the list is known to be sifted and not cut."""
    if not pairs.has_data:
        return ""
    rest = len(pairs.rows()) - len(rows)
    others = f"{compose.counted(rest, 'further pair')} at other levels are left out." if rest and level else ""
    return f"Sifted from {compose.of_total(pairs, 'pair')}. {others}".strip()
