"""The platform, its populations, and how a variant with its alleles is told, whichever source they come from."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from mcp_server.envelope import Citation
from mcp_server.http.client import Api
from mcp_server.http.rate_limit import Rate, quota_pause_s
from mcp_server.tool import Arg, Platform, Source

Json = Any

ENSEMBL_HOST = "rest.ensembl.org"
GRCH37_HOST = "grch37.rest.ensembl.org"
MYVARIANT_HOST = "myvariant.info"
PAGE = "https://www.ensembl.org/Homo_sapiens/Variation/Population?v={id}"
SPECIES = "Homo sapiens"
SUPER = ("ALL", "AFR", "AMR", "EAS", "EUR", "SAS")
# The populations of each super-population.
POPULATIONS = {
    "AFR": ("ACB", "ASW", "ESN", "GWD", "LWK", "MSL", "YRI"),
    "AMR": ("CLM", "MXL", "PEL", "PUR"),
    "EAS": ("CDX", "CHB", "CHS", "JPT", "KHV"),
    "EUR": ("CEU", "FIN", "GBR", "IBS", "TSI"),
    "SAS": ("BEB", "GIH", "ITU", "PJL", "STU"),
}
PEOPLE = 2504

platform = Platform(
    "thousand_genomes",
    title="1000 Genomes",
    base_url=f"https://{ENSEMBL_HOST}",
    docs="https://www.internationalgenome.org/data-portal/data-collection/phase-3",
    licence="open, no restriction on use (1000 Genomes Project); EMBL-EBI terms of use",
    # Ensembl counts the requests of both platforms together.
    rate=Rate(10, group="ensembl"),
    hosts=(GRCH37_HOST, MYVARIANT_HOST),
    pause_s=quota_pause_s,
    source=Source(
        provider="International Genome Sample Resource, through Ensembl and MyVariant.info",
        homepage="https://www.internationalgenome.org",
        attribution="Data from the 1000 Genomes Project, phase 3, read through Ensembl or MyVariant.info.",
        cite="1000 Genomes Project Consortium. Nature. 2015;526:68. https://doi.org/10.1038/nature15393",
        limits="Those of Ensembl: 15 requests a second and 55,000 an hour from one address.",
    ),
)


@platform.release
async def release(api: Api) -> str:
    """Name the phase, and the release of Ensembl that it is read from."""
    return f"phase 3, Ensembl {(await api.get('/info/data'))['releases'][0]}"


Level = Annotated[
    Literal["super", "all"], Arg("The five super-populations and all people, or the 26 populations besides.")
]
Assembly = Annotated[
    Literal["GRCh38", "GRCh37"] | None,
    Arg("Genome assembly of the place that is told (GRCh38 without it); required with a genomic variant id."),
]


@dataclass(frozen=True)
class Share:
    """How often an allele was seen in a population: `count` of `number` chromosomes where that is told."""

    frequency: float
    count: int | None = None
    number: int | None = None

    def wire(self) -> dict[str, Json]:
        """Return plain data; what is not told is left out."""
        facts = {"frequency": self.frequency, "allele_count": self.count, "allele_number": self.number}
        return {name: value for name, value in facts.items() if value is not None}


@dataclass(frozen=True)
class Variant:
    """A variant as one source tells it. `shares` are by allele, then by population."""

    rsid: str
    source: str
    assembly: str
    location: str | None
    strand: int | None
    reference: str | None
    alleles: tuple[str, ...]
    shares: Mapping[str, Mapping[str, Share]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def observed(self) -> bool:
        """Whether 1000 Genomes has anything on it."""
        return any(self.shares.values())

    def allele_rows(self, populations: Sequence[str]) -> list[dict[str, Json]]:
        """Return each allele by itself, the reference first."""
        return [self._row(allele, populations) for allele in self.alleles]

    def _row(self, allele: str, populations: Sequence[str]) -> dict[str, Json]:
        shares = self.shares.get(allele, {})
        return {
            "allele": allele,
            "is_reference": None if self.reference is None else allele == self.reference,
            "observed": any(share.frequency > 0 for share in shares.values()) if shares else None,
            "populations": {code: shares[code].wire() for code in populations if code in shares},
        }

    def place(self) -> dict[str, Json]:
        """Return where the variant is, with the assembly."""
        return {"assembly": self.assembly, "location": self.location, "strand": self.strand, "species": SPECIES}


def populations_of(level: str) -> tuple[str, ...]:
    """Return the codes to show."""
    return SUPER if level == "super" else (*SUPER, *(code for codes in POPULATIONS.values() for code in codes))


def cite(rsids: Iterable[str]) -> list[Citation]:
    """Cite the pages with the frequencies of variants."""
    return [Citation("rsid", rsid, "", PAGE.format(id=rsid)) for rsid in rsids]
