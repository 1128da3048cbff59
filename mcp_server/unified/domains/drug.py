"""Drugs: ChEMBL's molecules by name, target, mechanism or indication, opened with their mechanisms."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from mcp_server.http.client import Api
from mcp_server.platforms.chembl.service import collection
from mcp_server.unified.calls import Calls, SourceFailed
from mcp_server.unified.domains.base import Document, LegRows, answers, dug, notice, sections, values
from mcp_server.unified.results import Result, plain_text, result, round_robin, without_twins

Json = Any
Way = Callable[[str, Calls, int], Awaitable[list[dict[str, Json]]]]
# A name is a card or three; a target or an indication is a list.
CARDS = 3
LIST_MAX = 100
PAGE = "https://www.ebi.ac.uk/chembl/explore/compound/{}"
_NAMES = ("drugs", "name", "tradename")
_STAGES = {4.0: "approved", 3.0: "phase 3", 2.0: "phase 2", 1.0: "phase 1", 0.5: "early phase 1"}
_PHASES = {"PHASE4": 4.0, "PHASE3": 3.0, "PHASE2": 2.0, "PHASE1": 1.0, "EARLY_PHASE1": 0.5}


async def rows(params: Mapping[str, Json], calls: Calls, count: int) -> LegRows:
    """Return the drugs of a leg. Values of one field are alternatives; several fields must all hold."""
    ways = {**dict.fromkeys(_NAMES, _by_name), "id": _by_id, "target": _by_target, "genes": _by_target}
    ways |= {"indication": _by_indication, "diseases": _by_indication, "mechanism": _by_mechanism}
    asked = [field for field in ways if values(params, field)]
    # What several fields have in common may stand far down in each list.
    most = LIST_MAX if len(asked) > 1 else count
    found, failures = await answers([_of_field(ways[field], values(params, field), calls, most) for field in asked])
    if failures:
        # Without one of the conditions the rest would answer another question.
        raise failures[0]
    drugs = _in_all([each for each in found if each is not None])
    notices = []
    if phases := params.get("phases"):
        wanted = {_PHASES[phase] for phase in phases if phase in _PHASES}
        drugs = [drug for drug in drugs if drug.get("max_phase") in wanted]
        notices.append(notice("N_POST_FILTERED", "drug: the phase is the highest that ChEMBL gives for the molecule."))
    merged = without_twins(card(drug) for drug in drugs)
    total_is = "exact" if len(merged) < min(count, LIST_MAX) else "at_least"
    return LegRows(merged, len(merged), total_is, [calls.title("chembl")], notices=notices)


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


async def _by_indication(words: str, calls: Calls, most: int) -> list[dict[str, Json]]:
    found = await calls("chembl__find_drugs_by_indication", disease_name=words, limit=LIST_MAX)
    return [_row(drug, f"{drug['efo_term']}" if drug.get("efo_term") else "") for drug in found.rows("drugs")]


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
    found = (
        await _by_id(name, calls, 1) if re.fullmatch(r"DB\d{5}|(?:CID:?)?\d+", name) else await _by_name(name, calls, 1)
    )
    return await opened(str(found[0]["id"]), calls) if found else None
