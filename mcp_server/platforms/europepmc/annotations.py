"""Terms that text mining found: those of an article, and the articles of one term."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from mcp_server.codes import ResultOutcome
from mcp_server.envelope import Answer, Citation, empty, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse
from mcp_server.platforms.europepmc.records import listed
from mcp_server.platforms.europepmc.service import ANNOTATIONS, HOST, Key, kept, platform, records, search
from mcp_server.tool import Arg

Json = Any

CONTEXTS_MAX = 3
CONTEXTS_OF_A_MENTION_MAX = 2
# The service says so when there is no further page.
NO_FURTHER_PAGE = -1.0
MACHINE_MADE = (
    "Found by text mining: terms may be wrong (another species' protein, a near chemical). Don't name a target by them."
)
TermType = Literal[
    "Gene_Proteins", "Diseases", "Chemicals", "Organisms", "Gene Ontology", "Accession Numbers", "Gene Function",
    "Gene Disease Relationship", "Protein Interaction", "Biological Event",
]  # fmt: skip
Section = Literal[
    "Title", "Abstract", "Introduction", "Methods", "Results", "Discussion", "Conclusion", "Case study", "Figure",
    "Table", "Supplementary material", "References", "Acknowledgments", "Abbreviations", "Competing Interests",
    "Author Contributions", "Article",
]  # fmt: skip


def annotated_id_form(text: str) -> str:
    """Return an article as the service names it: `22663011` → `MED:22663011`, `PMC11278924` → `PMC:11278924`."""
    plain = re.sub(r"^(PMID|PMCID)\s*:?\s*", "", text.strip(), flags=re.IGNORECASE).upper().replace("/", ":")
    if plain.isdigit():
        return f"MED:{plain}"
    if found := re.fullmatch(r"(?:PMC:)?PMC(\d+)", plain):
        return f"PMC:{found[1]}"
    return f"PPR:{found[1]}" if (found := re.fullmatch(r"(?:PPR:)?(PPR\d+)", plain)) else plain


def key_of_annotated(name: str) -> Key:
    """Return the key of an article from the service's own name for it."""
    source, _, number = name.partition(":")
    return Key(source, f"PMC{number}" if source == "PMC" else number)


@platform.tool(
    example={"article_ids": ["PMC11278924"]},
    asks=(
        "genes and diseases mentioned in an article",
        "named entities in a paper",
        "which accession numbers does the text contain",
        "SciLite annotations",
    ),
)
async def get_text_mined_annotations(
    api: Api,
    article_ids: Annotated[
        list[str],
        Arg(
            "PMIDs, PMCIDs or preprint ids (PPR…), up to 8; others as SOURCE:number.",
            ["39064362"],
            r"^(MED|PMC|PAT|AGR|CBA|HIR|CTX|ETH|CIT|PPR|NBK):[A-Za-z0-9._-]+$",
            max_items=8,
            normalise=annotated_id_form,
        ),
    ],
    types: Annotated[list[TermType] | None, Arg("Only terms of these types.", ["Accession Numbers"])] = None,
    section: Annotated[Section | None, Arg("Only terms in this section of the article.")] = None,
) -> Answer:
    """Genes, diseases, chemicals, GO terms and accession numbers that text mining found in articles: name, uri, count,
    sections, words around. For PubTator's normalised entities use pubtator3__get_annotations."""
    names = list(dict.fromkeys(article_ids))
    asked = {
        "articleIds": names,
        # The service takes one type; of several, the right ones are picked below.
        "type": types[0] if types and len(types) == 1 else None,
        "section": section,
        "format": "JSON",
    }
    answer = await api.get("annotationsByArticleIds", asked, base=ANNOTATIONS)
    found = _articles(answer)
    by_name = {name: _of(name, found) for name in names}
    if strangers := [each for each in found if each not in by_name.values()]:
        raise UpstreamBadResponse(HOST, f"asked for {', '.join(names)}, got {strangers[0].get('extId')} as well")
    articles = [_article(each, types or [], section) for each in by_name.values() if each is not None]
    without = [name for name, each in by_name.items() if each is None]
    known = await _known(api, without) if without else set()
    missing = [name for name in without if name not in known]
    if len(missing) == len(names):
        return unknown_id(", ".join(missing), f"Europe PMC has no record of {', '.join(missing)}: do not cite it.")
    total = sum(len(each["terms"]) for each in articles)
    notes = [MACHINE_MADE] if total else ["Text mining found no such term in these articles."]
    notes += [f"Unknown to Europe PMC: {', '.join(missing)}."] if missing else []
    notes += [f"Without any annotation: {', '.join(sorted(known))}."] if known else []
    return Answer(
        {"articles": articles, "without_annotations": sorted(known), "missing": missing},
        ResultOutcome.DATA if total else ResultOutcome.EMPTY,
        total=total,
        returned=total,
        note=" ".join(notes),
        citations=[_cited(each) for each in articles],
    )


def _articles(answer: Json) -> list[Json]:
    """Return the articles of an answer; anything else than a list of them is a bad response."""
    if not isinstance(answer, list) or any(not isinstance(each, dict) or "extId" not in each for each in answer):
        said = answer.get("message") if isinstance(answer, dict) else None
        raise UpstreamBadResponse(HOST, str(said or "the answer is no list of articles"), body=answer)
    return answer


def _of(name: str, found: Sequence[Json]) -> Json:
    key = key_of_annotated(name)
    for each in found:
        own = (str(each.get("source")), str(each.get("extId")))
        if own == (key.source, key.id) or (key.source == "PMC" and key.id == _pmcid(each)):
            return each
    return None


def _pmcid(found: Json) -> str:
    number = str(found.get("pmcid") or (found.get("extId") if found.get("source") == "PMC" else "") or "")
    return f"PMC{number.upper().removeprefix('PMC')}" if number else ""


async def _known(api: Api, names: Sequence[str]) -> set[str]:
    """Return those names whose articles are in Europe PMC."""
    keys = {name: key_of_annotated(name) for name in names}
    terms = [
        f"PMCID:{key.id}" if key.source == "PMC" else f"(EXT_ID:{key.id} AND SRC:{key.source})" for key in keys.values()
    ]
    found = records(await search(api, " OR ".join(terms), resultType="lite", pageSize=25))
    there = {(str(each["source"]), str(each["id"])) for each in found} | {("PMC", each.get("pmcid")) for each in found}
    return {name for name, key in keys.items() if (key.source, key.id) in there}


@dataclass
class _Term:
    """One term of an article with its mentions."""

    type: str
    name: str
    uri: str
    spellings: dict[str, None] = field(default_factory=dict)
    sections: dict[str, None] = field(default_factory=dict)
    contexts: list[str] = field(default_factory=list)
    count: int = 0

    def note(self, mention: Json, contexts_max: int) -> None:
        """Count one mention."""
        self.count += 1
        self.spellings[str(mention.get("exact") or "")] = None
        self.sections[_section(mention)] = None
        words = (str(mention.get(part) or "").strip() for part in ("prefix", "exact", "postfix"))
        if len(self.contexts) < contexts_max:
            self.contexts.append(" ".join(word for word in words if word))

    def row(self) -> dict[str, Json]:
        """Return the term as plain data."""
        names = {"type": self.type, "name": self.name, "uri": self.uri, "count": self.count}
        lists = {"spellings": list(self.spellings), "sections": list(self.sections), "contexts": self.contexts}
        return kept({**names, **lists})


def _section(mention: Json) -> str:
    # A section comes as `Abstract (http://purl.org/dc/terms/abstract)`.
    return str(mention.get("section") or "").partition(" (")[0]


def _terms(mentions: Iterable[Json], contexts_max: int) -> list[dict[str, Json]]:
    """Return the terms, the most frequent first; a mention of two terms counts for both."""
    terms: dict[tuple[str, str, str], _Term] = {}
    for mention in mentions:
        for tag in listed(mention.get("tags")) or [{"name": mention.get("exact"), "uri": ""}]:
            key = (str(mention.get("type") or ""), str(tag.get("name") or ""), str(tag.get("uri") or ""))
            terms.setdefault(key, _Term(*key)).note(mention, contexts_max)
    return [term.row() for term in sorted(terms.values(), key=lambda term: -term.count)]


def _is_of(mention: Json, types: Sequence[str], section: str | None) -> bool:
    own = _plain(mention.get("type"))
    fits = not types or any(own.startswith(_plain(each)) or _plain(each).startswith(own) for each in types if own)
    return fits and (not section or _plain(_section(mention)) == _plain(section))


def _plain(name: Json) -> str:
    """Return the name of a type or section without the differences of its styles."""
    return str(name or "").replace("_", " ").lower()


def _article(found: Json, types: Sequence[str], section: str | None) -> dict[str, Json]:
    mentions = [each for each in listed(found.get("annotations")) if _is_of(each, types, section)]
    return {**_names(found), "mentions": len(mentions), "terms": _terms(mentions, CONTEXTS_MAX)}


def _names(found: Json) -> dict[str, Json]:
    source = str(found.get("source"))
    pmcid = _pmcid(found)
    key = Key(source, pmcid if source == "PMC" else str(found["extId"]))
    pmid = key.id if source == "MED" else None
    return {**kept({"source": source, "id": key.id, "pmid": pmid, "pmcid": pmcid}), "url": key.page}


def _cited(row: Json) -> Citation:
    kind = next((kind for kind in ("pmid", "pmcid") if kind in row), "")
    return Citation(kind or "europepmc", row[kind or "id"], "", row["url"])


@platform.tool(
    example={"entity": "genipin", "page_size": 4},
    asks=(
        "articles that mention a gene or accession in the text",
        "which papers cite a PDB entry",
        "full texts tagged with a chemical",
        "papers that mention a PDB code",
    ),
)
async def find_articles_mentioning_entity(
    api: Api,
    entity: Annotated[str, Arg("Name of a gene, disease, chemical or other term, as text mining tags it.", "genipin")],
    page_size: Annotated[int, Arg("How many articles to return at most.", minimum=1, maximum=8)] = 8,
    cursor: Annotated[float | None, Arg("Where to go on: `next` of an earlier result gives it.", minimum=0)] = None,
) -> Answer:
    """Articles in whose text one entity was tagged by text mining, from the index of annotations: ids, mentions, words
    around; no total. For words in titles and texts use search_articles."""
    asked = {
        "entity": entity,
        "filter": 1,
        "format": "JSON",
        "cursorMark": 0.0 if cursor is None else float(cursor),
        "pageSize": page_size,
    }
    answer = await api.get("annotationsByEntity", asked, base=ANNOTATIONS)
    if not isinstance(answer, dict) or "nextCursorMark" not in answer:
        said = answer.get("message") if isinstance(answer, dict) else None
        raise UpstreamBadResponse(HOST, str(said or "the answer holds no cursor"), body=answer)
    found = [_mentioning(each) for each in _articles(answer.get("articles") or [])]
    if not found and cursor is None:
        return empty(
            f"Text mining has tagged {entity!r} in no article: try another name, or search_articles for the words.",
            {"entity": entity, "articles": []},
        )
    following = float(answer["nextCursorMark"])
    answered = rows(
        found,
        next={"cursor": following} if found and following not in (NO_FURTHER_PAGE, cursor) else None,
        note=MACHINE_MADE if found else "There are no further articles behind this cursor.",
        data={"entity": entity, "articles": found},
        citations=[_cited(each) for each in found],
    )
    # How many there are in all, the service does not say.
    return Answer(
        answered.data,
        answered.outcome,
        returned=len(found),
        next=answered.next,
        note=answered.note,
        citations=answered.citations,
    )


def _mentioning(found: Json) -> dict[str, Json]:
    mentions = listed(found.get("annotations"))
    return {**_names(found), "mentions": len(mentions), "terms": _terms(mentions, CONTEXTS_OF_A_MENTION_MAX)}
