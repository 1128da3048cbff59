"""Grants of the funders that Europe PMC speaks for (Grist).

The parameters stand in the path. One hit comes as an object, several as a list, none as nothing at all.
"""

import re
from collections.abc import Sequence
from typing import Annotated, Any
from urllib.parse import quote

from mcp_server.envelope import Answer, Citation, InvalidArguments, empty, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse
from mcp_server.platforms.europepmc.records import listed
from mcp_server.platforms.europepmc.service import GRANTS, HOST, Page, checked, kept, platform
from mcp_server.tool import Arg

Json = Any

PAGE_ROWS = 25
DETAILS = "https://europepmc.org/grantfinder/grantdetails"


@platform.tool(
    example={"grant_id": "083611"},
    asks=(
        "who funds this research",
        "Wellcome or MRC grants",
        "awards of a principal investigator",
        "funding amount, grant number",
    ),
)
async def search_grants(
    api: Api,
    keyword: Annotated[str | None, Arg("Words of a grant's title or abstract.", "neurogenesis")] = None,
    principal_investigator: Annotated[str | None, Arg("Family name, with initials if wanted.", "Smith J")] = None,
    agency: Annotated[str | None, Arg("Funder as Europe PMC names it.", "Wellcome Trust")] = None,
    grant_id: Annotated[str | None, Arg("Grant number.", "083611")] = None,
    page: Page = 1,
) -> Answer:
    """Grants of Europe PMC's funders by keyword, holder, agency or number: title, funder, holder, institution, dates,
    amount. For the grants that one article names use get_article."""
    fields = {"gid": grant_id, "pi": principal_investigator, "ga": agency, "kw": keyword}
    clauses = [f"{name}:{_quoted(value)}" for name, value in fields.items() if value]
    if not clauses:
        raise InvalidArguments("keyword", "give a keyword, a holder, an agency or a grant number", "neurogenesis")
    further = f"&page={page}" if page > 1 else ""
    path = f"get/query={quote(' AND '.join(clauses), safe=':')}&format=json&resultType=core{further}"
    answer = checked(await api.get(path, base=GRANTS), "HitCount")
    total = int(answer["HitCount"])
    grants = [_grant(each) for each in listed((answer.get("RecordList") or {}).get("Record"))]
    if total and not grants and page == 1:
        raise UpstreamBadResponse(HOST, f"{total} grants, and none on the first page", body=answer)
    if grant_id:
        _check_number(grant_id, grants)
        if not total and len(clauses) == 1:
            return unknown_id(grant_id, f"No funder of Europe PMC has a grant {grant_id}.")
    if not grants:
        asked = " and ".join(clauses)
        return empty(f"No grant fits {asked}." if not total else f"There are only {total}: page {page} is behind them.")
    more = (page - 1) * PAGE_ROWS + len(grants) < total
    note = "Pages of this service may overlap or leave gaps: compare by grant number." if more or page > 1 else ""
    return rows(
        grants,
        total=total,
        next={"page": page + 1} if more else None,
        note=note,
        data={"count": total, "grants": grants},
        citations=[Citation("grant", _named(each), each.get("title", ""), each["url"]) for each in grants],
    )


def _quoted(value: str) -> str:
    plain = value.replace('"', " ").strip()
    return plain if re.fullmatch(r"[\w.-]+", plain) else f'"{plain}"'


def _grant(record: Json) -> dict[str, Json]:
    person, grant = record.get("Person") or {}, record.get("Grant") or {}
    funder = grant.get("Funder") or {}
    if not grant.get("Id"):
        raise UpstreamBadResponse(HOST, "a grant without its number", body=record)
    names = (person.get("GivenName") or person.get("Initials"), person.get("FamilyName"))
    facts = {
        "grant_id": str(grant["Id"]),
        "title": grant.get("Title"),
        "funder": funder.get("Name"),
        "funder_doi": funder.get("FundRefID"),
        "holder": " ".join(str(each) for each in names if each),
        "institutions": [kept({"name": each.get("Name"), "ror": each.get("RORID")}) for each in _institutions(record)],
        "type": grant.get("Type"),
        "stream": grant.get("Stream"),
        "start": grant.get("StartDate"),
        "end": grant.get("EndDate"),
        "amount": grant.get("Amount"),
        "abstract": grant.get("Abstract"),
    }
    query = f'gid:"{grant["Id"]}" ga:"{funder.get("Name") or ""}"'
    return {**kept(facts), "url": f"{DETAILS}?query={quote(query)}"}


def _named(grant: Json) -> str:
    """Return what tells a grant from others: two funders may use the same number."""
    return " ".join(str(grant[name]) for name in ("funder", "grant_id") if grant.get(name))


def _institutions(record: Json) -> list[Json]:
    return [each for each in listed(record.get("Institution")) if isinstance(each, dict)]


def _check_number(asked: str, grants: Sequence[Json]) -> None:
    """Refuse grants of other numbers; a suffix such as `/Z/07/Z` may be missing in what was asked."""
    wanted = re.sub(r"\W", "", asked).upper()
    for each in grants:
        if wanted not in re.sub(r"\W", "", each["grant_id"]).upper():
            raise UpstreamBadResponse(HOST, f"asked for grant {asked}, got {each['grant_id']}")
