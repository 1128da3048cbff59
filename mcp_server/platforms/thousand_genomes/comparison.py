"""Several variants side by side: where the populations of 1000 Genomes differ most."""

from typing import Annotated, Any, Literal

from mcp_server.envelope import Answer, empty, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.platforms.thousand_genomes import ensembl_records
from mcp_server.platforms.thousand_genomes.service import PEOPLE, SUPER, Variant, cite, platform
from mcp_server.tool import Arg

Json = Any

Rsids = Annotated[
    list[str],
    Arg("dbSNP reference numbers, at most 50.", ["rs1047781", "rs113488022"], r"^rs\d+$", max_items=50,
        normalise=str.lower),
]  # fmt: skip
Built = Annotated[Literal["GRCh38", "GRCh37"], Arg("Genome assembly of the places that are told.")]


@platform.tool(
    example={"rsids": ["rs1047781", "rs113488022"]},
    asks=(
        "SNPs that differ between populations",
        "ancestry-informative, population differentiation",
        "allele frequencies of many SNPs in Africans and Europeans",
    ),
)
async def compare_populations(api: Api, rsids: Rsids, assembly: Built = "GRCh38") -> Answer:
    """Many at once (up to 50 rsIDs): 1000 Genomes allele frequencies in the super-populations side by side, largest
    difference between two of them first. For one variant or the 26 populations use population_frequencies.

    assembly, source, alleles (without the reference): [{rsid, query, allele, reference, location, populations,
    max_difference, highest, lowest (where they differ)}], not_observed, not_found.
    """
    asked = list(dict.fromkeys(rsids))
    known = await ensembl_records.variants(api, asked, assembly)
    compared = [row for rsid in asked if rsid in known for row in _compared(known[rsid], rsid)]
    compared.sort(key=lambda row: -row["max_difference"])
    not_observed = [rsid for rsid in asked if rsid in known and not known[rsid].observed]
    not_found = [rsid for rsid in asked if rsid not in known]
    notes = [f"{rsid} was merged into {known[rsid].rsid}." for rsid in known if known[rsid].rsid != rsid]
    if not_observed:
        notes.append(f"Not observed among the {PEOPLE:,} people of phase 3: {', '.join(not_observed)}.")
    if not_found:
        notes.append(f"Ensembl has no variant {', '.join(not_found)}.")
    data = {
        "species": "Homo sapiens",
        "assembly": assembly,
        "source": f"1000 Genomes phase 3, read from {ensembl_records.SOURCE}",
        "alleles": compared,
        "not_observed": not_observed,
        "not_found": not_found,
    }
    if not known:
        return unknown_id(", ".join(asked), " ".join(notes))
    if not compared:
        return empty(" ".join(notes), data=data)
    cited = cite(dict.fromkeys(row["rsid"] for row in compared))
    return rows(compared, data=data, note=" ".join(notes), citations=cited)


def _compared(variant: Variant, asked: str) -> list[dict[str, Json]]:
    """Return a row for each allele that is not the reference, with its range over the super-populations."""
    found = []
    for row in variant.allele_rows(SUPER):
        by_code = {code: share["frequency"] for code, share in row["populations"].items() if code != "ALL"}
        if row["is_reference"] or not by_code:
            continue
        highest, lowest = max(by_code, key=lambda code: by_code[code]), min(by_code, key=lambda code: by_code[code])
        found.append(
            {
                "rsid": variant.rsid,
                "query": asked,
                "allele": row["allele"],
                "reference": variant.reference,
                "location": variant.location,
                "observed": row["observed"],
                "populations": row["populations"],
                "max_difference": round(by_code[highest] - by_code[lowest], 5),
                # Where all are alike, none is the highest.
                **({"highest": highest, "lowest": lowest} if by_code[highest] > by_code[lowest] else {}),
            }
        )
    return found
