"""The answer on kinase inhibitors: the first lines, the tables, then how it came about."""

from collections.abc import Callable

from chat.providers.planner import compose
from chat.providers.planner.parts import annotations, inhibitors, trials
from chat.providers.planner.parts.drug_kinds import Classified, Kind
from chat.providers.planner.parts.drugs import shown
from chat.providers.planner.parts.inhibitor_opening import opening, unnamed
from chat.providers.planner.parts.inhibitor_search import LEAD_LEVEL, Found
from chat.providers.planner.parts.inhibitors import Row
from chat.providers.planner.parts.kinases import kinase_note

NAMES_SHOWN = 8
FEW = 3
# Rows of a kinase's inhibitors that were not followed.
ROWS_OF_OTHERS = 3


def answer(found: Found) -> str:
    """Return the whole answer but its closing sections."""
    annotated = found.named(found.annotations)
    left = [shown(each.drug.name) for each in found.inhibitors if each.drug.chembl_id not in found.annotations]
    return compose.document(
        opening(found),
        _inhibitor_section(found),
        trials.section(found.named(found.trials), found.condition, found.marker_words),
        annotations.section(annotated, left, dosing_first=True),
        compose.section("How the question was read", compose.bullets(_reading(found))),
        compose.section("What was left out, and why", compose.bullets(_left_out(found))),
        compose.section("Limits, and what to check next", compose.bullets(_limits(found))),
    )


# --- the sections -----------------------------------------------------------------------------


def _inhibitor_section(found: Found) -> str:
    rows, notes = [], []
    for kinase in found.kinases:
        group = found.of_kinase(kinase.symbol)
        asked = [each for each in group if each in found.asked]
        rest = [each for each in group if each not in found.asked]
        named = [each for each in rest if each.is_named]
        shown_rest = [] if kinase.symbol == found.gene.symbol else named[: max(0, ROWS_OF_OTHERS - len(asked))]
        lines = sorted([*asked, *shown_rest], key=_row_order(found))
        rows += [Row(_targets(found, each), each, found.trials.get(each.drug.chembl_id)) for each in lines]
        left = [each for each in named if each not in shown_rest]
        names = [f"{shown(each.drug.name)}{' †' if each.by_stem else ''}" for each in left]
        if names:
            notes.append(f"Not asked, further inhibitors of {kinase.symbol}: {compose.listed(names, NAMES_SHOWN)}.")
        if also := unnamed(group):
            why = "by its record; neither its name nor its class says kinase inhibitor"
            notes.append(f"Also recorded as an inhibitor of {kinase.symbol}, {why}: {also}.")
    if not rows:
        return ""
    table = inhibitors.inhibitor_table(rows, found.condition)
    note = inhibitors.classification_note([row.each for row in rows])
    return compose.section("Kinase inhibitors by target", table, " ".join(notes), note)


def _row_order(found: Found) -> Callable[[Classified], tuple[bool, float, bool]]:
    return lambda each: (not each.is_named, -each.drug.level, each not in found.asked)


def _targets(found: Found, each: Classified) -> str:
    """Return the kinase that a drug stands under, and which others of those followed it acts on."""
    acting = [kinase.symbol for kinase in found.kinases if kinase.symbol in each.drug.targets]
    also = f", also {compose.listed(acting[1:], FEW)}" if acting[1:] else ""
    return f"{''.join(acting[:1])}{also}"


def _reading(found: Found) -> list[str]:
    items = [f"{found.gene.reading}: {compose.plain(found.gene.name)}."]
    if found.disease:
        also = ", so both are asked" if len(found.disease.records) == 2 else ", so all are asked"
        items.append(f"{found.disease.reading}{also if found.disease.others else ''}.")
    else:
        items.append(f"“{compose.plain(found.condition)}”: {compose.said(found.disease_search) or 'no record fits'}.")
    return items + kinase_note(found.gene, found.search) + _drug_records(found)


def _drug_records(found: Found) -> list[str]:
    """Say how many drug records each kinase has, which have none, and which are not known."""
    having = {symbol: result for symbol, result in found.lists.items() if result.has_data}
    items = []
    if having:
        counts = [f"{symbol} {compose.of_total(result, 'record')}" for symbol, result in having.items()]
        items.append(
            f"Drugs and candidates in Open Targets: {compose.listed(counts)}, {compose.as_of(having.values())}."
        )
    nothing = [symbol for symbol, result in found.lists.items() if result.is_empty]
    if nothing:
        items.append(f"No drug records, though kinases: {compose.listed(nothing)}.")
    unread = [f"{symbol} ({compose.said(result)})" for symbol, result in found.lists.items() if result.is_failed]
    if unread:
        items.append(f"Drug records not known: {compose.listed(unread)}.")
    told = [
        f"{symbol} {compose.of_total(result, 'mechanism')}"
        for symbol, result in found.mechanisms.items()
        if result.has_data
    ]
    if told:
        when = compose.as_of(result for result in found.mechanisms.values() if result.has_data)
        items.append(f"Mechanisms and phases in ChEMBL: {compose.listed(told)}, {when}.")
    return items


def _left_out(found: Found) -> list[str]:
    others = [each for each in found.classified if each.kind is not Kind.INHIBITOR]
    return inhibitors.left_out(others)


def _limits(found: Found) -> list[str]:
    disease = compose.plain(found.condition)
    items = [
        "Trials were searched by condition and drug name: that a trial names the biomarker is seen only from its title "
        "and conditions. Check eligibility in the record.",
        "ClinPGx clinical annotations were asked by drug name; drug labels and dosing guidelines were not asked.",
    ]
    if any(each.drug.level >= LEAD_LEVEL for each in found.inhibitors):
        items.insert(
            0,
            f"A stage is the highest that the source has for a drug in any disease and country: it is no approval for "
            f"{disease}, and a drug may have left the market since. The label says what it is approved for.",
        )
    if any(each.drug.level < 0 for each in found.inhibitors):
        items.append("Where no stage is given, the records that were read hold none: look at the drug's page.")
    return items
