"""What each tool of cBioPortal is asked by its example, and what the portal answers: a hit, nothing, an unknown id."""

from dataclasses import dataclass, field
from typing import Any

from mcp_server.platforms.cbioportal import platform
from tests.mcp_server.platforms.fake_upstream import Played

Json = Any
Answers = dict[str, Any]

TOOLS = {tool.function.__name__: tool for tool in platform.tools}
NONE = Played([])
SKCM, THCA, ACC = (f"{tumour}_tcga_pan_can_atlas_2018" for tumour in ("skcm", "thca", "acc"))
GENES = {"BRAF": 673, "PIK3CA": 5290, "EGFR": 1956, "ALK": 238, "EML4": 27436, "ERBB2": 2064, "TP53": 7157}


@dataclass(frozen=True)
class Case:
    """The answers to a tool's example; None where an outcome cannot be."""

    tool: str
    hit: Answers
    nothing: Answers | None
    unknown: Answers | None
    arguments: dict[str, Json] = field(default_factory=dict)

    @property
    def asked(self) -> dict[str, Json]:
        """The arguments of the call."""
        return self.arguments or dict(TOOLS[self.tool].example)


def not_found(what: str, name: str) -> Played:
    """Return the portal's own 404."""
    return Played({"message": f"{what} not found: {name}"}, 404)


def gene(symbol: str) -> Answers:
    """Return the answer of the look-up of a gene."""
    record = {"entrezGeneId": GENES[symbol], "hugoGeneSymbol": symbol, "type": "protein-coding"}
    return {f"/genes/{symbol}": Played(record)}


def unknown_gene(symbol: str, near: str = "") -> Answers:
    """Return the look-ups of a gene that the portal does not know."""
    found = [{"entrezGeneId": 1, "hugoGeneSymbol": near, "type": "protein-coding"}] if near else []
    return {f"/genes/{symbol}": not_found("Gene", symbol), "/genes?alias": NONE, "/genes?keyword": Played(found)}


def study_record(study_id: str, name: str = "A study", samples: int = 500, **more: Json) -> Json:
    """Return a study with its details."""
    facts = {"studyId": study_id, "name": name, "pmid": "28481359", "citation": "Zehir et al."}
    kind = {"cancerTypeId": "mixed", "cancerType": {"cancerTypeId": "mixed", "name": "Mixed Cancer Types"}}
    return {**facts, **kind, "referenceGenome": "hg19", "allSampleCount": samples, **more}


def profile(study_id: str, kind: str = "mutation") -> Json:
    """Return a molecular profile; its id follows no rule."""
    type_, datatype, suffix = {
        "mutation": ("MUTATION_EXTENDED", "MAF", "mutations"),
        "cna": ("COPY_NUMBER_ALTERATION", "DISCRETE", "gistic"),
        "log2": ("COPY_NUMBER_ALTERATION", "LOG2-VALUE", "log2CNA"),
        "structural_variant": ("STRUCTURAL_VARIANT", "SV", "structural_variants"),
    }[kind]
    names = {"molecularProfileId": f"{study_id}_{suffix}", "studyId": study_id}
    return {**names, "molecularAlterationType": type_, "datatype": datatype, "name": suffix}


def study(study_id: str, *kinds: str, **more: Json) -> Answers:
    """Return the answers about one study: its record, profiles and list of samples."""
    everyone = {"sampleListId": f"{study_id}_all", "category": "all_cases_in_study", "studyId": study_id}
    return {
        f"/studies/{study_id}": Played(study_record(study_id, **more)),
        f"/studies/{study_id}/molecular-profiles": Played([profile(study_id, kind) for kind in kinds]),
        f"/studies/{study_id}/sample-lists": Played([everyone]),
    }


def unknown_study(study_id: str) -> Answers:
    """Return the answers about a study that nobody has, and the list for near ids."""
    missing = not_found("Study", study_id)
    parts = ("", "/molecular-profiles", "/sample-lists", "/clinical-attributes")
    near = {"studyId": f"{study_id}_2", "name": "Near"}
    return {**{f"/studies/{study_id}{part}": missing for part in parts}, "/api/studies": Played([near])}


def studies(*study_ids: str) -> Answers:
    """Return the answers about several studies with mutations."""
    return {
        "/studies/fetch": Played([study_record(study_id, f"Study {study_id[:4]}") for study_id in study_ids]),
        "/molecular-profiles/fetch": Played([profile(study_id) for study_id in study_ids]),
    }


def counted(symbol: str, altered: int, profiled: int, **more: Json) -> Json:
    """Return a row of the portal's own counts."""
    return {
        "hugoGeneSymbol": symbol,
        "entrezGeneId": GENES[symbol],
        "numberOfAlteredCases": altered,
        "numberOfAlteredCasesOnPanel": altered,
        "numberOfProfiledCases": profiled,
        "totalCount": altered,
        **more,
    }


def mutation(study_id: str, sample: str, change: str, symbol: str = "BRAF", **more: Json) -> Json:
    """Return one mutation call."""
    return {
        "molecularProfileId": f"{study_id}_mutations",
        "studyId": study_id,
        "sampleId": sample,
        "patientId": sample.partition("-T")[0],
        "entrezGeneId": GENES[symbol],
        "proteinChange": change,
        "mutationType": "Missense_Mutation",
        "mutationStatus": "SOMATIC",
        "tumorAltCount": 30,
        "tumorRefCount": 70,
        "chr": "7",
        "startPosition": 140453136,
        "endPosition": 140453136,
        "referenceAllele": "A",
        "variantAllele": "T",
        "ncbiBuild": "GRCh37",
        **more,
    }


def panel_row(
    study_id: str, sample: str, panel: str | None = None, profiled: bool = True, kind: str = "mutation"
) -> Json:
    """Return what the portal says of a sample's panel; whole exomes have none."""
    named = {} if panel is None else {"genePanelId": panel}
    ids = {"molecularProfileId": profile(study_id, kind)["molecularProfileId"], "studyId": study_id}
    return {**ids, "sampleId": sample, "patientId": sample, "profiled": profiled, **named}


def fusion(study_id: str, sample: str, first: str = "EML4", second: str = "ALK", **more: Json) -> Json:
    """Return one structural variant."""
    return {
        "molecularProfileId": f"{study_id}_structural_variants",
        "studyId": study_id,
        "sampleId": sample,
        "patientId": sample.partition("-T")[0],
        "site1EntrezGeneId": GENES.get(first),
        "site1HugoSymbol": first,
        "site1Chromosome": "2",
        "site1Position": 42492092,
        "site2EntrezGeneId": GENES.get(second),
        "site2HugoSymbol": second,
        "site2Chromosome": "2",
        "site2Position": 29446394,
        "site2EffectOnFrame": "NA",
        "ncbiBuild": "GRCh37",
        **more,
    }


def hotspot(symbol: str, residue: str, tumors: int, position: int, **more: Json) -> Json:
    """Return one hotspot."""
    return {
        "hugoSymbol": symbol,
        "residue": residue,
        "tumorTypeCount": None,
        "tumorCount": tumors,
        "transcriptId": "ENST00000288602",
        "aminoAcidPosition": {"start": position, "end": position},
        "qValue": "3.65e-82",
        "type": "single residue",
        "variantAminoAcid": {"E": tumors},
        "tumorTypeComposition": {"skin": tumors},
        **more,
    }


V600 = hotspot("BRAF", "V600", 897, 600, variantAminoAcid={"E": 893, "V": 4})
CALLS = [mutation(SKCM, "S1", "V600E"), mutation(SKCM, "S2", "V600K"), mutation(THCA, "S3", "V600E")]
LOOKED_AT = [panel_row(SKCM, name) for name in ("S1", "S2", "S4")] + [panel_row(THCA, "S3"), panel_row(THCA, "S5")]
ATLAS = {**gene("BRAF"), **studies(SKCM, THCA)}
ATLAS_CALLS = {"/mutations/fetch": Played(CALLS), "/gene-panel-data/fetch": Played(LOOKED_AT)}
ATLAS_SILENT = {"/mutations/fetch": NONE, "/gene-panel-data/fetch": Played(LOOKED_AT)}
TYPES = {"/clinical-data/fetch": Played([
    {"studyId": SKCM, "sampleId": "S1", "clinicalAttributeId": "CANCER_TYPE", "value": "Melanoma"},
])}  # fmt: skip
SEX = {"clinicalAttributeId": "SEX", "displayName": "Sex", "datatype": "STRING", "patientAttribute": True}
GBM = "gbm_tcga_pan_can_atlas_2018"
IMPACT = "msk_impact_2017"
EGFR_GAINS = [
    {"studyId": GBM, "molecularProfileId": f"{GBM}_gistic", "sampleId": name, "entrezGeneId": 1956, "alteration": 2}
    for name in ("S1", "S2")
]

CASES = [
    Case("gene_alteration_frequency",
         {**gene("PIK3CA"), **study("brca_metabric", "mutation"),
          "/mutated-genes/fetch": Played([counted("TP53", 57, 150), counted("PIK3CA", 975, 2433)])},
         {**gene("PIK3CA"), **study("brca_metabric")},
         {**unknown_gene("PIK3CA"), **study("brca_metabric", "mutation")}),
    Case("mutations_in_gene",
         {**gene("BRAF"), **study(IMPACT, "mutation"), "/mutated-genes/fetch": Played([counted("BRAF", 1, 10945)]),
          "/msk_impact_2017_mutations/mutations/fetch": Played([mutation(IMPACT, "P-0000001-T01-IM3", "V600E")])},
         {**gene("BRAF"), **study(IMPACT, "mutation"), "/mutated-genes/fetch": NONE, "/mutations/fetch": NONE,
          "/gene-panel-data/fetch": Played([panel_row(IMPACT, "P-0000001-T01-IM3")])},
         {**gene("BRAF"), **unknown_study(IMPACT)}),
    Case("mutation_recurrence", {**ATLAS, **ATLAS_CALLS, **TYPES}, {**ATLAS, **ATLAS_SILENT},
         {**unknown_gene("BRAF", "BRAFP1"), **studies(SKCM)}),
    Case("gene_enrichment_summary", {**ATLAS, **ATLAS_CALLS, "/byGene/BRAF": Played([V600])},
         {**ATLAS, **ATLAS_SILENT, "/byGene/BRAF": NONE},
         {**unknown_gene("BRAF"), **studies(SKCM), "/byGene/BRAF": NONE}),
    Case("hotspots", {"/api/hotspots/single/byGene/BRAF": Played([V600])},
         {"/byGene/BRAF": NONE, **gene("BRAF")}, {"/byGene/BRAF": NONE, **unknown_gene("BRAF")}),
    Case("copy_number_in_gene",
         {**gene("EGFR"), **study(GBM, "log2", "cna"), "/discrete-copy-number/fetch": Played(EGFR_GAINS),
          "/cna-genes/fetch": Played([counted("EGFR", 2, 575, alteration=2)])},
         {**gene("EGFR"), **study(GBM, "cna"), "/discrete-copy-number/fetch": NONE,
          "/cna-genes/fetch": Played([counted("EGFR", 2, 575, alteration=2)])},
         {**gene("EGFR"), **unknown_study(GBM)}),
    Case("fusions_in_gene",
         {**gene("ALK"), **study(IMPACT, "structural_variant"),
          "/structural-variant/fetch": Played([fusion(IMPACT, "P-0000001-T01-IM3")]),
          "/structuralvariant-genes/fetch": Played([counted("ALK", 1, 10945)])},
         {**gene("ALK"), **study(IMPACT, "structural_variant"), "/structural-variant/fetch": NONE,
          "/structuralvariant-genes/fetch": NONE,
          "/gene-panel-data/fetch": Played([panel_row(IMPACT, "P-0000001-T01-IM3", kind="structural_variant")])},
         {**gene("ALK"), **unknown_study(IMPACT)}),
    Case("clinical_summary",
         {**study("gbm_tcga_pub", samples=206), "/studies/gbm_tcga_pub/clinical-attributes": Played([SEX]),
          "/clinical-data?attributeId=SEX&clinicalDataType=PATIENT": Played([
              {"patientId": "P1", "studyId": "gbm_tcga_pub", "clinicalAttributeId": "SEX", "value": "Female"}]),
          "/gbm_tcga_pub/patients?projection=META": Played("", headers={"total-count": "206"})},
         {**study("gbm_tcga_pub"), "/clinical-attributes": Played([SEX]), "/clinical-data": NONE,
          "/patients": Played("", headers={"total-count": "206"})},
         {**study("gbm_tcga_pub"), "/clinical-attributes": Played([{**SEX, "clinicalAttributeId": "AGE",
                                                                    "displayName": "Age"}])}),
    Case("search_cancer_studies",
         {"/studies?keyword=glioblastoma": Played([study_record("gbm_tcga_pub", "Glioblastoma (TCGA)", 206)])},
         {"/studies?keyword=glioblastoma": NONE}, {"/studies?keyword": NONE, "/cancer-types": Played([
             {"cancerTypeId": "luad", "name": "Lung Adenocarcinoma", "parent": "nsclc"}])},
         {"keyword": "glioblastoma", "cancer_type": "lung adenocarcinomas"}),
    Case("get_cancer_study",
         {**study("gbm_tcga_pub", "mutation"), "/gbm_tcga_pub/clinical-attributes": Played([SEX])}, None,
         unknown_study("gbm_tcga_pub")),
    Case("treatments_in_study",
         {**study("msk_chord_2024"), "/treatments/patient-counts/fetch": Played({
             "totalPatients": 3, "totalSamples": 0, "patientTreatments": [{"treatment": "LETROZOLE", "count": 2}]})},
         {**study("msk_chord_2024"), "/treatments/patient-counts/fetch": Played({
             "totalPatients": 0, "totalSamples": 0, "patientTreatments": []})},
         unknown_study("msk_chord_2024")),
]  # fmt: skip
# The example asks for words alone; only a cancer type can be unknown.
SEARCHED_WITHOUT_TYPE = {"keyword": "glioblastoma"}
