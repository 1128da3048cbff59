"""Diseases: cards by name, number or gene from Open Targets and MyDisease, opened with their identifiers elsewhere."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from mcp_server.unified.calls import Calls, SourceFailed
from mcp_server.unified.domains.base import Document, LegRows, answers, chosen, mentions, refused, sections, texts
from mcp_server.unified.results import Result, plain_text, result, round_robin, without_twins

Json = Any
CARDS = 3
# Of a name that further clauses sift, more are looked at than are shown.
LOOKED_AT = 50
# Of a gene that must not be associated, the strongest associations are left out.
LEFT_OUT_MAX = 200
OTHER_VOCABULARIES = ("MESH", "UMLS", "OMIM", "MIM", "NCIT")
NAMES = ("diseases", "name", "synonym")
NUMBERS = ("mondo", "doid", "omim", "mesh", "efo", "orphanet", "umls")
_SIFTED = (*(f"not_{name}" for name in (*NAMES, *NUMBERS)),)
OPEN_TARGETS = "https://platform.opentargets.org/disease/{}"
MONARCH = "https://monarchinitiative.org/{}"


@dataclass
class Listed:
    """The cards of one name, number or gene, whose sources they are, and which of them failed.

    `called` are the synonyms and numbers of a card's disease elsewhere, by the card's id.
    """

    cards: list[Result]
    sources: Sequence[str]
    called: Mapping[str, set[str]] = field(default_factory=dict)
    errors: list[SourceFailed] = field(default_factory=list)
    total: int | None = None
    has_more: bool = False


async def rows(params: Mapping[str, Json], calls: Calls, count: int) -> LegRows:
    """Return the cards of diseases: of a name at most three.

    Values of one field are alternatives; several fields must all hold.
    """
    fields = [name for name in (*NUMBERS, *NAMES) if name in params]
    if genes := texts(params, "genes"):
        words = next((texts(params, name) for name in NAMES if name in params), [""])
        asked = [_by_gene(gene, word, calls, count) for gene in genes for word in words]
        fields = [name for name in fields if name in NUMBERS]
    else:
        first, *fields = fields
        most = LOOKED_AT if fields or any(name in params for name in _SIFTED) else CARDS
        asked = [_by(first, value, calls, most) for value in texts(params, first)]
    unwanted = [_by_gene(gene, "", calls, LEFT_OUT_MAX) for gene in refused(params, "genes")]
    found, failures = await answers([*asked, *unwanted])
    if any(each is None for each in found[len(asked) :]):
        # Without one of the conditions the rest would answer another question.
        raise failures[-1]
    lists = [each for each in found[: len(asked)] if each]
    out = {_folded(each.id) for listed in found[len(asked) :] if listed for each in listed.cards}
    failures += [failure for each in lists for failure in each.errors]
    cards = without_twins(round_robin([each.cards for each in lists]))
    called = {number: names for each in lists for number, names in each.called.items()}
    kept = [
        each
        for each in cards
        if _folded(each.id) not in out and _fits({each.id, each.title, *called.get(each.id, ())}, params, fields)
    ]
    sources = list(dict.fromkeys(source for each in lists for source in each.sources))
    is_whole = len(lists) == 1 and not failures and len(kept) == len(cards)
    total = lists[0].total if is_whole else None
    more = any(each.has_more for each in lists)
    if total is not None:
        return LegRows(kept, total, "exact", sources, failures, has_more=more)
    return LegRows(kept, len(kept), "at_least", sources, failures, has_more=more)


def _fits(called: set[str], params: Mapping[str, Json], fields: Sequence[str]) -> bool:
    """Tell whether what a disease is called meets the clauses that nobody was asked for."""
    for name in (*NAMES, *NUMBERS):
        fit = _has_word if name in NAMES else _has_number
        if name in fields and not fit(called, texts(params, name)):
            return False
        if fit(called, refused(params, name)):
            return False
    return True


def _has_word(called: set[str], words: Sequence[str]) -> bool:
    return any(mentions(name, words) for name in called)


def _has_number(called: set[str], numbers: Sequence[str]) -> bool:
    return bool({_folded(name) for name in called} & {_folded(number) for number in numbers})


def _folded(number: str) -> str:
    """Return a number in one spelling: `MESH:D008545`, `mesh D008545` and `MESH_D008545` are the same."""
    return re.sub(r"[\W_]+", "", number).lower()


async def _by(name: str, value: str, calls: Calls, most: int) -> Listed:
    return await (_by_number(value, calls) if name in NUMBERS else _by_name(value, calls, most))


async def _by_name(name: str, calls: Calls, most: int = CARDS) -> Listed:
    """Look a name up in both sources; one of them may fail."""
    asked = (
        calls("opentargets__search_entities", query=name, entity_types=["disease"], limit=most),
        calls("myvariant__disease_resolve", query=name, limit=most),
    )
    (first, second), failures = await answers(asked)
    hits = [_open_targets_card(hit) for hit in (first.rows("hits") if first else ())]
    records: list[Mapping[str, Json]] = second.rows() if second else []
    known = {_folded(hit.id) for hit in hits}
    # What Open Targets has under its EFO number is the same disease.
    own = [card(each) for each in records if not known & {_folded(name) for name in _called(each)}]
    sources = [calls.title(platform) for platform, one in (("opentargets", first), ("myvariant", second)) if one]
    called = {str(each["id"]): _called(each) for each in records}
    return Listed(without_twins([*hits, *own])[:most], sources, called, failures)


async def _by_number(number: str, calls: Calls) -> Listed:
    records = (await calls("myvariant__disease_resolve", query=number, limit=CARDS)).rows()
    called = {str(each["id"]): _called(each) for each in records}
    return Listed([card(each) for each in records], [calls.title("myvariant")], called)


async def _by_gene(gene: str, words: str, calls: Calls, count: int) -> Listed:
    """Return the diseases that Open Targets associates with a gene, the strongest first."""
    genes = (await calls("myvariant__gene_resolve", query=gene, limit=1)).rows()
    numbers = genes[0].get("ensembl_gene_ids") if genes else None
    source = [calls.title("opentargets")]
    if not numbers:
        return Listed([], source, total=0)
    asked = {"ensembl_id": numbers[0], "name_filter": words, "limit": min(count, LOOKED_AT)}
    found = await calls("opentargets__get_target_associated_diseases", **asked)
    listed = found.rows("rows")
    total, following = found.total, found.next
    while len(listed) < count and following:
        found = await calls("opentargets__get_target_associated_diseases", **{**asked, **following})
        listed += found.rows("rows")
        following = found.next
    return Listed([_associated(row, gene) for row in listed], source, total=total, has_more=bool(following))


def _associated(row: Mapping[str, Json], gene: str) -> Result:
    number = str(row["disease"]["id"])
    score = f"associated with {gene}, score {row['score']:.2f}" if row.get("score") is not None else ""
    parts = ("disease", score, number)
    return result(number.replace("_", ":", 1), row["disease"].get("name"), parts, OPEN_TARGETS.format(number))


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


def _called(record: Mapping[str, Json]) -> set[str]:
    """Return the synonyms and the numbers of a disease, each number with the name of its vocabulary."""
    numbers = {
        str(value) if ":" in str(value) else f"{name}:{value}"
        for name, values in (record.get("xrefs") or {}).items()
        for value in (values if isinstance(values, list) else [values])
    }
    return {str(name) for name in record.get("synonyms") or ()} | numbers


async def opened(identifier: str, calls: Calls) -> Document | None:
    """Open a disease by its ontology id; None where neither source has it."""
    number = identifier.replace(":", "_", 1)
    own = partial(calls, "myvariant__disease_resolve", query=identifier, limit=1)
    # Open Targets knows diseases by the ids of ontologies only, and refuses those of other vocabularies.
    if identifier.partition(":")[0].upper() in OTHER_VOCABULARIES:
        found = await own()
        ids = [str(each["id"]) for each in found.rows() if ":" in str(each["id"])]
        number = ids[0].replace(":", "_", 1) if ids else ""
    asked = [calls("opentargets__get_disease_info", disease_id=number)] if number else []
    found_all, failures = await answers([own(), *asked])
    second, first = found_all[0], found_all[1] if asked else None
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
    url = OPEN_TARGETS.format(number) if info else MONARCH.format(record["id"])
    sources = [calls.title(name) for name, one in (("opentargets", info), ("myvariant", record)) if one]
    return Document(identifier, title, text or title, url, metadata, sources, failures)


async def by_name(name: str, calls: Calls) -> Document | None:
    """Open the disease of a name; None where neither source knows one."""
    found = (await _by_name(name, calls)).cards
    return chosen(await opened(found[0].id, calls), name, found) if found else None
