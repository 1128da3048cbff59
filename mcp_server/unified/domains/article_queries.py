"""The clauses of an article leg in the languages of its sources. Pure."""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from mcp_server.unified.domains.base import alternatives, refused

Json = Any
ENTITY_KINDS = {"genes": "gene", "diseases": "disease", "drugs": "chemical", "variants": "variant"}
NUMBERS = ("pmid", "pmcid", "doi")
# What PubTator3's search has no field for.
_BEYOND_PUBTATOR = ("title", "abstract", "author", "journal", "date", "type", "open_access", "preprint", *NUMBERS)
_FIELDS = {"title": "TITLE", "abstract": "ABSTRACT", "author": "AUTH", "journal": "JOURNAL"}
_TYPES = {
    "research": '(PUB_TYPE:"research-article" OR PUB_TYPE:"journal article")',
    "review": "PUB_TYPE:review",
    "case-report": 'PUB_TYPE:"case reports"',
    "meta-analysis": 'PUB_TYPE:"meta-analysis"',
    "trial": 'PUB_TYPE:"clinical trial"',
}
_SERVERS = {"biorxiv": "bioRxiv", "medrxiv": "medRxiv"}
# Bounds that hold everything, where one end of a range is not given.
_EARLIEST, _LATEST = "1600-01-01", "3000-12-31"


def not_for_pubtator(params: Mapping[str, Json]) -> list[str]:
    """Return the clauses that PubTator3 can't apply: it is not asked to ignore one."""
    beyond = [name for name in _BEYOND_PUBTATOR if any(f"{prefix}{name}{end}" in params for prefix in ("", "not_")
                                                       for end in ("", "_any", "_all"))]  # fmt: skip
    return beyond + (["sort"] if params.get("sort") == "citations" else [])


def sources_of(params: Mapping[str, Json]) -> set[str]:
    """Return the sources that are wanted."""
    wanted = set(params.get("source") or ("pubmed", "pubtator", "europepmc", *_SERVERS))
    return wanted - set(refused(params, "source"))


def europepmc_sources(params: Mapping[str, Json]) -> tuple[list[str], list[str]]:
    """Return where to look for articles and for preprints."""
    chosen = sources_of(params)
    printed = ["MED", "PMC"] if "europepmc" in chosen else ["MED"] if "pubmed" in chosen else []
    preprints = ["PPR"] if chosen & {"europepmc", *_SERVERS} else []
    if (only := params.get("preprint")) is not None:
        printed, preprints = ([], preprints) if only else (printed, [])
    return printed, preprints


def pubtator_text(params: Mapping[str, Json], entities: Mapping[tuple[str, str], str]) -> str:
    """Return a search text of entity ids and words, joined by AND; `entities` are the ids by field and name."""
    groups = []
    exact = set(params.get("exact_phrases") or ())
    for name in (*ENTITY_KINDS, "keywords"):
        spelt = [[_term(value, entities, name, exact) for value in group] for group in alternatives(params, name)]
        groups += [terms[0] if len(terms) == 1 else f"({' OR '.join(terms)})" for terms in spelt]
    text = " AND ".join(groups)
    for name in (*ENTITY_KINDS, "keywords"):
        text += "".join(f" NOT {_term(value, entities, name, exact)}" for value in refused(params, name))
    return text


def _term(value: str, entities: Mapping[tuple[str, str], str], field: str, exact: Collection[str]) -> str:
    if field != "keywords":
        return entities.get((field, value)) or phrase(value)
    return _words(value, exact)


def europepmc_query(params: Mapping[str, Json], *, is_for_preprints: bool = False) -> str:
    """Return the clauses in Europe PMC's language, joined by AND in parentheses."""
    exact = set(params.get("exact_phrases") or ())
    clauses = [_any(spelt) for spelt in _stated(params, exact)]
    wanted, unwanted_servers = _servers(params) if is_for_preprints else ((), ())
    if wanted:
        clauses.append(f"({' OR '.join(f'PUBLISHER:{phrase(each)}' for each in wanted)})")
    unwanted = [*_refused(params, exact), *(f"PUBLISHER:{phrase(each)}" for each in unwanted_servers)]
    return (" AND ".join(clauses) + "".join(f" NOT {clause}" for clause in unwanted)).strip()


def _servers(params: Mapping[str, Json]) -> tuple[list[str], list[str]]:
    """Return the servers of which preprints are wanted, none for all, and those of which they are not."""
    chosen = sources_of(params)
    named = [server for name, server in _SERVERS.items() if name in chosen]
    if "europepmc" not in chosen:
        return named, []
    # Europe PMC has the preprints of all servers; who lists the sources one by one wants no others.
    is_list = bool(params.get("source")) and (bool(named) or {"pubmed", "pubtator"} <= chosen)
    others = [server for name, server in _SERVERS.items() if name not in chosen]
    return [], others if is_list or refused(params, "source") else []


def _stated(params: Mapping[str, Json], exact: Collection[str]) -> Iterator[list[str]]:
    """Yield the alternatives of each clause that must hold."""
    for name in (*ENTITY_KINDS, "keywords", *_FIELDS):
        yield from ([_clause(name, value, exact) for value in group] for group in alternatives(params, name))
    for name in NUMBERS:
        if numbers := params.get(name):
            yield [_number(name, str(number)) for number in numbers]
    if types := params.get("type"):
        yield [f"({' OR '.join(_TYPES[each] for each in types)})"]


def _refused(params: Mapping[str, Json], exact: Collection[str]) -> Iterator[str]:
    """Yield the clauses that must not hold."""
    for name in (*ENTITY_KINDS, "keywords", *_FIELDS):
        yield from (_clause(name, value, exact) for value in refused(params, name))
    for name in NUMBERS:
        yield from (_number(name, number) for number in refused(params, name))
    yield from (_TYPES[each] for each in refused(params, "type"))
    if params.get("open_access") is False:
        yield "OPEN_ACCESS:y"
    for date in params.get("not_date") or ():
        yield f"FIRST_PDATE:[{date.get('from') or _EARLIEST} TO {date.get('to') or _LATEST}]"


def _any(clauses: list[str]) -> str:
    return clauses[0] if len(clauses) == 1 else f"({' OR '.join(clauses)})"


def _number(name: str, number: str) -> str:
    if name == "pmid":
        return f"(EXT_ID:{number} AND SRC:MED)"
    return f"PMCID:{number}" if name == "pmcid" else f"DOI:{phrase(number)}"


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
