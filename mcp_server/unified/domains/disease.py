"""Diseases: cards by name from Open Targets and MyDisease, opened with their identifiers in other databases."""

from collections.abc import Mapping
from typing import Any

from mcp_server.unified.calls import Calls
from mcp_server.unified.domains.base import Document, LegRows, answers, sections, values
from mcp_server.unified.results import Result, plain_text, result, round_robin, without_twins

Json = Any
CARDS = 3
_NAMES = ("diseases", "name", "synonym")
_NUMBERS = {"mondo": "", "doid": "DOID:", "omim": "OMIM:", "mesh": "MESH:", "efo": "", "orphanet": "", "umls": "UMLS:"}
OPEN_TARGETS = "https://platform.opentargets.org/disease/{}"
MONARCH = "https://monarchinitiative.org/{}"


async def rows(params: Mapping[str, Json], calls: Calls, count: int) -> LegRows:
    """Return the cards of the named diseases, at most three for each name."""
    names = [value for field in _NAMES for value in values(params, field)]
    numbers = [(field, value) for field in _NUMBERS for value in values(params, field)]
    asked = [_by_name(name, calls) for name in names]
    asked += [_by_number(value if ":" in value else f"{_NUMBERS[field]}{value}", calls) for field, value in numbers]
    found, failures = await answers(asked)
    merged = without_twins(round_robin([each.results for each in found if each]))
    failures += [failure for each in found if each for failure in each.errors]
    sources = list(dict.fromkeys(source for each in found if each for source in each.sources))
    return LegRows(merged[:count], len(merged), "at_least", sources, failures)


async def _by_name(name: str, calls: Calls) -> LegRows:
    """Look a name up in both sources; one of them may fail."""
    asked = (
        calls("opentargets__search_entities", query=name, entity_types=["disease"], limit=CARDS),
        calls("myvariant__disease_resolve", query=name, limit=CARDS),
    )
    (first, second), failures = await answers(asked)
    hits = [_open_targets_card(hit) for hit in (first.rows("hits") if first else ())]
    records = [card(each) for each in (second.rows() if second else ())]
    sources = [calls.title(platform) for platform, one in (("opentargets", first), ("myvariant", second)) if one]
    return LegRows(without_twins([*hits, *records])[:CARDS], sources=sources, errors=failures)


async def _by_number(number: str, calls: Calls) -> LegRows:
    found = await calls("myvariant__disease_resolve", query=number, limit=CARDS)
    records = [card(each) for each in found.rows()]
    return LegRows(records[:CARDS], sources=[calls.title("myvariant")])


def _open_targets_card(hit: Mapping[str, Json]) -> Result:
    number = str(hit["id"])
    parts = ("disease", f"matched by {hit['match']}" if hit.get("match") else "", hit.get("description"), number)
    return result(number.replace("_", ":", 1), hit.get("name"), parts, OPEN_TARGETS.format(number))


def card(record: Mapping[str, Json]) -> Result:
    """Return the card of a disease with its numbers elsewhere."""
    number = str(record["id"])
    numbers = [f"{name} {plain_text(value)}" for name, value in (record.get("xrefs") or {}).items()]
    parts = ("disease", record.get("definition"), numbers[:8])
    return result(number, record.get("name"), parts, MONARCH.format(number))


async def opened(identifier: str, calls: Calls) -> Document | None:
    """Open a disease by its ontology id; None where neither source has it."""
    number = identifier.replace(":", "_", 1)
    asked = (
        calls("opentargets__get_disease_info", disease_id=number),
        calls("myvariant__disease_resolve", query=identifier, limit=1),
    )
    (first, second), failures = await answers(asked)
    info: Mapping[str, Json] = first.data if first and first.has_data else {}
    record: Mapping[str, Json] = next(iter(second.rows() if second else ()), {})
    if not info and not record:
        return None
    metadata = {name: block for name, block in (("opentargets", info), ("mydisease", record)) if block}
    title = str(info.get("name") or record.get("name") or identifier)
    text = sections(
        (
            ("Description", info.get("description") or record.get("definition")),
            ("Synonyms", record.get("synonyms") or info.get("synonyms")),
            ("Identifiers", [f"{n} {plain_text(v)}" for n, v in (record.get("xrefs") or {}).items()]),
        )
    )
    url = OPEN_TARGETS.format(number) if info else MONARCH.format(identifier)
    sources = [calls.title(name) for name, one in (("opentargets", info), ("myvariant", record)) if one]
    return Document(identifier, title, text or title, url, metadata, sources, failures)


async def by_name(name: str, calls: Calls) -> Document | None:
    """Open the disease of a name; None where neither source knows one."""
    found = await _by_name(name, calls)
    return await opened(found.results[0].id, calls) if found.results else None
