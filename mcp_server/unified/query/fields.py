"""The fields of the language: one table that parser, router, schema and suggestions read.

A field reaches a domain in one of two ways: it starts the domain's search ("A"), or it only narrows a search that
something else started ("C"). A weak field never stands alone: no search lists all open trials.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mcp_server.unified.query import vocabulary as coded
from mcp_server.unified.query.plan import DOMAINS

PLURALS: Mapping[str, str] = {domain: domain if domain == "pgx" else domain + "s" for domain in DOMAINS}
PREFIXES: Mapping[str, str] = {name: domain for domain in DOMAINS for name in (domain, PLURALS[domain])}


@dataclass(frozen=True)
class Reach:
    """How a field acts on one domain: `mode` "A" or "C", and the param it becomes there."""

    mode: str
    param: str


@dataclass(frozen=True)
class Field:
    """One field; `domain` is empty for those that several domains share."""

    name: str
    type: str
    example: str
    domain: str = ""
    aliases: tuple[str, ...] = ()
    is_phrase: bool = False
    is_weak: bool = False
    allowed: tuple[str, ...] = ()
    limits: tuple[float, float] | None = None
    needs_comparison: bool = False
    id_kind: str = ""
    reach: Mapping[str, Reach] = field(default_factory=dict, hash=False)

    @property
    def key(self) -> str:
        """Return the name as it is printed: `gene`, `trials.phase`."""
        return f"{PLURALS[self.domain]}.{self.name}" if self.domain else self.name

    @property
    def is_loose(self) -> bool:
        """Say whether several words may stand apart: words to search for, not a name."""
        return any(reach.param in ("keywords", "term") for reach in self.reach.values()) and self.type == "text"


def _shared(name: str, kind: str, example: str, aliases: str, reach: str, *, phrase: bool = False) -> Field:
    """Build a field of several domains; `reach` reads `article:A:genes trial:C:term …`."""
    parts = (one.split(":") for one in reach.split())
    return Field(
        name,
        kind,
        example,
        aliases=tuple(aliases.split()),
        is_phrase=phrase,
        is_weak=kind == "date",
        reach={domain: Reach(mode, param) for domain, mode, param in parts},
    )


SHARED: tuple[Field, ...] = (
    _shared(
        "gene",
        "gene",
        "gene:BRAF",
        "genes symbol",
        "article:A:genes trial:C:term variant:A:gene gene:A:genes drug:C:genes disease:C:genes protein:C:genes "
        "pathway:C:genes pgx:C:genes",
    ),
    _shared(
        "disease",
        "text",
        "disease:melanoma",
        "diseases condition conditions indication",
        "article:A:diseases trial:A:condition variant:C:condition drug:C:diseases disease:A:diseases "
        "protein:C:diseases",
        phrase=True,
    ),
    _shared(
        "variant",
        "variant",
        "variant:V600E",
        "variants mutation",
        "article:A:variants trial:C:term variant:A:variant pgx:A:variants",
    ),
    _shared(
        "drug",
        "text",
        "drug:osimertinib",
        "drugs chemical chemicals intervention compound",
        "article:A:drugs trial:A:intervention drug:A:drugs pgx:A:drugs",
        phrase=True,
    ),
    _shared(
        "keyword",
        "text",
        "keyword:resistance",
        "keywords text",
        "article:A:keywords trial:A:term",
        phrase=True,
    ),
    _shared("date", "date", "date:2023..2024", "year since until", "article:C:date trial:C:start_date"),
)


def _own(domain: str, name: str, kind: str, example: str, param: str = "", **more: Any) -> Field:
    """Build a field of one domain, which starts that domain's search alone."""
    shown = f"{PLURALS[domain]}.{name}:{example}"
    return Field(name, kind, shown, domain, reach={domain: Reach("A", param or name)}, **more)


def _words(domain: str, name: str, example: str, param: str = "", aliases: tuple[str, ...] = ()) -> Field:
    return _own(domain, name, "text", example, param, is_phrase=True, aliases=aliases)


def _id(domain: str, name: str, kind: str, example: str, param: str = "", aliases: tuple[str, ...] = ()) -> Field:
    return _own(domain, name, "identifier", example, param, id_kind=kind, aliases=aliases)


def _choice(domain: str, name: str, allowed: tuple[str, ...], example: str, param: str = "") -> Field:
    return _own(domain, name, "enum", example, param, allowed=allowed, is_weak=True)


def _filter(domain: str, name: str, kind: str, example: str, param: str = "", **more: Any) -> Field:
    return _own(domain, name, kind, example, param, is_weak=True, **more)


_ARTICLES = (
    _own("article", "gene", "gene", "BRAF", "genes", aliases=("genes", "symbol")),
    _words("article", "disease", "melanoma", "diseases", ("diseases", "condition", "conditions")),
    _words("article", "drug", "vemurafenib", "drugs", ("drugs", "chemical", "chemicals", "compound")),
    _own("article", "variant", "variant", "V600E", "variants", aliases=("variants", "mutation")),
    _words("article", "keyword", "resistance", "keywords", ("keywords", "text")),
    _words("article", "title", "melanoma"),
    _words("article", "abstract", "survival"),
    _words("article", "author", '"Flaherty KT"', aliases=("authors",)),
    _words("article", "journal", "Nature", aliases=("journals",)),
    _filter("article", "date", "date", ">=2023", aliases=("year", "since", "until")),
    _id("article", "pmid", "pmid", "38768446"),
    _id("article", "pmcid", "pmcid", "PMC9984800", aliases=("pmc",)),
    _id("article", "doi", "doi", "10.1056/NEJMoa1103782"),
    _choice("article", "type", coded.ARTICLE_TYPES, "review"),
    _choice("article", "source", coded.ARTICLE_SOURCES, "europepmc"),
    _filter("article", "preprint", "boolean", "true"),
    _filter("article", "open_access", "boolean", "true"),
    _choice("article", "sort", coded.ARTICLE_SORTS, "date"),
)

_TRIALS = (
    _words("trial", "condition", "glioblastoma", aliases=("conditions", "disease", "diseases")),
    _words("trial", "intervention", "osimertinib", aliases=("interventions", "drug", "drugs", "chemical")),
    _words("trial", "term", "biopsy", aliases=("terms", "keyword", "keywords", "text")),
    _own("trial", "gene", "gene", "EGFR", "term", aliases=("genes", "symbol")),
    _own("trial", "variant", "variant", "T790M", "term", aliases=("variants", "mutation")),
    _filter("trial", "phase", "phase", "3", "phases", allowed=coded.PHASES, aliases=("phases",)),
    _filter("trial", "status", "status", "open", allowed=coded.STATUS_WORDS, aliases=("recruiting_status",)),
    _words("trial", "sponsor", "Novartis"),
    _id("trial", "nct", "nct", "NCT01808573", aliases=("nct_id", "nctid")),
    _words("trial", "location", "Cleveland"),
    _words("trial", "country", "Germany"),
    _own("trial", "near", "place", "41.4993,-81.6944,50mi", "geo", is_phrase=True),
    _filter("trial", "age", "age", ">=65", allowed=coded.AGE_GROUPS, limits=(0, 120)),
    _choice("trial", "sex", coded.SEXES, "female"),
    _choice("trial", "type", coded.STUDY_TYPES, "interventional", "study_type"),
    _filter("trial", "results", "boolean", "true", "has_results"),
    _filter("trial", "start_date", "date", ">=2023", aliases=("date", "year", "since", "until")),
    _filter("trial", "completion_date", "date", "2024"),
    _filter("trial", "update_date", "date", "last30d"),
    _words("trial", "biomarker", "EGFR"),
    _words("trial", "prior_therapy", "platinum"),
    _choice("trial", "line", coded.LINES, "2l"),
)

_VARIANTS = (
    _own("variant", "gene", "gene", "BRCA1", aliases=("genes", "symbol")),
    _own("variant", "variant", "variant", "V600E", aliases=("variants", "mutation", "name")),
    _id("variant", "rsid", "rsid", "rs113488022"),
    _own("variant", "hgvs", "variant", "NM_004333.4:c.1799T>A", "variant", allowed=("genomic", "hgvs", "cdna")),
    _own("variant", "protein", "variant", "V600E", "variant", allowed=("protein", "protein_position")),
    _own("variant", "cdna", "variant", "c.1799T>A", "variant", allowed=("cdna", "hgvs")),
    _own("variant", "region", "region", "7:140453100-140453200"),
    _choice("variant", "significance", coded.SIGNIFICANCES, "pathogenic"),
    _filter("variant", "review_status", "number", ">=2", limits=(0, 4), aliases=("stars",)),
    _words("variant", "condition", "melanoma", aliases=("conditions", "disease", "diseases")),
    _filter("variant", "consequence", "text", "missense_variant"),
    _filter("variant", "frequency", "number", "<0.01", limits=(0, 1), needs_comparison=True),
    _choice("variant", "population", coded.POPULATIONS, "afr"),
    _filter("variant", "cadd", "number", ">=20", limits=(0, 100), needs_comparison=True),
    _filter("variant", "revel", "number", ">0.7", limits=(0, 1), needs_comparison=True),
    _choice("variant", "assembly", coded.ASSEMBLIES, "hg38"),
)

_GENES = (
    _own("gene", "symbol", "gene", "BRAF", "genes", aliases=("gene", "genes", "symbols")),
    _words("gene", "name", '"B-Raf proto-oncogene"'),
    _choice("gene", "type", coded.GENE_TYPES, "protein-coding"),
    _id("gene", "id", "gene_id", "673"),
    _choice("gene", "chromosome", coded.CHROMOSOMES, "7"),
)

_DRUGS = (
    _words("drug", "name", "imatinib", aliases=("drug", "drugs", "compound", "chemical")),
    _words("drug", "tradename", "Gleevec", aliases=("trade_name", "brand")),
    _words("drug", "indication", "leukemia", aliases=("disease", "condition")),
    _own("drug", "target", "gene", "EGFR", aliases=("gene", "genes")),
    _id("drug", "id", "drug_id", "CHEMBL941"),
    _filter("drug", "phase", "phase", "4", "phases", allowed=coded.PHASES),
    _words("drug", "mechanism", '"kinase inhibitor"'),
)

_DISEASES = (
    _words("disease", "name", "melanoma", aliases=("disease", "diseases", "condition")),
    _words("disease", "synonym", '"Lou Gehrig disease"', aliases=("synonyms",)),
    _id("disease", "mondo", "mondo", "MONDO:0005105"),
    _id("disease", "doid", "doid", "DOID:14323"),
    _id("disease", "omim", "omim", "155600", aliases=("mim",)),
    _id("disease", "mesh", "mesh", "D008545"),
    _id("disease", "efo", "efo", "EFO:0000756"),
    _id("disease", "orphanet", "orphanet", "558", aliases=("orpha",)),
    _id("disease", "umls", "umls", "C0025202"),
)

_OTHERS = (
    _id("protein", "accession", "uniprot", "P15056", aliases=("id", "uniprot")),
    _own("protein", "gene", "gene", "BRAF", "genes", aliases=("genes", "symbol")),
    _words("protein", "disease", "melanoma", "diseases", ("diseases", "condition")),
    _words("protein", "name", '"serine/threonine-protein kinase"'),
    _words("protein", "organism", "human"),
    _filter("protein", "length", "number", "<500", limits=(1, 100_000)),
    _filter("protein", "reviewed", "boolean", "true"),
    _id("pathway", "id", "reactome", "R-HSA-5633007", aliases=("reactome",)),
    _words("pathway", "name", "apoptosis"),
    _own("pathway", "gene", "gene", "TP53", "genes", aliases=("genes", "symbol")),
    _own("pgx", "gene", "gene", "CYP2C19", "genes", aliases=("genes", "symbol")),
    _words("pgx", "drug", "clopidogrel", "drugs", ("drugs", "chemical")),
    _own("pgx", "variant", "variant", "rs4244285", "variants", aliases=("variants",), allowed=("rsid", "star")),
    _choice("pgx", "level", coded.LEVELS, "1A"),
    _id("pgx", "id", "clinpgx", "PA449053"),
)

FIELDS: tuple[Field, ...] = (*SHARED, *_ARTICLES, *_TRIALS, *_VARIANTS, *_GENES, *_DRUGS, *_DISEASES, *_OTHERS)
KEYWORD = SHARED[4]
# Not conditions but choices of how to search: one for a search, and nothing to leave out.
SINGLE = ("sort", "population", "assembly")
BY_KEY: Mapping[str, Field] = {one.key: one for one in FIELDS}


def names(one: Field) -> tuple[str, ...]:
    """Return a field's name and aliases, without its prefix."""
    return (one.name, *one.aliases)


_OWN: Mapping[tuple[str, str], Field] = {(one.domain, name): one for one in FIELDS for name in names(one) if one.domain}


def _without_prefix() -> dict[str, list[Field]]:
    """Map each bare name to the fields it could mean: a shared one alone, else those of the domains."""
    found: dict[str, list[Field]] = {}
    for (_, name), one in _OWN.items():
        found.setdefault(name, []).append(one)
    # Both trials and drugs have a phase; without a prefix the trial's is meant.
    found["phase"] = [BY_KEY["trials.phase"]]
    return found | {name: [one] for one in SHARED for name in names(one)}


_BARE: Mapping[str, list[Field]] = _without_prefix()


def resolve(written: str) -> Field | None:
    """Return the field that `gene` or `trials.phase` names, or none; a bare name must mean one field only."""
    prefix, dot, name = written.lower().rpartition(".")
    if dot:
        return _OWN.get((PREFIXES.get(prefix, prefix), name))
    found = _BARE.get(name, [])
    return found[0] if len(found) == 1 else None


def meant(written: str) -> tuple[Field, ...]:
    """Return the fields that a bare name could mean."""
    return tuple(_BARE.get(written.lower(), ()))
