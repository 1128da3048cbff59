"""What single submitters say of a variant, and of a variant for one condition."""

from collections import Counter
from collections.abc import Iterable
from typing import Annotated, Any, Literal
from xml.etree.ElementTree import Element

from mcp_server.args import Limit, Offset
from mcp_server.envelope import Answer, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse
from mcp_server.platforms.clinvar import entrez, records
from mcp_server.platforms.clinvar.base import VARIANT, platform
from mcp_server.platforms.clinvar.review import KINDS, classification
from mcp_server.tool import Arg, Cite

Json = Any

Accession = Annotated[
    str,
    Arg(
        "ClinVar Variation ID, VCV accession, or the SCV accession of one submission.",
        "13961",
        r"^(\d{1,9}|[VS]CV\d{9}(\.\d+)?)$",
        normalise=str.upper,
    ),
]
Rcv = Annotated[
    str, Arg("ClinVar accession of a variant and condition.", "RCV000067669", r"^RCV\d{9}$",
             normalise=lambda text: text.upper().partition(".")[0])
]  # fmt: skip
Kind = Annotated[
    Literal["germline", "somatic_clinical_impact", "oncogenicity"] | None, Arg("Only this kind of classification.")
]
_SUBMISSIONS = Cite("clinvar_record", "submissions[]", "accession_version", "submitter")


@platform.tool(
    example={"accession": "177881"},
    cites=(VARIANT, _SUBMISSIONS),
    asks=(
        "which labs called it pathogenic",
        "conflicting interpretations",
        "who submitted the classification",
        "ACMG criteria in comments",
        "do laboratories disagree",
        "SCV",
    ),
)
async def list_submissions(
    api: Api, accession: Accession, kind: Kind = None, limit: Limit = 50, offset: Offset = 0
) -> Answer:
    """Who said what of one ClinVar variant, also where submitters conflict: each one's classification, stars, date,
    condition, method, comment and PMIDs, with a tally; or one submission by its SCV. Aggregate view:
    get_variant_record.

    variation_id, accession_version, title, tally: {kind: {classification: number}}, submissions (most stars and
    newest first): [{accession_version, submitter, kind, classification, stars, review_status, last_evaluated,
    conditions, method, origin, assertion_method, pmids, comment, clinical_impact {assertion_type, significance,
    drugs}}].
    """
    if accession.startswith("SCV"):
        return await _one_submission(api, accession.partition(".")[0], kind)
    archive = await entrez.record(api, records.variation_id(accession))
    if archive is None:
        return unknown_id(accession, f"ClinVar has no variant {accession}.")
    statements = [_statement(row) for row in archive.iter("ClinicalAssertion")]
    tally: dict[str, Counter[str]] = {}
    for row in statements:
        if row["classification"]:
            tally.setdefault(row["kind"], Counter())[row["classification"]] += 1
    chosen = _best_first(row for row in statements if kind in (None, row["kind"]))
    shown = chosen[offset : offset + limit]
    end = offset + len(shown)
    note = "; ".join(_disagreement(name, counts) for name, counts in tally.items() if len(counts) > 1)
    if not chosen:
        of_kind = f" of the kind {kind}" if kind else ""
        note = f"{accession} has no submission{of_kind}. {note}".strip()
    data = {**_head(archive), "tally": {name: dict(counts) for name, counts in tally.items()}, "submissions": shown}
    following = {"offset": end} if shown and end < len(chosen) else None
    return rows(shown, data=data, total=len(chosen), next=following, note=note)


@platform.tool(
    example={"accession": "RCV000067669"},
    cites=(Cite("clinvar_record", "", "accession_version", "title"), _SUBMISSIONS),
    asks=(
        "RCV record",
        "classification of a variant for one disease",
        "variant-condition pair",
        "what does an RCV number say",
        "what does the variant mean for this one disease",
    ),
)
async def get_condition_record(api: Api, accession: Rcv) -> Answer:
    """One ClinVar RCV accession: the classifications of a variant for one condition, with its submissions. All
    conditions of a variant: get_variant_record.

    accession_version, title, record_status, variation_id, variant_accession, conditions: [{name, medgen, mondo,
    omim}], classifications: {kind: [{description, stars, review_status, last_evaluated, submissions,
    assertion_type, significance}]}, replaces, last_updated, submissions (as list_submissions).
    """
    found = await entrez.condition_record(api, accession)
    reference = found.find("ReferenceClinVarAssertion") if found is not None else None
    if found is None or reference is None:
        return unknown_id(accession, f"ClinVar has no record {accession}.")
    own = reference.find("ClinVarAccession")
    if own is None or own.get("Acc") != accession:
        raise UpstreamBadResponse(
            entrez.HOST, f"asked for {accession}, it answered {own is not None and own.get('Acc')}"
        )
    measured = (
        reference.find("MeasureSet") if reference.find("MeasureSet") is not None else reference.find("GenotypeSet")
    )
    statements = [_statement(row) for row in found.iterfind("ClinVarAssertion")]
    data = {
        "accession_version": f"{accession}.{own.get('Version')}",
        "title": found.findtext("Title"),
        "record_status": found.findtext("RecordStatus"),
        "variation_id": measured.get("ID") if measured is not None else None,
        "variant_accession": measured.get("Acc") if measured is not None else None,
        "conditions": [_trait(trait) for trait in reference.iterfind("TraitSet/Trait")],
        "classifications": _classifications(reference),
        "replaces": [row.text for row in found.iterfind("Replaces")],
        "last_updated": own.get("DateUpdated"),
        "submissions": _best_first(statements),
    }
    status = data["record_status"]
    return Answer(data, note="" if status in (None, "current") else f"The status of this record is {status!r}.")


async def _one_submission(api: Api, accession: str, kind: str | None) -> Answer:
    found = await entrez.search(api, accession, 3)
    for variation_id in found["idlist"]:
        archive = await entrez.record(api, variation_id)
        for row in archive.iter("ClinicalAssertion") if archive is not None else ():
            statement = _statement(row)
            if archive is None or statement["accession_version"].partition(".")[0] != accession:
                continue
            shown = [statement] if kind in (None, statement["kind"]) else []
            tally = {statement["kind"]: {statement["classification"]: 1}} if statement["classification"] else {}
            note = "" if shown else f"{accession} is of the kind {statement['kind']}."
            return rows(shown, data={**_head(archive), "tally": tally, "submissions": shown}, note=note)
    return unknown_id(accession, f"ClinVar has no current submission {accession}; it may have been withdrawn.")


def _head(archive: Element) -> Json:
    number = archive.get("VariationID", "")
    version = f"{archive.get('Accession', records.vcv(number))}.{archive.get('Version', '')}".rstrip(".")
    return {"variation_id": number, "accession_version": version, "title": archive.get("VariationName")}


def _statement(assertion: Element) -> Json:
    """Read one submission; whole variants and records of one condition write its head in two ways."""
    own, sent = assertion.find("ClinVarAccession"), assertion.find("ClinVarSubmissionID")
    own = own if own is not None else Element("ClinVarAccession")
    stated = assertion.find("Classification")
    stated = stated if stated is not None else Element("Classification")
    found = ((name, stated.find(element)) for name, (_, element) in KINDS.items())
    kind, said = next(((name, element) for name, element in found if element is not None), ("", Element("none")))
    evaluated = stated.get("DateLastEvaluated")
    read = classification(said.text, stated.findtext("ReviewStatus"), evaluated) or {}
    impact = {
        "assertion_type": said.get("ClinicalImpactAssertionType"),
        "significance": said.get("ClinicalImpactClinicalSignificance"),
        "drugs": said.get("DrugForTherapeuticAssertion"),
    }
    row = {
        "accession_version": f"{own.get('Accession') or own.get('Acc')}.{own.get('Version')}",
        "submitter": own.get("SubmitterName") or (sent.get("submitter") if sent is not None else None),
        "kind": kind or None,
        "classification": read.get("description"),
        "stars": read.get("stars"),
        "review_status": stated.findtext("ReviewStatus"),
        "last_evaluated": evaluated,
        "conditions": _unique(_trait_name(trait) for trait in assertion.iterfind("TraitSet/Trait")),
        "method": _unique(row.text for row in assertion.iter("MethodType")),
        "origin": _unique(row.text for row in assertion.iter("Origin")),
        "assertion_method": assertion.findtext("AttributeSet/Attribute[@Type='AssertionMethod']"),
        "pmids": _unique(row.text for row in stated.iterfind("Citation/ID[@Source='PubMed']")),
        "comment": " ".join(filter(None, (row.text for row in stated.iterfind("Comment")))) or None,
    }
    impact = {name: value for name, value in impact.items() if value}
    return {**row, "clinical_impact": impact} if impact else row


def _best_first(statements: Iterable[Json]) -> list[Json]:
    """Sort most stars first, and among equals the newest."""
    newest_first = sorted(statements, key=lambda row: row["last_evaluated"] or "", reverse=True)
    return sorted(newest_first, key=lambda row: -(row["stars"] or 0))


def _classifications(reference: Element) -> Json:
    kinds = {}
    for name, (_, element) in KINDS.items():
        kind = reference.find(f"Classifications/{element}")
        if kind is not None:
            kinds[name] = [
                records.statement(row, kind.findtext("ReviewStatus")) for row in kind.iterfind("Description")
            ]
    return kinds


def _trait(trait: Element) -> Json:
    references: dict[str, str] = {}
    for row in trait.iterfind("XRef"):
        references.setdefault(row.get("DB", ""), row.get("ID", ""))
    named = {"medgen": "MedGen", "mondo": "MONDO", "omim": "OMIM"}
    return {"name": _trait_name(trait), **{name: references[db] for name, db in named.items() if db in references}}


def _trait_name(trait: Element) -> str:
    """Return a condition's preferred name, any name, or the reference that stands in its place."""
    name = trait.findtext("Name/ElementValue[@Type='Preferred']") or trait.findtext("Name/ElementValue")
    reference = trait.find("XRef")
    return name or (f"{reference.get('DB')}:{reference.get('ID')}" if reference is not None else "")


def _disagreement(kind: str, counts: Counter[str]) -> str:
    said = ", ".join(f"{name} {number}" for name, number in counts.most_common())
    return f"Submitters say different things ({kind.replace('_', ' ')}): {said}"


def _unique(values: Iterable[str | None]) -> list[str]:
    return list(dict.fromkeys(value for value in values if value))
