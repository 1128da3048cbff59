"""Linkage disequilibrium between variants in the populations of the 1000 Genomes project."""

from typing import Annotated, Any

from mcp_server.args import Limit, Offset, Rsid
from mcp_server.envelope import Answer, InvalidArguments, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.platforms.ensembl.base import Species, filled, known, page, platform
from mcp_server.tool import Arg, Cite

Json = Any

POPULATION = r"^[A-Za-z0-9_.-]+:[A-Za-z0-9_:.-]+$"
Population = Annotated[
    str,
    Arg("Population, by a name of list_populations.", "1000GENOMES:phase_3:CEU", POPULATION),
]
AnyPopulation = Annotated[
    str | None,
    Arg("Only this population, by a name of list_populations.", "1000GENOMES:phase_3:CEU", POPULATION),
]
R2 = Annotated[float, Arg("Lowest r².", minimum=0, maximum=1)]
DPrime = Annotated[float | None, Arg("Lowest D′.", minimum=0, maximum=1)]


@platform.tool(
    example={"rsid": "rs12777823"},
    cites=(Cite("rsid", "", "rsid"), Cite("rsid", "linked[]", "rsid")),
    asks=(
        "proxy SNPs",
        "which SNPs are inherited together with this one",
        "tag SNPs in high LD",
        "linked variants r2 above 0.8",
    ),
)
async def get_ld(
    api: Api,
    rsid: Rsid,
    population: Population = "1000GENOMES:phase_3:CEU",
    r2: R2 = 0.8,
    d_prime: DPrime = None,
    window_kb: Annotated[int, Arg("Width of the window around the variant, in kb.", minimum=1, maximum=500)] = 500,
    limit: Limit = 100,
    offset: Offset = 0,
) -> Answer:
    """Variants in linkage disequilibrium (LD, inherited together) with one rsID in a 1000 Genomes population
    (list_populations), strongest first: r², D′, place, consequence. For two given variants use get_ld_pairwise.

    rsid, population, assembly_name, linked: [{rsid, r2, d_prime, chr, start, end, strand, consequence_type,
    clinical_significance}].
    """
    parameters = {"r2": r2, "d_prime": d_prime, "window_size": window_kb, "attribs": 1}
    found = await known(api, f"/ld/homo_sapiens/{rsid}/{population}", rsid, parameters)
    if found is None:
        return unknown_id(rsid, f"Ensembl has no variant {rsid}.")
    linked = sorted((_linked(row, rsid) for row in found), key=lambda row: -row["r2"])
    note = "" if linked else f"No variant within {window_kb} kb has r² ≥ {r2} with {rsid} in {population}."
    wrap = {"rsid": rsid, "population": population, "assembly_name": "GRCh38"}
    return page(linked, limit, offset, wrap=wrap, under="linked", note=note)


@platform.tool(
    example={"rsid_1": "rs1333047", "rsid_2": "rs4977575"},
    cites=(Cite("rsid", "", "rsid_1"), Cite("rsid", "", "rsid_2")),
    asks=(
        "are two SNPs in LD",
        "r squared and D prime between two rs numbers",
        "are these variants linked",
        "independent signals or not",
    ),
)
async def get_ld_pairwise(
    api: Api, rsid_1: Rsid, rsid_2: Rsid, population: AnyPopulation = None, r2: R2 = 0, d_prime: DPrime = None
) -> Answer:
    """Linkage disequilibrium between two given rsIDs, in one 1000 Genomes population or in each (list_populations): r²
    and D′. For all partners of one variant use get_ld.

    rsid_1, rsid_2, populations: [{population, r2, d_prime}].
    """
    if rsid_1 == rsid_2:
        raise InvalidArguments("rsid_2", "the two variants are the same", "rs4977575")
    parameters = {"population_name": population, "r2": r2 or None, "d_prime": d_prime}
    found = await known(api, f"/ld/homo_sapiens/pairwise/{rsid_1}/{rsid_2}", (rsid_1, rsid_2), parameters)
    if found is None:
        return unknown_id(f"{rsid_1} or {rsid_2}", f"Ensembl does not know {rsid_1} or {rsid_2}.")
    pairs = [
        {"population": row["population_name"], "r2": float(row["r2"]), "d_prime": float(row["d_prime"])}
        for row in found
        if {row["variation1"], row["variation2"]} == {rsid_1, rsid_2}
    ]
    note = "" if pairs else f"Ensembl has no linkage of {rsid_1} and {rsid_2} in {population or 'any population'}."
    if len(pairs) < len(found):
        note = f"{note} {len(found) - len(pairs)} rows of other variants were left out.".strip()
    return rows(pairs, data={"rsid_1": rsid_1, "rsid_2": rsid_2, "populations": pairs}, note=note)


@platform.tool(
    example={},
    asks=(
        "codes of 1000 Genomes populations",
        "what does YRI or CEU mean",
        "population names for linkage disequilibrium",
    ),
)
async def list_populations(
    api: Api,
    ld_only: Annotated[bool, Arg("Only populations with linkage data, those of get_ld.")] = True,
    species: Species = "homo_sapiens",
    limit: Limit = 100,
    offset: Offset = 0,
) -> Answer:
    """Populations that Ensembl has genotypes of (YRI, CEU …), with description and size: the names that get_ld and
    get_ld_pairwise take. Allele frequencies by population: thousand_genomes__population_frequencies.

    Rows: name, description, size.
    """
    path = f"/info/variation/populations/{species}"
    found = await known(api, path, species, {"filter": "LD" if ld_only else None})
    if found is None:
        return unknown_id(species, f"Ensembl has no variation data of a species {species!r}.")
    populations = [filled({**row, "size": int(row["size"]) if row.get("size") else None}) for row in found]
    note = "" if populations else f"Ensembl has no{' linkage' if ld_only else ''} population of {species}."
    return page(populations, limit, offset, note=note)


def _linked(row: Json, rsid: str) -> Json:
    partner = row.get("variation") or next(
        (row[key] for key in ("variation2", "variation1") if row.get(key) not in (None, rsid)), rsid
    )
    rest = filled(row, ("variation", "variation1", "variation2", "population_name", "r2", "d_prime"))
    return {"rsid": partner, "r2": float(row["r2"]), "d_prime": float(row["d_prime"]), **rest}
