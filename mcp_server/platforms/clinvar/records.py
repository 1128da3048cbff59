"""ClinVar's two shapes of a variant, the summary and the whole record, each cut to what answers need."""

from collections.abc import Iterable
from typing import Any
from xml.etree.ElementTree import Element

from mcp_server.http.errors import UpstreamBadResponse
from mcp_server.platforms.clinvar.entrez import HOST
from mcp_server.platforms.clinvar.review import KINDS, classification

Json = Any
ASSEMBLIES = ("GRCh38", "GRCh37")


def vcv(variation_id: str) -> str:
    """Return the VCV accession of a Variation ID."""
    return f"VCV{int(variation_id):09d}"


def variation_id(text: str) -> str:
    """Return the Variation ID of digits or a VCV accession."""
    return str(int(text.upper().removeprefix("VCV").partition(".")[0]))


def summary(found: Json) -> Json:
    """Read one record of esummary."""
    alleles = found.get("variation_set") or []
    allele = alleles[0] if len(alleles) == 1 else {}
    references = {row["db_source"]: row["db_id"] for row in allele.get("variation_xrefs") or []}
    places = {row["assembly_name"]: row for row in allele.get("variation_loc") or []}
    changes = (found.get("protein_change") or "").split(",")
    return {
        "variation_id": found["uid"],
        "accession_version": found.get("accession_version") or found.get("accession") or vcv(found["uid"]),
        "title": found.get("title", ""),
        "variant_type": found.get("obj_type"),
        "genes": [gene["symbol"] for gene in found.get("genes") or []],
        "protein_changes": [change.strip() for change in changes if change.strip()],
        "molecular_consequences": found.get("molecular_consequence_list") or [],
        "rsid": f"rs{references['dbSNP'].removeprefix('rs')}" if references.get("dbSNP") else None,
        "caid": references.get("ClinGen"),
        "canonical_spdi": allele.get("canonical_spdi") or None,
        "locations": {name: _summary_place(places[name]) for name in ASSEMBLIES if name in places},
        **_summary_classifications(found),
        "alleles": len(alleles) or None,
        "submissions": len((found.get("supporting_submissions") or {}).get("scv") or []) or None,
    }


def _summary_place(place: Json) -> Json:
    return {
        "chr": place.get("chr"),
        "start": place.get("start") or place.get("display_start"),
        "stop": place.get("stop") or place.get("display_stop"),
        "ref": place.get("ref") or None,
        "alt": place.get("alt") or None,
    }


def _summary_classifications(found: Json) -> Json:
    """Return the three classifications; before 2024 there was one, the germline's."""
    if not any(key in found for key, _ in KINDS.values()):
        if "clinical_significance" not in found:
            raise UpstreamBadResponse(HOST, f"the summary of {found.get('uid')} holds no known classification field")
        former = {**found["clinical_significance"], "trait_set": found.get("trait_set")}
        return {**dict.fromkeys(KINDS), "germline": _summary_classification(former)}
    return {name: _summary_classification(found.get(key) or {}) for name, (key, _) in KINDS.items()}


def _summary_classification(found: Json) -> Json:
    read = classification(found.get("description"), found.get("review_status"), found.get("last_evaluated"))
    if read is None:
        return None
    traits = found.get("trait_set")
    return {**read, "conditions": None if traits is None else [trait["trait_name"] for trait in traits]}


def whole(archive: Element) -> Json:
    """Read a `VariationArchive`: all but the single submissions."""
    body = _first(archive, "ClassifiedRecord", "IncludedRecord")
    variant = _first(body, "SimpleAllele", "Haplotype", "Genotype")
    alleles = [variant] if variant.tag == "SimpleAllele" else list(variant.iter("SimpleAllele"))
    number = archive.get("VariationID", "")
    return {
        "variation_id": number,
        "accession_version": f"{archive.get('Accession', vcv(number))}.{archive.get('Version', '')}".rstrip("."),
        "title": archive.get("VariationName"),
        "variant_type": archive.get("VariationType"),
        "record_status": archive.findtext("RecordStatus"),
        "genes": _unique(gene.get("Symbol") for allele in alleles for gene in allele.iterfind("GeneList/Gene")),
        **(_allele(variant) if variant.tag == "SimpleAllele" else {"alleles": [_allele(allele) for allele in alleles]}),
        "classifications": {
            name: _classification(body.find(f"Classifications/{element}")) for name, (_, element) in KINDS.items()
        },
        "conditions": [_condition(row) for row in body.iterfind("RCVList/RCVAccession")],
        "included_in": _unique(row.get("Accession") for row in body.iterfind(".//ClassifiedVariation")),
        "number_of_submissions": _number(archive, "NumberOfSubmissions"),
        "number_of_submitters": _number(archive, "NumberOfSubmitters"),
        "last_updated": archive.get("DateLastUpdated"),
    }


def _first(parent: Element, *tags: str) -> Element:
    for tag in tags:
        found = parent.find(tag)
        if found is not None:
            return found
    raise UpstreamBadResponse(HOST, f"the record holds none of {', '.join(tags)}")


def _allele(allele: Element) -> Json:
    references = {row.get("DB"): row.get("ID") for row in allele.iterfind("XRefList/XRef")}
    places = {row.get("Assembly"): row for row in allele.iterfind("Location/SequenceLocation")}
    rs_number = references.get("dbSNP")
    return {
        "title": allele.findtext("Name") or allele.findtext("CanonicalSPDI"),
        "protein_changes": [row.text for row in allele.iterfind("ProteinChange")],
        "molecular_consequences": _unique(row.get("Type") for row in allele.iterfind(".//MolecularConsequence")),
        "rsid": f"rs{rs_number.removeprefix('rs')}" if rs_number else None,
        "caid": references.get("ClinGen"),
        "omim": references.get("OMIM"),
        "canonical_spdi": allele.findtext("CanonicalSPDI"),
        "locations": {name: _place(places[name]) for name in ASSEMBLIES if name in places},
        "hgvs": _hgvs(allele),
    }


def _place(place: Element) -> Json:
    return {
        "chr": place.get("Chr"),
        "start": place.get("positionVCF") or place.get("start"),
        "stop": place.get("stop"),
        "ref": place.get("referenceAlleleVCF"),
        "alt": place.get("alternateAlleleVCF"),
    }


def _hgvs(allele: Element) -> list[str]:
    """Return the names on the chromosomes and on MANE transcripts, with their protein names."""
    names = []
    for row in allele.iterfind("HGVSlist/HGVS"):
        nucleotide = row.find("NucleotideExpression")
        if nucleotide is None or row.get("Assembly") not in (None, *ASSEMBLIES):
            continue
        is_mane = "true" in (nucleotide.get("MANESelect"), nucleotide.get("MANEPlusClinical"))
        if is_mane or "top-level" in row.get("Type", ""):
            names += [text.text for text in row.iter("Expression") if text.text]
    return names


def _classification(kind: Element | None) -> Json:
    if kind is None:
        return None
    read = classification(kind.findtext("Description"), kind.findtext("ReviewStatus"), kind.get("DateLastEvaluated"))
    return read and {**read, "submissions": _number(kind, "NumberOfSubmissions")}


def _condition(rcv: Element) -> Json:
    """Read what is said of the variant for one condition."""
    conditions = rcv.findall("ClassifiedConditionList/ClassifiedCondition")
    condition = {
        "accession": f"{rcv.get('Accession')}.{rcv.get('Version')}",
        "conditions": [row.text for row in conditions],
        "medgen": [row.get("ID") for row in conditions if row.get("DB") == "MedGen"],
    }
    for name, (_, element) in KINDS.items():
        kind = rcv.find(f"RCVClassifications/{element}")
        if kind is not None:
            status = kind.findtext("ReviewStatus")
            condition[name] = [statement(row, status) for row in kind.iterfind("Description")]
    return condition


def statement(description: Element, review_status: str | None) -> Json:
    """Read one description of a kind of classification."""
    read = classification(description.text, review_status, description.get("DateLastEvaluated")) or {}
    impact = {
        "assertion_type": description.get("ClinicalImpactAssertionType"),
        "significance": description.get("ClinicalImpactClinicalSignificance"),
    }
    read["submissions"] = _number(description, "SubmissionCount")
    return read | {name: value for name, value in impact.items() if value}


def _number(element: Element, name: str) -> int | None:
    text = element.get(name, "")
    return int(text) if text.isdigit() else None


def _unique(values: Iterable[str | None]) -> list[str]:
    return list(dict.fromkeys(value for value in values if value))
