"""The kinase inhibitors of an answer: their table, and what was left out and why."""

from collections.abc import Sequence
from dataclasses import dataclass

from chat.providers.planner import compose
from chat.providers.planner.parts.drug_kinds import Classified, Kind, of_kind
from chat.providers.planner.parts.drugs import Drug, added, drug_link, shown
from chat.providers.planner.parts.trials import trial_count
from chat.providers.planner.results import Result

NAMES_SHOWN = 6
MECHANISMS_SHOWN = 3


def mechanism_text(drug: Drug, asked: Result | None = None) -> str:
    """Return the drug's mechanisms with the records and forms they stand on; ChEMBL's own first.

    Those on the genes it was found for come first, and of many only some are shown. `asked` is the look-up
    that would have told them: without a mechanism its failure is what there is to say.
    """
    text = _mechanisms(drug)
    if not text and asked is not None and asked.is_failed:
        return compose.said(asked)
    return text or "not recorded"


def _mechanisms(drug: Drug) -> str:
    """Return the mechanisms that a cell holds, those of one record together, and how many there are beyond."""
    mechanisms = sorted(drug.mechanisms, key=lambda each: not set(each.genes) & set(drug.targets))
    stated: dict[str, list[str]] = {}
    for each in mechanisms:
        if each.form:
            stated.setdefault(compose.plain(each.text), []).append(each.form)
    told = stated or {compose.plain(each.text): [""] for each in mechanisms if each.text}
    forms = [form for found in told.values() for form in found]
    for count in range(min(MECHANISMS_SHOWN, len(told)), 0, -1):
        groups: dict[str, list[str]] = {}
        for text in list(told)[:count]:
            # One record is enough, and one that states most of them serves all of these.
            groups.setdefault(max(told[text], key=forms.count), []).append(text)
        texts = [f"{'; '.join(group)} ({_record(drug, form)})" for form, group in groups.items()]
        left = len(told) - count
        text = "; ".join([*texts, *([compose.counted(left, "further mechanism")] if left else [])])
        if count == 1 or len(compose.visible(text)) <= compose.CELL_MAX_CHARS:
            return text
    return ""


def _record(drug: Drug, form: str) -> str:
    """Return the link to the record of a mechanism; a salt's record carries the salt's name."""
    if not form:
        return compose.open_targets_link("drug", drug.chembl_id, "Open Targets")
    name = next((each.name for each in drug.forms if each.chembl_id == form), form)
    return compose.link("chembl", form, "ChEMBL" if form == drug.chembl_id else added(drug.name, name))


@dataclass(frozen=True)
class Row:
    """A line of the inhibitor table: a drug under the kinase that it is listed for."""

    target: str
    each: Classified
    trials: Result | None


def inhibitor_table(rows: Sequence[Row], condition: str) -> str:
    """Return the table of inhibitors by target."""
    columns = ["Target", "Inhibitor", "ChEMBL records", "Mechanism", "Highest stage, any disease"]
    columns.append(f"Trials in “{compose.plain(condition)}”" if condition else "Trials")
    lines = [
        [
            compose.plain(row.target),
            f"{shown(row.each.drug.name)}{' †' if row.each.by_stem else ''}",
            row.each.drug.ids,
            mechanism_text(row.each.drug),
            row.each.drug.linked_stage or "not recorded",
            trial_count(row.trials) if row.trials else "not asked",
        ]
        for row in rows
    ]
    return compose.table(columns, lines)


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
            f"† ({by_stem} of {len(found)}) no record read gives both type and mechanism: told by the stem of the "
            "international name (-tinib, -rafenib, -ciclib, -lisib, -sertib, or -anib of a small molecule)."
        )
    if any(each.drug.mechanisms for each in found):
        notes.append("Behind a mechanism stands the record that states it, under a salt's name if it is a salt's.")
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


def left_out(found: Sequence[Classified]) -> list[str]:
    """Count what is no inhibitor, with the reason and the first names."""
    items = []
    for kind, (noun, plural, reason) in _LEFT_OUT.items():
        group = of_kind(found, kind)
        if not group:
            continue
        names = [f"{shown(each.drug.name)} {drug_link(each.drug.chembl_id)}" for each in group]
        by_name = "; told by the stem of the name" if any(each.by_stem for each in group) else ""
        count = compose.counted(len(group), noun, plural)
        items.append(f"{count} ({reason}{by_name}): {compose.listed(names, NAMES_SHOWN)}.{_may_belong(kind, group)}")
    return items


def _may_belong(kind: Kind, group: Sequence[Classified]) -> str:
    """Name those unclassified drugs that are recorded as inhibitors: they may belong into the table."""
    acting = [each.drug for each in group if any("inhibitor" in one.text.casefold() for one in each.drug.mechanisms)]
    if kind is not Kind.UNCLASSIFIED or not acting:
        return ""
    acting.sort(key=lambda drug: -drug.level)
    staged = [f"{shown(drug.name)}, {drug.linked_stage}" for drug in acting if drug.level >= 0]
    named = f", the furthest being {compose.listed(staged, 3)}" if staged else ""
    return f" {len(acting)} of them are recorded as inhibitors and may belong into the table{named}: check their type."
