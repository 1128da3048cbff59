"""Genes as GDC knows them: from a symbol, a synonym or an Ensembl id to the one gene that is meant."""

import difflib
import re
from dataclasses import dataclass
from typing import Annotated, Any

from mcp_server.args import gene_symbol_form, look_up_form, without_version
from mcp_server.envelope import Answer, Citation, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse
from mcp_server.platforms.gdc.service import HOST, PORTAL, SPECIES, record, search, within
from mcp_server.tool import Arg

Json = Any

FIELDS = ("gene_id", "symbol", "name", "biotype", "cytoband", "gene_chromosome", "is_cancer_gene_census", "synonyms")
ENSEMBL_ID = re.compile(r"ENSG\d{11}(\.\d+)?", re.IGNORECASE)


def gene_form(text: str) -> str:
    """Return an Ensembl id without its version, any other name ready for the look-up."""
    return without_version(text) if ENSEMBL_ID.fullmatch(text) else look_up_form(text)


Gene = Annotated[
    str,
    Arg("Human gene: symbol, synonym or Ensembl gene id.", "BRAF", r"^[A-Za-z0-9][A-Za-z0-9 ._/@-]*$",
        normalise=gene_form),
]  # fmt: skip


@dataclass(frozen=True)
class KnownGene:
    """The gene that was meant; `note` says so where it was named by a synonym."""

    data: dict[str, Json]
    note: str = ""

    @property
    def gene_id(self) -> str:
        """The Ensembl id."""
        return str(self.data["gene_id"])

    @property
    def symbol(self) -> str:
        """The symbol that GDC's protein changes begin with."""
        return str(self.data["symbol"])

    @property
    def citation(self) -> Citation:
        """The gene's page."""
        return Citation("ensembl", self.gene_id, self.symbol, f"{PORTAL}/genes/{self.gene_id}")


async def gene_of(api: Api, name: str) -> KnownGene | Answer:
    """Return the gene of a name, or the answer that GDC knows none or several."""
    if ENSEMBL_ID.fullmatch(name):
        found = await record(api, f"/genes/{name}", {"fields": ",".join(FIELDS)})
        if found is None:
            return unknown_id(name, f"GDC has no gene {name}.")
        if found.get("gene_id") != name:
            raise UpstreamBadResponse(HOST, f"asked for the gene {name}, it answered {found.get('gene_id')}")
        return _known(found)
    symbol = gene_symbol_form(name)
    spellings = list(dict.fromkeys((symbol, name)))
    filters = {"op": "or", "content": [within("symbol", *spellings), within("synonyms", *spellings)]}
    hits = (await search(api, "genes", filters, fields=FIELDS, size=50, sort="gene_id:asc")).hits
    exact = [hit for hit in hits if hit.get("symbol") in spellings]
    named = exact or [hit for hit in hits if _has_synonym(hit, symbol)]
    if len(named) == 1:
        note = "" if exact else f"{name} is a synonym of {named[0]['symbol']}."
        return _known(named[0], note)
    if named:
        meant = ", ".join(f"{hit['symbol']} ({hit['gene_id']})" for hit in named)
        return unknown_id(name, f"{name} names several genes at GDC: {meant}. Give the one that is meant.")
    return await _unknown(api, name, symbol)


def _has_synonym(hit: Json, symbol: str) -> bool:
    return symbol in {gene_symbol_form(str(synonym)) for synonym in hit.get("synonyms") or []}


def _known(hit: Json, note: str = "") -> KnownGene:
    data = {name: hit[name] for name in FIELDS if name != "synonyms" and hit.get(name) not in (None, [], "")}
    # GDC marks members of the Cancer Gene Census; others have no value there.
    data["is_cancer_gene_census"] = bool(hit.get("is_cancer_gene_census"))
    return KnownGene({**data, "species": SPECIES}, note)


async def _unknown(api: Api, name: str, symbol: str) -> Answer:
    """Say that there is no such gene, and which symbols begin alike."""
    beginning = symbol[: max(2, len(symbol) - 2)]
    alike = await search(api, "genes", within("symbol", f"{beginning}*"), fields=("symbol",), size=100)
    symbols = sorted({str(hit["symbol"]) for hit in alike.hits if str(hit.get("symbol", "")).startswith(beginning)})
    near = difflib.get_close_matches(symbol, symbols, n=5, cutoff=0.6)
    meant = f" Near symbols: {', '.join(near)}." if near else ""
    return unknown_id(name, f"GDC has no gene {name}.{meant}")
