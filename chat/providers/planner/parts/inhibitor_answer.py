"""The answer on kinase inhibitors: what was found in a few sentences, the tables, then how it came about."""

from collections.abc import Sequence

from chat.providers.planner import compose
from chat.providers.planner.parts import annotations, inhibitors, trials
from chat.providers.planner.parts.annotations import read_annotations
from chat.providers.planner.parts.drug_kinds import Classified, Kind
from chat.providers.planner.parts.drugs import shown
from chat.providers.planner.parts.inhibitor_search import LEAD_LEVEL, Found
from chat.providers.planner.parts.inhibitors import Row
from chat.providers.planner.parts.kinases import kinase_note
from chat.providers.planner.parts.stages import level_of, short_words
from chat.providers.planner.results import Result

NAMES_SHOWN = 8
# Names of inhibitors without a stage, and of other kinases' inhibitors, in the first sentence.
FEW = 3
TARGETS_SHOWN = 4
# Rows of a kinase's inhibitors that were not followed.
ROWS_OF_OTHERS = 3


def answer(found: Found) -> str:
    """Return the whole answer but its closing sections."""
    annotated = found.named(found.annotations)
    left = [shown(each.drug.name) for each in found.inhibitors if each.drug.chembl_id not in found.annotations]
    return compose.document(
        _summary(found),
        _inhibitor_section(found),
        trials.section(found.named(found.trials), found.condition, found.marker_words),
        annotations.section(annotated, left, dosing_first=True),
        compose.section("How the question was read", compose.bullets(_reading(found))),
        compose.section("What was left out, and why", compose.bullets(_left_out(found))),
        compose.section("Limits, and what to check next", compose.bullets(_limits(found))),
    )


# --- the first lines --------------------------------------------------------------------------


def _summary(found: Found) -> str:
    asked = found.named(found.trials)
    parts = (_drugs_in_short(found), trials.in_short(asked, found.condition), _dosing_in_short(found), _missing(found))
    return " ".join(part for part in parts if part)


def _marker(found: Found) -> str:
    asked, symbol = found.question.gene, found.gene.symbol
    return symbol if asked == symbol else f"{symbol} ({compose.plain(asked)})"


def _drugs_in_short(found: Found) -> str:
    listed = found.lists.get(found.gene.symbol)
    page = compose.open_targets_link("target", found.gene.ensembl_id, "Open Targets")
    if listed is None or not listed.has_data:
        reason = compose.said(listed) if listed else f"{_marker(found)} is not filed under Kinase in UniProt"
        text = f"kinase inhibitors of {_marker(found)} cannot be listed here: {reason}"
    elif not found.own:
        count = compose.of_total(listed, "record")
        text = f"none of the {count} against {_marker(found)} could be told to be a kinase inhibitor"
    else:
        count = compose.counted(len(found.own), "small-molecule inhibitor")
        text = f"{_marker(found)} has **{count}** on record in {page}; {by_stage(found.own)}"
    parts = [part for part in (_kinases_in_short(found), text, _others_in_short(found)) if part]
    sentence = "; ".join(parts)
    return f"{sentence[:1].upper()}{sentence[1:]}."


def _kinases_in_short(found: Found) -> str:
    """Say how many of the associated proteins are kinases, if that is known."""
    search = found.search
    if search.filed.is_failed or not any(result.has_data for _, result in search.lists):
        return ""
    looked, kinases = compose.counted(len(search.linked), "protein"), len(search.linked_kinases)
    names = " or ".join(compose.plain(disease.name) for disease, result in search.lists if result.has_data)
    verb = "is a kinase" if kinases == 1 else "are kinases"
    return f"of {looked} looked at that Open Targets associates with {names}, **{kinases} {verb}**"


def by_stage(found: Sequence[Classified]) -> str:
    """Return inhibitors by name, grouped by how far they got: "approved a and b; phase 3 c; 2 more …"."""
    groups: dict[str, list[str]] = {}
    far = [each for each in found if each.drug.level >= LEAD_LEVEL]
    for each in far:
        groups.setdefault(_stage_group(each), []).append(shown(each.drug.name))
    texts = [f"{stage}: {compose.listed(names, NAMES_SHOWN)}" for stage, names in groups.items()]
    unknown = [shown(each.drug.name) for each in found if each.drug.level < 0]
    if unknown:
        texts.append(f"no stage recorded: {compose.listed(unknown, FEW)}")
    early = len(found) - len(far) - len(unknown)
    if early:
        texts.append(f"{early} in earlier phases")
    return "; ".join(texts)


def _stage_group(each: Classified) -> str:
    """Return the stage; a source is named only where it is not Open Targets."""
    best = each.drug.best
    if each.drug.withdrawn or best is None:
        return each.drug.stage or "no stage recorded"
    words = short_words(best.stage, best.phase)
    only_chembl = level_of(best.stage, None) < best.level
    if words == "approved":
        return f"approved for some disease{' (ChEMBL max. phase 4)' if only_chembl else ''}"
    return f"{words} (ChEMBL)" if only_chembl else words


def _others_in_short(found: Found) -> str:
    """Name the furthest inhibitors of each other kinase, those asked about first."""
    texts = []
    for kinase in found.kinases:
        listed = found.of_kinase(kinase.symbol)
        if kinase.symbol != found.gene.symbol and listed:
            furthest = [each for each in listed if each.drug.level == listed[0].drug.level]
            furthest.sort(key=lambda each: each not in found.asked)
            names = compose.listed([shown(each.drug.name) for each in furthest], FEW)
            words = _stage_group(listed[0]).replace("approved for some disease", "approved")
            texts.append(f"{kinase.symbol} ({len(listed)}; {words}: {names})")
    return f"inhibitors of the other kinases: {compose.listed(texts, TARGETS_SHOWN)}" if texts else ""


def _dosing_in_short(found: Found) -> str:
    asked = found.named(found.annotations)
    _, nothing, failed = annotations.by_outcome(asked)
    graded = [each for _, result in asked for each in read_annotations(result)]
    dosing = [each for each in graded if each.about_dosing]
    others = [each for each in graded if not each.about_dosing]
    parts = []
    if dosing:
        named = compose.listed([each.in_short for each in dosing], FEW)
        parts.append(f"ClinPGx has {compose.counted(len(dosing), 'annotation')} on dosing: {named}")
        count = compose.counted(len(others), "further annotation")
        parts += [f"{count}, not on dosing: {compose.listed([each.in_short for each in others], 2)}"] if others else []
    elif graded:
        named = compose.listed([each.in_short for each in others], 4)
        parts.append(f"ClinPGx has no annotation on dosing; what it has is {named}")
    if nothing:
        parts.append(f"nothing found in ClinPGx for {compose.listed(nothing)}")
    if failed:
        parts.append(f"not known for {compose.listed(failed, FEW)}")
    return f"**Variants that affect dosing:** {'; '.join(parts)}." if parts else ""


def _missing(found: Found) -> str:
    """Say in one sentence what the answer does not cover."""
    parts = []
    seen = [_looked_at(disease.name, result) for disease, result in found.search.lists if result.has_data]
    if any(seen):
        parts.append(f"proteins were looked at only in part: {compose.listed([text for text in seen if text])}")
    parts += [
        f"proteins associated with {compose.plain(disease.name)} ({compose.said(result)})"
        for disease, result in found.search.lists
        if not result.has_data
    ]
    unread = [symbol for symbol, result in found.lists.items() if result.is_failed]
    unread = [symbol for symbol in unread if symbol != found.gene.symbol]
    if unread:
        parts.append(f"drugs on {compose.listed(unread, TARGETS_SHOWN)} could not be looked up")
    if found.search.not_followed:
        count = compose.counted(len(found.search.not_followed), "further kinase")
        parts.append(f"drugs on {count} were not asked for")
    untold = [name for name, result in found.named(found.trials) if result.is_failed]
    if untold:
        parts.append(f"trials of {compose.listed(untold, TARGETS_SHOWN)} could not be looked up")
    if found.not_asked:
        parts.append(f"trials of {compose.counted(len(found.not_asked), 'further inhibitor')} were not asked for")
    return f"**Not covered:** {'; '.join(parts)}." if parts else ""


def _looked_at(disease: str, result: Result) -> str:
    """Say how much of a list of associated proteins was looked at, or nothing if that is all of it."""
    returned = result.returned or 0
    if (result.total or 0) > returned:
        return f"{returned} of {result.total:,} associated with {compose.plain(disease)}"
    if result.is_snapshot_part:
        return f"{returned} associated with {compose.plain(disease)}, no more being in the snapshot"
    return ""


# --- the sections -----------------------------------------------------------------------------


def _inhibitor_section(found: Found) -> str:
    rows, notes = [], []
    for kinase in found.kinases:
        group = found.of_kinase(kinase.symbol)
        asked = [each for each in group if each in found.asked]
        rest = [each for each in group if each not in found.asked]
        shown_rest = [] if kinase.symbol == found.gene.symbol else rest[: max(0, ROWS_OF_OTHERS - len(asked))]
        lines = sorted([*asked, *shown_rest], key=lambda each: (-each.drug.level, each not in found.asked))
        rows += [Row(_targets(found, each), each, found.trials.get(each.drug.chembl_id)) for each in lines]
        names = [f"{shown(each.drug.name)}{' †' if each.by_stem else ''}" for each in rest if each not in shown_rest]
        if names:
            notes.append(f"Not asked, further inhibitors of {kinase.symbol}: {compose.listed(names, NAMES_SHOWN)}.")
    if not rows:
        return ""
    table = inhibitors.inhibitor_table(rows, found.condition)
    note = inhibitors.classification_note([row.each for row in rows])
    return compose.section("Kinase inhibitors by target", table, " ".join(notes), note)


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
