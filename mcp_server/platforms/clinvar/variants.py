"""One variant or several known ones: resolved from any name, summarised, in depth."""

from collections.abc import Sequence
from typing import Annotated, Any

from mcp_server.args import ClinVarVariationId, look_up_form
from mcp_server.envelope import Answer, InvalidArguments, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamNotFound
from mcp_server.platforms.clinvar import entrez, names, records
from mcp_server.platforms.clinvar.base import VARIANT, VARIANT_ROWS, VARIATION_SERVICES, platform
from mcp_server.tool import Arg, Cite

Json = Any

Variant = Annotated[
    str,
    Arg("Gene and protein change, HGVS name, SPDI, rsID or VCV accession.", "BRAF V600E", normalise=look_up_form),
]
VariationIds = Annotated[
    list[str],
    Arg(
        "ClinVar Variation IDs or VCV accessions; at most 50.",
        ["13961"],
        r"^(\d{1,9}|VCV\d{9}(\.\d+)?)$",
        max_items=50,
        normalise=str.upper,
    ),
]
CANDIDATES_MAX = 50


@platform.tool(
    core=True,
    example={"variant": "BRAF V600E"},
    cites=Cite("clinvar_variation", "candidates[]", "accession_version", "title"),
    asks=(
        "is this variant in ClinVar",
        "variant name to variation id",
        "is BRCA2 c.5946del pathogenic",
        "look up a mutation",
        "is it harmful or benign",
        "is this mutation known to be bad",
    ),
)
async def resolve_variant(api: Api, variant: Variant) -> Answer:
    """Any variant name (BRAF V600E, HGVS, SPDI, rsID, VCV) to ClinVar Variation IDs, rsID, position and
    classifications. First choice for one variant; to check an exact name use convert_variant, for predictor scores
    myvariant__variant_get.

    query, read_as, candidates (best first): the rows of get_variant_summaries.
    """
    name = names.read(variant)
    if name is None:
        message = f"{variant!r} is no gene with a protein change, HGVS name, SPDI, rsID or VCV accession"
        raise InvalidArguments("variant", message, "BRAF V600E")
    if name.kind == "variation_id":
        ids, total = [name.value], 1
    else:
        found = await entrez.search(api, await _term(api, name), CANDIDATES_MAX)
        ids, total = found["idlist"], int(found["count"])
    summaries, _ = await entrez.summaries(api, ids)
    candidates, note = _ranked([records.summary(found) for found in summaries], name)
    if not candidates:
        return unknown_id(variant, f"ClinVar has no record for {name.words}. Check gene symbol and spelling.")
    if total > len(ids):
        note = f"Only the first {len(ids)} of {total} search hits were compared. {note}".strip()
    data = {"query": variant, "read_as": name.words, "candidates": candidates}
    return rows(candidates, data=data, note=note)


@platform.tool(
    example={"variation_id": "13961"},
    cites=VARIANT,
    asks=(
        "full ClinVar entry",
        "clinical significance of a VCV",
        "review status, gold stars, last evaluated",
        "is the variant pathogenic and for which disease",
        "what is known about this ClinVar entry",
    ),
)
async def get_variant_record(api: Api, variation_id: ClinVarVariationId) -> Answer:
    """One ClinVar variant in depth: germline, somatic impact and oncogenicity apart, by condition, with review stars.
    For several use get_variant_summaries; who said what: list_submissions; with CIViC and COSMIC:
    myvariant__variant_clinical_summary.

    variation_id, accession_version, title, variant_type, record_status, genes, protein_changes,
    molecular_consequences, rsid, caid, omim, canonical_spdi, locations, hgvs (haplotypes and
    genotypes have these in a list, alleles), classifications {germline, somatic_clinical_impact,
    oncogenicity: {description, review_status, stars, last_evaluated, submissions} or null},
    conditions [{accession, conditions, medgen, and a list for each kind that was stated}],
    included_in, number_of_submissions, number_of_submitters, last_updated.
    """
    archive = await entrez.record(api, records.variation_id(variation_id))
    if archive is None:
        return unknown_id(variation_id, f"ClinVar has no variant {variation_id}.")
    record = records.whole(archive)
    note = ""
    if archive.get("RecordType") == "included":
        note = "This variant has no classification of its own; it is part of the records in included_in."
    return Answer(record, note=note)


@platform.tool(
    example={"variation_ids": ["13961"]},
    cites=VARIANT_ROWS,
    asks=(
        "classifications of several ClinVar variants at once",
        "list of variation ids to significance",
        "bulk VCV lookup",
    ),
)
async def get_variant_summaries(api: Api, variation_ids: VariationIds) -> Answer:
    """Many at once (up to 50): current classifications of known ClinVar variants: germline, somatic impact,
    oncogenicity, stars, conditions. For one in depth use get_variant_record.

    Rows: variation_id, accession_version, title, variant_type, genes, protein_changes,
    molecular_consequences, rsid, caid, canonical_spdi, locations {GRCh38, GRCh37: chr, start, stop,
    ref, alt}, germline, somatic_clinical_impact, oncogenicity: {description, review_status, stars,
    last_evaluated, conditions} or null, alleles, submissions.
    """
    asked = list(dict.fromkeys(records.variation_id(text) for text in variation_ids))
    summaries, missing = await entrez.summaries(api, asked)
    note = f"ClinVar has no variant {', '.join(missing)}." if missing else ""
    if not summaries:
        return unknown_id(", ".join(variation_ids), note)
    return rows([records.summary(found) for found in summaries], note=note)


async def _term(api: Api, name: names.VariantName) -> str:
    """Return the search for a name; an SPDI is looked for by its rs numbers, where it has some."""
    if name.kind != "spdi":
        return name.term
    try:
        answer = await api.get(f"/spdi/{name.value}/rsids", base=VARIATION_SERVICES)
    except UpstreamNotFound:
        return name.term
    numbers = (answer.get("data") or {}).get("rsids") or []
    return " OR ".join(f"rs{number}" for number in numbers) or name.term


def _ranked(found: Sequence[Json], name: names.VariantName) -> tuple[list[Json], str]:
    """Return the candidates that carry the name, best first, and what is to be said of them."""
    fitting = [row for row in found if _fits(row, name)]
    note = ""
    if name.kind == "rsid" and found and not fitting:
        fitting = list(found)
        note = f"ClinVar holds these under another rs number (then {name.value} was merged) or in a haplotype."
    in_title = f"(p.{name.long})" if name.long else name.value
    fitting.sort(
        key=lambda row: (
            in_title not in row["title"],
            (row["alleles"] or 1) > 1,
            -(row["submissions"] or 0),
            int(row["variation_id"]),
        )
    )
    if len(fitting) > 1:
        note = f"{len(fitting)} ClinVar records fit this name; the most submitted one is first. {note}".strip()
    return fitting, note


def _fits(row: Json, name: names.VariantName) -> bool:
    """Whether a record carries the name itself: the search also finds texts that only mention it."""
    if name.kind == "protein":
        return name.value in row["protein_changes"] or f"p.{name.long}" in row["title"]
    if name.kind == "rsid":
        return bool(row["rsid"] == name.value)
    if name.kind == "spdi":
        return bool(row["canonical_spdi"] == name.value)
    return name.kind != "coding" or f":{name.value}" in row["title"]
