"""Annotated articles as the export gives them: passages with entities in them, and relations over all.

What could not be brought to a database is marked as not valid, with "-" or nothing for an identifier. Numbers
stand for genes and species, texts for the rest; cell lines keep leading zeros. A missing PMC number is the
word None.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse, UpstreamRefused
from mcp_server.platforms.pubtator3.base import HOST, asked, detail_of

Json = Any

# The whole list is unknown; unknown ones among known ones are left out without a word.
_ALL_UNKNOWN = "could not retrieve publications"
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9(\"])")
UNREAD = ("REF", "TABLE")


@dataclass(frozen=True)
class Document:
    """One annotated article."""

    data: Json

    @property
    def pmid(self) -> str:
        """The PubMed number, or an empty text."""
        return _number(self.data.get("pmid")) or _number(str(self.data.get("_id") or "").partition("|")[0])

    @property
    def pmcid(self) -> str:
        """The PMC number, which may stand in the title's notes only."""
        notes = [passage["infons"].get("article-id_pmc") for passage in self.passages]
        for said in (self.data.get("pmcid"), str(self.data.get("_id") or "").partition("|")[2], *notes):
            if found := re.fullmatch(r"(?:PMC)?(\d+)", str(said or "")):
                return f"PMC{found[1]}"
        return ""

    @cached_property
    def passages(self) -> list[Json]:
        """The pieces of text in their order."""
        return [{**passage, "infons": passage.get("infons") or {}} for passage in self.data.get("passages") or []]

    @property
    def title(self) -> str:
        """The title."""
        return next((str(each.get("text") or "") for each in self.passages if section_of(each) == "TITLE"), "")

    @property
    def sections(self) -> dict[str, int]:
        """How many passages each section has."""
        return dict(Counter(section_of(passage) for passage in self.passages))

    @property
    def is_full_text(self) -> bool:
        """Whether there is more than title and abstract."""
        return bool(set(self.sections) - {"TITLE", "ABSTRACT"})

    def head(self) -> dict[str, Json]:
        """Return what names the article."""
        row = {
            "pmid": self.pmid,
            "pmcid": self.pmcid,
            "title": self.title,
            "journal": self.data.get("journal"),
            "date": str(self.data.get("date") or "")[:10],
        }
        return {name: value for name, value in row.items() if value}


def _number(value: Json) -> str:
    return str(value) if re.fullmatch(r"[1-9]\d*", str(value)) else ""


def section_of(passage: Json) -> str:
    """Return a passage's section: full texts name it, abstracts only say what kind of text it is."""
    said = str(passage["infons"].get("section_type") or passage["infons"].get("type") or "").upper()
    return "TITLE" if said == "FRONT" else said


async def documents(api: Api, path: str, parameters: Mapping[str, Json]) -> list[Document]:
    """Return the annotated articles of an export; none if the service knows no number of the list."""
    try:
        answer = await asked(api, path, parameters)
    except UpstreamRefused as error:
        if detail_of(error).lower().startswith(_ALL_UNKNOWN):
            return []
        raise
    found = answer.get("PubTator3") if isinstance(answer, dict) else None
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise UpstreamBadResponse(HOST, f"the export holds no articles: {str(answer)[:200]!r}")
    return [Document(one) for one in found]


async def abstracts(api: Api, pmids: Sequence[str], *, is_full: bool = False) -> dict[str, Document]:
    """Return the articles of PMIDs by number; a number that was not asked for is a bad response."""
    parameters = {"pmids": list(pmids), "full": True if is_full else None}
    found = {one.pmid: one for one in await documents(api, "/publications/export/biocjson", parameters)}
    if odd := set(found) - set(pmids):
        raise UpstreamBadResponse(HOST, f"asked for PMIDs {', '.join(pmids)}, it sent {', '.join(sorted(odd))}")
    return found


async def full_texts(api: Api, pmcids: Sequence[str]) -> dict[str, Document]:
    """Return the full texts of PMC numbers by number; a number that was not asked for is a bad response."""
    found = {
        one.pmcid: one
        for one in await documents(api, "/publications/pmc_export/biocjson", {"pmcids": list(pmcids)})
    }  # fmt: skip
    if odd := set(found) - set(pmcids):
        raise UpstreamBadResponse(
            HOST, f"asked for {', '.join(pmcids)}, it sent {', '.join(sorted(odd)) or 'no number'}"
        )
    return found


def is_normalised(infons: Json) -> bool:
    """Tell whether a mention was brought to a record of a database."""
    return infons.get("valid") is not False and infons.get("identifier") not in (None, "", "-")


def entities(document: Document, types: Iterable[str], sections: Iterable[str]) -> tuple[list[Json], int]:
    """Return the entities of the chosen sections, most mentioned first, and how many mentions have no record."""
    wanted, where = set(types), set(sections)
    rows: dict[tuple[str, str], Json] = {}
    lost = 0
    for passage in document.passages:
        if (section := section_of(passage)) not in where:
            continue
        for annotation in passage.get("annotations") or []:
            infons = annotation.get("infons") or {}
            if wanted and str(infons.get("type")).lower() not in wanted:
                continue
            if not is_normalised(infons):
                lost += 1
                continue
            key = (str(infons.get("type")), infons.get("accession") or infons["identifier"])
            row = rows.setdefault(key, {**entity(infons), "mentions": 0, "texts": {}, "sections": {}})
            count = max(len(annotation.get("locations") or []), 1)
            row["mentions"] += count
            row["texts"][annotation.get("text")] = True
            row["sections"][section] = row["sections"].get(section, 0) + count
    found = sorted(rows.values(), key=lambda row: -row["mentions"])
    return [{**row, "texts": list(row["texts"])} for row in found], lost


def entity(infons: Json) -> dict[str, Json]:
    """Return what names an entity: its id, its record in a database, and a variant's own numbers."""
    row = {
        "type": str(infons.get("type") or "").lower(),
        "id": infons.get("accession"),
        "name": infons.get("name"),
        "db": infons.get("database"),
        "db_id": _text(infons.get("normalized_id")),
        "rsid": infons.get("rsid"),
        "hgvs": infons.get("hgvs"),
        "ncbi_gene_ids": [str(number) for number in infons.get("gene_ids") or []],
        "clingen_id": infons.get("clingen_id"),
        "taxon": _text(infons.get("species_id")),
    }
    return {name: value for name, value in row.items() if value not in (None, "", [])}


def _text(value: Json) -> str | None:
    return None if value is None else str(value)


def relations(document: Document) -> list[Json]:
    """Return the relations in the words of the search, with their score; both lists of the article are joined."""
    shown: dict[frozenset[str], list[list[str]]] = {}
    for one in document.data.get("relations_display") or []:
        name, *ends = str(one.get("name") or "").split("|")
        shown.setdefault(frozenset(ends), []).append([name, *ends])
    return [_relation(one.get("infons") or {}, shown) for one in document.data.get("relations") or []]


def _relation(infons: Json, shown: dict[frozenset[str], list[list[str]]]) -> Json:
    """Return one relation; `shown` has those of the short list by their two ends, each to be used once."""
    roles = [infons.get("role1") or {}, infons.get("role2") or {}]
    ends = [str(role.get("accession") or role.get("identifier")) for role in roles]
    same = shown.get(frozenset(ends))
    name, *directed = same.pop(0) if same else [str(infons.get("type") or "").lower(), *ends]
    # The short list gives an entity's relation to itself one end.
    source, target = directed if len(directed) == 2 else ends
    row = {"type": name, "source": source, "target": target, "class": infons.get("type")}
    return {**row, **({"score": float(infons["score"])} if infons.get("score") else {})}


def sentences_with(document: Document, first: str, second: str) -> list[Json]:
    """Return the sentences in which both entities are mentioned."""
    found = []
    for passage in document.passages:
        text = str(passage.get("text") or "")
        ones, others = list(_places(passage, first)), list(_places(passage, second))
        for start, end in _sentences(text):
            if all(any(start <= place < end for place in places) for places in (ones, others)):
                found.append({"section": section_of(passage), "text": text[start:end]})
    return found


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for end in _SENTENCE_END.finditer(text):
        yield start, end.start()
        start = end.end()
    yield start, len(text)


def _places(passage: Json, accession: str) -> Iterator[int]:
    """Yield where an entity is mentioned in a passage; where the offsets don't fit, its text is looked for."""
    text = str(passage.get("text") or "")
    for annotation in passage.get("annotations") or []:
        if (annotation.get("infons") or {}).get("accession") != accession:
            continue
        word = str(annotation.get("text") or "")
        for location in annotation.get("locations") or []:
            start = int(location["offset"]) - int(passage.get("offset") or 0)
            if text[start : start + len(word)] == word and start >= 0:
                yield start
            elif word:
                yield from (found.start() for found in re.finditer(re.escape(word), text))
