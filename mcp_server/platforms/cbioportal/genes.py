"""Which gene is meant: cBioPortal knows Entrez numbers, current symbols and aliases."""

from dataclasses import dataclass

from mcp_server.args import gene_symbol_form
from mcp_server.envelope import Answer, InvalidArguments, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse, UpstreamError, UpstreamNotFound
from mcp_server.platforms.cbioportal.base import HOST, Json, listed, says_unknown, segment

SPECIES = "Homo sapiens"
NEAR_MAX = 5


@dataclass(frozen=True)
class Gene:
    """A gene by its symbol and Entrez number."""

    symbol: str
    entrez_id: int
    kind: str = ""

    @classmethod
    def of(cls, record: Json) -> "Gene":
        """Read the portal's record."""
        symbol, number = record.get("hugoGeneSymbol"), record.get("entrezGeneId")
        if not isinstance(symbol, str) or not isinstance(number, int):
            raise UpstreamBadResponse(HOST, "a gene without symbol or Entrez number")
        return cls(symbol, number, str(record.get("type") or ""))

    @property
    def shown(self) -> dict[str, Json]:
        """What an answer says of the gene."""
        return {"symbol": self.symbol, "entrez_gene_id": self.entrez_id, "species": SPECIES}


async def find_gene(api: Api, asked: str) -> Gene | Answer:
    """Find a gene by symbol, alias or Entrez number; an unknown one becomes the answer that says so."""
    name = gene_symbol_form(asked)
    try:
        answer = await api.get(f"/genes/{segment(name)}")
    except UpstreamNotFound as error:
        if not says_unknown(error, "Gene"):
            raise
        return await _by_alias(api, asked)
    gene = Gene.of(answer if isinstance(answer, dict) else {})
    if name not in (str(gene.entrez_id), gene_symbol_form(gene.symbol)):
        raise UpstreamBadResponse(HOST, f"asked for the gene {name}, got {gene.symbol} ({gene.entrez_id})")
    return gene


async def _by_alias(api: Api, asked: str) -> Gene | Answer:
    for alias in () if asked.isdigit() else dict.fromkeys((asked, asked.upper())):
        found = [Gene.of(row) for row in listed(await api.get("/genes", {"alias": alias}), "/genes")]
        if len(found) > 1:
            names = ", ".join(gene.symbol for gene in found[:NEAR_MAX])
            raise InvalidArguments("gene", f"{asked!r} is an alias of several genes: {names}", found[0].symbol)
        if found:
            return found[0]
    near = await _near(api, asked)
    note = f" Near names: {', '.join(near)}." if near else " Symbols, aliases and Entrez numbers are understood."
    return unknown_id(asked, f"cBioPortal knows no gene {asked!r}.{note}")


async def _near(api: Api, asked: str) -> list[str]:
    """Return genes whose symbols begin alike; that they can't be had is no failure of its own."""
    if asked.isdigit():
        return []
    try:
        found = await api.get("/genes", {"keyword": asked.upper()[:3], "pageSize": NEAR_MAX})
        return [Gene.of(row).symbol for row in listed(found, "/genes")][:NEAR_MAX]
    except UpstreamError:
        return []
