"""What the tools of ClinVar share: the platform, arguments, the hosts."""

from typing import Annotated, Any, Literal

from mcp_server.args import look_up_form, region_form
from mcp_server.http.client import Api
from mcp_server.http.rate_limit import Rate
from mcp_server.tool import Arg, Cite, Platform, Source

Json = Any

platform = Platform(
    "clinvar",
    title="ClinVar",
    base_url="https://eutils.ncbi.nlm.nih.gov/entrez/eutils",
    docs="https://www.ncbi.nlm.nih.gov/clinvar/docs/maintenance_use/",
    licence="public domain (NCBI)",
    rate=Rate(2.5, group="ncbi", with_key=8),
    hosts=("api.ncbi.nlm.nih.gov",),
    key_parameter="api_key",
    source=Source(
        provider="ClinVar, NCBI, U.S. National Library of Medicine",
        homepage="https://www.ncbi.nlm.nih.gov/clinvar/",
        attribution="Data from ClinVar (NCBI); cite accessions with their version. Not for direct diagnostic use.",
        cite="Landrum MJ et al. Nucleic Acids Res. 2025;53(D1):D1313. https://doi.org/10.1093/nar/gkae1090",
        limits="3 requests a second over all NCBI services, 10 with an API key.",
    ),
)


@platform.release
async def release(api: Api) -> str:
    """Read the build of the index."""
    answer = await api.get("/einfo.fcgi", {"db": "clinvar", "version": "2.0", "retmode": "json"})
    return str(answer["einforesult"]["dbinfo"][0]["dbbuild"])


VARIATION_SERVICES = "https://api.ncbi.nlm.nih.gov/variation/v0"
VARIANT = Cite("clinvar_variation", "", "accession_version", "title")
VARIANT_ROWS = Cite("clinvar_variation", "[]", "accession_version", "title")
ASSEMBLY_NAMES = Literal["GRCh38", "GRCh37"]

OptionalGene = Annotated[
    str | None,
    Arg("Gene symbol, former symbol or everyday name of a human gene.", "BRAF", normalise=look_up_form),
]
Condition = Annotated[str | None, Arg("Disease or condition in words.", "melanoma", normalise=look_up_form)]
Region = Annotated[
    str | None,
    Arg(
        "Chromosome, first and last position, 1-based and inclusive; at most 1 Mb.",
        "7:140753336-140753436",
        r"^([0-9]{1,2}|X|Y|MT):\d+-\d+$",
        normalise=region_form,
    ),
]
RegionAssembly = Annotated[ASSEMBLY_NAMES | None, Arg("Genome assembly of the region; required with a region.")]
Rsids = Annotated[
    list[str],
    Arg("dbSNP reference numbers; at most 50.", ["rs268"], r"^rs\d+$", max_items=50, normalise=str.lower),
]
