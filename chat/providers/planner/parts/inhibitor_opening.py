"""The first lines of the answer on kinase inhibitors: one sentence, then a line for each part of the question."""

from collections.abc import Sequence

from chat.providers.planner import compose
from chat.providers.planner.parts import annotations, trials
from chat.providers.planner.parts.annotations import Annotation, read_annotations
from chat.providers.planner.parts.drug_kinds import Classified
from chat.providers.planner.parts.drugs import shown
from chat.providers.planner.parts.inhibitor_search import Found
from chat.providers.planner.parts.kinases import Kinase
from chat.providers.planner.parts.stages import level_of, short_words
from chat.providers.planner.results import Result

NAMES_SHOWN = 8
FEW = 3
# Drugs that ClinPGx has nothing on, by name; the section on it names them all.
NOTHING_SHOWN = 3
TARGETS_SHOWN = 4
# From this stage on inhibitors are named here; earlier ones are counted, and named below.
NAMED_LEVEL = 3.0
APPROVED = "approved for some disease"


def opening(found: Found) -> str:
    """Return the lead and its list."""
    asked = found.named(found.trials)
    return compose.opening(
        _lead(found),
        _own(found),
        _others(found),
        trials.in_short(asked, found.condition),
        _pharmacogenomics(found),
        _not_covered(found),
    )


def _marker(found: Found) -> str:
    asked, symbol = found.question.gene, found.gene.symbol
    return symbol if asked == symbol else f"{symbol} ({compose.plain(asked)})"


def _lead(found: Found) -> str:
    having = [each for each in found.asked if found.trials[each.drug.chembl_id].has_data]
    where = f"in “{compose.plain(found.condition)}”"
    if having:
        own = sum(each in found.own for each in having)
        of_marker = f", {own} of them of {_marker(found)}," if own < len(having) else f" of {_marker(found)}"
        count, verb = compose.counted(len(having), "kinase inhibitor"), "has" if len(having) == 1 else "have"
        text = f"**{count}{of_marker} {verb} registered trials {where}**"
    elif found.inhibitors:
        count = compose.counted(len(found.inhibitors), "kinase inhibitor")
        text = f"**{count} on record; no trial of one is known here {where}**"
    else:
        text = f"**No kinase inhibitor for {_marker(found)} can be named here**"
    return f"{'; '.join(filter(None, (text, _dosing_in_short(found))))}."


def _dosing_in_short(found: Found) -> str:
    asked = found.named(found.annotations)
    _, nothing, failed = annotations.by_outcome(asked)
    graded, dosing = _graded(found)
    if dosing:
        named = [f"{annotations.allele_text(each.variant)} for {_drugs(each)}" for each in dosing]
        return f"on dosing ClinPGx has {compose.counted(len(dosing), 'annotation')}: {compose.listed(named, 2)}"
    if graded:
        return f"ClinPGx has none on dosing among {compose.counted(len(graded), 'annotation')} read"
    if nothing:
        return f"ClinPGx has no annotation on {compose.counted(len(nothing), 'drug')} asked about"
    return "what ClinPGx has on them is not known" if failed else ""


def _graded(found: Found) -> tuple[list[Annotation], list[Annotation]]:
    """Return the annotations on the drugs asked about, in their order, and those of them that are on dosing."""
    read = [each for _, result in found.named(found.annotations) for each in read_annotations(result)]
    graded = list({each.id: each for each in read}.values())
    return graded, [each for each in graded if each.about_dosing]


def _drugs(each: Annotation) -> str:
    return compose.plain(compose.listed(each.drugs, 2))


# --- inhibitors -------------------------------------------------------------------------------


def _own(found: Found) -> str:
    title = f"**Inhibitors of {_marker(found)}**"
    listed = found.lists.get(found.gene.symbol)
    if listed is None or not listed.has_data:
        reason = compose.said(listed) if listed else f"{_marker(found)} is not filed under Kinase in UniProt"
        return f"{title} cannot be listed here: {reason}."
    if not found.own:
        return f"{title}: none of the {compose.of_total(listed, 'record')} could be told to be a kinase inhibitor."
    named = [each for each in found.own if each.is_named]
    page = compose.open_targets_link("target", found.gene.ensembl_id, "Open Targets")
    texts = [f"{title}, {len(named)} on record in {page}; {by_stage(named)}." if named else f"{title}: none by name."]
    if names := unnamed(found.own):
        texts.append(f"Also recorded as an inhibitor: {names}.")
    return " ".join(texts)


def unnamed(found: Sequence[Classified]) -> str:
    """Name those whose record says inhibitor, though their name does not say kinase inhibitor."""
    return compose.listed([shown(each.drug.name) for each in found if not each.is_named], FEW)


def by_stage(found: Sequence[Classified]) -> str:
    """Return inhibitors by name, grouped by how far they got: "approved a and b; phase 3 c; earlier: 2"."""
    known = [each for each in found if each.drug.level >= 0]
    far = [each for each in known if each.drug.level >= NAMED_LEVEL] or _furthest(known)
    groups: dict[str, list[str]] = {}
    for each in far:
        groups.setdefault(_stage_group(each), []).append(shown(each.drug.name))
    texts = [f"{stage}: {compose.listed(names, NAMES_SHOWN)}" for stage, names in groups.items()]
    texts += [f"earlier: {len(known) - len(far)}"] if len(known) > len(far) else []
    unknown = [shown(each.drug.name) for each in found if each.drug.level < 0]
    texts += [f"no stage recorded: {compose.listed(unknown, FEW)}"] if unknown else []
    return "; ".join(texts)


def _furthest(found: Sequence[Classified]) -> list[Classified]:
    return [each for each in found if each.drug.level == found[0].drug.level]


def _stage_group(each: Classified) -> str:
    """Return the stage; a source is named only where it is not Open Targets."""
    best = each.drug.best
    if each.drug.withdrawn or best is None:
        return each.drug.stage or "no stage recorded"
    words = short_words(best.stage, best.phase)
    only_chembl = level_of(best.stage, None) < best.level
    if words == "approved":
        return f"{APPROVED}{' (ChEMBL max. phase 4)' if only_chembl else ''}"
    return f"{words} (ChEMBL)" if only_chembl else words


def _others(found: Found) -> str:
    """Name the furthest inhibitors of each other kinase, those asked about first."""
    groups = []
    for kinase in found.kinases:
        named = [each for each in found.of_kinase(kinase.symbol) if each.is_named]
        if kinase.symbol != found.gene.symbol and named:
            groups.append((kinase, named, _stage_group(named[0]).replace(APPROVED, "approved")))
    if not groups:
        return ""
    stages = {stage for _, _, stage in groups}
    common = next(iter(stages)) if len(stages) == 1 else ""
    texts = [_of_kinase(found, kinase, named, "" if common else stage) for kinase, named, stage in groups]
    left = len(texts) - TARGETS_SHOWN
    more = [compose.counted(left, "further kinase")] if left > 0 else []
    head = f"**Inhibitors of other kinases linked to the disease**{f', {common}' if common else ''}"
    return f"{head}: {'; '.join([*texts[:TARGETS_SHOWN], *more])}."


def _of_kinase(found: Found, kinase: Kinase, named: Sequence[Classified], stage: str) -> str:
    furthest = sorted(_furthest(named), key=lambda each: each not in found.asked)[:FEW]
    names = ", ".join(shown(each.drug.name) for each in furthest)
    count = f" (of {len(named)})" if len(named) > len(furthest) else ""
    return f"{kinase.symbol}{f', {stage}' if stage else ''}: {names}{count}"


# --- pharmacogenomics, and what is not covered ------------------------------------------------


def _pharmacogenomics(found: Found) -> str:
    _, nothing, failed = annotations.by_outcome(found.named(found.annotations))
    graded, dosing = _graded(found)
    others = [each for each in graded if not each.about_dosing]
    parts = []
    if dosing:
        texts = [annotations.in_short(group, with_kinds=False) for group in annotations.alike(dosing)]
        parts.append(f"on dosing, {compose.listed(texts, FEW)}")
    elif graded:
        parts.append("none on dosing")
    if others:
        first = annotations.alike(others)[0]
        left = len(others) - len(first)
        more = f" and {left} more" if left else ""
        parts.append(f"not on dosing, {annotations.in_short(first)}{more}")
    if nothing:
        parts.append(f"nothing found in ClinPGx for {compose.listed(nothing, NOTHING_SHOWN)}")
    if failed:
        parts.append(f"not known for {compose.listed(failed, FEW)}")
    return f"**Pharmacogenomics**: {'; '.join(parts)}." if parts else ""


def _not_covered(found: Found) -> str:
    """Say in numbers what the answer does not cover."""
    search = found.search
    parts = [_proteins_left(found)]
    parts += [
        f"proteins associated with {compose.plain(disease.name)} ({compose.said(result)})"
        for disease, result in search.lists
        if not result.has_data
    ]
    unread = [symbol for symbol, result in found.lists.items() if result.is_failed and symbol != found.gene.symbol]
    parts += [f"drugs on {compose.listed(unread, TARGETS_SHOWN)} (look-up failed)"] if unread else []
    if search.not_followed:
        parts.append(f"drugs on {compose.counted(len(search.not_followed), 'further kinase')} (not asked for)")
    failed = sum(result.is_failed for result in found.trials.values())
    counts = [(failed, "look-up failed"), (len(found.not_asked), "not asked for")]
    texts = [f"of {compose.counted(count, 'inhibitor')} ({why})" for count, why in counts if count]
    parts += [f"trials {' and '.join(texts)}"] if texts else []
    told = [part for part in parts if part]
    return f"**Not covered**: {'; '.join(told)}." if told else ""


def _proteins_left(found: Found) -> str:
    """Say how much of the lists of associated proteins was looked at, or nothing if that is all of them."""
    search = found.search
    seen = [_looked_at(disease.name, result) for disease, result in search.lists if result.has_data]
    if not any(seen):
        return ""
    count = len(search.linked_kinases)
    kinases = "" if search.filed.is_failed else f", {count} of them {'a kinase' if count == 1 else 'kinases'}"
    parts = ", ".join(text for text in seen if text)
    return f"associated proteins beyond the {len(search.linked)} looked at{kinases} ({parts})"


def _looked_at(disease: str, result: Result) -> str:
    returned = result.returned or 0
    if (result.total or 0) > returned:
        return f"{returned} of {result.total:,} for {compose.plain(disease)}"
    if result.is_snapshot_part:
        return f"{returned} for {compose.plain(disease)} in the snapshot"
    return ""
