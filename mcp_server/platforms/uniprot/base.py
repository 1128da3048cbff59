"""The database itself: where it is, how it pages, and the arguments that its tools share."""

import re
from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import parse_qs, urlsplit

from mcp_server.envelope import Answer, InvalidArguments, rows
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse
from mcp_server.http.rate_limit import Rate
from mcp_server.tool import Arg, Cite, Platform, Source

Json = Any

platform = Platform(
    "uniprot",
    title="UniProt",
    base_url="https://rest.uniprot.org",
    docs="https://www.uniprot.org/help/api",
    licence="CC BY 4.0",
    rate=Rate(5),
    hosts=("www.ebi.ac.uk",),
    source=Source(
        provider="UniProt Consortium",
        homepage="https://www.uniprot.org",
        attribution="Data from UniProt, CC BY 4.0.",
        cite="The UniProt Consortium. Nucleic Acids Res. 2025;53(D1):D609. https://doi.org/10.1093/nar/gkae1010",
        limits="No published quota; results come in pages of at most 500.",
    ),
)


@platform.release
async def release(api: Api) -> str:
    """Read the release from the header that every answer carries."""
    parameters = {"query": "accession:P04637", "fields": "accession", "size": 1}
    _, headers = await api.get_page("/uniprotkb/search", parameters)
    return headers["x-uniprot-release"]


Cursor = Annotated[str | None, Arg("Where to go on: `next` of an earlier result gives it.")]
OrganismId = Annotated[int, Arg("NCBI taxon number of the organism; 9606 is human.", minimum=1)]

ENTRY = Cite("uniprot", "", "primaryAccession", "proteinName")
# Evidence marks repeat the papers that the texts name already.
NO_EVIDENCES = "del(.. | .evidences?)"


async def page(api: Api, path: str, parameters: Mapping[str, Json] | None = None) -> tuple[Json, Mapping[str, str]]:
    """Return a page and its headers, and remember the release."""
    found, headers = await api.get_page(path, parameters)
    api.trace.release = headers.get("x-uniprot-release", api.trace.release)
    return found, headers


def rows_of(found: Json, name: str = "results") -> list[Json]:
    """Return the list of a page; an answer without one is not an empty list."""
    if not isinstance(found, dict) or not isinstance(found.get(name), list):
        raise UpstreamBadResponse("rest.uniprot.org", f"the answer holds no list of {name}")
    return list(found[name])


def next_cursor(headers: Mapping[str, str]) -> str | None:
    """Return the cursor of the next page, or None on the last one."""
    link = re.search(r'<([^>]+)>;\s*rel="next"', headers.get("link", ""))
    return parse_qs(urlsplit(link[1]).query).get("cursor", [None])[0] if link else None


def listed(found: list[Json], headers: Mapping[str, str], *, note: str = "", data: Json = None) -> Answer:
    """Answer with one page of a list, its total and how to go on."""
    cursor = next_cursor(headers)
    total = int(headers.get("x-total-results") or len(found))
    return rows(found, total=total, next={"cursor": cursor} if cursor else None, note=note, data=data)


def sliced(found: list[Json], limit: int, offset: int, data: Json, name: str, note: str = "") -> Answer:
    """Answer with a part of a list that came whole; it goes into `data` under `name`."""
    shown = found[offset : offset + limit]
    end = offset + len(shown)
    following = {"offset": end} if end < len(found) else None
    if found and not shown:
        # An offset behind the end is not "nothing found".
        note = f"{note} The list has {len(found)} entries: the offset lies behind its end.".strip()
        return Answer(data | {name: []}, total=len(found), returned=0, note=note)
    return rows(shown, total=len(found), next=following, data=data | {name: shown}, note=note)


def quoted(text: str) -> str:
    """Return a value as the query language takes it."""
    plain = text.replace('"', "")
    return plain if re.fullmatch(r"\w+", plain) else f'"{plain}"'


def exactly_one(example: Json, **given: Json) -> None:
    """Refuse a call that gives none or several of the arguments that replace each other."""
    names = list(given)
    if sum(value is not None for value in given.values()) != 1:
        raise InvalidArguments(names[0], f"give exactly one of {', '.join(names)}", example)
