"""How Europe PMC is asked: the platform, the keys of its records, checked answers, whether a record exists."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from mcp_server.envelope import Answer, InvalidArguments, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse, UpstreamNotFound, UpstreamRefused, UpstreamUnavailable
from mcp_server.http.rate_limit import Rate
from mcp_server.tool import Arg, Platform, Source

Json = Any

HOST = "www.ebi.ac.uk"
ANNOTATIONS = f"https://{HOST}/europepmc/annotations_api"
GRANTS = f"https://{HOST}/europepmc/GristAPI/rest"
PAGES = "https://europepmc.org/article"
# Longer queries are sent as a form: addresses of about 12,000 characters are refused.
LONGEST_QUERY_IN_ADDRESS = 1_500

platform = Platform(
    "europepmc",
    title="Europe PMC",
    base_url=f"https://{HOST}/europepmc/webservices/rest",
    docs="https://europepmc.org/RestfulWebService",
    licence="https://europepmc.org/Copyright",
    rate=Rate(5),
    contact_parameter="email",
    keep_s=24 * 3600.0,
    source=Source(
        provider="Europe PMC, EMBL-EBI",
        homepage="https://europepmc.org",
        attribution="Data from Europe PMC; abstracts and texts keep the licence of their own, shown where it is known.",
        cite="Rosonovski S et al. Nucleic Acids Res. 2024;52(D1):D1668. https://doi.org/10.1093/nar/gkad1085",
        limits="No published quota; about ten requests a second from one address are spoken of.",
    ),
)

SourceName = Literal["MED", "PMC", "PPR", "PAT", "AGR", "CBA", "CTX", "ETH", "HIR", "NBK"]


def pmid_form(text: str) -> str:
    """Return a PubMed number without what people put before it."""
    return re.sub(r"^(PMID\s*:?|MED\s*[:/])\s*", "", text, flags=re.IGNORECASE).lstrip("0")


def pmcid_form(text: str) -> str:
    """Return a PMCID with its letters: `PMCID: 3040717`, `pmc3040717.1` → `PMC3040717`."""
    bare = re.sub(r"^PMCID\s*:?\s*", "", text, flags=re.IGNORECASE).upper().partition(".")[0]
    return f"PMC{bare}" if bare.isdigit() else bare


def doi_form(text: str) -> str:
    """Return a DOI in lower case without what people put before it, a preprint's without its version."""
    bare = re.sub(r"^(https?://(dx\.)?doi\.org/|doi\s*:\s*)", "", text, flags=re.IGNORECASE).lower()
    # The version of bioRxiv and medRxiv belongs to the address, not to the DOI.
    return re.sub(r"^(10\.(?:1101|64898)/.+?)v\d+$", r"\1", bare)


Pmid = Annotated[str | None, Arg("PubMed number.", "20516115", r"^\d{1,8}$", normalise=pmid_form)]
Pmcid = Annotated[str | None, Arg("PMCID with its letters.", "PMC3040717", r"^PMC\d+$", normalise=pmcid_form)]
Doi = Annotated[str | None, Arg("DOI.", "10.1158/0008-5472.can-09-4563", r"^10\.\d{4,9}/[^\s\"]+$", normalise=doi_form)]
RecordSource = Annotated[
    SourceName | None,
    Arg("Source of `id`: MED (PubMed), PMC, PPR (preprints), PAT (patents), AGR, ETH (theses) and others."),
]
RecordId = Annotated[str | None, Arg("Number of the record in `source`.", "20516115", r"^[A-Za-z0-9._-]+$")]
Page = Annotated[int, Arg("Which page: `next` of an earlier result gives it.", minimum=1)]


@dataclass(frozen=True)
class Key:
    """What a record is known by."""

    source: str
    id: str

    @property
    def path(self) -> str:
        """The part of an address that names the record."""
        return f"{self.source}/{self.id}"

    @property
    def page(self) -> str:
        """The record's page for people."""
        return f"{PAGES}/{self.path}"

    def __str__(self) -> str:
        return f"{self.source} {self.id}"


def key_in(source: str, identifier: str) -> Key:
    """Return the key in the spelling of its source; a number that its source can't have is refused."""
    plain = identifier.upper()
    if source in ("PMC", "PPR"):
        plain = f"{source}{plain}" if plain.isdigit() else plain
    if source == "MED":
        plain = plain.lstrip("0")
    if not re.fullmatch({"MED": r"\d{1,8}", "PMC": r"PMC\d+", "PPR": r"PPR\d+"}.get(source, r".+"), plain):
        raise InvalidArguments("id", f"{identifier!r} is no number of {source}", "20516115")
    return Key(source, plain)


async def key_of(api: Api, pmid: str | None, source: str | None, identifier: str | None) -> Key | None:
    """Return the key that the arguments name; a PMCID leads to the record's own key, None if there is none."""
    if pmid and (source or identifier):
        raise InvalidArguments("pmid", "name the article once: by `pmid`, or by `source` and `id`", "20516115")
    if pmid:
        return Key("MED", pmid)
    if not (source and identifier):
        raise InvalidArguments("pmid", "name the article: by `pmid`, or by `source` and `id`", "20516115")
    key = key_in(source, identifier)
    if source != "PMC":
        return key
    # An article with a PubMed number is filed under MED, even when it is asked for by its PMCID.
    record = await record_with(api, "pmcid", key.id, detail="lite")
    return Key(str(record["source"]), str(record["id"])) if record else None


def checked(answer: Json, need: str) -> dict[str, Json]:
    """Return an answer that holds what it must; faults come with status 200."""
    if isinstance(answer, dict) and "errCode" in answer:
        code, said = str(answer["errCode"]), str(answer.get("errMsg") or answer["errCode"])
        raise (UpstreamUnavailable if code.startswith("5") else UpstreamRefused)(HOST, said, body=answer)
    if not isinstance(answer, dict) or need not in answer:
        raise UpstreamBadResponse(HOST, f"the answer holds no {need}", body=answer)
    return answer


def matched(asked: Key, answer: Mapping[str, Json]) -> None:
    """Refuse an answer about another record than the one that was asked for."""
    said = answer.get("request") or {}
    got = (str(said.get("source") or asked.source).upper(), str(said.get("id") or asked.id).upper())
    if got != (asked.source, asked.id):
        raise UpstreamBadResponse(HOST, f"asked for {asked}, the answer is about {' '.join(got)}")


async def search(api: Api, query: str, **parameters: Json) -> dict[str, Json]:
    """Return the checked answer to a query, with its number of hits."""
    asked = {"query": query, **parameters, "format": "json"}
    if len(query) > LONGEST_QUERY_IN_ADDRESS:
        return checked(await api.post_form("searchPOST", asked), "hitCount")
    return checked(await api.get("search", asked), "hitCount")


def records(answer: Mapping[str, Json], *, first_page: bool = True) -> list[Json]:
    """Return the records of a search; each must say what it is, and hits must show on the first page."""
    listed = (answer.get("resultList") or {}).get("result") or []
    if any(not (record.get("id") and record.get("source")) for record in listed):
        raise UpstreamBadResponse(HOST, "a record without source or number")
    if first_page and int(answer["hitCount"]) and not listed:
        raise UpstreamBadResponse(HOST, f"{answer['hitCount']} hits, and no record on the first page", body=answer)
    return list(listed)


async def record(api: Api, key: Key, detail: str = "core") -> Json:
    """Return a record by its key, checked to be that one; None where Europe PMC has none."""
    try:
        answer = checked(await api.get(f"article/{key.path}", {"resultType": detail, "format": "json"}), "result")
    except UpstreamNotFound as error:
        if isinstance(error.body, dict):
            return None
        raise
    matched(key, answer)
    found = answer["result"]
    if not found:
        return None
    if (str(found.get("source")), str(found.get("id")).upper()) != (key.source, key.id):
        raise UpstreamBadResponse(HOST, f"asked for {key}, got {found.get('source')} {found.get('id')}")
    return found


async def record_with(api: Api, name: str, identifier: str, detail: str = "core") -> Json:
    """Return the record with a PMCID or DOI: a journal's before a preprint's; None where there is none."""
    # A PMCID must stand alone and unquoted: with its source, or in quotes, it matches nothing.
    query = f"PMCID:{identifier}" if name == "pmcid" else f'DOI:"{identifier}"'
    answer = await search(api, query, resultType=detail, pageSize=25)
    same = [each for each in records(answer) if str(each.get(name)).lower() == identifier.lower()]
    order = ("MED", "PMC", "PPR")
    return min(same, key=lambda each: order.index(each["source"]) if each["source"] in order else 9, default=None)


async def exists(api: Api, key: Key) -> bool:
    """Say whether Europe PMC has a record."""
    return await record(api, key, "lite") is not None


def unknown(identifier: str) -> Answer:
    """Answer that Europe PMC has no such record."""
    return unknown_id(identifier, f"Europe PMC has no record of {identifier}: do not cite it.")


def kept(facts: Mapping[str, Json]) -> dict[str, Json]:
    """Return the facts that are there."""
    return {name: value for name, value in facts.items() if value not in (None, "", [], {})}
