"""What each tool of MyVariant is asked by its example, and what the services answer: a hit, nothing, an unknown id."""

from dataclasses import dataclass, field
from typing import Any

from mcp_server.platforms.myvariant import platform
from tests.mcp_server.platforms.fake_upstream import Played

Json = Any

TOOLS = {tool.function.__name__: tool for tool in platform.tools}
UNKNOWN = Played({"code": 404, "success": False, "error": "Not Found"}, 404)
NO_HITS = Played({"took": 0, "total": 0, "max_score": None, "hits": []})


@dataclass(frozen=True)
class Case:
    """The answers to a tool's example; None where an outcome cannot be."""

    tool: str
    hit: dict[str, Any]
    nothing: dict[str, Any] | None
    unknown: dict[str, Any] | None
    arguments: dict[str, Json] = field(default_factory=dict)

    @property
    def asked(self) -> dict[str, Json]:
        """The arguments of the call."""
        return self.arguments or dict(TOOLS[self.tool].example)


def hits(*found: Json, total: int | None = None) -> Played:
    """Return the answer of a search."""
    count = len(found) if total is None else total
    return Played({"took": 4, "total": count, "max_score": 26.3, "hits": list(found)})


def rcv(accession: str, significance: str, status: str, *conditions: str, **more: Json) -> Json:
    """Return one ClinVar record; one condition stands as an object, several as a list."""
    named = [{"name": name} for name in conditions]
    return {
        "accession": accession,
        "clinical_significance": significance,
        "review_status": status,
        "conditions": named[0] if len(named) == 1 else named,
        **more,
    }


NO_CRITERIA = "no assertion criteria provided"
SINGLE = "criteria provided, single submitter"
MULTIPLE = "criteria provided, multiple submitters, no conflicts"
PANEL = "reviewed by expert panel"

GNOMAD_V600E = {
    "af": {"af": 3.97994e-06, "af_sas": 3.26669e-05, "af_afr": 0.0},
    "ac": {"ac": 1, "ac_sas": 1, "ac_afr": 0},
    "an": {"an": 251260, "an_sas": 30612, "an_afr": 16252},
}
V600E_DBNSFP = {
    "genename": ["BRAF", "BRAF", "BRAF", "BRAF"],
    "hgvsp": ["p.Val640Glu", "p.Val600Glu", "p.Val207Glu", "p.V600E"],
    "hgvsc": ["c.620T>A", "c.1919T>A", "c.1799T>A"],
    "revel": {"score": 0.931},
    "alphamissense": {"score": [0.9853, 0.9978, 0.9927, 0.9941], "pred": ["P", "P", "P", "P"]},
}
V600E_CLINVAR = {
    "variant_id": 13961,
    "rsid": "rs113488022",
    "gene": {"id": "673", "symbol": "BRAF"},
    "rcv": [
        rcv("RCV000014992", "Pathogenic", NO_CRITERIA, "Carcinoma of colon (CRC)", origin="somatic",
            preferred_name="NM_004333.6(BRAF):c.1799T>A (p.Val600Glu)", last_evaluated="2014-09-04"),
        rcv("RCV000430562", "Likely pathogenic", NO_CRITERIA, "Multiple myeloma (MM)", origin="somatic"),
        rcv("RCV005089260", "Uncertain significance", SINGLE, "RASopathy", origin="germline"),
    ],
}  # fmt: skip
V600E_EFFECT = {
    "effect": "missense_variant", "feature_id": "NM_004333.4", "genename": "BRAF", "hgvs_c": "c.1799T>A",
    "hgvs_p": "p.Val600Glu",
}  # fmt: skip
V600E_HG38 = {
    "_id": "chr7:g.140753336A>T",
    "chrom": "7",
    "hg38": {"start": 140753336, "end": 140753336},
    "vcf": {"ref": "A", "alt": "T", "position": "140753336"},
    "clingen": {"caid": "CA123643"},
    "clinvar": V600E_CLINVAR,
    "dbnsfp": {**V600E_DBNSFP, "cadd": {"phred": 29.8}},
    "dbsnp": {"rsid": "rs113488022", "gene": {"symbol": "BRAF", "geneid": 673}},
    "gnomad_exome": GNOMAD_V600E,
    "snpeff": {"ann": V600E_EFFECT},
}
V600E_HG19 = {
    **V600E_HG38,
    "_id": "chr7:g.140453136A>T",
    "hg19": {"start": 140453136, "end": 140453136},
    "vcf": {"ref": "A", "alt": "T", "position": "140453136"},
    "dbnsfp": V600E_DBNSFP,
    "cadd": {"phred": 32, "consequence": "NON_SYNONYMOUS"},
    "civic": {
        "id": 12,
        "molecularProfiles": [
            {"name": "BRAF V600E", "evidenceItems": [{"evidenceType": "DIAGNOSTIC"}, {"evidenceType": "PREDICTIVE"}]}
        ],
    },
    "cosmic": {"cosmic_id": "COSM476", "tumor_site": "biliary_tract"},
}
del V600E_HG19["hg38"]
# rs1047781 names two changes of one base.
FUT2_T: dict[str, Json] = {
    "_id": "chr19:g.49206631A>T",
    "chrom": "19",
    "hg19": {"start": 49206631, "end": 49206631},
    "clinvar": {
        "variant_id": 12946,
        "rcv": rcv("RCV000013811", "Benign", NO_CRITERIA, "SECRETOR/NONSECRETOR POLYMORPHISM, JAPANESE TYPE"),
    },
    "dbnsfp": {
        "genename": ["FUT2", "FUT2", "FUT2"],
        "hgvsp": ["p.I140F", "p.Ile140Phe"],
        "hgvsc": ["c.418A>T"],
        "revel": {"score": 0.777},
        "list-s2": {"score": [".", ".", "0.676632"]},
    },
    "dbsnp": {
        "rsid": "rs1047781",
        "gene": [{"symbol": "FUT2"}, {"symbol": "LOC105447645"}],
        "dbsnp_merges": [{"rsid": "rs3187804"}, {"rsid": "rs52794103"}],
    },
    "cadd": {"phred": 23.5},
    "gnomad_exome": {"af": {"af": 0.036422}},
    "gnomad_genome": {"af": {"af": 0.0231824}},
}
FUT2_C = {
    "_id": "chr19:g.49206631A>C",
    "chrom": "19",
    "hg19": {"start": 49206631, "end": 49206631},
    "dbnsfp": {"genename": ["FUT2", "FUT2"], "hgvsp": ["p.I140L", "p.Ile140Leu"], "hgvsc": ["c.418A>C"]},
    "dbsnp": FUT2_T["dbsnp"],
    "cadd": {"phred": 8.608},
}

ERBB2 = {
    "_id": "2064", "symbol": "ERBB2", "name": "erb-b2 receptor tyrosine kinase 2", "entrezgene": "2064", "taxid": 9606,
    "alias": ["CD340", "HER-2", "HER2", "NEU"], "type_of_gene": "protein-coding", "MIM": "164870", "HGNC": "3430",
    "ensembl": {"gene": "ENSG00000141736"}, "uniprot": {"Swiss-Prot": "P04626", "TrEMBL": ["F5H1T4", "J3QLU9"]},
    "genomic_pos": {"chr": "17", "start": 39687914, "end": 39730426, "strand": 1},
}  # fmt: skip
IMATINIB = {
    "_id": "KTUFNOKKBVMGRW-UHFFFAOYSA-N",
    "chembl": {"molecule_chembl_id": "CHEMBL941", "pref_name": "IMATINIB", "molecule_type": "Small molecule"},
    "drugbank": {"id": "DB00619", "name": "Imatinib", "synonyms": ["Imatinib", "STI571"]},
    "unii": {"unii": "BKJ8M8G5HI", "display_name": "IMATINIB"},
    "chebi": {"name": "imatinib"},
}
MESYLATE = {
    "_id": "YLMAHDNUQAMNNX-UHFFFAOYSA-N",
    "chembl": {
        "molecule_chembl_id": "CHEMBL1642",
        "pref_name": "IMATINIB MESYLATE",
        "molecule_type": "Small molecule",
        "drug_mechanisms": [
            {"action_type": "INHIBITOR", "target_name": "Tyrosine-protein kinase ABL1"},
            {"action_type": "INHIBITOR", "target_name": "Mast/stem cell growth factor receptor Kit"},
        ],
    },
    "unii": {"unii": "8A1O1M485B", "display_name": "IMATINIB MESYLATE"},
}
PACKAGE = {"_id": "68001-623", "ndc": {"nonproprietaryname": "Imatinib Mesylate"}}
MARFAN = {
    "_id": "MONDO:0007947",
    "mondo": {
        "label": "Marfan syndrome",
        "synonym": {"exact": ["MFS", "MFS1", "Marfan syndrome type 1"]},
        "definition": "A disorder of the connective tissue.",
        "parents": ["MONDO:0017310"],
        "xrefs": {"doid": ["DOID:14323"], "mesh": ["D008382"], "omim": ["154700"], "umls": ["C0024796"],
                  "icd10cm": ["Q87.4"], "orphanet": ["284963", "558"], "sctid": ["19346006"], "ncit": ["C34807"]},
    },
    "disease_ontology": {"doid": "DOID:14323", "name": "Marfan syndrome", "synonyms": {"exact": ["Marfan's syndrome"]},
                         "xrefs": {"mim": "154700", "snomedct_us_2025_09_01": "19346006"}},
    "umls": [{"mesh": {"preferred": "D008382"}}, {"snomed": {"preferred": ["268359006", "19346006"]}}],
}  # fmt: skip
V600E_PATH = "/v1/variant/chr7:g.140753336A%3ET"
FIELDS = {
    "dbnsfp.revel.score": {"type": "float"},
    "dbnsfp.revel.rankscore": {"type": "float"},
    "cadd.phred": {"type": "float"},
}

CASES = [
    Case("variant_search", {"/v1/query?assembly=hg38": hits(V600E_HG38)}, {"/v1/query": NO_HITS}, None),
    Case("variant_get", {f"{V600E_PATH}?assembly=hg38": Played({**V600E_HG38, "_version": 2})}, None,
         {V600E_PATH: UNKNOWN}),
    Case("variant_batch",
         {"/v1/variant": Played([{"query": "rs113488022", **V600E_HG19}, {"query": "rs1047781", **FUT2_C},
                                 {"query": "rs1047781", **FUT2_T}])}, None,
         {"/v1/variant": Played([{"query": rsid, "notfound": True} for rsid in ("rs113488022", "rs1047781")])}),
    Case("variant_clinical_summary",
         {"/v1/query?assembly=hg38": hits(V600E_HG38), "/v1/query?assembly=hg19": hits(V600E_HG19)},
         {"/v1/query": NO_HITS}, None),
    Case("variant_clinical_summary", {"/v1/query?assembly=hg38": hits(V600E_HG38), "/v1/query": hits(V600E_HG19)}, None,
         {"/v1/query": NO_HITS}, {"variant": "rs113488022"}),
    Case("list_fields", {"/v1/metadata/fields?search=revel": Played(FIELDS)}, {"/metadata/fields": Played({})}, None),
    Case("gene_resolve", {"/v3/query?species=9606": hits(ERBB2)}, {"/v3/query": NO_HITS}, None),
    Case("gene_resolve", {"/v3/query": hits(ERBB2)}, None, {"/v3/query": NO_HITS}, {"query": "ENSG00000141736"}),
    Case("chem_resolve", {"/v1/query": hits(MESYLATE, IMATINIB, PACKAGE)}, {"/v1/query": NO_HITS}, None),
    Case("chem_resolve", {"/v1/query": hits(IMATINIB)}, None, {"/v1/query": NO_HITS}, {"query": "CHEMBL941"}),
    Case("disease_resolve", {"/v1/query": hits(MARFAN)}, {"/v1/query": NO_HITS}, None),
    Case("disease_resolve", {"/v1/query": hits(MARFAN)}, None, {"/v1/query": NO_HITS}, {"query": "OMIM:154700"}),
]  # fmt: skip
