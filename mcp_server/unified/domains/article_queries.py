"""The clauses of an article leg in the languages of its sources. Pure."""

import re
from collections.abc import Collection, Mapping
from typing import Any

from mcp_server.unified.domains.base import alternatives

Json = Any
ENTITY_KINDS = {"genes": "gene", "diseases": "disease", "drugs": "chemical", "variants": "variant"}
# What PubTator3's search has no field for.
_BEYOND_PUBTATOR = ("title", "abstract", "author", "journal", "date", "type", "open_access", "preprint")
_FIELDS = {"title": "TITLE", "abstract": "ABSTRACT", "author": "AUTH", "journal": "JOURNAL"}
_TYPES = {
    "research": '(PUB_TYPE:"research-article" OR PUB_TYPE:"journal article")',
    "review": "PUB_TYPE:review",
    "case-report": 'PUB_TYPE:"case reports"',
    "meta-analysis": 'PUB_TYPE:"meta-analysis"',
    "trial": 'PUB_TYPE:"clinical trial"',
}
_SERVERS = {"biorxiv": "bioRxiv", "medrxiv": "medRxiv"}


def is_for_pubtator(params: Mapping[str, Json]) -> bool:
    """Tell whether PubTator3 can apply every clause: it is not asked to ignore one."""
    sources = params.get("source")
    if sources and "pubtator" not in sources:
        return False
    if params.get("sort") == "citations":
        return False
    return not any(params.get(f"{prefix}{name}{end}") not in (None, [], "")
                   for name in _BEYOND_PUBTATOR for prefix in ("", "not_") for end in ("", "_any", "_all"))  # fmt: skip


def europepmc_sources(params: Mapping[str, Json]) -> tuple[list[str], list[str]]:
    """Return where to look for articles and for preprints."""
    chosen = set(params.get("source") or ("pubmed", "europepmc", "biorxiv", "medrxiv"))
    printed = ["MED", "PMC"] if "europepmc" in chosen else ["MED"] if "pubmed" in chosen else []
    preprints = ["PPR"] if chosen & {"europepmc", *_SERVERS} else []
    if (only := params.get("preprint")) is not None:
        printed, preprints = ([], preprints or ["PPR"]) if only else (printed, [])
    return printed, preprints


def pubtator_text(params: Mapping[str, Json], entities: Mapping[str, str]) -> str:
    """Return a search text of entity ids and words, joined by AND; `entities` are the ids that names have."""
    groups = []
    exact = set(params.get("exact_phrases") or ())
    for name in (*ENTITY_KINDS, "keywords"):
        spelt = [[_term(value, entities, name, exact) for value in group] for group in alternatives(params, name)]
        groups += [terms[0] if len(terms) == 1 else f"({' OR '.join(terms)})" for terms in spelt]
    text = " AND ".join(groups)
    for name in (*ENTITY_KINDS, "keywords"):
        for value in params.get(f"not_{name}") or ():
            text += f" NOT {_term(str(value), entities, name, exact)}"
    return text


def _term(value: str, entities: Mapping[str, str], field: str, exact: Collection[str]) -> str:
    if field != "keywords":
        return entities.get(value) or phrase(value)
    return _words(value, exact)


def europepmc_query(params: Mapping[str, Json]) -> str:
    """Return the clauses in Europe PMC's language, joined by AND in parentheses."""
    clauses: list[str] = []
    exact = set(params.get("exact_phrases") or ())
    for name in (*ENTITY_KINDS, "keywords", *_FIELDS):
        for group in alternatives(params, name):
            spelt = [_clause(name, value, exact) for value in group]
            clauses.append(spelt[0] if len(spelt) == 1 else f"({' OR '.join(spelt)})")
    if types := [_TYPES[each] for each in params.get("type") or ()]:
        clauses.append(f"({' OR '.join(types)})")
    if servers := [_SERVERS[each] for each in params.get("source") or () if each in _SERVERS]:
        clauses.append(f"({' OR '.join(f'PUBLISHER:{phrase(each)}' for each in servers)})")
    text = " AND ".join(clauses)
    for name in (*ENTITY_KINDS, "keywords", *_FIELDS):
        text += "".join(f" NOT {_clause(name, str(value), exact)}" for value in params.get(f"not_{name}") or ())
    return text.strip()


def _clause(name: str, value: str, exact: Collection[str]) -> str:
    """Return one value; names of things are looked for in title and abstract, words everywhere."""
    if name in _FIELDS:
        return f"{_FIELDS[name]}:{phrase(value)}"
    if name == "keywords":
        words = _words(value, exact)
        return words if words.startswith("(") else f"({words})"
    if name == "variants" and re.fullmatch(r"[\w-]+ \S+", value):
        gene, change = value.split(" ", 1)
        return f"(TITLE_ABS:{phrase(gene)} AND TITLE_ABS:{phrase(change)})"
    return f"TITLE_ABS:{phrase(value)}"


def _words(text: str, exact: Collection[str]) -> str:
    """Return words joined by AND; what was quoted stays a phrase."""
    if text in exact:
        return phrase(text)
    spelt = [phrase(word) if re.search(r"\W", word) else word for word in text.split()]
    return spelt[0] if len(spelt) == 1 else f"({' AND '.join(spelt)})"


def phrase(text: str) -> str:
    """Return a phrase in quotes."""
    return '"' + " ".join(re.sub(r'["\\]', " ", text).split()) + '"'
