"""One preprint with its versions, and which article it became, asked from either side."""

from typing import Annotated, Any

from mcp_server.envelope import Answer, empty, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse
from mcp_server.platforms.biorxiv.records import cite_pairs, cite_preprint, kept, pair, preprint
from mcp_server.platforms.biorxiv.service import (
    HOST,
    EitherServer,
    PreprintDoi,
    doi_form,
    doi_path,
    europe_pmc,
    is_preprint_doi,
    listing,
    platform,
    servers_for,
    versions_of,
)
from mcp_server.tool import Arg

Json = Any


@platform.tool(
    example={"doi": "10.1101/456574"},
    asks=(
        "abstract of a preprint by its 10.1101 DOI",
        "how often was this preprint revised",
        "look up one manuscript on medRxiv",
        "versions of a preprint",
        "is the manuscript still changing",
    ),
)
async def get_preprint(api: Api, doi: PreprintDoi, server: EitherServer = None) -> Answer:
    """One bioRxiv or medRxiv preprint by DOI: all versions with dates, abstract of the last, licence, funders, and the
    DOI of the article it became. For its full text use europepmc__get_full_text."""
    found = await versions_of(api, doi, servers_for(doi, server))
    if not found:
        return _unknown(doi, server)
    rows = [preprint(record, with_abstract=True) for record in found]
    latest = rows[-1]
    names = ("version", "date", "type", "licence", "title", "url")
    versions = [{name: row[name] for name in names if name in row} for row in rows]
    notes = ["It is withdrawn: do not rest an answer on it."] if latest.get("is_withdrawn") else []
    notes.append("A preprint: not peer-reviewed." if "published_doi" not in latest else "It has appeared in a journal.")
    data = {**latest, "first_date": rows[0].get("date"), "versions": versions}
    citations = [cite_preprint(latest)]
    if "published_doi" in latest:
        citations = cite_pairs([{**latest, "preprint_doi": latest["doi"]}])
    return Answer(data, note=" ".join(notes), citations=citations)


def _unknown(doi: str, server: str | None) -> Answer:
    where = {"biorxiv": "bioRxiv", "medrxiv": "medRxiv"}.get(server or "", "Neither bioRxiv nor medRxiv")
    return unknown_id(doi, f"{where} {'has no' if server else 'has a'} preprint {doi}: do not cite it.")


@platform.tool(
    example={"doi": "10.7554/eLife.43696"},
    asks=(
        "was this preprint ever published in a journal",
        "journal article of a preprint",
        "preprint behind a paper",
        "peer-reviewed version of a bioRxiv DOI",
        "did the manuscript end up in a real journal",
    ),
)
async def find_published_version(
    api: Api,
    doi: Annotated[
        str,
        Arg("DOI of a preprint or of an article.", "10.1101/456574", r"^10\.\d{4,9}/[^\s\"]+$", normalise=doi_form),
    ],
    server: EitherServer = None,
) -> Answer:
    """Where a bioRxiv or medRxiv preprint was published, or which preprint belongs to an article, by either DOI: both
    DOIs, journal, dates. For a preprint's versions and abstract use get_preprint."""
    if is_preprint_doi(doi):
        return await _of_preprint(api, doi, server)
    return await _of_article(api, doi, server)


async def _of_preprint(api: Api, doi: str, server: str | None) -> Answer:
    servers = servers_for(doi, server)
    # The list of pairs knows no DOI with the newer prefix.
    if doi.startswith("10.1101/") and (rows := await _pairs(api, doi, servers)):
        return _found(rows[-1], "the server's list of published preprints")
    versions = await versions_of(api, doi, servers)
    if not versions:
        return _unknown(doi, server)
    latest = preprint(versions[-1], with_abstract=False)
    row = kept({
        "preprint_doi": doi,
        "published_doi": latest.get("published_doi"),
        "title": latest["title"],
        "server": latest.get("server"),
        "preprint_date": versions[0].get("date"),
        "url": latest["url"],
    })  # fmt: skip
    if "published_doi" in row:
        return _found(row, "the preprint's own record")
    article = await _linked(api, doi, "Preprint of", "MED")
    if article is None:
        return empty(f"No article is known that the preprint {doi} became.", row)
    return _found({**row, **_article(article)}, "Europe PMC, by title and first author")


async def _of_article(api: Api, doi: str, server: str | None) -> Answer:
    if rows := await _pairs(api, doi, servers_for(doi, server)):
        return _found(rows[-1], "the server's list of published preprints")
    records, _ = await europe_pmc(api, f'DOI:"{doi}"', pageSize=5)
    same = [record for record in records if str(record.get("doi")).lower() == doi.lower()]
    if not same:
        return unknown_id(doi, f"Neither the preprint servers nor Europe PMC know the DOI {doi}.")
    linked = await _linked(api, doi, "Preprint in", "PPR")
    if linked is None or not is_preprint_doi(str(linked.get("doi"))):
        return empty(f"No preprint of bioRxiv or medRxiv is known for the article {doi}.")
    row = {"preprint_doi": linked["doi"], "url": f"https://doi.org/{linked['doi']}", "title": linked.get("title", "")}
    return _found({**row, **_article(same[0])}, "Europe PMC, by title and first author")


async def _pairs(api: Api, doi: str, servers: list[str]) -> list[dict[str, Json]]:
    """Return the pairs in which a DOI stands on either side."""
    for server in servers:
        found = (await listing(api, f"pubs/{server}/{doi_path(doi)}/na")).records
        rows = [pair(record, with_abstract=False) for record in found]
        for row in rows:
            sides = (row.get("preprint_doi"), row.get("published_doi"))
            if doi.lower() not in (str(side).lower() for side in sides):
                raise UpstreamBadResponse(HOST, f"asked for {doi}, got {' and '.join(map(str, sides))}")
        if rows:
            return rows
    return []


async def _linked(api: Api, doi: str, kind: str, source: str) -> Json:
    """Return the record that Europe PMC links to that of a DOI, or None."""
    records, _ = await europe_pmc(api, f'DOI:"{doi}"', pageSize=5)
    for record in records:
        links = (record.get("commentCorrectionList") or {}).get("commentCorrection") or []
        numbers = [each.get("id") for each in links if (each.get("type"), each.get("source")) == (kind, source)]
        if str(record.get("doi")).lower() == doi.lower() and numbers:
            found, _ = await europe_pmc(api, f"EXT_ID:{numbers[0]} AND SRC:{source}", pageSize=1)
            return next((each for each in found if each.get("id") == numbers[0]), None)
    return None


def _article(record: Json) -> dict[str, Json]:
    journal = (record.get("journalInfo") or {}).get("journal") or {}
    return kept({
        "published_doi": record.get("doi"),
        "published_pmid": record.get("pmid"),
        "journal": journal.get("title") or record.get("journalTitle"),
        "published_date": record.get("firstPublicationDate"),
    })  # fmt: skip


def _found(row: dict[str, Json], known_from: str) -> Answer:
    return Answer({**row, "known_from": known_from}, citations=cite_pairs([row]))
