"""ChEMBL's drugs by each clause of a drug leg: name, number, target, indication, mechanism."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mcp_server.http.client import Api
from mcp_server.platforms.chembl.service import check_all, collection, contains
from mcp_server.unified.calls import Calls, Found
from mcp_server.unified.results import plain_text, round_robin

Json = Any
Drug = dict[str, Json]
Way = Callable[[str, Calls, int], Awaitable["Listed"]]
# A name is a card or three; a target or an indication is a list.
CARDS = 3
PAGE_MAX, BATCH_MAX = 100, 50
APPROVED = 4.0
NAMES = ("drugs", "name", "tradename")
STAGES = {4.0: "approved", 3.0: "phase 3", 2.0: "phase 2", 1.0: "phase 1", 0.5: "early phase 1"}
PHASES = {"PHASE4": 4.0, "PHASE3": 3.0, "PHASE2": 2.0, "PHASE1": 1.0, "EARLY_PHASE1": 0.5}


@dataclass(frozen=True)
class Listed:
    """The first drugs of a clause, and whether there are more of them."""

    drugs: list[Drug]
    has_more: bool = False


def ways(params: Mapping[str, Json]) -> dict[str, Way]:
    """Return how the drugs of each field are found."""
    phases = [PHASES[phase] for phase in params.get("phases") or () if phase in PHASES]

    async def by_indication(words: str, calls: Calls, most: int) -> Listed:
        return await _by_indication(words, calls, most, min(phases, default=APPROVED))

    found: dict[str, Way] = {**dict.fromkeys(NAMES, by_name), "id": by_id, "target": _by_target, "genes": _by_target}
    return found | {"indication": by_indication, "diseases": by_indication, "mechanism": _by_mechanism}


async def of_field(way: Way, values: Sequence[str], calls: Calls, most: int) -> Listed:
    """Return the drugs of any of the values of a field."""
    lists = await asyncio.gather(*(way(value, calls, most) for value in values))
    return Listed(list(round_robin([each.drugs for each in lists])), any(each.has_more for each in lists))


def in_all(lists: Sequence[Sequence[Drug]]) -> Iterator[Drug]:
    """Yield the drugs that stand in all lists, in the order of the first, with what each list says of them."""
    first, *others = lists
    by_family = [{family_of(drug): drug for drug in reversed(other)} for other in others]
    for drug in first:
        same = [known.get(family_of(drug)) for known in by_family]
        if all(same):
            yield {**drug, "facts": [*drug["facts"], *(fact for one in same if one for fact in one["facts"])]}


def family_of(drug: Mapping[str, Json]) -> Json:
    """Return the parent, which all forms of a drug share."""
    return drug.get("parent") or drug["id"]


async def by_name(name: str, calls: Calls, most: int) -> Listed:
    """Return the drugs of a name, a brand, a code or a number of ChEMBL."""
    found = await calls("chembl__resolve_drug", drug_name=name)
    drugs = [_family(each) for each in found.rows("molecules")]
    # Of a name that nobody has exactly, the best matches are enough.
    return Listed(drugs[:CARDS])


def _family(molecule: Mapping[str, Json]) -> Drug:
    """Return the parent of a family of forms, or the molecule that was found by text alone."""
    return {
        "id": molecule.get("parent_chembl_id") or molecule.get("molecule_chembl_id"),
        "name": molecule.get("pref_name"),
        "max_phase": molecule.get("max_phase_over_forms", molecule.get("max_phase")),
        "withdrawn": molecule.get("withdrawn_flag"),
        "facts": [f"forms: {plain_text([form.get('pref_name') for form in molecule.get('forms') or ()])}"],
    }


async def by_id(identifier: str, calls: Calls, most: int) -> Listed:
    """Return the drug of a number of ChEMBL, DrugBank or PubChem."""
    if identifier.upper().startswith("CHEMBL"):
        return await by_name(identifier, calls, most)
    found = await calls("myvariant__chem_resolve", query=identifier, limit=CARDS)
    numbers = [str(number) for each in found.rows() for number in each.get("chembl_ids") or ()][:CARDS]
    return await of_field(by_name, numbers, calls, most)


async def _by_target(gene: str, calls: Calls, most: int) -> Listed:
    targets = await calls("chembl__resolve_target", gene_symbol=gene)
    single = [each for each in targets.rows("targets") if each.get("target_type") == "SINGLE PROTEIN"]
    if not single:
        return Listed([])
    number = single[0]["target_chembl_id"]

    async def page(following: Mapping[str, Json]) -> Found:
        return await calls("chembl__find_drugs_by_target", target_chembl_id=number, limit=PAGE_MAX, **following)

    return await _paged(page, most, lambda drug: drug.get("mechanism_of_action"))


async def _by_indication(words: str, calls: Calls, most: int, min_phase: float) -> Listed:
    asked = {"disease_name": words, "min_phase": min_phase, "limit": PAGE_MAX}

    async def page(following: Mapping[str, Json]) -> Found:
        return await calls("chembl__find_drugs_by_indication", **asked, **following)

    return await _paged(page, most, _indication)


async def _paged(
    page: Callable[[Mapping[str, Json]], Awaitable[Found]], most: int, fact: Callable[[Mapping[str, Json]], Json]
) -> Listed:
    """Read pages until there are so many drugs, each counted once, or the list ends."""
    drugs: list[Drug] = []
    following: Mapping[str, Json] = {}
    while True:
        found = await page(following)
        drugs += [_row(drug, fact(drug)) for drug in found.rows("drugs")]
        following = found.next or {}
        if len({family_of(drug) for drug in drugs}) >= most or not following:
            return Listed(drugs, bool(following))


def _indication(drug: Mapping[str, Json]) -> str:
    """Return what a drug is listed for; below the last phase it is only studied for it."""
    phase = drug.get("max_phase_for_ind")
    term = drug.get("efo_term") or ""
    return f"{term} (studied, {STAGES.get(phase, f'phase {phase}')})" if phase not in (None, APPROVED) else str(term)


async def _by_mechanism(words: str, calls: Calls, most: int) -> Listed:
    """Return the drugs of which a mechanism's words hold these."""
    mechanisms: list[Json] = []
    total = 1
    while len(mechanisms) < total and len(_families(mechanisms)) <= most:

        async def operation(api: Api, offset: int = len(mechanisms)) -> tuple[list[Json], int]:
            asked = {"mechanism_of_action__icontains": words, "order_by": "mec_id", "limit": PAGE_MAX}
            return await collection(api, "mechanism", "mechanisms", {**asked, "offset": offset})

        page, total = await calls.ask("chembl", operation)
        check_all(page, "mechanism_of_action", words, contains(words))
        mechanisms += page
        if not page:
            break
    families = _families(mechanisms)
    shown = list(families)[:most]
    batches = [shown[start : start + BATCH_MAX] for start in range(0, len(shown), BATCH_MAX)]
    found = await asyncio.gather(*(calls("chembl__get_molecules_batch", chembl_ids=batch) for batch in batches))
    known = {drug["molecule_chembl_id"]: drug for each in found for drug in each.rows("molecules")}
    drugs = [_row(known[number], families[number].get("mechanism_of_action")) for number in shown if number in known]
    return Listed(drugs, len(families) > len(shown) or len(mechanisms) < total)


def _families(mechanisms: Sequence[Mapping[str, Json]]) -> dict[str, Mapping[str, Json]]:
    """Return the first mechanism of each family of forms."""
    found: dict[str, Mapping[str, Json]] = {}
    for row in mechanisms:
        found.setdefault(str(row.get("parent_molecule_chembl_id") or row["molecule_chembl_id"]), row)
    return found


def _row(drug: Mapping[str, Json], fact: object) -> Drug:
    """Return a row of a list: the form that the database names, with its parent where it is a salt."""
    number, parent = drug["molecule_chembl_id"], drug.get("parent_chembl_id")
    return {
        "id": number,
        "parent": parent,
        "name": drug.get("pref_name"),
        "max_phase": drug.get("max_phase"),
        "withdrawn": drug.get("withdrawn_flag"),
        "facts": [
            fact,
            f"first approved {drug['first_approval']}" if drug.get("first_approval") else "",
            f"a form of {parent}" if parent and parent != number else "",
        ],
    }
