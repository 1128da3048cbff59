"""Drugs: ChEMBL's molecules by name, target, mechanism or indication, opened with their mechanisms."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from mcp_server.http.client import Api
from mcp_server.platforms.chembl.service import collection
from mcp_server.unified.calls import Calls, SourceFailed
from mcp_server.unified.domains.base import Document, LegRows, answers, chosen, dug, notice, refused, sections, texts
from mcp_server.unified.results import Result, plain_text, result, round_robin, without_twins

Json = Any
Way = Callable[[str, Calls, int], Awaitable[list[dict[str, Json]]]]
# A name is a card or three; a target or an indication is a list.
CARDS = 3
LIST_MAX = 100
APPROVED = 4.0
PAGE = "https://www.ebi.ac.uk/chembl/explore/compound/{}"
_NAMES = ("drugs", "name", "tradename")
_STAGES = {4.0: "approved", 3.0: "phase 3", 2.0: "phase 2", 1.0: "phase 1", 0.5: "early phase 1"}
_PHASES = {"PHASE4": 4.0, "PHASE3": 3.0, "PHASE2": 2.0, "PHASE1": 1.0, "EARLY_PHASE1": 0.5}


async def rows(params: Mapping[str, Json], calls: Calls, count: int) -> LegRows:
    """Return the drugs of a leg. Values of one field are alternatives; several fields must all hold."""
    ways = _ways(params)
    asked = [field for field in ways if texts(params, field)]
    unwanted = [field for field in ways if refused(params, field)]
    phases = [set(map(str, params[name])) for name in ("phases", "phases_all") if params.get(name)]
    # What several fields have in common may stand far down in each list.
    most = LIST_MAX if len(asked) > 1 or unwanted or phases else count
    wanted = [_of_field(ways[field], texts(params, field), calls, most) for field in asked]
    left_out = [_of_field(ways[field], refused(params, field), calls, LIST_MAX) for field in unwanted]
    found, failures = await answers([*wanted, *left_out])
    if failures:
        # Without one of the conditions the rest would answer another question.
        raise failures[0]
    lists = [each for each in found if each is not None]
    out = {_family_of(drug) for drugs in lists[len(wanted) :] for drug in drugs}
    drugs = [drug for drug in _in_all(lists[: len(wanted)]) if _family_of(drug) not in out]
    notices = []
    if phases or params.get("not_phases"):
        drugs = [drug for drug in drugs if _is_in_phase(drug, phases, params.get("not_phases") or ())]
        notices.append(notice("N_POST_FILTERED", "drug: the phase is the highest that ChEMBL gives for the molecule."))
    merged = without_twins(card(drug) for drug in drugs)
    total_is = "exact" if all(len(drugs) < LIST_MAX for drugs in lists) and not set(asked) & set(_NAMES) else "at_least"
    return LegRows(merged, len(merged), total_is, [calls.title("chembl")], notices=notices)


def _ways(params: Mapping[str, Json]) -> dict[str, Way]:
    """Return how the drugs of each field are found."""
    phases = [_PHASES[phase] for phase in params.get("phases") or () if phase in _PHASES]

    async def by_indication(words: str, calls: Calls, most: int) -> list[dict[str, Json]]:
        return await _by_indication(words, calls, min(phases, default=APPROVED))

    ways: dict[str, Way] = {**dict.fromkeys(_NAMES, _by_name), "id": _by_id, "target": _by_target, "genes": _by_target}
    return ways | {"indication": by_indication, "diseases": by_indication, "mechanism": _by_mechanism}


def _is_in_phase(drug: Mapping[str, Json], wanted: Sequence[set[str]], unwanted: Sequence[Json]) -> bool:
    """Tell whether the highest phase of a drug is one of each group, and none that must not be."""
    reached = drug.get("max_phase")
    label = next((name for name, number in _PHASES.items() if reached is not None and number == float(reached)), "NA")
    refused_labels = {label for each in unwanted for label in (each if isinstance(each, list) else [each])}
    return all(label in labels for labels in wanted) and label not in refused_labels


async def _of_field(way: Way, values: Sequence[str], calls: Calls, most: int) -> list[dict[str, Json]]:
    return list(round_robin(await asyncio.gather(*(way(value, calls, most) for value in values))))


def _in_all(lists: Sequence[list[dict[str, Json]]]) -> list[dict[str, Json]]:
    """Return the drugs that stand in all lists, in the order of the first, with what each list says of them."""
    first, *others = lists
    kept = []
    for drug in first:
        same = [next((one for one in other if _family_of(one) == _family_of(drug)), None) for other in others]
        if all(same):
            kept.append({**drug, "facts": [*drug["facts"], *(fact for one in same if one for fact in one["facts"])]})
    return kept


def _family_of(drug: Mapping[str, Json]) -> Json:
    return drug.get("parent") or drug["id"]


async def _by_name(name: str, calls: Calls, most: int) -> list[dict[str, Json]]:
    found = await calls("chembl__resolve_drug", drug_name=name)
    return [_family(each) for each in found.rows("molecules")[:CARDS]]


def _family(molecule: Mapping[str, Json]) -> dict[str, Json]:
    """Return the parent of a family of forms, or the molecule that was found by text alone."""
    return {
        "id": molecule.get("parent_chembl_id") or molecule.get("molecule_chembl_id"),
        "name": molecule.get("pref_name"),
        "max_phase": molecule.get("max_phase_over_forms", molecule.get("max_phase")),
        "withdrawn": molecule.get("withdrawn_flag"),
        "facts": [f"forms: {plain_text([form.get('pref_name') for form in molecule.get('forms') or ()])}"],
    }


async def _by_id(identifier: str, calls: Calls, most: int) -> list[dict[str, Json]]:
    if identifier.upper().startswith("CHEMBL"):
        return await _by_name(identifier, calls, most)
    found = await calls("myvariant__chem_resolve", query=identifier, limit=CARDS)
    numbers = [number for each in found.rows() for number in each.get("chembl_ids") or ()][:CARDS]
    return [drug for number in numbers for drug in await _by_name(str(number), calls, most)]


async def _by_target(gene: str, calls: Calls, most: int) -> list[dict[str, Json]]:
    targets = await calls("chembl__resolve_target", gene_symbol=gene)
    found = []
    single = [each for each in targets.rows("targets") if each.get("target_type") == "SINGLE PROTEIN"]
    for target in single[:1]:
        number = target["target_chembl_id"]
        drugs = await calls("chembl__find_drugs_by_target", target_chembl_id=number, limit=LIST_MAX)
        found += [_row(drug, drug.get("mechanism_of_action")) for drug in drugs.rows("drugs")]
    return found


async def _by_indication(words: str, calls: Calls, min_phase: float) -> list[dict[str, Json]]:
    asked = {"disease_name": words, "min_phase": min_phase, "limit": LIST_MAX}
    found = await calls("chembl__find_drugs_by_indication", **asked)
    return [_row(drug, _indication(drug)) for drug in found.rows("drugs")]


def _indication(drug: Mapping[str, Json]) -> str:
    """Return what a drug is listed for; below the last phase it is only studied for it."""
    phase = drug.get("max_phase_for_ind")
    term = drug.get("efo_term") or ""
    return f"{term} (studied, {_STAGES.get(phase, f'phase {phase}')})" if phase not in (None, APPROVED) else str(term)


async def _by_mechanism(words: str, calls: Calls, most: int) -> list[dict[str, Json]]:
    """Return the drugs of which a mechanism's words hold these."""

    async def operation(api: Api) -> tuple[list[Json], int]:
        asked = {"mechanism_of_action__icontains": words, "order_by": "mec_id", "limit": min(most * 2, 200)}
        return await collection(api, "mechanism", "mechanisms", asked)

    mechanisms, _ = await calls.ask("chembl", operation)
    words_of = {row["parent_molecule_chembl_id"] or row["molecule_chembl_id"]: row for row in mechanisms}
    if not words_of:
        return []
    found = await calls("chembl__get_molecules_batch", chembl_ids=list(words_of)[:most])
    of = {number: row.get("mechanism_of_action") for number, row in words_of.items()}
    return [_row(drug, of.get(drug["molecule_chembl_id"])) for drug in found.rows("molecules")]


def _row(drug: Mapping[str, Json], fact: object) -> dict[str, Json]:
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


def card(drug: Mapping[str, Json]) -> Result:
    """Return a drug's card. Forms of one parent are one drug."""
    phase = drug.get("max_phase")
    stage = _STAGES.get(float(phase), f"phase {phase}") if phase is not None else ""
    parts = ("drug", stage, "WITHDRAWN somewhere" if drug.get("withdrawn") else "", *drug["facts"])
    identifier = str(drug["id"])
    family = {str(drug.get("parent") or identifier)}
    return result(identifier, drug.get("name"), parts, PAGE.format(identifier), family)


async def opened(identifier: str, calls: Calls) -> Document | None:
    """Open a molecule with its mechanisms; None where ChEMBL has none of this id."""
    found = await calls("chembl__get_molecule", chembl_id=identifier)
    if not found.has_data:
        return None
    molecule = found.data
    metadata: dict[str, Json] = {"chembl": molecule}
    errors: list[SourceFailed] = []
    try:
        mechanisms = await calls("chembl__get_drug_mechanisms", chembl_id=identifier)
        metadata["mechanisms"] = mechanisms.rows("mechanisms")
    except SourceFailed as failed:
        errors.append(failed)
    phase = dug(molecule, "family", "max_phase_over_forms") or molecule.get("max_phase")
    text = sections(
        (
            ("Note", found.note),
            ("Type", molecule.get("molecule_type")),
            ("Highest phase", _STAGES.get(float(phase), phase) if phase is not None else ""),
            ("First approval", molecule.get("first_approval")),
            ("Withdrawn", "yes" if molecule.get("withdrawn_flag") else ""),
            ("Boxed warning", "yes" if molecule.get("black_box_warning") == 1 else ""),
            ("Mechanisms", [row.get("mechanism_of_action") for row in metadata.get("mechanisms", ())]),
            ("ATC", molecule.get("atc_classifications")),
            ("Also known as", molecule.get("molecule_synonyms")),
        )
    )
    number = str(molecule["molecule_chembl_id"])
    title = str(molecule.get("pref_name") or number)
    return Document(number, title, text or title, PAGE.format(number), metadata, [calls.title("chembl")], errors)


async def by_name(name: str, calls: Calls) -> Document | None:
    """Open the drug of a name or of another database's id; None where ChEMBL knows none."""
    is_number = re.fullmatch(r"DB\d{5}|(?:CID:?)?\d+", name, re.IGNORECASE)
    found = await (_by_id(name.upper(), calls, CARDS) if is_number else _by_name(name, calls, CARDS))
    if not found:
        return None
    return chosen(await opened(str(found[0]["id"]), calls), name, [card(drug) for drug in found])
