"""The species that Ensembl holds, and their assemblies."""

from typing import Annotated, Any, Literal

from mcp_server.args import Limit, Offset, look_up_form
from mcp_server.envelope import Answer, InvalidArguments, unknown_id
from mcp_server.http.client import Api
from mcp_server.platforms.ensembl.base import AnswerAssembly, Species, filled, kept, known, matched, on, page, platform
from mcp_server.tool import Arg

Json = Any

SPECIES_FIELDS = ("name", "display_name", "common_name", "taxon_id", "assembly", "accession", "strain", "division")


@platform.tool(
    example={"name_contains": "mouse"},
    asks=(
        "which organisms are in Ensembl",
        "genome name of the mouse or chimpanzee",
        "is the axolotl in Ensembl",
    ),
)
async def list_species(
    api: Api,
    name_contains: Annotated[
        str | None, Arg("Only species with these letters in a name.", "mouse", normalise=look_up_form)
    ] = None,
    division: Annotated[
        Literal["EnsemblVertebrates", "EnsemblMetazoa", "EnsemblPlants", "EnsemblFungi", "EnsemblProtists"],
        Arg("Part of Ensembl."),
    ] = "EnsemblVertebrates",
    limit: Limit = 50,
    offset: Offset = 0,
) -> Answer:
    """Species that Ensembl holds, by letters of the common or scientific name: the name that other Ensembl tools take
    as species, taxon id, assembly.

    Rows: name, display_name, common_name, taxon_id, assembly, accession, strain, division.
    """
    answer = await api.get("/info/species", {"division": division, "hide_strain_info": 0})
    found = [kept(row, SPECIES_FIELDS) for row in answer["species"]]
    letters = (name_contains or "").lower()
    chosen = [row for row in found if any(letters in str(row.get(key, "")).lower().replace("_", " ") for key in _NAMES)]
    note = "" if chosen else f"No species of {division} has {name_contains!r} in its name."
    return page(chosen, limit, offset, note=note)


@platform.tool(
    example={},
    asks=(
        "how long is chromosome 1",
        "karyotype and cytogenetic bands",
        "current genome build of a species",
        "chromosome names and sizes",
    ),
)
async def get_assembly(
    api: Api,
    species: Species = "homo_sapiens",
    region: Annotated[str | None, Arg("One chromosome or scaffold by name.", "X", r"^[A-Za-z0-9_.]+$")] = None,
    with_bands: Annotated[bool, Arg("Also the cytogenetic bands of the region.")] = False,
    assembly: AnswerAssembly = "GRCh38",
) -> Answer:
    """Genome assembly of a species: name, accession, chromosomes with lengths, number of scaffolds; or the length and
    bands of one chromosome.

    Whole: species, assembly_name, assembly_accession, assembly_date, golden_path (bases), chromosomes: [{name,
    length}], other_regions (number). One region: species, region, assembly_name, length, coordinate_system,
    is_chromosome, is_circular, bands.
    """
    if with_bands and not region:
        raise InvalidArguments("region", "bands are given for one chromosome", "X")
    api = on(api, assembly, species)
    version = assembly if species == "homo_sapiens" else None
    if region:
        return await _region(api, species, region, with_bands, version)
    found = await known(api, f"/info/assembly/{species}", species)
    if found is None:
        return unknown_id(species, f"Ensembl has no species {species!r}; list_species finds its name.")
    if version:
        matched(api, "assembly", version, found.get("default_coord_system_version"))
    regions = found.get("top_level_region") or []
    chromosomes = [kept(row, ("name", "length")) for row in regions if row.get("coord_system") == "chromosome"]
    named = ("assembly_name", "assembly_accession", "assembly_date", "genebuild_last_geneset_update", "golden_path")
    data = {"species": species, **kept(found, named), "chromosomes": chromosomes}
    return Answer({**data, "other_regions": len(regions) - len(chromosomes)})


_NAMES = ("name", "display_name", "common_name")


async def _region(api: Api, species: str, region: str, with_bands: bool, version: str | None) -> Answer:
    path = f"/info/assembly/{species}/{region}"
    found = await known(api, path, (region, species), {"bands": 1 if with_bands else None})
    if found is None:
        return unknown_id(region, f"{species} has no chromosome or scaffold {region!r}.")
    if version:
        matched(api, "assembly", version, found.get("assembly_name"))
    bands = [kept(row, ("id", "start", "end", "stain")) for row in found.get("karyotype_band") or []]
    data = {"species": species, "region": region, **filled(found, ("karyotype_band", "assembly_exception_type"))}
    return Answer({**data, "bands": bands} if with_bands else data)
