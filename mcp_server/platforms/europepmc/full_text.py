"""Open-access full texts by sections, and the names of supplementary files."""

import io
import re
import zipfile
from typing import Annotated, Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from mcp_server import jats
from mcp_server.codes import ResultOutcome
from mcp_server.envelope import Answer, Citation, empty, rows
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse, UpstreamNotFound, UpstreamRefused
from mcp_server.http.messages import Response
from mcp_server.markup import whole_text
from mcp_server.platforms.europepmc.records import article, listed
from mcp_server.platforms.europepmc.service import HOST, key_in, platform, pmcid_form, record, record_with, unknown
from mcp_server.tool import Arg

Json = Any

NOT_OPEN = re.compile(r"not open access", re.IGNORECASE)


@platform.tool(
    example={"article_id": "PMC7310724", "max_chars": 2000},
    asks=(
        "read the full text of a preprint",
        "methods section of an open access article",
        "body of a paper by sections",
    ),
)
async def get_full_text(
    api: Api,
    article_id: Annotated[
        str,
        Arg("PMCID, or a preprint's PPR id.", "PMC7310724", r"^(PMC|PPR)\d+$", normalise=pmcid_form),
    ],
    sections: Annotated[
        list[str] | None, Arg("Only sections whose heading or type holds one of these words.", ["methods", "results"])
    ] = None,
    include_references: Annotated[bool, Arg("Whether the list of references comes too.")] = False,
    max_chars: Annotated[
        int, Arg("How many characters of text to return at most.", minimum=500, maximum=100_000)
    ] = 20_000,
    start_char: Annotated[int, Arg("How many characters to skip: `next` gives it.", minimum=0)] = 0,
) -> Answer:
    """Full text of an open-access article or preprint (PPR id) by sections, with outline and licence: for preprints,
    and when PubMed Central fails; for other articles use pubmed__get_pmc_full_text."""
    known = await _known(api, article_id)
    if known is None:
        return unknown(article_id)
    if known.get("isOpenAccess") != "Y":
        return _not_open(article_id, known, "its text")
    try:
        text = await api.get_text(f"{article_id}/fullTextXML", accept="application/xml", starts_with="<")
    except UpstreamNotFound as error:
        # A page that is no API's is a fault; an empty 404 says that there is no text.
        if str(error.body or "").strip():
            raise
        return empty(f"Europe PMC holds no text of {article_id} that may be fetched.{_where(known)}")
    found = _parsed(text, article_id, known)
    answer = _laid_out(found, known, sections or [], start_char, max_chars)
    if include_references:
        answer.data["references"] = jats.references(found)
    return answer


async def _known(api: Api, article_id: str) -> Json:
    if article_id.startswith("PMC"):
        return await record_with(api, "pmcid", article_id)
    return await record(api, key_in("PPR", article_id))


def _not_open(article_id: str, known: Json, what: str) -> Answer:
    return empty(f"{article_id} is in Europe PMC, but not open access: {what} can't be fetched.{_where(known)}")


def _where(known: Json) -> str:
    links = [each.get("url") for each in listed(known.get("fullTextUrlList"), "fullTextUrl")]
    return f" It can be read at {', '.join(filter(None, links))}." if any(links) else ""


def _parsed(text: str, article_id: str, known: Json) -> Element:
    """Return the article, checked to be the one that was asked for."""
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise UpstreamBadResponse(HOST, f"the text is not XML to its end: {error}") from error
    found = next(root.iter("article"), None)
    if found is None:
        raise UpstreamBadResponse(HOST, f"no article, but {root.tag}: {whole_text(root)[:200]}")
    numbers = jats.identifiers(found)
    wanted = {"pmcid": article_id if article_id.startswith("PMC") else None, "doi": known.get("doi")}
    for name, value in wanted.items():
        if value and name in numbers and numbers[name].lower() != str(value).lower():
            raise UpstreamBadResponse(HOST, f"asked for {article_id}, the text is of {numbers}")
    return found


def _laid_out(found: Element, known: Json, wanted: list[str], start: int, most: int) -> Answer:
    """Lay out the text between two characters, section by section."""
    every = jats.sections(found)
    headings = [(each, f"{each.title} {each.kind}".lower()) for each in every]
    chosen = [each for each, heading in headings if not wanted or any(word.lower() in heading for word in wanted)]
    shown, position = [], 0
    for section in chosen:
        piece = section.text[max(0, start - position) : max(0, start + most - position)]
        if piece:
            shown.append({"title": section.title, "type": section.kind, "text": piece})
        position += len(section.text)
    returned = sum(len(each["text"]) for each in shown)
    row = article(known, with_abstract=False)
    notes = [] if chosen or not wanted else ["No section fits; the outline lists those there are."]
    notes += ["A preprint: not peer-reviewed."] if row["is_preprint"] else []
    notes += [] if shown or notes else ["There is no text from this character on."]
    names = ("source", "id", "pmid", "pmcid", "doi", "title", "is_preprint", "url")
    data = {
        **{name: row[name] for name in names if name in row},
        "licence": jats.licence(found) or row.get("licence"),
        "counted": "characters",
        "outline": [{"title": each.title, "type": each.kind, "chars": len(each.text)} for each in every],
        "sections": shown,
        "figures": jats.captions(found, "fig"),
        "tables": jats.tables(found),
    }
    kinds = [kind for kind in ("pmid", "pmcid", "doi") if kind in row]
    return Answer(
        data,
        ResultOutcome.DATA if shown else ResultOutcome.EMPTY,
        total=position,
        returned=returned,
        next={"start_char": start + returned} if returned and start + returned < position else None,
        note=" ".join(notes),
        citations=[Citation(kind, str(row[kind]), row["title"], row["url"]) for kind in kinds],
    )


@platform.tool(
    example={"pmcid": "PMC3040717"},
    asks=(
        "supplementary tables of a paper",
        "supporting information, additional files",
        "supplements of a PMC article",
    ),
)
async def list_supplementary_files(
    api: Api,
    pmcid: Annotated[str, Arg("PMCID of an open-access article.", "PMC7310724", r"^PMC\d+$", normalise=pmcid_form)],
) -> Answer:
    """Names and sizes of the supplementary files of an open-access article; the files themselves stay there. For the
    article's own PDF and XML use pubmed__list_open_access_files."""
    try:
        response = await api.fetch("GET", f"{pmcid}/supplementaryFiles", headers={"Accept": "*/*"})
    except UpstreamNotFound as error:
        if str(error.body or "").strip() and not NOT_OPEN.search(str(error.body)):
            raise
        return await _without_files(api, pmcid)
    if not response.content.startswith(b"PK"):
        if not NOT_OPEN.search(_refusal(response)):
            raise UpstreamRefused(HOST, _refusal(response), status=response.status)
        return await _without_files(api, pmcid)
    files = _files(response.content)
    known = await record_with(api, "pmcid", pmcid, "lite")
    title = article(known)["title"] if known else ""
    url = f"{api.base_url}/{pmcid}/supplementaryFiles"
    data = {"pmcid": pmcid, "title": title, "archive_url": url, "archive_bytes": len(response.content), "files": files}
    note = "" if files else f"The archive of {pmcid} holds no file."
    return rows(files, data=data, note=note, citations=[Citation("pmcid", pmcid, title)])


def _refusal(response: Response) -> str:
    """Return why there is no archive, in the service's own words; anything else is a bad response."""
    try:
        root = ElementTree.fromstring(response.text())
    except ElementTree.ParseError as error:
        raise UpstreamBadResponse(HOST, "neither an archive nor a reason", status=response.status) from error
    if root.tag != "errorBean":
        raise UpstreamBadResponse(HOST, f"neither an archive nor a reason, but {root.tag}", status=response.status)
    return whole_text(root.find("errMsg")) or "no reason given"


async def _without_files(api: Api, pmcid: str) -> Answer:
    """Tell an article without files that may be fetched from a number that nobody has."""
    known = await record_with(api, "pmcid", pmcid, "lite")
    if known is None:
        return unknown(pmcid)
    if known.get("isOpenAccess") == "Y":
        return empty(f"{pmcid} is open access, without supplementary files at Europe PMC.")
    return _not_open(pmcid, known, "its files")


def _files(content: bytes) -> list[dict[str, Json]]:
    """Return name and size of each file from the archive's directory; nothing is unpacked."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            files = [each for each in archive.infolist() if not each.is_dir()]
    except zipfile.BadZipFile as error:
        raise UpstreamBadResponse(HOST, f"the archive can't be read: {error}") from error
    return [{"name": each.filename, "bytes": each.file_size} for each in files]
