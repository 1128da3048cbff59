"""What ChEMBL adds to drugs: the phase of each form, the type, the curated mechanism, a withdrawal.

One call tells this of all drugs of a target; where a drug is followed alone, another tells it of that drug.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from chat.providers.planner.parts.drugs import Drug, Form, Mechanism, parent_name, shown
from chat.providers.planner.results import Call, Json, Result, at, call, records_at, text_at

LISTED = 200


def by_target_call(symbol: str, target_id: str) -> Call:
    """Return the call for all drugs whose curated mechanism is a target."""
    topic = "mechanisms and phases of drugs acting on {}"
    return call("chembl__find_drugs_by_target", topic, symbol, target_chembl_id=target_id, limit=LISTED)


def mechanisms_call(drug: Drug) -> Call:
    """Return the call for a drug's curated mechanisms, over parent and salts."""
    return call("chembl__get_drug_mechanisms", "mechanisms of {}", shown(drug.name), chembl_id=drug.chembl_id)


def add_by_target(drugs: list[Drug], symbol: str, listed: Result) -> None:
    """Add what a target's list says; a drug that only this list has is added as one."""
    for row in listed.rows("drugs"):
        id, name = text_at(row, "molecule_chembl_id"), text_at(row, "pref_name")
        drug = _find(drugs, row)
        if drug is None and name:
            parent = text_at(row, "parent_chembl_id") or id
            drug = Drug(parent, name if parent == id else parent_name(name))
            drugs.append(drug)
        if drug is not None:
            _add_form(drug, row)
            _add_mechanism(drug, row, (symbol,))
            drug.targets += [symbol] if symbol not in drug.targets else []


def add_mechanisms(drug: Drug, curated: Result) -> None:
    """Add what ChEMBL says of one drug over its forms."""
    if not curated.has_data:
        return
    for row in records_at(curated.data, "forms"):
        _add_form(drug, row)
    for row in records_at(curated.data, "mechanisms"):
        _add_mechanism(drug, row, ())
    drug.withdrawn = drug.withdrawn or at(curated.data, "withdrawn_flag") is True


def _find(drugs: Sequence[Drug], row: Json) -> Drug | None:
    """Return the drug that a record is a form of: by its own id, its parent's, or its name without the salt."""
    id, parent = text_at(row, "molecule_chembl_id"), text_at(row, "parent_chembl_id")
    name = parent_name(text_at(row, "pref_name"))
    tests: tuple[Callable[[Drug], bool], ...] = (
        lambda drug: any(form.chembl_id == id for form in drug.forms),
        lambda drug: drug.chembl_id in (id, parent),
        lambda drug: bool(name) and drug.name == name,
    )
    return next((drug for test in tests for drug in drugs if test(drug)), None)


def _add_form(drug: Drug, row: Json) -> None:
    id, phase = text_at(row, "molecule_chembl_id"), row.get("max_phase")
    known = float(phase) if isinstance(phase, int | float) and not isinstance(phase, bool) else None
    places = [place for place, form in enumerate(drug.forms) if form.chembl_id == id]
    if places and known is not None:
        drug.forms[places[0]] = replace(drug.forms[places[0]], phase=known)
    elif not places and id:
        drug.forms.append(Form(id, text_at(row, "pref_name") or id, phase=known))
    drug.drug_type = drug.drug_type or text_at(row, "molecule_type")
    drug.withdrawn = drug.withdrawn or row.get("withdrawn_flag") is True


def _add_mechanism(drug: Drug, row: Json, genes: tuple[str, ...]) -> None:
    form = text_at(row, "molecule_chembl_id") or drug.chembl_id
    read = Mechanism(text_at(row, "mechanism_of_action"), text_at(row, "action_type"), genes, form)
    if read.text and all((each.text, each.form) != (read.text, form) for each in drug.mechanisms):
        drug.mechanisms.append(read)
