"""The kinase inhibitors of an answer: their table, and what was left out and why."""

from collections.abc import Mapping, Sequence

from chat.providers.planner import compose
from chat.providers.planner.parts.drug_kinds import Classified, Kind, of_kind
from chat.providers.planner.parts.drugs import Drug, added, drug_link, shown
from chat.providers.planner.parts.trials import trial_count
from chat.providers.planner.results import Call, Result, at, call, records_at, text_at

NAMES_SHOWN = 6


def mechanisms_call(drug: Drug) -> Call:
    """Return the call for a drug's curated mechanisms, over parent and salts."""
    return call("chembl__get_drug_mechanisms", "mechanisms of {}", shown(drug.name), chembl_id=drug.chembl_id)


def mechanism_text(drug: Drug, curated: Result | None) -> str:
    """Return the drug's mechanisms with the records and forms they stand on; ChEMBL's own first."""
    records: dict[str, dict[str, None]] = {}
    for row in records_at(curated.data, "mechanisms") if curated and curated.has_data else []:
        form = text_at(row, "molecule_chembl_id") or drug.chembl_id
        name = "" if form == drug.chembl_id else f" on {added(drug.name, text_at(row, 'molecule_pref_name') or form)}"
        record = f"{compose.link('chembl', form, 'ChEMBL')}{name}"
        records.setdefault(compose.plain(text_at(row, "mechanism_of_action")), {})[record] = None
    if not records:
        record = compose.open_targets_link("drug", drug.chembl_id, "Open Targets")
        records = {compose.plain(each.text): {record: None} for each in drug.mechanisms}
    if not records and curated is not None and not curated.has_data:
        return compose.said(curated)
    texts: dict[str, list[str]] = {}
    for text, found in records.items():
        texts.setdefault(", ".join(found), []).append(text)
    return "; ".join(f"{'; '.join(group)} ({found})" for found, group in texts.items()) or "not recorded"


def stage_text(drug: Drug, curated: Result | None) -> str:
    """Return the highest stage on record, with the form it belongs to, and a withdrawal; never a guess."""
    words = drug.stage or _phase_text(drug, curated)
    withdrawn = curated is not None and at(curated.data, "withdrawn_flag") is True
    return f"{words or 'not recorded'}{', **withdrawn** from a market' if withdrawn else ''}"


def _phase_text(drug: Drug, curated: Result | None) -> str:
    """Return ChEMBL's highest phase over the forms, naming the form that has it."""
    if curated is None or not curated.has_data:
        return ""
    known = [row for row in records_at(curated.data, "forms") if isinstance(row.get("max_phase"), int | float)]
    if not known:
        return ""
    best = max(known, key=lambda row: row["max_phase"])
    form = text_at(best, "molecule_chembl_id")
    name = "" if form == drug.chembl_id else f", as {added(drug.name, text_at(best, 'pref_name') or form)}"
    return f"max. phase {best['max_phase']:g} ({compose.link('chembl', form, 'ChEMBL')}{name})"


def inhibitor_table(
    found: Sequence[Classified],
    curated: Mapping[str, Result],
    trials: Mapping[str, Result],
    condition: str,
) -> str:
    """Return the table of inhibitors. Columns that no record fills are left out."""
    columns = ["Inhibitor", "ChEMBL records", "Mechanism", "Highest stage"]
    columns.append(f"Trials in “{compose.plain(condition)}”" if condition else "Trials")
    rows = []
    for each in found:
        drug = each.drug
        asked = trials.get(drug.chembl_id)
        rows.append(
            [
                f"{shown(drug.name)}{' †' if each.by_stem else ''}",
                drug.ids,
                mechanism_text(drug, curated.get(drug.chembl_id)),
                stage_text(drug, curated.get(drug.chembl_id)),
                trial_count(asked) if asked else "not asked",
            ]
        )
    kept = [
        number
        for number, name in enumerate(columns)
        if name not in ("Mechanism", "Highest stage") or any(row[number] != "not recorded" for row in rows)
    ]
    return compose.table([columns[number] for number in kept], [[row[number] for number in kept] for row in rows])


def classification_note(found: Sequence[Classified]) -> str:
    """Say how inhibitors were told from the rest."""
    by_stem = sum(each.by_stem for each in found)
    notes = []
    if by_stem < len(found):
        notes.append(
            "A drug counts as a kinase inhibitor if its record says small molecule and its mechanism inhibits one of "
            "these kinases."
        )
    if by_stem:
        notes.append(
            f"† ({by_stem} of {len(found)}) Open Targets gives no type: taken as a kinase inhibitor only for the stem "
            "of the international name (-tinib, -rafenib, -ciclib)."
        )
    if any(each.drug.joined_by_name for each in found):
        notes.append("Salt forms were joined with their parent by name where the record names no parent.")
    return " ".join(notes)


_LEFT_OUT = {
    Kind.ANTIBODY: ("antibody", "antibodies", "no small molecules"),
    Kind.CONJUGATE: ("antibody-drug conjugate", "", "the antibody carries another active substance"),
    Kind.OTHER_SMALL_MOLECULE: ("small molecule", "", "no recorded mechanism inhibits one of these kinases"),
    Kind.OTHER: ("drug of another type", "drugs of other types", "not small molecules by their record"),
    Kind.UNCLASSIFIED: ("drug", "", "not classified: no type on record, and no telling name"),
}


def left_out(found: Sequence[Classified]) -> str:
    """Count and name what is no inhibitor, with the reason; what could not be classified is named in full."""
    items = []
    for kind, (noun, plural, reason) in _LEFT_OUT.items():
        group = of_kind(found, kind)
        if not group:
            continue
        names = [f"{shown(each.drug.name)} {drug_link(each.drug.chembl_id)}" for each in group]
        by_name = "; told by the stem of the name" if any(each.by_stem for each in group) else ""
        limit = 0 if kind is Kind.UNCLASSIFIED else NAMES_SHOWN
        count = compose.counted(len(group), noun, plural)
        items.append(f"{count} ({reason}{by_name}): {compose.listed(names, limit)}.{_may_belong(kind, group)}")
    return compose.bullets(items)


def _may_belong(kind: Kind, group: Sequence[Classified]) -> str:
    """Say of unclassified drugs how many are recorded as inhibitors: they may belong into the table."""
    acting = [each for each in group if any("inhibitor" in one.text.casefold() for one in each.drug.mechanisms)]
    if kind is not Kind.UNCLASSIFIED or not acting:
        return ""
    return f" {len(acting)} of them are recorded as inhibitors and may belong into the table: check their type."
