"""One record in full, and what databases are linked to it."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from mcp_server.envelope import Answer, Citation, InvalidArguments, empty, rows
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse
from mcp_server.platforms.europepmc.records import article, cited, comments, listed
from mcp_server.platforms.europepmc.service import (
    HOST,
    Doi,
    Page,
    Pmcid,
    Pmid,
    RecordId,
    RecordSource,
    checked,
    exists,
    kept,
    key_of,
    matched,
    platform,
    record,
    record_with,
    unknown,
)
from mcp_server.tool import Arg

Json = Any

# What the third and the fourth part of a link are, where that is known.
_FURTHER = {"UNIPROT": ("species", "source"), "EMBL": ("length_bp", "taxon"), "ENA": ("length_bp", "taxon")}

# Everyday names of the databases that are linked.
DATABASES = {"ENA": "EMBL", "GENBANK": "EMBL", "ARRAYEXPRESS": "ARXPR"}


@platform.tool(
    example={"pmid": "20516115"},
    asks=(
        "look up a paper by DOI",
        "abstract and funding of an article",
        "is the paper open access",
        "preprint or patent record",
        "details of one paper by DOI",
    ),
)
async def get_article(
    api: Api,
    pmid: Pmid = None,
    pmcid: Pmcid = None,
    doi: Doi = None,
    source: RecordSource = None,
    id: RecordId = None,
) -> Answer:
    """One article, preprint or patent by PMID, PMCID, DOI, or source and id: abstract, MeSH, grants, licence, links to
    the text, corrections and preprint links. For many PMIDs at once use pubmed__get_articles."""
    given = [name for name, value in (("pmid", pmid), ("pmcid", pmcid), ("doi", doi), ("id", source or id)) if value]
    if len(given) != 1:
        raise InvalidArguments(given[0] if given else "pmid", "name the article once", {"pmid": "20516115"})
    if pmcid or doi:
        name, value = ("pmcid", pmcid) if pmcid else ("doi", str(doi))
        found = await record_with(api, name, str(value))
        asked = str(value)
    else:
        key = await key_of(api, pmid, source, id)
        found = await record(api, key) if key else None
        asked = str(key or id)
    if not found:
        return unknown(asked)
    row = article(found)
    notes = ["It is retracted: do not rest an answer on it."] if row.get("is_retracted") else []
    notes += ["A preprint: not peer-reviewed."] if row["is_preprint"] else []
    return Answer({**row, **_details(found)}, note=" ".join(notes), citations=_all_names(row))


def _details(found: Json) -> dict[str, Json]:
    journal = found.get("journalInfo") or {}
    facts = {
        "journal_title": (journal.get("journal") or {}).get("title"),
        "volume": journal.get("volume") or found.get("journalVolume"),
        "issue": journal.get("issue") or found.get("issue"),
        "pages": found.get("pageInfo"),
        "language": found.get("language"),
        "publication_status": found.get("publicationStatus"),
        "author_list": [_author(each) for each in listed(found.get("authorList"), "author")],
        "mesh": [_heading(each) for each in listed(found.get("meshHeadingList"), "meshHeading")],
        "keywords": listed(found.get("keywordList"), "keyword"),
        "chemicals": listed(found.get("chemicalList"), "chemical"),
        "grants": [_grant(each) for each in listed(found.get("grantsList"), "grant")],
        "linked_records": comments(found),
        "full_text_links": [_link(each) for each in listed(found.get("fullTextUrlList"), "fullTextUrl")],
        "linked_databases": listed(found.get("dbCrossReferenceList"), "dbName"),
        "accession_types_in_text": listed(found.get("tmAccessionTypeList"), "accessionType"),
        "book": found.get("bookOrReportDetails"),
        "patent": found.get("patentDetails"),
        "has_references": found.get("hasReferences") == "Y",
        "has_supplementary_files": found.get("hasSuppl") == "Y",
        "has_text_mined_terms": found.get("hasTextMinedTerms") == "Y",
    }
    return kept(facts)


def _author(author: Json) -> dict[str, Json]:
    orcid = author.get("authorId") or {}
    name = author.get("fullName") or author.get("collectiveName")
    return kept({"name": name, "orcid": orcid.get("value") if orcid.get("type") == "ORCID" else None})


def _heading(heading: Json) -> dict[str, Json]:
    qualifiers = [each.get("qualifierName") for each in listed(heading.get("meshQualifierList"), "meshQualifier")]
    parts = [heading, *listed(heading.get("meshQualifierList"), "meshQualifier")]
    is_major = any(part.get("majorTopic_YN") == "Y" for part in parts)
    return kept({"heading": heading.get("descriptorName"), "qualifiers": qualifiers}) | {"is_major": is_major}


def _grant(grant: Json) -> dict[str, Json]:
    return kept({"grant_id": grant.get("grantId"), "agency": grant.get("agency"), "acronym": grant.get("acronym")})


def _link(link: Json) -> dict[str, Json]:
    names = ("url", "availability", "documentStyle", "site")
    return kept({name: link.get(name) for name in names})


def _all_names(row: Mapping[str, Json]) -> list[Citation]:
    """Return a citation for each number under which an answer may name the article."""
    named = [
        Citation(kind, str(row[kind]), row["title"], row["url"]) for kind in ("pmid", "pmcid", "doi") if kind in row
    ]
    return named or [cited(row)]


@platform.tool(
    example={"source": "MED", "id": "14624247", "page_size": 5},
    asks=(
        "data behind a paper",
        "PDB structures or sequences deposited with an article",
        "data sets linked to a publication",
    ),
)
async def get_database_links(
    api: Api,
    pmid: Pmid = None,
    source: RecordSource = None,
    id: RecordId = None,
    database: Annotated[
        str | None,
        Arg(
            "Only links of this database, e.g. UNIPROT, PDB, EMBL (ENA), CHEMBL, CHEBI, INTACT, INTERPRO, OMIM.",
            "UNIPROT",
            r"^[A-Z0-9_-]+$",
            normalise=lambda text: DATABASES.get(text.upper().replace(" ", ""), text.upper().replace(" ", "")),
        ),
    ] = None,
    page: Page = 1,
    page_size: Annotated[int, Arg("How many links to return at most.", minimum=1, maximum=200)] = 25,
) -> Answer:
    """Records of UniProt, PDB, ENA, ChEMBL and others that are curated as data of one article: database, id, title,
    counts by database. For terms found in its text use get_text_mined_annotations."""
    key = await key_of(api, pmid, source, id)
    if key is None:
        return unknown(str(id))
    asked = {"database": database, "page": page, "pageSize": page_size, "format": "json"}
    answer = checked(await api.get(f"{key.path}/databaseLinks", asked), "request")
    matched(key, answer)
    found = listed(answer.get("dbCrossReferenceList"), "dbCrossReference")
    links = [_link_to(each["dbName"], info) for each in found for info in listed(each.get("dbCrossReferenceInfo"))]
    counts = _counts(answer, found)
    if database and any(each["database"] != database for each in links):
        raise UpstreamBadResponse(HOST, f"asked for links to {database}, got others")
    total = counts.get(database, 0) if database else int(answer.get("hitCount") or 0)
    if not links and not await exists(api, key):
        return unknown(str(key))
    if not total:
        there = f"; it has {', '.join(counts)}" if counts else ""
        return empty(f"No record {f'of {database} ' if database else ''}is linked to {key}{there}.")
    data = {"source": key.source, "id": key.id, "counts": counts, "links": links, "url": key.page}
    more = bool(links) and (page - 1) * page_size + len(links) < total
    note = "Name one `database` to page through its links." if more and not database and len(counts) > 1 else ""
    cited_as = Citation("pmid" if key.source == "MED" else "europepmc", key.id, "", key.page)
    return rows(
        links,
        total=total,
        next={"page": page + 1, "page_size": page_size} if more else None,
        note=note,
        data=data,
        citations=[cited_as],
    )


def _link_to(database: str, info: Json) -> dict[str, Json]:
    """Return a link; what the third and fourth part mean depends on the database."""
    third, fourth = _FURTHER.get(database.upper(), ("third_fact", "fourth_fact"))
    facts = {"id": "info1", "title": "info2", third: "info3", fourth: "info4"}
    return {"database": database, **kept({name: info.get(field) for name, field in facts.items()})}


def _counts(answer: Json, found: Sequence[Json]) -> dict[str, int]:
    counted = {each["dbName"]: int(each["count"]) for each in listed(answer.get("dbCountList"), "db")}
    return counted or {each["dbName"]: int(each.get("dbCount") or 0) for each in found}
