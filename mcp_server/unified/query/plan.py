"""What a query becomes: a plan of legs, one or more for each domain, that can be shown without running it.

Values of `Leg.params` are plain JSON. How the names are built, and which there are:

`X` one value or several that must all hold; `X_all` two or more that must all hold; `X_any` any of several;
`not_X` none of these. `genes` and `genes_any` may stand side by side: both hold.

article  genes, diseases, drugs, variants, keywords, title, abstract, author, journal (each a list, with `_all`,
         `_any`, `not_`); exact_phrases (those keywords that were quoted: keep their words together, the words of
         other keywords need only all occur); source (list: any of); pmid, pmcid, doi, type (lists: any
         of; with `not_`); date {from?, to?}; preprint, open_access (true/false); sort
trial    condition, intervention, sponsor, location, country, biomarker, prior_therapy (lists, with `_all`, `_any`,
         `not_`); term (list of expressions, joined with AND; an expression may be `(BRAF OR "position 173")`),
         not_term (list of expressions); status, study_type, and with `not_` nct, sex, line (lists: any of);
         age_group (list); min_age, max_age (years that the trial must admit; + `_exclusive`); phases (any of),
         phases_all (all labels on one trial), not_phases (labels, or `(PHASE1 AND PHASE2)`);
         geo {lat, long, distance_mi} or {place, distance_mi}; has_results; start_date, completion_date, update_date
         {from?, to?}
variant  gene, condition, rsid, hgvs, protein, protein_position, cdna, id, clinvar, significance, consequence, region
         (one value; `_any`, `_all`, `not_` are lists); min_/max_ frequency, cadd, revel, review_status (each with
         `…_exclusive: true` where the bound itself is out; `not_` is a list of {min?, max?}); population; assembly
         ("hg19", "hg38" or "both")
gene     genes, name, id, chromosome, type (lists: a card for each)
drug     drugs, name, tradename, indication, mechanism, target, id (lists); phases; diseases and genes where the
         domain was asked for by name
disease  diseases, name, synonym, mondo, doid, omim, mesh, efo, orphanet, umls (lists); genes where the domain was
         asked for by name
protein  accession, genes, name, organism (lists); diseases; min_length, max_length (+ `_exclusive`); reviewed
pathway  id, name, genes (lists)
pgx      genes, drugs, variants, level, id (lists)

Sources from gene on can't be asked to leave anything out: what must not be is in the leg's `post_filters`.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from mcp_server.unified.query.errors import Json, Notice

DOMAINS = ("article", "trial", "variant", "gene", "drug", "disease", "protein", "pathway", "pgx")

# Which tools answer a domain's leg, the first one first.
TOOLS: Mapping[str, tuple[str, ...]] = {
    "article": ("pubtator3__search_literature", "europepmc__search_articles"),
    "trial": ("clinicaltrials__search_studies",),
    "variant": ("myvariant__variant_search",),
    "gene": ("myvariant__gene_resolve",),
    "drug": ("chembl__resolve_drug",),
    "disease": ("opentargets__search_entities",),
    "protein": ("uniprot__search_proteins",),
    "pathway": ("reactome__search",),
    "pgx": ("clinpgx__search_clinical_annotations",),
}


@dataclass(frozen=True, kw_only=True)
class Request:
    """The query and the arguments beside it, as the `search` tool was given them."""

    query: str = ""
    domain: str | None = None
    domains: Sequence[str] = ()
    genes: Sequence[str] = ()
    diseases: Sequence[str] = ()
    conditions: Sequence[str] = ()
    drugs: Sequence[str] = ()
    chemicals: Sequence[str] = ()
    variants: Sequence[str] = ()
    keywords: Sequence[str] = ()
    lat: float | None = None
    long: float | None = None
    distance: float | None = None
    phase: str | int | Sequence[str] | None = None
    recruiting_status: str | None = None
    page: int | None = None
    page_size: int | None = None


@dataclass(frozen=True, kw_only=True)
class Leg:
    """One search in one domain.

    `branch` numbers the searches of one domain; their rows are united. `soft` names the fields that may be left out
    if the strict search finds nothing, and `relaxed_params` are the params of that second search. `post_filters` are
    what the source can't be asked: `{"field": …, "not": […]}`, to be applied to the rows.
    """

    domain: str
    branch: int = 0
    params: Mapping[str, Json]
    enrich: tuple[str, ...] = ()
    post_filters: tuple[Mapping[str, Json], ...] = ()
    soft: tuple[str, ...] = ()
    relaxed_params: Mapping[str, Json] | None = None

    @property
    def tools(self) -> tuple[str, ...]:
        """Return the tools that answer this leg."""
        return TOOLS[self.domain]

    def wire(self) -> dict[str, Json]:
        """Return the documented JSON form."""
        return {
            "domain": self.domain,
            "tools": list(self.tools),
            "params": dict(self.params),
            "enrich": list(self.enrich),
            "post_filters": [dict(one) for one in self.post_filters],
            "soft": list(self.soft),
            "branch": self.branch,
        }


@dataclass(frozen=True, kw_only=True)
class NotApplied:
    """A clause that no leg could use."""

    field: str
    text: str
    reason: str
    position: int | None = None

    def wire(self) -> dict[str, Json]:
        """Return the JSON form."""
        return {"field": self.field, "text": self.text, "reason": self.reason, "position": self.position}


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What will be searched for a query; `normalised` says all of it, arguments included, in the language itself."""

    query: str
    normalised: str
    legs: tuple[Leg, ...]
    notices: tuple[Notice, ...] = ()
    not_applied: tuple[NotApplied, ...] = ()
    hash: str = field(init=False, compare=False)

    def __post_init__(self) -> None:
        """Compute the hash: equal legs, in the same order, have the same one."""
        legs = [leg.wire() | {"tools": []} for leg in self.legs]
        canonical = json.dumps(legs, sort_keys=True, separators=(",", ":"))
        object.__setattr__(self, "hash", hashlib.sha256(canonical.encode()).hexdigest()[:16])

    def wire(self) -> dict[str, Json]:
        """Return the documented JSON form, as `explain_query` shows it."""
        return {
            "query": self.query,
            "normalised": self.normalised,
            "notices": [notice.wire() for notice in self.notices],
            "legs": [leg.wire() for leg in self.legs],
            "not_applied": [one.wire() for one in self.not_applied],
        }
