"""Which record an id names: every id that `search` gives, and the names that people write when they say the domain."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from mcp_server.unified.calls import Calls
from mcp_server.unified.domains import (
    article,
    clinvar_record,
    disease,
    drug,
    enrichment,
    gene,
    pathway,
    pgx,
    protein,
    trial,
    variant_record,
)
from mcp_server.unified.domains.base import Document

Opened = Awaitable[Document | None]
Open = Callable[[str, Calls, bool], Opened]
_UNIPROT = r"[OPQ]\d[A-Z0-9]{3}\d|[A-NR-Z]\d(?:[A-Z][A-Z0-9]{2}\d){1,2}"
# The vocabularies of MyDisease and those that Open Targets draws diseases, phenotypes and measurements from.
_DISEASES = r"(?:MONDO|DOID|EFO|OMIM|MIM|MESH|UMLS|ORPHANET|ORPHA|NCIT|HP|OTAR|GO|MP|OBA|OBI|PATO|VT|NBO)"
_TRANSCRIPTS = r"(?:[NX][MPR]_\d+|NG_\d+|ENS[TP]\d{11}|LRG_\d+(?:[tp]\d+)?)(?:\.\d+)?"


@dataclass(frozen=True)
class Kind:
    """One kind of id: its domain, its pattern, and how its record is opened; `form` brings a spelling into shape."""

    domain: str
    pattern: str
    opened: Open
    form: Callable[[str], str] = str.strip


def _upper(text: str) -> str:
    return text.strip().upper()


def _pmid(text: str) -> str:
    return f"PMID{re.sub(r'[^0-9]', '', text)}"


def _doi(text: str) -> str:
    bare = re.sub(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", "", text.strip(), flags=re.IGNORECASE)
    return f"DOI:{bare}"


def _disease(text: str) -> str:
    prefix, _, number = text.strip().replace("_", ":", 1).partition(":")
    return f"{'Orphanet' if prefix.upper().startswith('ORPHA') else prefix.upper()}:{number}"


def _bare(prefix: str) -> Callable[[str], str]:
    return lambda text: text.strip().upper().removeprefix(prefix)


def _without_gene(text: str) -> str:
    return re.sub(r"\([\w-]+\)(?=:)", "", text.strip())


def _in_brief(opened: Callable[[str, Calls], Opened]) -> Open:
    """Return an opening for records of one length."""
    return lambda identifier, calls, full: opened(identifier, calls)


def _at_length(opened: "_Long") -> Open:
    """Return an opening for records that have a text or a protocol of their own."""
    return lambda identifier, calls, full: opened(identifier, calls, full_text=full)


class _Long(Protocol):
    """Opens a record, with its whole text where that is wanted."""

    def __call__(self, identifier: str, calls: Calls, /, *, full_text: bool = False) -> Opened: ...


KINDS: tuple[Kind, ...] = (
    Kind("article", r"PMID:?\s*\d{1,9}", _at_length(article.opened), _pmid),
    Kind("article", r"(?:PMC|PPR)\d+", _at_length(article.opened), _upper),
    Kind(
        "article",
        r"(?:doi:\s*|https?://(?:dx\.)?doi\.org/)?10\.\d{4,9}/\S+",
        _at_length(article.opened),
        _doi,
    ),
    Kind("article", r"cbioportal:[\w.@-]+(?: \S+)?", _in_brief(enrichment.opened)),
    Kind("trial", r"NCT\d{8}", _at_length(trial.opened), _upper),
    Kind("variant", r"rs\d+", _in_brief(variant_record.opened), str.lower),
    Kind("variant", r"(?:chr|NC_)\S+:[gm]\.\S+", _in_brief(variant_record.opened)),
    Kind("variant", rf"{_TRANSCRIPTS}(?:\([\w-]+\))?:[cgnp]\.\S+", _in_brief(variant_record.by_name), _without_gene),
    Kind("variant", r"(?:RCV|VCV)\d{9}(?:\.\d+)?", _in_brief(clinvar_record.opened), _upper),
    Kind("gene", r"GENE:\d+", _in_brief(gene.opened), _bare("GENE:")),
    Kind("gene", r"ENSG\d{11}(?:\.\d+)?|HGNC:\d+", _in_brief(gene.opened), _upper),
    Kind("drug", r"CHEMBL\d+", _in_brief(drug.opened), _upper),
    Kind("drug", r"DB\d{5}|CID:?\d+", _in_brief(drug.by_name), _upper),
    Kind("disease", rf"{_DISEASES}[:_]\s?\w+", _in_brief(disease.opened), _disease),
    Kind("protein", rf"(?:UNIPROT:)(?:{_UNIPROT})(?:-\d+)?", _in_brief(protein.opened), _bare("UNIPROT:")),
    Kind("protein", rf"(?:{_UNIPROT})(?:-\d+)?", _in_brief(protein.opened), _upper),
    Kind("pathway", r"R-[A-Z]{3}-\d+(?:\.\d+)?", _in_brief(pathway.opened), _upper),
    Kind("pgx", r"PA\d+|PGX:\d+", _in_brief(pgx.opened), _upper),
)
_NAME = r".{1,200}"
# What a bare name means once the domain is said.
_NAMED: dict[str, tuple[str, Open, Callable[[str], str]]] = {
    "article": (r"\d{1,9}", _at_length(article.opened), _pmid),
    "trial": (_NAME, _in_brief(trial.by_name), str.strip),
    "gene": (r"[\w.@ -]{1,60}", _in_brief(gene.opened), str.strip),
    "variant": (r"[\w.@-]+[ :](?:p\.)?\S+|\w+[:-]\d+\S*", _in_brief(variant_record.opened), str.strip),
    "drug": (_NAME, _in_brief(drug.by_name), str.strip),
    "disease": (_NAME, _in_brief(disease.by_name), str.strip),
    "protein": (_NAME, _in_brief(protein.by_name), str.strip),
    "pathway": (_NAME, _in_brief(pathway.by_name), str.strip),
    "pgx": (_NAME, _in_brief(pgx.by_name), str.strip),
}
# Where a record has a longer form.
AT_LENGTH = ("article", "trial")


def kind_of(identifier: str, domain: str | None) -> tuple[str, Callable[[Calls, bool], Opened]] | None:
    """Return an id's domain and how it is opened, or None where nothing is called so."""
    text = identifier.strip()
    for kind in KINDS:
        if domain in (None, kind.domain) and re.fullmatch(kind.pattern, text, re.IGNORECASE):
            return kind.domain, partial(kind.opened, kind.form(text))
    if domain in _NAMED:
        pattern, opened, spelt = _NAMED[domain]
        if re.fullmatch(pattern, text):
            return domain, partial(opened, spelt(text))
    return None
