"""The search for variants by gene, change, place, clinical significance, frequency and scores."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from mcp_server.args import Limit, Offset
from mcp_server.codes import ResultOutcome
from mcp_server.envelope import Answer, Citation, InvalidArguments, empty
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse
from mcp_server.http.together import together
from mcp_server.platforms.myvariant import clauses
from mcp_server.platforms.myvariant.base import HOST, WINDOW, AssemblyName, platform, search, texts
from mcp_server.platforms.myvariant.clauses import Bounds
from mcp_server.platforms.myvariant.filters import (
    Cadd,
    CdnaChange,
    Condition,
    Consequence,
    Exclusive,
    Genes,
    GenomicIds,
    HighestFrequency,
    LowestFrequency,
    NotGenes,
    NotProteinChanges,
    NotRsids,
    Population,
    ProteinChanges,
    Region,
    Revel,
    Rsids,
    SearchAssembly,
    Significances,
    Stars,
    WithUnknown,
    check_names,
)
from mcp_server.platforms.myvariant.names import (
    assemblies_for,
    assembly_of,
    check_assembly,
    fits_protein,
    without_assembly,
)
from mcp_server.platforms.myvariant.rows import (
    ClinvarFilter,
    citation,
    fields_for,
    lowered,
    protein_names,
    row,
    rsids_of,
)

Json = Any

# How many hits are fetched and checked at a time, and how often, where the service can't say what fits exactly.
CHECKED_AT_ONCE = 100
CHECKED_PAGES = 5


@dataclass(frozen=True)
class Asked:
    """A search as it was asked for, before the assembly is known."""

    genes: Sequence[str]
    protein_changes: Sequence[str]
    rsids: Sequence[str]
    hgvs: Sequence[str]
    cdna_change: str | None
    region: str | None
    consequence: str | None
    clinvar: ClinvarFilter
    frequency: Bounds
    population: str
    with_unknown: bool
    cadd: Bounds
    revel: Bounds
    without_proteins: Sequence[str]
    without_genes: Sequence[str]
    without_rsids: Sequence[str]

    def query(self, assembly: AssemblyName) -> str:
        """Return the query on one assembly."""
        wanted = [*self._named(assembly), *self._filtered()]
        if not wanted:
            raise InvalidArguments(
                "genes", "say what to search for: a gene, change, rsID, region or condition", ["BRAF"]
            )
        return clauses.joined(wanted, self._excluded())

    def _named(self, assembly: AssemblyName) -> Iterator[str]:
        if self.genes:
            yield clauses.genes_clause(self.genes)
        if self.protein_changes:
            yield clauses.proteins_clause(self.protein_changes)
        if self.rsids:
            yield clauses.rsids_clause(self.rsids)
        if self.hgvs:
            yield clauses.genomic_clause(name for name in self.hgvs if assembly_of(name) in (None, assembly))
        if self.cdna_change:
            yield clauses.cdna_clause(self.cdna_change)
        if self.region:
            yield clauses.region_clause(self.region, assembly)

    def _filtered(self) -> Iterator[str]:
        if self.clinvar.significance:
            yield clauses.significance_clause(self.clinvar.significance)
        if self.clinvar.min_stars is not None:
            yield clauses.stars_clause(self.clinvar.min_stars)
        if self.clinvar.condition:
            yield clauses.condition_clause(clauses.condition_words(self.clinvar.condition))
        if self.consequence:
            yield clauses.consequence_clause(self.consequence)
        if not self.frequency.is_open:
            yield clauses.frequency_clause(self.frequency, self.population, self.with_unknown)
        if not self.cadd.is_open:
            yield f"({self.cadd.clause('cadd.phred')})"
        if not self.revel.is_open:
            yield f"({self.revel.clause('dbnsfp.revel.score')})"

    def _excluded(self) -> Iterator[str]:
        if self.without_genes:
            yield clauses.genes_clause(self.without_genes)
        if self.without_proteins:
            yield clauses.proteins_clause(self.without_proteins)
        if self.without_rsids:
            yield clauses.rsids_clause(self.without_rsids)

    def check_hit(self, hit: Json) -> None:
        """Refuse a hit without what was asked for: a filter that was not heeded must not look like an answer."""
        spelt = [*texts(hit, "dbnsfp.hgvsp", "snpeff.ann.hgvs_p"), *protein_names(hit)]
        found = {
            "gene": not self.genes or bool(lowered(self.genes) & lowered(texts(hit, *clauses.GENE_FIELDS))),
            "rsID": not self.rsids or bool(set(self.rsids) & rsids_of(hit)),
            "genomic id": not self.hgvs or hit["_id"] in map(without_assembly, self.hgvs),
            "protein change": not self.protein_changes or any(fits_protein(one, spelt) for one in self.protein_changes),
        }
        for what, is_there in found.items():
            if not is_there:
                raise UpstreamBadResponse(HOST, f"{hit['_id']} is not of the {what} that was asked for")

    def check(self, assemblies: Sequence[AssemblyName]) -> None:
        """Refuse what the service can't do, before anything is asked."""
        clauses.check_cadd(self.cadd, assemblies)
        if self.frequency.is_open and (self.population != "all" or self.with_unknown):
            argument = "population" if self.population != "all" else "include_unknown_frequency"
            raise InvalidArguments(argument, "it belongs to min_frequency or max_frequency; give one of them", None)
        clauses.check_population(self.population)
        if self.clinvar.condition and not clauses.condition_words(self.clinvar.condition):
            raise InvalidArguments("condition", "there is no word in it", "melanoma")
        if self.region:
            start, _, end = self.region.partition(":")[2].partition("-")
            if not 0 < int(start) <= int(end):
                raise InvalidArguments(
                    "region", f"{self.region!r} must start at 1 or later and not end before it starts"
                )


@dataclass
class Page:
    """The rows of one assembly, and how much there is: `total` is None where the service can't count exactly."""

    assembly: AssemblyName
    rows: list[Json] = field(default_factory=list)
    citations: list[Citation] = field(default_factory=list)
    counted: int = 0
    read_to: int = 0
    dropped: int = 0
    total: int | None = None

    @property
    def has_more(self) -> bool:
        """Whether the service has hits that were not read."""
        return self.read_to < self.counted


@platform.tool(
    example={"genes": ["BRAF"], "protein_changes": ["V600E"]},
    asks=(
        "rare damaging variants in a gene",
        "variants with REVEL above 0.7",
        "filter by allele frequency and significance",
        "gene and amino acid change to genomic id",
        "rare variants in an interval",
        "which variants of a gene are rare and harmful",
    ),
)
async def variant_search(
    api: Api,
    genes: Genes = None,
    protein_changes: ProteinChanges = None,
    rsids: Rsids = None,
    hgvs: GenomicIds = None,
    cdna_change: CdnaChange = None,
    region: Region = None,
    significance: Significances = None,
    min_review_stars: Stars = None,
    condition: Condition = None,
    consequence: Consequence = None,
    min_frequency: LowestFrequency = None,
    max_frequency: HighestFrequency = None,
    population: Population = "all",
    include_unknown_frequency: WithUnknown = False,
    min_cadd: Cadd = None,
    max_cadd: Cadd = None,
    min_revel: Revel = None,
    max_revel: Revel = None,
    exclusive: Exclusive = None,
    exclude_protein_changes: NotProteinChanges = None,
    exclude_genes: NotGenes = None,
    exclude_rsids: NotRsids = None,
    assembly: SearchAssembly = None,
    limit: Limit = 10,
    offset: Offset = 0,
) -> Answer:
    """Find variants by gene plus protein change, or filter by region, ClinVar significance, gnomAD frequency, CADD or
    REVEL: ids with assembly, changes, ClinVar, frequency, scores. One known variant: variant_get. Any wording to a
    ClinVar id: clinvar__resolve_variant.

    Rows: variant_id, assembly, rsid, genes, protein_changes, cdna_changes, consequences, clinvar {variation_id, name,
    classified: [{significance, records, review_status, stars, conditions, accessions}]}, gnomad {frequency,
    allele_count, allele_number, population, dataset}, cadd_phred, cadd_source, revel, alphamissense,
    alphamissense_predictions, scores_are. The protein change that was asked for, or that ClinVar names, comes first.
    """
    left_out = exclusive or []
    asked = Asked(
        genes or (), protein_changes or (), rsids or (), hgvs or (), cdna_change, region, consequence,
        ClinvarFilter(tuple(significance or ()), min_review_stars, condition or ""),
        clauses.bounds("frequency", min_frequency, max_frequency, left_out), population, include_unknown_frequency,
        clauses.bounds("cadd", min_cadd, max_cadd, left_out), clauses.bounds("revel", min_revel, max_revel, left_out),
        exclude_protein_changes or (), exclude_genes or (), exclude_rsids or (),
    )  # fmt: skip
    check_names(asked.protein_changes, asked.without_proteins, asked.hgvs, cdna_change)
    check_assembly("hgvs", asked.hgvs, assembly)
    assemblies = assemblies_for(asked.hgvs, region is not None, assembly)
    asked.check(assemblies)
    if offset + limit > WINDOW:
        raise InvalidArguments("offset", f"the service gives the first {WINDOW:,} hits only; add a filter", 0)
    pages = await together(_page(api, asked, name, limit, offset) for name in assemblies)
    return _answer(pages, is_guessed=assembly is None and len(pages) > 1)


async def _page(api: Api, asked: Asked, assembly: AssemblyName, limit: int, offset: int) -> Page:
    """Read hits from `offset` on until `limit` rows fit, or enough were looked at."""
    is_exact = asked.clinvar.is_exact_upstream
    page = Page(assembly, read_to=offset)
    parameters = {"q": asked.query(assembly), "assembly": assembly, "fields": fields_for(asked.population)}
    for _ in range(1 if is_exact else CHECKED_PAGES):
        size = min(limit if is_exact else CHECKED_AT_ONCE, WINDOW - page.read_to)
        hits, page.counted = await search(api, {**parameters, "size": size, "from": page.read_to})
        _take(page, asked, hits, limit)
        if len(page.rows) >= limit or not hits or not page.has_more or page.read_to >= WINDOW:
            break
    if offset == 0 and not page.has_more:
        page.total = len(page.rows)
    elif is_exact and not page.dropped:
        page.total = page.counted
    return page


def _take(page: Page, asked: Asked, hits: Sequence[Json], limit: int) -> None:
    for hit in hits:
        if len(page.rows) >= limit:
            return
        page.read_to += 1
        asked.check_hit(hit)
        if asked.clinvar.accepts(hit):
            page.rows.append(row(hit, page.assembly, asked.population, asked.protein_changes))
            page.citations.append(citation(hit, page.assembly, asked.protein_changes))
        else:
            page.dropped += 1


def _answer(pages: Sequence[Page], is_guessed: bool) -> Answer:
    rows = [found for page in pages for found in page.rows]
    notes = ["No assembly was given: looked up in both; each row names its own."] if is_guessed else []
    for page in pages:
        if page.total is None:
            notes.append(
                f"On {page.assembly} the service counts {page.counted:,} variants by words; how many have it all in "
                f"one ClinVar record is not known. {page.dropped} of those read were left out."
            )
        elif page.dropped:
            notes.append(f"{page.dropped} variants whose ClinVar records do not fit exactly were left out.")
    unread = [page for page in pages if page.has_more and page.read_to < WINDOW]
    following: dict[str, Json] | None = {"offset": unread[0].read_to} if unread else None
    if following is not None and len(pages) > 1:
        following["assembly"] = unread[0].assembly
        notes += [f"{page.assembly} has more as well, from offset {page.read_to}." for page in unread[1:]]
    if any(page.counted > WINDOW for page in pages):
        notes.append(f"Only the first {WINDOW:,} can be read; filters narrow it down.")
    if not rows and not unread:
        where = " and ".join(page.assembly for page in pages)
        return empty(" ".join([f"MyVariant has no variant that fits all filters, on {where}.", *notes]), data=[])
    totals = [page.total for page in pages]
    total = None if None in totals else sum(total or 0 for total in totals)
    return Answer(
        rows, ResultOutcome.DATA, total, len(rows), following, " ".join(notes),
        [cited for page in pages for cited in page.citations],
    )  # fmt: skip
