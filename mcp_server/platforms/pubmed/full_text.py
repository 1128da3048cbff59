"""PubMed Central: search in whole texts, one article's text by sections, and the files that may be taken."""

import re
from typing import Annotated, Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from mcp_server import jats
from mcp_server.args import Limit
from mcp_server.codes import ResultOutcome
from mcp_server.envelope import Answer, Citation, empty, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse
from mcp_server.markup import whole_text
from mcp_server.platforms.pubmed.articles import converted
from mcp_server.platforms.pubmed.service import (
    HOST,
    OPEN_DATA,
    REACHABLE,
    Offset,
    esearch,
    esummary,
    id_form,
    is_known,
    plain_title,
    platform,
    warnings_of,
    xml,
)
from mcp_server.tool import Arg, Cite

Json = Any


@platform.tool(
    example={"query": "attention mechanism", "limit": 3},
    cites=Cite("pmcid", ".articles[]", ".pmcid", ".title"),
    asks=(
        "search inside full texts",
        "a phrase in the methods section",
        "words anywhere in open access articles",
        "which papers used a reagent",
    ),
)
async def search_pmc_full_text(
    api: Api,
    query: Annotated[
        str, Arg("Words anywhere in the text, in PubMed Central's query syntax.", '"BRAF V600E" dabrafenib')
    ],
    open_access_only: Annotated[bool, Arg("Only articles that may be reused.")] = False,
    limit: Limit = 10,
    offset: Offset = 0,
) -> Answer:
    """Search the whole text of the articles in PubMed Central, not only title and abstract. Returns PMCIDs with PMID,
    DOI and title. For PubMed's records use search_articles, for sentences that make a statement
    pubtator3__search_sentences.
    """
    term = f"({query}) AND open access[filter]" if open_access_only else query
    asked = {"retmax": min(limit, REACHABLE - offset), "retstart": offset, "sort": "relevance"}
    result = await esearch(api, "pmc", term, **asked)
    uids = [str(uid) for uid in result.get("idlist", [])]
    found = await esummary(api, "pmc", uids)
    articles = [_article(uid, found.get(uid, {})) for uid in uids]
    count = int(result.get("count") or 0)
    warnings = warnings_of(result)
    dropped = [word for name in sorted(warnings) if name != "outputmessages" for word in warnings[name]]
    note = f"Nothing was found for {', '.join(dropped)}, which was left out." if dropped else ""
    if not articles:
        note = f"{note} PubMed Central has no article for {query!r} from row {offset} on.".strip()
    reached = offset + len(uids)
    return rows(
        articles,
        total=count,
        next={"offset": reached} if uids and reached < min(count, REACHABLE) else None,
        note=note,
        data={
            "count": count,
            "querytranslation": result.get("querytranslation"),
            "warnings": warnings,
            "articles": articles,
        },
    )


def _article(uid: str, record: Json) -> Json:
    numbers = {each["idtype"]: str(each["value"]) for each in record.get("articleids", [])}
    facts = {
        # The number of a hit stands without its prefix.
        "pmcid": f"PMC{uid}",
        "pmid": numbers.get("pmid") if numbers.get("pmid") != "0" else None,
        "doi": numbers.get("doi"),
        "title": plain_title(record.get("title", "")),
        "source": record.get("source"),
        "pubdate": record.get("pubdate"),
    }
    return {name: value for name, value in facts.items() if value}


ArticleId = Annotated[
    str,
    Arg(
        "PMCID with its prefix, or a PMID.",
        "PMC3040717",
        r"^(PMC\d+|[1-9]\d{0,7})$",
        normalise=lambda text: id_form(text).partition(".")[0],
    ),
]


@platform.tool(
    example={"article_id": "PMC3040717", "max_chars": 2000},
    asks=(
        "read the whole paper",
        "results and methods of an article",
        "figure legends",
        "body text of a PMC article",
    ),
)
async def get_pmc_full_text(
    api: Api,
    article_id: ArticleId,
    sections: Annotated[
        list[str] | None, Arg("Only sections whose heading or type holds one of these words.", ["methods", "results"])
    ] = None,
    include_references: Annotated[bool, Arg("Whether the list of references comes too.")] = False,
    include_tables: Annotated[bool, Arg("Whether tables come with their rows, not only their captions.")] = False,
    max_chars: Annotated[
        int, Arg("How many characters of text to return at most.", minimum=500, maximum=100_000)
    ] = 20_000,
    start_char: Annotated[int, Arg("How many characters to skip: `next` gives it.", minimum=0)] = 0,
) -> Answer:
    """Get an article's full text from PubMed Central by sections, with outline, captions and licence, by PMCID or PMID.
    For abstracts use get_articles; for files list_open_access_files; for preprints, or when this fails,
    europepmc__get_full_text.
    """
    pmcid, pmid = await _numbers(api, article_id)
    if not pmcid:
        if await is_known(api, article_id):
            return empty(f"PMID {article_id} is in PubMed, without a copy in PubMed Central.")
        return unknown_id(article_id, f"Neither PubMed Central nor PubMed knows {article_id}: do not cite it.")
    root = await xml(api, "/efetch.fcgi", {"db": "pmc", "id": pmcid.removeprefix("PMC"), "retmode": "xml"})
    article = next(root.iter("article"), None)
    if article is None:
        return unknown_id(article_id, f"PubMed Central has no article {pmcid}.")
    numbers = _checked_numbers(article, pmcid, pmid)
    answer = _text(article, numbers, sections or [], start_char, max_chars)
    if include_references:
        answer.data["references"] = jats.references(article)
    if include_tables:
        answer.data["tables"] = jats.tables(article)
    return answer


async def _numbers(api: Api, article_id: str) -> tuple[str, str]:
    """Return PMCID and PMID, as far as they are known before the text is asked for."""
    if article_id.startswith("PMC"):
        return article_id, ""
    (record,) = await converted(api, "pmid", [article_id])
    return (record["pmcid"] if record["in_pmc"] else ""), article_id


def _checked_numbers(article: Element, pmcid: str, pmid: str) -> dict[str, str]:
    """Return the article's own numbers; the text of another article is refused."""
    numbers = jats.identifiers(article)
    if numbers.get("pmcid") != pmcid or (pmid and numbers.get("pmid", pmid) != pmid):
        raise UpstreamBadResponse(HOST, f"asked for {pmcid} {pmid}, the text is of {numbers}")
    return numbers


def _text(article: Element, numbers: dict[str, str], wanted: list[str], start: int, most: int) -> Answer:
    """Lay out the text between two characters, section by section."""
    every = jats.sections(article)
    chosen = [each for each in every if not wanted or _is_wanted(each, wanted)]
    shown, position = [], 0
    for section in chosen:
        piece = section.text[max(0, start - position) : max(0, start + most - position)]
        if piece:
            shown.append({"title": section.title, "type": section.kind, "text": piece})
        position += len(section.text)
    returned = sum(len(each["text"]) for each in shown)
    has_body = article.find("body") is not None
    notes = [] if has_body else ["The publisher allows only the front matter here: this is not the full text."]
    if wanted and not chosen:
        notes.append("No section fits; the outline lists those there are.")
    data = {
        **numbers,
        "title": jats.title(article),
        "license": jats.licence(article),
        "counted": "characters",
        "outline": [{"title": each.title, "type": each.kind, "chars": len(each.text)} for each in every],
        "sections": shown,
        "figures": jats.captions(article, "fig"),
        "tables": jats.captions(article, "table-wrap"),
    }
    title = jats.title(article)
    cited = [Citation("pmcid", numbers["pmcid"], title)]
    if "pmid" in numbers:
        cited.append(Citation("pmid", numbers["pmid"], title))
    return Answer(
        data,
        ResultOutcome.DATA if shown else ResultOutcome.EMPTY,
        total=position,
        returned=returned,
        next={"start_char": start + returned} if returned and start + returned < position else None,
        note=" ".join(notes) or ("" if shown else "There is no text from this character on."),
        citations=cited,
    )


def _is_wanted(section: jats.Section, wanted: list[str]) -> bool:
    heading = f"{section.title} {section.kind}".lower()
    return any(word.lower() in heading for word in wanted)


@platform.tool(
    example={"pmcid": "PMC9984800"},
    asks=(
        "download the PDF",
        "XML of an open access article",
        "licence CC BY of a paper",
        "files in PMC",
    ),
)
async def list_open_access_files(
    api: Api,
    pmcid: Annotated[
        str,
        Arg(
            "PMCID with its prefix.",
            "PMC9984800",
            r"^PMC\d+$",
            normalise=lambda text: id_form(text).partition(".")[0],
        ),
    ],
) -> Answer:
    """List the files of an article in PubMed Central's open data: licence, PDF, XML, text and media, and whether it is
    retracted. To read the text use get_pmc_full_text; names of supplements: europepmc__list_supplementary_files.
    """
    asked = {"list-type": 2, "prefix": f"{pmcid}.", "delimiter": "/"}
    text = await api.get_text("/", asked, base=OPEN_DATA, accept="application/xml", starts_with="<?xml")
    versions = _versions(text, pmcid)
    if not versions:
        (record,) = await converted(api, "pmcid", [pmcid])
        if not record["in_pmc"]:
            return unknown_id(pmcid, f"PubMed Central has no article {pmcid}.")
        return empty(f"{pmcid} is in PubMed Central, but not among the files that may be taken.")
    folder = f"{pmcid}.{max(versions)}"
    record = await api.get(f"/{folder}/{folder}.json", base=OPEN_DATA)
    if not isinstance(record, dict) or record.get("pmcid") != pmcid:
        raise UpstreamBadResponse("pmc-oa-opendata.s3.amazonaws.com", f"the record in {folder} is not that of {pmcid}")
    data = {name: record[name] for name in record if not name.endswith(("_url", "_urls")) and record[name] is not None}
    urls = {name: _address(record[name]) for name in ("pdf_url", "xml_url", "text_url") if record.get(name)}
    data |= {**urls, "media_urls": [_address(each) for each in record.get("media_urls") or []]}
    data |= {"pmid": str(record["pmid"])} if record.get("pmid") else {}
    files = [*urls.values(), *data["media_urls"]]
    notes = ["It is retracted: do not rest an answer on it."] if record.get("is_retracted") else []
    if not record.get("is_pmc_openaccess"):
        notes.append("It is not open access: the files may be mined, not passed on.")
    title = str(record.get("title") or "")
    cited = [Citation("pmcid", pmcid, title), *([Citation("pmid", data["pmid"], title)] if "pmid" in data else [])]
    return rows(files, data=data, note=" ".join(notes), citations=cited)


def _versions(text: str, pmcid: str) -> list[int]:
    """Return the versions in a listing of the store."""
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise UpstreamBadResponse("pmc-oa-opendata.s3.amazonaws.com", f"the listing is not XML: {error}") from error
    prefixes = (whole_text(each) for each in root.iter() if each.tag.rpartition("}")[2] == "Prefix")
    found = (re.fullmatch(rf"{pmcid}\.(\d+)/", prefix) for prefix in prefixes)
    return [int(each[1]) for each in found if each]


def _address(url: str) -> str:
    """Return the web address of a file that is named as the store names it."""
    return url.partition("?")[0].replace("s3://pmc-oa-opendata", OPEN_DATA)
