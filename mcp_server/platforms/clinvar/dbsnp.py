"""dbSNP through E-utilities: short facts of many rs numbers, and searches for them."""

from typing import Annotated, Any, Literal

from mcp_server.args import Limit, Offset, gene_symbol_form
from mcp_server.envelope import Answer, InvalidArguments, empty, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.platforms.clinvar import entrez
from mcp_server.platforms.clinvar.base import OptionalGene, Rsids, platform
from mcp_server.tool import Arg, Cite

Json = Any

_NAMED = Cite("rsid", "[]", "rsid")
FUNCTIONS = Literal[
    "missense variant",
    "synonymous variant",
    "stop gained",
    "stop lost",
    "frameshift variant",
    "inframe deletion",
    "inframe insertion",
    "splice donor variant",
    "splice acceptor variant",
    "intron variant",
    "5 prime utr variant",
    "3 prime utr variant",
    "upstream transcript variant",
    "downstream transcript variant",
]
SIGNIFICANCES = Literal[
    "pathogenic",
    "likely pathogenic",
    "uncertain significance",
    "likely benign",
    "benign",
    "drug response",
    "risk factor",
]
LowestMaf = Annotated[float | None, Arg("Lowest minor allele frequency; 0.01 is 1 %.", minimum=0, maximum=0.5)]
HighestMaf = Annotated[float | None, Arg("Highest minor allele frequency; 0.01 is 1 %.", minimum=0, maximum=0.5)]


@platform.tool(
    example={"rsids": ["rs268"]},
    cites=_NAMED,
    asks=(
        "list of rs numbers to genes and positions",
        "bulk SNP lookup",
        "short dbSNP information of several SNPs",
    ),
)
async def get_dbsnp_summaries(api: Api, rsids: Rsids) -> Answer:
    """Short dbSNP facts for up to 50 rsIDs: genes, position on both assemblies, function classes, minor allele
    frequencies by study, clinical terms of the site. One rsID with alleles and merges: get_refsnp.

    Rows: query, rsid, genes, locations {GRCh38, GRCh37}, variant_class, functions, frequencies: [{study, allele,
    frequency, alleles_counted}], clinical_terms (of the site, not of one allele), hgvs.
    """
    asked = list(dict.fromkeys(rsids))
    found, missing = await entrez.summaries(api, [rsid.removeprefix("rs") for rsid in asked], db="snp")
    unknown = [f"rs{number}" for number in missing]
    notes = [f"dbSNP has no {', '.join(unknown)}."] if unknown else []
    if not found:
        return unknown_id(", ".join(asked), notes[0])
    facts = [{"query": f"rs{record['uid']}", **_facts(record)} for record in found]
    notes += [
        f"{row['query']} was merged into {row['rsid']}; use that number with other databases."
        for row in facts
        if row["query"] != row["rsid"]
    ]
    return rows(facts, note=" ".join(notes))


@platform.tool(
    example={"gene_symbol": "LPL", "significance": "pathogenic", "maf_max": 0.01},
    cites=_NAMED,
    asks=(
        "all SNPs in a gene",
        "missense SNPs with a frequency above 1 percent",
        "common polymorphisms of a gene",
        "rs numbers in a gene",
    ),
)
async def search_dbsnp(
    api: Api,
    gene_symbol: OptionalGene = None,
    function: Annotated[FUNCTIONS | None, Arg("Function class of the variants.")] = None,
    significance: Annotated[SIGNIFICANCES | None, Arg("Clinical term of the site.")] = None,
    maf_min: LowestMaf = None,
    maf_max: HighestMaf = None,
    limit: Limit = 20,
    offset: Offset = 0,
) -> Answer:
    """rsIDs of a gene by function class, clinical term and range of the minor allele frequency, with short facts.
    Classified variants with stars and conditions: search_variants. Rows as get_dbsnp_summaries.
    """
    if not gene_symbol:
        raise InvalidArguments(
            "gene_symbol", "a gene is needed; dbSNP holds more than a thousand million records", "LPL"
        )
    if maf_min is not None and maf_max is not None and maf_max < maf_min:
        raise InvalidArguments("maf_max", f"{maf_max} is lower than maf_min, {maf_min}", 0.01)
    parts = [f"{gene_symbol_form(gene_symbol)}[Gene Name]"]
    if function:
        parts.append(f'"{function}"[Function Class]')
    if significance:
        parts.append(f'"{significance}"[Clinical Significance]')
    if maf_min is not None or maf_max is not None:
        low, high = maf_min or 0, 0.5 if maf_max is None else maf_max
        parts.append(f"{low:.4f}:{high:.4f}[Global Minor Allele Frequency]")
    term = " AND ".join(parts)
    found = await entrez.search(api, term, limit, offset, db="snp")
    unknown = entrez.unknown_words(found)
    summaries, _ = await entrez.summaries(api, found["idlist"], db="snp")
    total, end = int(found["count"]), offset + len(found["idlist"])
    if not summaries:
        known = f" It does not know {', '.join(unknown)}." if unknown else ""
        return empty(f"dbSNP has nothing for {term}.{known}", data=[])
    facts = [{"query": f"rs{record['uid']}", **_facts(record)} for record in summaries]
    return rows(facts, total=total, next={"offset": end} if end < total else None)


def _facts(record: Json) -> Json:
    summary = dict(part.split("=", 1) for part in (record.get("docsum") or "").split("|") if "=" in part)
    genes = record.get("genes") or []
    places = {"GRCh38": record.get("chrpos"), "GRCh37": record.get("chrpos_prev_assm")}
    return {
        "rsid": f"rs{record.get('snp_id') or record['uid']}",
        "genes": [{"symbol": gene.get("name"), "gene_id": str(gene.get("gene_id"))} for gene in genes],
        "locations": {assembly: place for assembly, place in places.items() if place},
        "variant_class": record.get("snp_class") or None,
        "functions": _split(record.get("fxn_class")),
        "frequencies": [_frequency(row) for row in record.get("global_mafs") or []],
        "clinical_terms": _split(record.get("clinical_significance")),
        "hgvs": _split(summary.get("HGVS")),
    }


def _split(text: str | None) -> list[str]:
    return [part.strip() for part in (text or "").split(",") if part.strip()]


def _frequency(row: Json) -> Json:
    """Read `G=0.0145/450`: allele, frequency, and how often the allele was counted."""
    allele, _, numbers = str(row.get("freq", "")).partition("=")
    frequency, _, counted = numbers.partition("/")
    return {
        "study": row.get("study"),
        "allele": allele,
        "frequency": float(frequency) if frequency.replace(".", "", 1).isdigit() else None,
        "alleles_counted": int(counted) if counted.isdigit() else None,
    }
