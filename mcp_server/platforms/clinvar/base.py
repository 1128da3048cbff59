"""What the tools of ClinVar share: the platform, arguments, the hosts."""

from typing import Annotated, Any, Literal

from mcp_server.args import look_up_form, region_form
from mcp_server.http.rate_limit import Rate
from mcp_server.tool import Arg, Cite, Platform

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
)

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
