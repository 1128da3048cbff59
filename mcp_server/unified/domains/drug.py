"""Drugs: ChEMBL's molecules by name, target, mechanism or indication, opened with their mechanisms."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from mcp_server.unified.calls import Calls, SourceFailed
from mcp_server.unified.domains.base import Document, LegRows, answers, chosen, dug, notice, refused, sections, texts
from mcp_server.unified.domains.drug_lists import (
    CARDS,
    NAMES,
    PHASES,
    STAGES,
    Drug,
    by_id,
    family_of,
    in_all,
    of_field,
    ways,
)
from mcp_server.unified.domains.drug_lists import by_name as named
from mcp_server.unified.results import Result, result, without_twins

Json = Any
# What several fields have in common may stand far down in each list.
LOOKED_AT = 200
PAGE = "https://www.ebi.ac.uk/chembl/explore/compound/{}"


async def rows(params: Mapping[str, Json], calls: Calls, count: int) -> LegRows:
    """Return the drugs of a leg. Values of one field are alternatives; several fields must all hold."""
    known = ways(params)
    asked = [field for field in known if texts(params, field)]
    unwanted = [field for field in known if refused(params, field)]
    phases = [set(map(str, params[name])) for name in ("phases", "phases_all") if params.get(name)]
    most = count if len(asked) == 1 else max(count, LOOKED_AT)
    wanted = [of_field(known[field], texts(params, field), calls, most) for field in asked]
    left_out = [of_field(known[field], refused(params, field), calls, LOOKED_AT) for field in unwanted]
    found, failures = await answers([*wanted, *left_out])
    if failures:
        # Without one of the conditions the rest would answer another question.
        raise failures[0]
    lists = [each for each in found if each is not None]
    out = {family_of(drug) for listed in lists[len(wanted) :] for drug in listed.drugs}
    drugs = [drug for drug in in_all([each.drugs for each in lists[: len(wanted)]]) if family_of(drug) not in out]
    notices = []
    if phases or params.get("not_phases"):
        drugs = [drug for drug in drugs if _is_in_phase(drug, phases, params.get("not_phases") or ())]
        notices.append(notice("N_POST_FILTERED", "drug: the phase is the highest that ChEMBL gives for the molecule."))
    merged = without_twins(card(drug) for drug in drugs)
    has_more = any(each.has_more for each in lists[: len(wanted)])
    is_whole = not any(each.has_more for each in lists) and not set(asked) & set(NAMES)
    total_is = "exact" if is_whole else "at_least"
    return LegRows(merged, len(merged), total_is, [calls.title("chembl")], notices=notices, has_more=has_more)


def _is_in_phase(drug: Drug, wanted: Sequence[set[str]], unwanted: Sequence[Json]) -> bool:
    """Tell whether the highest phase of a drug is one of each group, and none that must not be."""
    reached = drug.get("max_phase")
    label = next((name for name, number in PHASES.items() if reached is not None and number == float(reached)), "NA")
    refused_labels = {label for each in unwanted for label in (each if isinstance(each, list) else [each])}
    return all(label in labels for labels in wanted) and label not in refused_labels


def card(drug: Mapping[str, Json]) -> Result:
    """Return a drug's card. Forms of one parent are one drug."""
    phase = drug.get("max_phase")
    stage = STAGES.get(float(phase), f"phase {phase}") if phase is not None else ""
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
            ("Highest phase", STAGES.get(float(phase), phase) if phase is not None else ""),
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
    found = (await (by_id(name.upper(), calls, CARDS) if is_number else named(name, calls, CARDS))).drugs
    if not found:
        return None
    return chosen(await opened(str(found[0]["id"]), calls), name, [card(drug) for drug in found])
