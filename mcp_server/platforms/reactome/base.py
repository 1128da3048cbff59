"""What the tools of Reactome share: the platform, arguments, kinds of record, reading of answers."""

import html
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any, Literal
from urllib.parse import quote

from mcp_server.args import look_up_form
from mcp_server.envelope import Answer, InvalidArguments, empty, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse, UpstreamNotFound
from mcp_server.http.rate_limit import Rate
from mcp_server.tool import Arg, Cite, Platform, Source

Json = Any

platform = Platform(
    "reactome",
    title="Reactome",
    base_url="https://reactome.org/ContentService",
    docs="https://reactome.org/ContentService/",
    licence="CC0 (annotation), CC BY 4.0 (text)",
    rate=Rate(3),
    source=Source(
        provider="Reactome (OICR, EMBL-EBI, NYU Langone Health, OHSU)",
        homepage="https://reactome.org",
        attribution="Data from Reactome: annotations CC0, texts and diagrams CC BY 4.0.",
        cite="Milacic M et al. Nucleic Acids Res. 2024;52(D1):D672. https://doi.org/10.1093/nar/gkad1025",
        limits="No published quota; 3 requests a second are asked, one analysis at a time.",
    ),
)


@platform.release
async def release(api: Api) -> str:
    """Read the number of the release, which comes as a bare text."""
    text = (await api.get_text("/data/database/version", accept="text/plain")).strip()
    if not text.isdigit():
        raise UpstreamBadResponse(HOST, f"not a release number: {text[:80]!r}")
    return text


HOST = "reactome.org"
PLAIN_TEXT = {"Content-Type": "text/plain"}
RECORD = Cite("reactome", "", "stId", "displayName")
LISTED = Cite("reactome", "[]", "stId", "displayName")
ROW_FIELDS = ("stId", "displayName", "schemaClass", "speciesName")
PATHWAY_FIELDS = ("stId", "displayName", "speciesName", "schemaClass", "isInDisease")
PATHWAY_CLASSES = frozenset({"TopLevelPathway", "Pathway", "CellLineagePath"})
REACTION_CLASSES = frozenset({"Reaction", "BlackBoxEvent", "Polymerisation", "Depolymerisation", "FailedReaction"})
EVENT_CLASSES = PATHWAY_CLASSES | REACTION_CLASSES
# Species with events of their own or inferred ones, by NCBI taxon.
SPECIES = {
    "9606": "Homo sapiens",
    "10090": "Mus musculus",
    "10116": "Rattus norvegicus",
    "9913": "Bos taurus",
    "9823": "Sus scrofa",
    "9615": "Canis familiaris",
    "9031": "Gallus gallus",
    "8364": "Xenopus tropicalis",
    "7955": "Danio rerio",
    "7227": "Drosophila melanogaster",
    "6239": "Caenorhabditis elegans",
    "44689": "Dictyostelium discoideum",
    "4932": "Saccharomyces cerevisiae",
    "4896": "Schizosaccharomyces pombe",
    "5833": "Plasmodium falciparum",
    "1773": "Mycobacterium tuberculosis",
}
_EVERYDAY_SPECIES = {
    "human": "9606", "mouse": "10090", "rat": "10116", "cow": "9913", "pig": "9823", "dog": "9615",
    "chicken": "9031", "frog": "8364", "zebrafish": "7955", "fly": "7227", "fruit fly": "7227", "worm": "6239",
    "yeast": "4932", "fission yeast": "4896",
}  # fmt: skip
_TAXA = {name.lower(): taxon for taxon, name in SPECIES.items()} | _EVERYDAY_SPECIES


def taxon_form(text: str) -> str:
    """Return the NCBI taxon of a species that Reactome has: `human`, `Homo sapiens`, `H. sapiens` → `9606`."""
    plain = look_up_form(text).lower()
    short = re.fullmatch(r"([a-z])\.? ([a-z]+)", plain)
    if short:
        plain = next((name for name in _TAXA if name[0] == short[1] and name.endswith(f" {short[2]}")), plain)
    return _TAXA.get(plain, plain)


def identifier_form(text: str) -> str:
    """Return an identifier without the name of its database: `CHEBI:15377` → `15377`, `p04637` → `P04637`."""
    return re.sub(r"^(?:chebi|uniprot|ensembl|ncbi|go):", "", text, flags=re.IGNORECASE).upper()


Species = Annotated[
    str,
    Arg("NCBI taxon number, or the name of a species that Reactome has.", "9606", r"^\d+$", normalise=taxon_form),
]
Identifier = Annotated[
    str,
    Arg("Identifier of the gene, protein or molecule in `resource`.", "P04637", normalise=identifier_form),
]
Resource = Annotated[
    Literal["UniProt", "ENSEMBL", "NCBI", "ChEBI", "GO"], Arg("Database of the identifier; NCBI means NCBI Gene.")
]
Words = Annotated[str, Arg("Words, gene symbol or accession.", "TP53", normalise=look_up_form)]


async def known(api: Api, path: str, parameters: dict[str, Json] | None = None) -> Json:
    """Return the JSON at `path`, or None where Reactome itself says that there is nothing."""
    try:
        return await api.get(path, parameters)
    except UpstreamNotFound as error:
        if isinstance(error.body, dict):
            return None
        raise


async def post_lines(api: Api, path: str, lines: Sequence[str], parameters: dict[str, Json] | None = None) -> Json:
    """Send lines of text and return JSON, or None where Reactome says that there is nothing."""
    try:
        response = await api.fetch("POST", path, parameters, text="\n".join(lines), headers=PLAIN_TEXT)
    except UpstreamNotFound as error:
        if isinstance(error.body, dict):
            return None
        raise
    try:
        return json.loads(response.text(), strict=False)
    except ValueError as error:
        raise UpstreamBadResponse(HOST, f"not JSON: {response.text()[:200]!r}", status=response.status) from error


async def record_of(
    api: Api, reactome_id: str, path: str = "/data/query/{}", wanted: frozenset[str] | str = ""
) -> Json:
    """Return the record of an id, checked to be that record and of a wanted kind; None where there is none."""
    record = await known(api, path.format(reactome_id))
    if record is None:
        return None
    matched("record", reactome_id, record.get("stId"))
    check_kind(record, reactome_id, wanted)
    return record


def check_kind(record: Json, reactome_id: str, wanted: frozenset[str] | str) -> None:
    """Refuse a record of another kind than the tool is for, naming the tool that is right."""
    kind = record.get("schemaClass") or record.get("className") or ""
    fits = kind not in EVENT_CLASSES if wanted == "entity" else kind in wanted or not wanted
    if kind and not fits:
        tool = "get_pathway" if kind in PATHWAY_CLASSES else "get_reaction" if kind in EVENT_CLASSES else "get_entity"
        raise InvalidArguments("reactome_id", f"{reactome_id} is a {kind}; use reactome__{tool} for its record")


async def nothing_for(
    api: Api, reactome_id: str, note: str, data: Json = None, wanted: frozenset[str] | str = ""
) -> Answer:
    """Tell a record without what was asked from an id that nobody has: both are a 404."""
    if await record_of(api, reactome_id, wanted=wanted) is None:
        return no_record(reactome_id)
    return empty(note, data)


def no_record(reactome_id: str) -> Answer:
    """Answer that Reactome does not know the id."""
    return unknown_id(reactome_id, f"Reactome has no record {reactome_id}.")


def matched(what: str, asked: Json, got: Json) -> None:
    """Refuse an answer about something else than what was asked for."""
    if got is not None and str(got).upper() != str(asked).upper():
        raise UpstreamBadResponse(HOST, f"asked for {what} {asked}, it answered {got}")


def matched_species(found: Iterable[Json], taxon: str) -> None:
    """Refuse rows of another species than the one that was asked for."""
    for row in found:
        if taxon in SPECIES and isinstance(row, dict):
            matched("species", SPECIES[taxon], row.get("speciesName"))


def page(
    items: Sequence[Json], limit: int, offset: int = 0, *, wrap: Json = None, under: str = "", note: str = ""
) -> Answer:
    """Answer with a part of a whole list, and how to go on; `wrap` goes around it, the list `under` a name."""
    shown = list(items[offset : offset + limit])
    end = offset + len(shown)
    if items and not shown:
        note = f"There are only {len(items)}; offset {offset} lies behind the last. {note}".strip()
    following = {"offset": end} if shown and end < len(items) else None
    data = {**wrap, under: shown} if wrap is not None else None
    return rows(shown, total=len(items), next=following, note=note, data=data)


def path_part(text: str) -> str:
    """Return a text as one part of a path."""
    return quote(text, safe="")


def kept(record: Json, fields: Sequence[str]) -> Json:
    """Return the named fields that are there."""
    return {name: record[name] for name in fields if record.get(name) is not None}


def objects(record: Json, name: str) -> list[Json]:
    """Return the objects of a field that holds a list or one object; bare numbers are looked up in the record."""
    found = record.get(name)
    items = found if isinstance(found, list) else [] if found is None else [found]
    return [item for item in expanded(items, record) if item is not record]


def expanded(items: Iterable[Json], whole: Json) -> list[Json]:
    """Replace bare numbers by the objects of that number that stand elsewhere in the answer."""
    items = list(items)
    if any(isinstance(item, int) for item in items):
        seen = {item["dbId"]: item for item in _every_object(whole) if "dbId" in item}
        items = [seen.get(item, {"dbId": item}) if isinstance(item, int) else item for item in items]
    return [item for item in items if isinstance(item, dict)]


def _every_object(part: Json) -> Iterator[Json]:
    if isinstance(part, dict):
        yield part
        part = list(part.values())
    if isinstance(part, list):
        for inner in part:
            yield from _every_object(inner)


def plain(text: str) -> str:
    """Return a text without the markup of summaries and search hits."""
    spaced = re.sub(r"</?(?:p|br|li|ul)\b[^>]*>", " ", text)
    return " ".join(html.unescape(re.sub(r"</?[A-Za-z][^>]*>", "", spaced)).split())


def summary(record: Json) -> str | None:
    """Return the summary texts of a record in one."""
    return " ".join(plain(row.get("text") or "") for row in objects(record, "summation")) or None
