"""How the preprint servers are asked: the platform, DOIs, checked answers, and Europe PMC beside them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal
from urllib.parse import quote

from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse, UpstreamRefused, UpstreamUnavailable
from mcp_server.http.rate_limit import Rate
from mcp_server.tool import Arg, Platform, Source

Json = Any

HOST = "api.biorxiv.org"
EUROPE_PMC_HOST = "www.ebi.ac.uk"
EUROPE_PMC = f"https://{EUROPE_PMC_HOST}/europepmc/webservices/rest"
SERVERS = {"biorxiv": "bioRxiv", "medrxiv": "medRxiv"}
NOTHING = re.compile(r"^no .*\bfound\b", re.IGNORECASE)
OUTAGE = re.compile(r"connect|timed? ?out|temporar|unavailable|mysql|database", re.IGNORECASE)

platform = Platform(
    "biorxiv",
    title="bioRxiv and medRxiv",
    base_url=f"https://{HOST}",
    docs="https://api.biorxiv.org/",
    licence="each preprint's own, shown with it",
    rate=Rate(1),
    hosts=(EUROPE_PMC_HOST,),
    keep_s=24 * 3600.0,
    source=Source(
        provider="bioRxiv and medRxiv, openRxiv; searched through Europe PMC, EMBL-EBI",
        homepage="https://www.biorxiv.org",
        attribution="Preprints of bioRxiv and medRxiv: not peer-reviewed, each under the licence its authors chose.",
        cite="Sever R et al. bioRxiv 2019. https://doi.org/10.1101/833400",
        limits="No published quota; one request a second is asked, intervals of a week at most.",
    ),
)

Server = Literal["biorxiv", "medrxiv"]


def doi_form(text: str) -> str:
    """Return a DOI without what people put around it: the resolver, a server's page and its version."""
    bare = re.sub(r"^(https?://(dx\.)?doi\.org/|doi\s*:\s*)", "", text, flags=re.IGNORECASE)
    bare = re.sub(r"^https?://(www\.)?(bio|med)rxiv\.org/content/", "", bare, flags=re.IGNORECASE)
    return re.sub(
        r"^(10\.(?:1101|64898)/\d[\d.]*?)(?:v\d+)?(?:\.(?:full|abstract|pdf|full\.pdf|full-text|source\.xml))?$",
        r"\1",
        bare,
        flags=re.IGNORECASE,
    )


def is_preprint_doi(doi: str) -> bool:
    """Say whether a DOI is of bioRxiv or medRxiv; the second prefix is that of preprints since December 2025."""
    return bool(re.match(r"10\.(1101|64898)/\d", doi))


PreprintDoi = Annotated[
    str,
    Arg("DOI of a preprint; a version at its end is ignored.", "10.1101/456574", r"^10\.(1101|64898)/\d[^\s\"]*$",
        normalise=doi_form),
]  # fmt: skip
OneServer = Annotated[Server, Arg("Which of the two servers.")]
EitherServer = Annotated[Server | None, Arg("Only this server; without it both are asked.")]
WithAbstract = Annotated[bool, Arg("Whether abstracts come too: they are most of the text.")]
Rows = Annotated[int, Arg("How many rows to return at most.", minimum=1, maximum=100)]
Cursor = Annotated[int, Arg("How many rows to skip: `next` of an earlier result gives it.", minimum=0)]


def servers_for(doi: str, server: str | None) -> list[str]:
    """Return the servers to ask, the likelier first: numbers of medRxiv have eight digits, of bioRxiv six."""
    if server:
        return [server]
    names = list(SERVERS)
    return names[::-1] if re.search(r"/\d{4}\.\d{2}\.\d{2}\.\d{8}$", doi) else names


def doi_path(doi: str) -> str:
    """Return a DOI as a part of a path."""
    return quote(doi, safe="/")


@dataclass(frozen=True)
class Listing:
    """The records of one answer, and what its message says about all of them."""

    records: list[Json]
    message: Mapping[str, Json]

    def number(self, name: str) -> int | None:
        """Return a number of the message, which may come as text or not at all."""
        value = str(self.message.get(name, ""))
        return int(value) if value.isdigit() else None


async def listing(api: Api, path: str, parameters: Mapping[str, Json] | None = None) -> Listing:
    """Return the checked answer at a path; "nothing found" has no records."""
    answer = await api.get(f"{path}/json", parameters)
    messages = answer.get("messages") if isinstance(answer, dict) else None
    if not isinstance(messages, list) or not messages or not isinstance(answer.get("collection"), list):
        raise UpstreamBadResponse(HOST, "the answer holds no message with a collection", body=answer)
    message, records = messages[0], answer["collection"]
    said = str(message.get("status") or "")
    if not records and said.lower() != "ok" and not NOTHING.match(said):
        raise (UpstreamUnavailable if OUTAGE.search(said) else UpstreamRefused)(HOST, said or "no reason given")
    return Listing(list(records), message)


async def versions_of(api: Api, doi: str, servers: list[str]) -> list[Json]:
    """Return all versions of a preprint, oldest first, from the server that has it."""
    for server in servers:
        found = (await listing(api, f"details/{server}/{doi_path(doi)}/na")).records
        for record in found:
            if str(record.get("doi")).lower() != doi.lower():
                raise UpstreamBadResponse(HOST, f"asked for {doi}, got {record.get('doi')}")
            check_server(record, server)
        if found:
            return sorted(found, key=lambda record: int(record.get("version") or 0))
    return []


def check_server(record: Mapping[str, Json], server: str, name: str = "server") -> None:
    """Refuse a record of the other server."""
    if (own := str(record.get(name) or server).lower()) != server:
        raise UpstreamBadResponse(HOST, f"asked for {server}, got a preprint of {own}")


async def europe_pmc(api: Api, query: str, **parameters: Json) -> tuple[list[Json], dict[str, Json]]:
    """Return the records of a search in Europe PMC, and its whole answer."""
    asked = {"query": query, "resultType": "core", **parameters, "format": "json"}
    answer = await api.get("search", asked, base=EUROPE_PMC)
    if isinstance(answer, dict) and "errCode" in answer:
        code, said = str(answer["errCode"]), str(answer.get("errMsg") or answer["errCode"])
        raise (UpstreamUnavailable if code.startswith("5") else UpstreamRefused)(EUROPE_PMC_HOST, said)
    if not isinstance(answer, dict) or "hitCount" not in answer:
        raise UpstreamBadResponse(EUROPE_PMC_HOST, "the answer holds no number of hits", body=answer)
    return list((answer.get("resultList") or {}).get("result") or []), answer
