"""How PubMed and its neighbours at NCBI are asked: the platform, checked answers, short records, identifiers.

NCBI E-utilities (JSON for searches and summaries, XML for records) and the PMC ID Converter. All NCBI
hosts share one rate: 3 requests a second, 10 with a key. Faults may come with status 200 in the body;
unknown numbers are silently missing from the answer, and words that match nothing are silently dropped.
"""

import html
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from mcp_server.envelope import Answer, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse, UpstreamRateLimited, UpstreamUnavailable
from mcp_server.http.rate_limit import Rate
from mcp_server.markup import whole_text
from mcp_server.tool import Arg, Platform, Source

Json = Any

HOST = "eutils.ncbi.nlm.nih.gov"
CONVERTER = "https://pmc.ncbi.nlm.nih.gov/tools/idconv/api/v1"
ICITE = "https://icite.od.nih.gov/api"
OPEN_DATA = "https://pmc-oa-opendata.s3.amazonaws.com"
# PubMed gives no more than its first 9,999 hits.
REACHABLE = 9_999

platform = Platform(
    "pubmed",
    title="PubMed",
    base_url=f"https://{HOST}/entrez/eutils",
    docs="https://www.ncbi.nlm.nih.gov/books/NBK25501/",
    licence="https://www.nlm.nih.gov/databases/download/terms_and_conditions.html",
    rate=Rate(2.5, group="ncbi", with_key=8),
    hosts=("pmc.ncbi.nlm.nih.gov", "icite.od.nih.gov", "pmc-oa-opendata.s3.amazonaws.com"),
    key_parameter="api_key",
    contact_parameter="email",
    keep_s=24 * 3600.0,
    source=Source(
        provider="PubMed and PubMed Central, NCBI, U.S. National Library of Medicine",
        homepage="https://pubmed.ncbi.nlm.nih.gov",
        attribution="Courtesy of the U.S. National Library of Medicine; abstracts may be under copyright.",
        cite="Sayers EW et al. Nucleic Acids Res. 2025;53(D1):D20. https://doi.org/10.1093/nar/gkae979",
        limits="3 requests a second over all NCBI services, 10 with an API key; citation metrics come from NIH iCite.",
    ),
)


@platform.release
async def release(api: Api) -> str:
    """Read the build of the index."""
    answer = await api.get("/einfo.fcgi", {"db": "pubmed", "version": "2.0", "retmode": "json"})
    return str(answer["einforesult"]["dbinfo"][0]["dbbuild"])


def pmid_form(text: str) -> str:
    """Return a PubMed number without what people put before it."""
    return re.sub(r"^PMID\s*:?\s*", "", text, flags=re.IGNORECASE).lstrip("0")


def id_form(text: str) -> str:
    """Return a PMID, PMCID, NIHMS number or DOI without what people put before it."""
    bare = re.sub(r"^(https?://(dx\.)?doi\.org/|(PMID|PMCID|DOI)\s*:\s*)", "", text, flags=re.IGNORECASE)
    return bare.lower() if bare.startswith("10.") else bare.upper()


ID_PATTERNS = {
    "pmid": re.compile(r"[1-9]\d{0,7}"),
    "pmcid": re.compile(r"PMC\d+(\.\d+)?"),
    "doi": re.compile(r"10\.\d{4,9}/\S+"),
    "mid": re.compile(r"NIHMS\d+"),
}
OnePmid = Annotated[str, Arg("PubMed number.", "22663011", r"^[1-9]\d{0,7}$", normalise=pmid_form)]
Offset = Annotated[int, Arg("How many records to skip: `next` gives it.", minimum=0, maximum=9998)]


def pmids_up_to(number: int) -> Arg:
    """Describe a list of PMIDs."""
    return Arg("PubMed numbers.", ["22663011"], r"^[1-9]\d{0,7}$", max_items=number, normalise=pmid_form)


def checked(answer: Json, part: str) -> dict[str, Json]:
    """Return the `part` of an E-utilities answer; a fault that comes with status 200 is raised."""
    if not isinstance(answer, dict):
        raise UpstreamBadResponse(HOST, "the answer is not an object")
    if "error" in answer and part not in answer:
        raise UpstreamRateLimited(HOST, str(answer["error"])[:200])
    result = answer.get(part)
    if not isinstance(result, dict):
        raise UpstreamBadResponse(HOST, f"the answer holds no {part!r}")
    if "ERROR" in result:
        raise UpstreamUnavailable(HOST, " ".join(str(result["ERROR"]).split())[:300])
    return result


async def summaries(api: Api, pmids: Sequence[str]) -> list[dict[str, Json]]:
    """Return short records of the PMIDs that PubMed has, in their order."""
    parameters = {"db": "pubmed", "id": pmids, "retmode": "json", "tool": "burp"}
    result = checked(await api.get("/esummary.fcgi", parameters), "result")
    found = []
    for pmid in pmids:
        record = result.get(pmid)
        # The number in the record must be the number that was asked for.
        if isinstance(record, dict) and "error" not in record and record.get("uid") == pmid:
            found.append(summary(record))
    return found


def summary(record: Json) -> dict[str, Json]:
    """Return the short form of a summary."""
    identifiers = {each["idtype"]: each["value"] for each in record.get("articleids", [])}
    authors = [author["name"] for author in record.get("authors", [])]
    row = {
        "pmid": record["uid"],
        "title": plain_title(record.get("title") or record.get("booktitle", "")),
        "firstauthor": authors[0] if authors else "",
        "source": record.get("source"),
        "pubdate": record.get("pubdate"),
        "pubtype": record.get("pubtype"),
        "doi": identifiers.get("doi"),
        "pmcid": identifiers.get("pmc"),
    }
    return {name: value for name, value in row.items() if value}


def plain_title(title: str) -> str:
    """Return a title without its markup; raised and lowered parts keep a sign."""
    marked = re.sub(r"<sup>", "^", html.unescape(title))
    return re.sub(r"</?[a-z]+>", "", re.sub(r"<sub>", "_", marked))


def warnings_of(result: Json) -> dict[str, list[str]]:
    """Return what a search ignored or did not find, by its own names."""
    said = {**result.get("errorlist", {}), **result.get("warninglist", {})}
    return {name: values for name, values in said.items() if values}


async def esearch(api: Api, database: str, term: str, **parameters: Json) -> dict[str, Json]:
    """Return the checked result of a search."""
    asked = {"db": database, "term": term, "retmode": "json", **parameters, "tool": "burp"}
    return checked(await api.get("/esearch.fcgi", asked), "esearchresult")


async def esummary(api: Api, database: str, uids: Sequence[str]) -> dict[str, Json]:
    """Return the raw summaries by uid; uids that the database does not have are missing."""
    if not uids:
        return {}
    parameters = {"db": database, "id": list(uids), "retmode": "json", "tool": "burp"}
    answer = await api.get("/esummary.fcgi", parameters)
    # If no uid is valid, the whole answer is one error; it is told apart from a fault by its words.
    if isinstance(answer, dict) and re.search(r"invalid uid|cannot get document", str(answer.get("error")), re.I):
        return {}
    result = checked(answer, "result")
    found = {uid: record for uid in uids if isinstance(record := result.get(uid), dict) and "error" not in record}
    # The number in the record must be the number that was asked for.
    return {uid: record for uid, record in found.items() if str(record.get("uid")) == uid}


async def is_known(api: Api, pmid: str) -> bool:
    """Say whether PubMed has an article of this number."""
    return bool(await summaries(api, [pmid]))


def unknown_article(pmid: str) -> Answer:
    """Answer that PubMed has no article of this number."""
    return unknown_id(pmid, f"PubMed has no record of PMID {pmid}: do not cite it.")


async def xml(api: Api, path: str, parameters: Mapping[str, Json]) -> Element:
    """Return the root of an XML answer; a fault that comes inside is raised."""
    asked = {**parameters, "tool": "burp"}
    text = await api.get_text(path, asked, accept="application/xml", starts_with="<?xml")
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise UpstreamBadResponse(HOST, f"the answer is not XML to its end: {error}") from error
    if said := whole_text(root.find(".//ERROR")):
        raise UpstreamUnavailable(HOST, said[:300])
    return root


async def elink(api: Api, uid: str, **parameters: Json) -> dict[str, list[Json]]:
    """Return the links of one record by link name, as they come."""
    answer = await api.get("/elink.fcgi", {**parameters, "id": uid, "retmode": "json", "tool": "burp"})
    if isinstance(answer, dict) and "error" in answer:
        raise UpstreamRateLimited(HOST, str(answer["error"])[:200])
    linksets = answer.get("linksets") if isinstance(answer, dict) else None
    if not linksets:
        said = answer.get("ERROR") if isinstance(answer, dict) else None
        raise UpstreamUnavailable(HOST, str(said or "the answer holds no set of links")[:300])
    (linkset,) = linksets if len(linksets) == 1 else [{}]
    if linkset.get("ERROR"):
        raise UpstreamUnavailable(HOST, str(linkset["ERROR"])[:300])
    if [str(each) for each in linkset.get("ids", [])] != [uid]:
        raise UpstreamBadResponse(HOST, f"asked for the links of {uid}, the answer is about {linkset.get('ids')}")
    return {each["linkname"]: each.get("links", []) for each in linkset.get("linksetdbs") or []}


def exact_first(rows: Iterable[Json], wanted: str, names: Callable[[Json], Iterable[str]]) -> list[Json]:
    """Return the rows that carry exactly the wanted name first: their own name before another one."""
    plain = wanted.strip().lower()

    def rank(row: Json) -> int:
        known = [str(name).lower() for name in names(row)]
        return known.index(plain) if plain in known else len(known) + 1_000

    return sorted(rows, key=rank)
