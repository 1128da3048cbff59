"""What to do: dosing guidelines of all bodies, drug labels, and the pathway of a drug."""

from typing import Annotated, Literal

from mcp_server.args import ClinPgxId, DrugName, GeneSymbol, gene_symbol_form
from mcp_server.envelope import Answer, Citation, InvalidArguments, empty, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.platforms.clinpgx.service import (
    EXACT_NAMES,
    FINDERS,
    PAGE,
    Json,
    cite,
    cited_papers,
    cpic_rows,
    find_chemical,
    joined,
    kept,
    needs_gene_or_drug,
    papers,
    plain,
    platform,
    record,
    search,
    short,
)
from mcp_server.tool import Arg

GUIDELINE_FIELDS = (
    "id", "name", "source", "recommendation", "dosingInformation", "alternateDrugAvailable",
    "otherPrescribingGuidance", "hasTestingInfo", "pediatric",
)  # fmt: skip
LABEL_FIELDS = (
    "id", "name", "source", "biomarkerStatus", "alternateDrugAvailable", "dosingInformation",
    "otherPrescribingGuidance", "indication", "pediatric", "cancerGenome", "pgxRelated",
)  # fmt: skip
LABEL_FILES = "https://api.clinpgx.org/v1/download/file/attachment"
GuidelineSource = Annotated[str, Arg("Issuing body to keep, e.g. CPIC, DPWG, CPNDS, RNPGx.", "CPIC")]
LabelSource = Annotated[
    Literal["FDA", "EMA", "PMDA", "HCSC", "Swissmedic"], Arg("Agency to keep; HCSC is Health Canada.")
]
TestingLevel = Annotated[
    Literal[
        "Testing Required", "Testing Recommended", "Actionable PGx", "Informative PGx", "Criteria Not Met",
        "No Clinical PGx",
    ],
    Arg("What the label says about testing."),
]  # fmt: skip


def guideline_row(found: Json) -> Json:
    """Keep of a guideline annotation what it recommends, as text."""
    row = {name: found[name] for name in GUIDELINE_FIELDS if name in found}
    summary = plain(found.get("summaryMarkdown"))
    if summary:
        row["summary"] = summary
    return {
        **row,
        "relatedGenes": short(found.get("relatedGenes")),
        "relatedChemicals": short(found.get("relatedChemicals")),
        "url": f"{PAGE}/guidelineAnnotation/{found['id']}",
    }


def label_row(found: Json) -> Json:
    """Keep of a label annotation what the label says about testing and prescribing."""
    row = {name: found[name] for name in LABEL_FIELDS if found.get(name) is not None}
    summary = plain(found.get("summaryMarkdown"))
    if summary:
        row["summary"] = summary
    if found.get("highlightedLabelLink"):
        row["highlightedLabel"] = f"{LABEL_FILES}/{found['highlightedLabelLink']}"
    return {
        **row,
        "testing": (found.get("testing") or {}).get("term"),
        "prescribingGenes": short(found.get("prescribingGenes")),
        "relatedGenes": short(found.get("relatedGenes")),
        "relatedChemicals": short(found.get("relatedChemicals")),
        "url": f"{PAGE}/labelAnnotation/{found['id']}",
    }


async def guidelines_of(api: Api, criteria: dict[str, Json]) -> list[Json]:
    """Return all guideline annotations that match, by source and name."""
    found = await search(api, "/data/guidelineAnnotation", {"view": "base", **criteria})
    guidelines = [guideline_row(item) for item in found]
    return sorted(guidelines, key=lambda item: (item.get("source") or "", item.get("name") or ""))


async def labels_of(api: Api, criteria: dict[str, Json]) -> list[Json]:
    """Return all label annotations that match, by source and name."""
    found = await search(api, "/data/label", {**criteria, "view": "base"}, "/data/drugLabel")
    labels = [label_row(item) for item in found]
    return sorted(labels, key=lambda item: (item.get("source") or "", item.get("name") or ""))


def cited(found: list[Json]) -> list[Citation]:
    """Cite guideline or label annotations."""
    return [Citation("clinpgx", item["id"], item.get("name") or "", item["url"]) for item in found]


@platform.tool(
    example={"gene_symbol": "CYP2C19", "drug_name": "clopidogrel"},
    asks=(
        "dosing guideline for a gene and drug",
        "DPWG or CPIC guidance",
        "is there a pharmacogenetic guideline",
        "Dutch pharmacogenetics recommendations",
        "what do the Dutch say about dosing",
    ),
)
async def search_guideline_annotations(
    api: Api,
    gene_symbol: GeneSymbol | None = None,
    drug_name: DrugName | None = None,
    source: GuidelineSource | None = None,
) -> Answer:
    """List dosing guidelines (CPIC, DPWG and others) for a gene or a drug, with a summary. Needs gene or drug; source
    CPIC alone lists all of CPIC's with genes and drugs. For the full text use get_annotation, for CPIC's advice by
    phenotype get_cpic_recommendations.
    """
    if not gene_symbol and not drug_name and (source or "").upper() == "CPIC":
        return await _all_of_cpic(api)
    needs_gene_or_drug(gene_symbol, drug_name)
    criteria: dict[str, Json] = {}
    for kind, name, criterion in (
        ("gene", gene_symbol, "relatedGenes.accessionId"),
        ("chemical", drug_name, "relatedChemicals.accessionId"),
    ):
        if name:
            found = await FINDERS[kind](api, name)
            if not found:
                return empty(f"ClinPGx has no {kind} called {name!r}. {EXACT_NAMES}")
            criteria[criterion] = found[0]["id"]
    guidelines = await guidelines_of(api, criteria)
    fitting = [item for item in guidelines if not source or str(item.get("source")).lower() == source.lower()]
    others = ", ".join(sorted({str(item.get("source")) for item in guidelines}))
    note = ""
    if not fitting:
        note = f"ClinPGx has no guideline annotation for {joined(gene_symbol, drug_name)}"
        note += f" from {source}; there are some from {others}." if guidelines else "."
    return rows(fitting, note=note, citations=cited(fitting))


async def _all_of_cpic(api: Api) -> Answer:
    found = await cpic_rows(api, "guideline_summary_view", {"select": "*", "order": "guideline_name.asc"})
    guidelines = [
        {
            "name": row.get("guideline_name"),
            "source": "CPIC",
            "genes": [gene["symbol"] for gene in row.get("genes") or []],
            "drugs": row.get("drugs") or [],
            "url": row.get("guideline_url"),
        }
        for row in found
    ]
    pages = [(str(item["url"]), str(item["name"])) for item in guidelines if item["url"]]
    return rows(
        guidelines,
        note="" if guidelines else "CPIC lists no guideline.",
        citations=[Citation("clinpgx", url.rpartition("/")[2], name, url) for url, name in pages],
    )


@platform.tool(
    example={"drug_name": "codeine"},
    asks=(
        "does the FDA label call for a genetic test",
        "package insert pharmacogenomics",
        "required or recommended genetic testing before a drug",
        "biomarker on the EMA label",
    ),
)
async def search_drug_labels(
    api: Api,
    gene_symbol: GeneSymbol | None = None,
    drug_name: DrugName | None = None,
    source: LabelSource | None = None,
    testing_level: TestingLevel | None = None,
) -> Answer:
    """List what drug labels of FDA, EMA, PMDA, Health Canada and Swissmedic say on genetic testing and dosing. Needs
    gene or drug. For the text of a label annotation use get_annotation, for other label texts PubChem.
    """
    needs_gene_or_drug(gene_symbol, drug_name)
    criteria: dict[str, Json] = {}
    if drug_name:
        found = await find_chemical(api, drug_name)
        if not found:
            return empty(f"ClinPGx has no chemical called {drug_name!r}. {EXACT_NAMES}")
        criteria["relatedChemicals.accessionId"] = found[0]["id"]
    if gene_symbol:
        criteria["relatedGenes.symbol"] = gene_symbol_form(gene_symbol)
    labels = await labels_of(api, criteria)
    fitting = [
        item
        for item in labels
        if (not source or item.get("source") == source) and (not testing_level or item["testing"] == testing_level)
    ]
    note = ""
    if not fitting:
        note = f"ClinPGx has no label annotation for {joined(gene_symbol, drug_name)}"
        there = ", ".join(f"{item.get('source')} ({item['testing']})" for item in labels)
        note += f" that fits; there are {there}." if labels else f". {EXACT_NAMES}"
    return rows(fitting, note=note, citations=cited(fitting))


def _pathway(found: Json) -> Json:
    return {
        **kept(found, "id", "name", "pediatric"),
        "summary": plain(found.get("summary") or found.get("summaryMarkdown")),
        "genes": short(found.get("genes")),
        "chemicals": short(found.get("chemicals")),
        "diseases": short(found.get("diseases")),
        "interactions": found.get("interactions") or [],
        "papers": papers(found),
        "url": f"{PAGE}/pathway/{found['id']}",
    }


@platform.tool(
    example={"drug_name": "clopidogrel"},
    asks=(
        "which genes handle a drug in the body",
        "pharmacokinetics diagram, transporters and enzymes",
        "PK or PD pathway of a medicine",
        "drug metabolism pathway from PharmGKB",
    ),
)
async def get_pk_pd_pathway(api: Api, pathway_id: ClinPgxId | None = None, drug_name: DrugName | None = None) -> Answer:
    """Get the pharmacokinetic or pharmacodynamic pathway of a drug: genes and drugs around it, steps, text, papers.
    Give a drug name or a PA accession. For signalling pathways use Reactome.
    """
    if bool(pathway_id) == bool(drug_name):
        raise InvalidArguments("drug_name", "give either a drug name or a PA accession", "clopidogrel")
    if pathway_id:
        found = await record(api, f"/data/pathway/{pathway_id}", "base")
        if found is None:
            return unknown_id(pathway_id, f"ClinPGx has no pathway {pathway_id}.")
        pathways = [found]
    else:
        pathways = await _pathways_of(api, drug_name or "")
        if not pathways:
            return empty(
                f"ClinPGx has no pathway named after {drug_name}. Pathways of several drugs have longer names: "
                "find their accession on clinpgx.org."
            )
    shown = [_pathway(item) for item in pathways]
    return rows(
        shown,
        citations=[
            *(cite("pathway", item) for item in shown),
            *cited_papers(paper for item in shown for paper in item["papers"]),
        ],
    )


async def _pathways_of(api: Api, drug_name: str) -> list[Json]:
    # Names must match exactly: those of a single drug follow one pattern.
    found: list[Json] = []
    for subject in ("Pharmacokinetics", "Pharmacodynamics"):
        name = f"{drug_name.capitalize()} Pathway, {subject}"
        found += await search(api, "/data/pathway", {"name": name, "view": "base"})
    return found
