"""Cancer Hotspots: residues that are mutated more often than chance, and the tumour types they are seen in."""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from mcp_server.args import gene_symbol_form, look_up_form
from mcp_server.envelope import Answer, Citation, InvalidArguments, empty, rows
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse
from mcp_server.platforms.cbioportal.base import (
    HOTSPOTS_HOST,
    Json,
    change_form,
    listed,
    platform,
    segment,
    sentences,
)
from mcp_server.platforms.cbioportal.counting import as_number
from mcp_server.platforms.cbioportal.genes import SPECIES, find_gene
from mcp_server.tool import Arg

API = f"https://{HOTSPOTS_HOST}/api"
PAGE = f"https://{HOTSPOTS_HOST}/#/home"
GENES_MAX = 10
# The tumours behind the tables of version 2; nobody says how many are behind version 3.
TUMOURS_V2 = 24592
ASSEMBLY = "GRCh37"
Version = Literal["v2", "v3"]
HotspotGenes = Annotated[
    str,
    Arg(
        "Gene symbol, alias or Entrez number; several with commas.",
        "BRAF",
        r"^[^\s/;?#]{1,200}$",
        normalise=look_up_form,
    ),
]


def symbols_of(text: str) -> list[str]:
    """Return the genes of a list with commas."""
    names = [gene_symbol_form(part) for part in text.split(",") if part.strip()]
    if not 0 < len(names) <= GENES_MAX:
        raise InvalidArguments("gene", f"give 1 to {GENES_MAX} genes", "BRAF,KRAS")
    return list(dict.fromkeys(names))


async def residue_rows(api: Api, symbols: Sequence[str], version: Version = "v2") -> list[dict[str, Json]]:
    """Return the hotspots of single residues and in-frame indels."""
    # Without a version the service answers with v2, as it did before versions had names.
    return await _rows(api, "single", symbols, {"version": None if version == "v2" else version})


async def _rows(api: Api, kind: str, symbols: Sequence[str], parameters: Mapping[str, Json]) -> list[dict[str, Json]]:
    path = f"/hotspots/{kind}/byGene/{','.join(segment(symbol) for symbol in symbols)}"
    found = listed(await api.get(path, parameters, base=API), path, HOTSPOTS_HOST)
    for row in found:
        if str(row.get("hugoSymbol") or "").strip().upper() not in {symbol.upper() for symbol in symbols}:
            raise UpstreamBadResponse(HOTSPOTS_HOST, f"asked for {', '.join(symbols)}, got {row.get('hugoSymbol')}")
    return found


def shown_residue(row: Json) -> dict[str, Json]:
    """Return a hotspot with q values as numbers, and synonymous changes apart from the others."""
    residue = str(row.get("residue") or "")
    reference = residue[0] if re.fullmatch(r"[A-Z]\d+", residue) else ""
    variants = {str(name): number for name, number in (row.get("variantAminoAcid") or {}).items()}
    silent = variants.pop(reference, 0)
    types = row.get("tumorTypeComposition") or {}
    position = row.get("aminoAcidPosition") or {}
    found: dict[str, Json] = {
        "gene_symbol": row.get("hugoSymbol"),
        "residue": residue,
        "type": row.get("type"),
        "tumors": row.get("tumorCount"),
        "q_value": as_number(row.get("qValue")),
        "q_value_pancancer": as_number(row.get("qValuePancan")),
        "q_value_cancer_type": as_number(row.get("qValueCancerType")),
        "p_value": as_number(row.get("pValue")),
        "variants": _ranked(variants),
        "synonymous": silent or None,
        "tumor_types": _ranked(types),
        "transcript_id": row.get("transcriptId"),
        # Of the protein: a bare "start" beside an assembly would be read as a place on the genome.
        **{f"residue_{name}": position.get(name) for name in ("start", "end")},
    }
    return {name: value for name, value in found.items() if value not in (None, "", {})}


def _ranked(counts: dict[str, Json]) -> dict[str, Json]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def ranked_residues(found: Sequence[Json]) -> list[dict[str, Json]]:
    """Return hotspots with most tumours first."""
    return sorted((shown_residue(row) for row in found), key=lambda row: (-(row.get("tumors") or 0), row["residue"]))


def at_residue(row: Json, wanted: str) -> bool:
    """Tell whether a hotspot is at a residue (V600), holds a position (600), or has this very name (486-494)."""
    if row.get("residue") == wanted:
        return True
    number = wanted if wanted.isdigit() else ""
    return bool(number) and row.get("residue_start", 0) <= int(number) <= row.get("residue_end", -1)


async def _resolved(api: Api, names: Sequence[str]) -> list[str] | Answer:
    """Return the current symbols; an unknown gene becomes the answer that says so."""
    symbols = []
    for name in names:
        gene = await find_gene(api, name)
        if isinstance(gene, Answer):
            return gene
        symbols.append(gene.symbol)
    return list(dict.fromkeys(symbols))


async def _found(api: Api, names: list[str], version: Version) -> tuple[list[str], list[dict[str, Json]]] | Answer:
    """Ask by the names as written; names that bring nothing are looked up, and asked for by their symbols."""
    written = [name for name in names if not name.isdigit()]
    found = await residue_rows(api, written, version) if written else []
    brought = {str(row["hugoSymbol"]).strip().upper() for row in found}
    others = await _resolved(api, [name for name in names if name not in brought])
    if isinstance(others, Answer):
        return others
    new = [symbol for symbol in others if symbol not in names]
    more = await residue_rows(api, new, version) if new else []
    return [*(name for name in written if name in brought), *others], [*found, *more]


@platform.tool(
    example={"gene": "BRAF"},
    asks=(
        "hot spots of a gene in cancer",
        "which residues are mutated again and again",
        "clustered mutations in 3D structure",
        "is codon 12 a hotspot",
        "part of the protein that is mutated again and again in patients",
    ),
)
async def hotspots(
    api: Api,
    gene: HotspotGenes,
    residue: Annotated[
        str, Arg("Residue (V600), position (600) or range as listed (486-494) to keep.", "V600", normalise=change_form)
    ]
    | None = None,
    version: Annotated[Version, Arg("Table of Cancer Hotspots: v2, or v2 and v3 together.")] = "v2",
    include_3d: Annotated[bool, Arg("Also list hotspots that cluster in protein structures.")] = False,
) -> Answer:
    """List recurrently mutated residues (hotspots) of a gene from Cancer Hotspots: tumours, variants, tumour types,
    q values. How often a change is seen in a study: mutation_recurrence.
    """
    names = symbols_of(gene)
    answer = await _found(api, names, version)
    if isinstance(answer, Answer):
        return answer
    symbols, found = answer
    told = await _version_told(api, symbols, version, found)
    spatial = await _rows(api, "3d", symbols, {}) if include_3d else []
    kept = [row for row in ranked_residues(found) if not residue or at_residue(row, residue)]
    kept_3d = [row for row in ranked_residues(spatial) if not residue or at_residue(row, residue)]
    data = {
        "gene_symbols": symbols,
        "species": SPECIES,
        "assembly": ASSEMBLY,
        "version": told,
        **({"tumors_in_dataset": TUMOURS_V2} if told == "v2" else {}),
        "hotspots": kept,
        **({"hotspots_3d": kept_3d} if include_3d else {}),
    }
    if not kept and not kept_3d:
        return empty(_nothing(symbols, residue, found), data)
    cited = [Citation("cancer_hotspots", symbol, f"{symbol} in Cancer Hotspots", PAGE) for symbol in symbols]
    note = "The service answered v3 with its table v2: version 3 is not there." if told != version else ""
    return rows([*kept, *kept_3d], data=data, note=note, citations=cited)


async def _version_told(api: Api, symbols: list[str], version: Version, found: list[dict[str, Json]]) -> Version:
    """Return the version that was really given: without its file the service answers v3 with v2, and does not say."""
    if version == "v2" or not found:
        return version
    return "v2" if await residue_rows(api, symbols, "v2") == found else version


def _nothing(symbols: list[str], residue: str | None, found: list[dict[str, Json]]) -> str:
    names = ", ".join(symbols)
    if not residue or not found:
        return f"Cancer Hotspots lists no hotspot of {names}."
    listed_here = ", ".join(row["residue"] for row in ranked_residues(found))
    return sentences(f"Cancer Hotspots lists no hotspot {residue} of {names}.", f"It lists {listed_here}.")
