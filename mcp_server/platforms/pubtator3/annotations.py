"""Entities and relations of given articles, from abstracts or open-access full texts."""

import re
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

from mcp_server.envelope import Answer, Citation, InvalidArguments, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.platforms.pubtator3.base import MACHINE, Concept, platform, type_of
from mcp_server.platforms.pubtator3.documents import UNREAD, Document, abstracts, entities, full_texts, relations
from mcp_server.tool import Arg

Json = Any

FULL_TEXTS_MAX = 3


def article_id_form(text: str) -> str:
    """Return a PMID or PMC number without what people put before it."""
    bare = re.sub(r"^(PMID|PMCID)\s*:?\s*", "", text.strip(), flags=re.IGNORECASE).upper()
    return bare.lstrip("0") or bare


def section_form(text: str) -> str:
    """Return a section as the service spells it: `Introduction` → `INTRO`."""
    plain = re.sub(r"[^A-Z]+", "_", text.upper()).strip("_")
    short = {"INTRODUCTION": "INTRO", "DISCUSSION": "DISCUSS", "CONCLUSION": "CONCL", "CONCLUSIONS": "CONCL",
             "METHOD": "METHODS", "RESULT": "RESULTS", "REFERENCES": "REF", "TABLES": "TABLE", "FIGURES": "FIG",
             "FIGURE": "FIG", "SUPPLEMENT": "SUPPL"}  # fmt: skip
    return short.get(plain, plain)


@platform.tool(
    example={"article_ids": ["22663011"]},
    asks=(
        "extract genes, diseases and mutations from an abstract",
        "named entity recognition on a PMID",
        "tagged entities of a paper",
        "which cell lines and species are mentioned",
    ),
)
async def get_annotations(
    api: Api,
    article_ids: Annotated[
        list[str],
        Arg("PMIDs, or PMC numbers (always read in full).", ["22663011"], r"^([1-9]\d{0,7}|PMC\d{1,9})$",
            max_items=20, normalise=article_id_form),
    ],
    types: Annotated[list[Concept] | None, Arg("Only entities of these kinds.", ["gene", "variant"])] = None,
    full_text: Annotated[bool, Arg("Read the open-access full text of PMIDs too; at most 3 articles.")] = False,
    sections: Annotated[
        list[str] | None,
        Arg("Only these sections; tables and references only if named.", ["ABSTRACT", "RESULTS"], r"^[A-Z_]+$",
            normalise=section_form),
    ] = None,
) -> Answer:  # fmt: skip
    """Get the genes, diseases, chemicals, variants, species and cell lines that articles mention, with database ids and
    counts, and the relations between them, from abstracts or full texts. For accession numbers and GO terms use
    europepmc__get_text_mined_annotations.

    Articles: pmid, pmcid, title, journal, date, entities (with the texts that were read so), relations, sections.
    Gene ids are of NCBI Gene; the species of an article stand among its entities.
    """
    asked = list(dict.fromkeys(article_ids))
    pmcids = [each for each in asked if each.startswith("PMC")]
    pmids = [each for each in asked if each not in pmcids]
    if len(pmcids) + (len(pmids) if full_text else 0) > FULL_TEXTS_MAX:
        raise InvalidArguments("article_ids", f"at most {FULL_TEXTS_MAX} full texts at once", asked[:FULL_TEXTS_MAX])
    found = await abstracts(api, pmids, is_full=full_text) if pmids else {}
    found |= await full_texts(api, pmcids) if pmcids else {}
    missing = [each for each in asked if each not in found]
    if not found:
        return unknown_id(", ".join(missing), f"PubTator3 has no annotated article {', '.join(missing)}.")
    known = [found[each] for each in asked if each in found]
    articles = [_article(one, types or [], sections) for one in known]
    data = {"articles": articles, **({"not_found": missing} if missing else {})}
    return rows(articles, note=_note(known, missing, sections, full_text), data=data, citations=_citations(known))


def _article(document: Document, types: Sequence[str], sections: Iterable[str] | None) -> Json:
    """Return one article with its entities and relations."""
    there = document.sections
    chosen = [name for name in there if (name in sections if sections is not None else name not in UNREAD)]
    found, lost = entities(document, types, chosen)
    related = [one for one in relations(document) if not types or _touches(one, types)]
    left_out = {name: count for name, count in there.items() if name not in chosen}
    return {
        **document.head(),
        "is_full_text": document.is_full_text,
        "sections": {name: there[name] for name in chosen},
        **({"sections_left_out": left_out} if left_out else {}),
        "entities": found,
        "mentions_without_record": lost,
        "relations": related,
    }


def _touches(relation: Json, types: Sequence[str]) -> bool:
    return any(type_of(str(relation.get(end))) in types for end in ("source", "target"))


def _note(known: Sequence[Document], missing: Sequence[str], sections: Sequence[str] | None, full_text: bool) -> str:
    notes = [MACHINE]
    if missing:
        notes.append(f"PubTator3 has no annotated article {', '.join(missing)}.")
    brief = [one.pmid or one.pmcid for one in known if full_text and not one.is_full_text]
    if brief:
        notes.append(f"No open-access full text of {', '.join(brief)}: only the abstract was read.")
    absent = [name for name in sections or [] if all(name not in one.sections for one in known)]
    if absent:
        there = sorted({name for one in known for name in one.sections})
        notes.append(f"No article has a section {', '.join(absent)}; there are {', '.join(there)}.")
    return " ".join(notes)


def _citations(known: Iterable[Document]) -> list[Citation]:
    return [
        Citation("pmid", one.pmid, one.title) if one.pmid else Citation("pmcid", one.pmcid, one.title) for one in known
    ]
