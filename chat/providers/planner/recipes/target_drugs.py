"""Target, disease, drugs, trials, pharmacogenomics: kinase inhibitors for a biomarker in a disease.

From the disease to its associated proteins, of these to the kinases, from each kinase to its drugs; the
inhibitors of the biomarker's own protein are followed to mechanisms, trials and annotations.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from chat.providers.planner import compose
from chat.providers.planner.parts import annotations, inhibitors, trials
from chat.providers.planner.parts.annotations import annotations_call, read_annotations
from chat.providers.planner.parts.diseases import Disease, choose_disease, disease_call, gene_diseases_call
from chat.providers.planner.parts.drug_kinds import Classified, Kind, classify, of_kind
from chat.providers.planner.parts.drugs import drug_link, join_forms, shown, target_drugs_call
from chat.providers.planner.parts.genes import Gene, gene_call, read_gene
from chat.providers.planner.parts.kinases import Kinase, KinaseSearch, find_kinases, kinase_note, not_followed
from chat.providers.planner.parts.stop import refuse_absent_marker
from chat.providers.planner.parts.trials import read_trials, trials_call
from chat.providers.planner.recognise import Question
from chat.providers.planner.replay import Recipe, ask
from chat.providers.planner.results import Result

# Inhibitors whose trials are asked for, and of those in trials how many are followed further.
ASKED = 16
FOLLOWED = 8
NAMES_SHOWN = 8


@dataclass
class Found:
    """What the recipe has come to know, by the order in which it is found."""

    question: Question
    gene: Gene
    disease: Disease | None
    disease_search: Result
    search: KinaseSearch
    lists: list[tuple[Kinase, Result]]
    classified: list[Classified]
    inhibitors: list[Classified]
    followed: list[Classified] = field(default_factory=list)
    curated: dict[str, Result] = field(default_factory=dict)
    trials: dict[str, Result] = field(default_factory=dict)
    annotations: dict[str, Result] = field(default_factory=dict)

    @property
    def marker_words(self) -> tuple[str, str]:
        """The names by which a trial may call the biomarker."""
        return (self.question.gene, self.gene.symbol)

    @property
    def rest(self) -> list[Classified]:
        """The inhibitors that are only listed."""
        return [each for each in self.inhibitors if each not in self.followed]

    def asked(self, results: dict[str, Result]) -> list[tuple[str, Result]]:
        """Pair the followed inhibitors' names with what was asked about each."""
        found = [(each.drug, results.get(each.drug.chembl_id)) for each in self.followed]
        return [(shown(drug.name), result) for drug, result in found if result is not None]

    @property
    def others(self) -> list[Classified]:
        """The inhibitors that are recorded only against other kinases."""
        return [each for each in of_kind(self.classified, Kind.INHIBITOR) if self.gene.symbol not in each.drug.targets]

    @property
    def condition(self) -> str:
        """The disease in the user's words, as trials are searched by."""
        return self.question.disease


def _rank(each: Classified) -> int:
    return each.drug.best.rank if each.drug.best else -1


def _inhibitors(gene: Gene, classified: Sequence[Classified]) -> list[Classified]:
    """Return the inhibitors recorded against the biomarker's protein, furthest first."""
    own = [each for each in of_kind(classified, Kind.INHIBITOR) if gene.symbol in each.drug.targets]
    return sorted(own, key=lambda each: -_rank(each))


def _in_trials(found: Found) -> list[Classified]:
    """Return the inhibitors with registered trials: by stage, then by how many of these name the marker."""
    ranked = []
    for each in found.inhibitors:
        result = found.trials.get(each.drug.chembl_id)
        listed = read_trials(result) if result else []
        if listed:
            of_marker = sum(trial.mentions(found.marker_words) for trial in listed)
            ranked.append(((_rank(each), of_marker, len(listed)), each))
    return [each for _, each in sorted(ranked, key=lambda pair: pair[0], reverse=True)]


def recipe(question: Question) -> Recipe[str]:
    """Answer with inhibitors, trials and annotations for a biomarker in a disease."""
    refuse_absent_marker(question)
    why = f"Read the question: resolve “{question.gene}” and “{question.disease}”."
    gene_result, disease_search = yield from ask(why, gene_call(question.gene), disease_call(question.disease))
    gene = read_gene(question.gene, gene_result)
    why = f"{question.gene} is {gene.symbol}. See which disease record its evidence belongs to."
    (gene_diseases,) = yield from ask(why, gene_diseases_call(gene.symbol, gene.ensembl_id))
    disease = choose_disease(question.disease, disease_search, gene_diseases, gene.symbol)
    search = yield from find_kinases(gene, disease)
    kinases = search.followed or (Kinase(gene.symbol, gene.ensembl_id, ""),)
    names = compose.listed([kinase.symbol for kinase in kinases])
    calls = [target_drugs_call(kinase.symbol, kinase.ensembl_id) for kinase in kinases]
    results = yield from ask(f"Look for drugs and candidates that act on {names}.", *calls)
    lists = list(zip(kinases, results, strict=True))
    drugs = join_forms((kinase.symbol, result) for kinase, result in lists)
    classified = [classify(drug, {kinase.symbol for kinase in kinases}) for drug in drugs]
    own = _inhibitors(gene, classified)
    found = Found(question, gene, disease, disease_search, search, lists, classified, own)
    yield from _follow(found)
    return _answer(found)


def _follow(found: Found) -> Recipe[None]:
    """Ask for the inhibitors' trials; follow those that are in trials to mechanisms and annotations."""
    asked = [each.drug for each in found.inhibitors[:ASKED]]
    if not asked:
        return
    names = compose.listed([shown(drug.name) for drug in asked], NAMES_SHOWN)
    why = f"Which of {names} are in trials in {found.condition}?"
    results = yield from ask(why, *(trials_call(shown(drug.name), found.condition) for drug in asked))
    found.trials = dict(zip([drug.chembl_id for drug in asked], results, strict=True))
    # Those in trials; if no trials are known, the first ones.
    found.followed = (_in_trials(found) or found.inhibitors)[:FOLLOWED]
    drugs = [each.drug for each in found.followed]
    mechanisms = [inhibitors.mechanisms_call(drug) for drug in drugs]
    graded = [annotations_call(drug=shown(drug.name)) for drug in drugs]
    names = compose.listed([shown(drug.name) for drug in drugs])
    why = f"Follow {names} to their mechanisms and pharmacogenomic annotations."
    results = yield from ask(why, *mechanisms, *graded)
    ids = [drug.chembl_id for drug in drugs]
    found.curated = dict(zip(ids, results[: len(ids)], strict=True))
    found.annotations = dict(zip(ids, results[len(ids) :], strict=True))


def _answer(found: Found) -> str:
    return compose.document(
        _summary(found),
        compose.section("How the question was read", _reading(found)),
        _inhibitor_section(found),
        trials.section(found.asked(found.trials), found.condition, found.marker_words),
        annotations.section(found.asked(found.annotations), [shown(each.drug.name) for each in found.rest]),
        compose.section("Limits, and what to check next", _limits(found)),
    )


# --- the first lines --------------------------------------------------------------------------


def _summary(found: Found) -> str:
    asked = found.asked(found.trials)
    parts = (_drugs_in_short(found), trials.in_short(asked, found.condition), _dosing_in_short(found))
    return " ".join(part for part in parts if part)


def _drugs_in_short(found: Found) -> str:
    own = next((result for kinase, result in found.lists if kinase.symbol == found.gene.symbol), None)
    marker = f"{found.gene.symbol}" + (f" ({found.question.gene})" if found.question.gene != found.gene.symbol else "")
    if own is None or not own.has_data:
        reason = compose.said(own) if own else f"{marker} is not filed under Kinase in UniProt"
        return f"Kinase inhibitors of {marker} cannot be listed here: {reason}."
    if not found.inhibitors:
        return f"None of the {compose.of_total(own, 'record')} against {marker} could be told to be a kinase inhibitor."
    ordered = [*found.followed, *found.rest]
    names = compose.listed([shown(each.drug.name) for each in ordered], NAMES_SHOWN)
    count = compose.counted(len(found.inhibitors), "small-molecule kinase inhibitor")
    page = compose.open_targets_link("target", found.gene.ensembl_id, "Open Targets")
    by_stem = sum(each.by_stem for each in found.inhibitors)
    told = f", {by_stem} of them told by the stem of the name" if by_stem else ""
    return f"**{count} of {marker}** are on record in {page}{told}: {names}."


def _dosing_in_short(found: Found) -> str:
    asked = found.asked(found.annotations)
    having, nothing, failed = annotations.by_outcome(asked)
    graded = [each for _, result in asked for each in read_annotations(result)]
    parts = []
    if graded and not any(each.about_dosing for each in graded):
        known = f"no annotation on dosing for {compose.listed(having)}"
        levels = compose.listed(list(dict.fromkeys(f"level {each.level}" for each in graded)))
        shown_ones = [f"{annotations.allele_text(each.variant)} ({each.link})" for each in graded]
        effects = compose.listed(list(dict.fromkeys(kind.lower() for each in graded for kind in each.kinds)))
        parts.append(f"ClinPGx has {known}; what it has is on {effects} ({levels}): {compose.listed(shown_ones, 4)}")
    elif graded:
        dosing = [f"{annotations.allele_text(each.variant)} ({each.link})" for each in graded if each.about_dosing]
        parts.append(f"ClinPGx has {compose.counted(len(dosing), 'annotation')} on dosing: {compose.listed(dosing, 4)}")
    if nothing:
        parts.append(f"nothing found in ClinPGx for {compose.listed(nothing)}")
    if failed:
        parts.append(f"not known for {compose.listed(failed)}")
    text = "; ".join(parts)
    return f"**Variants that affect dosing:** {text}." if text else ""


# --- the sections -----------------------------------------------------------------------------


def _reading(found: Found) -> str:
    own = next((kinase for kinase in found.search.kinases if kinase.symbol == found.gene.symbol), None)
    protein = f", protein {compose.link('uniprot', own.accession)}" if own else ""
    targets = _chembl_targets(found)
    items = [f"{found.gene.reading}{protein}{targets}."]
    if found.disease:
        items.append(f"{found.disease.reading}.")
    else:
        items.append(f"“{compose.plain(found.condition)}”: {compose.said(found.disease_search) or 'no record fits'}.")
    items.append(f"Proteins linked to the disease: {kinase_note(found.gene, found.search)}.")
    rest = not_followed(found.search)
    if rest:
        items.append(f"Drugs were not asked for on {compose.listed(rest)}.")
    return compose.bullets(items)


def _chembl_targets(found: Found) -> str:
    rows = [row for row in found.search.filed.rows() if row.get("geneName") == found.gene.symbol]
    ids = [str(id) for row in rows for id in row.get("chembl") or []]
    return f", ChEMBL target {compose.listed([compose.target_link(id) for id in ids])}" if ids else ""


def _inhibitor_section(found: Found) -> str:
    if not found.classified:
        return ""
    own = [each for each in found.classified if found.gene.symbol in each.drug.targets]
    left = inhibitors.left_out([each for each in own if each.kind is not Kind.INHIBITOR])
    return compose.section(
        f"Kinase inhibitors of {found.gene.symbol}",
        inhibitors.inhibitor_table(found.followed, found.curated, found.trials, found.condition)
        if found.followed
        else "",
        _rest(found),
        inhibitors.classification_note(found.inhibitors),
        f"Left out, of the records against {found.gene.symbol}:\n\n{left}" if left else "",
        _other_kinases(found),
    )


def _rest(found: Found) -> str:
    """Name the inhibitors that are on record but not in the table, by what is known of their trials."""
    groups: dict[str, list[str]] = {}
    for each in found.rest:
        asked = found.trials.get(each.drug.chembl_id)
        why = "not asked" if asked is None else "registered, not followed" if asked.has_data else compose.said(asked)
        mark = " †" if each.by_stem else ""
        groups.setdefault(why, []).append(f"{shown(each.drug.name)}{mark} {each.drug.ids}")
    items = [f"{compose.listed(names)} (trials: {why})." for why, names in groups.items()]
    head = f"Also on record as inhibitors of {found.gene.symbol}:"
    return compose.document(head, compose.bullets(items)) if items else ""


def _other_kinases(found: Found) -> str:
    """Return the inhibitors of the other associated kinases, in short."""
    items = []
    for kinase, result in found.lists:
        if kinase.symbol == found.gene.symbol or not result.has_data:
            continue
        only = [each for each in found.others if kinase.symbol in each.drug.targets]
        names = [f"{shown(each.drug.name)} {drug_link(each.drug.chembl_id)}" for each in only]
        listed = compose.listed(names, NAMES_SHOWN) or "none beyond those above"
        items.append(f"{kinase.reading}: {compose.counted(len(only), 'further inhibitor')}: {listed}.")
    head = "Inhibitors of other kinases among the associated proteins, not of the biomarker itself:"
    return compose.document(head, compose.bullets(items)) if items else ""


def _limits(found: Found) -> str:
    items: Sequence[str] = [
        "Trials were searched by condition and drug name: that a trial names the biomarker is seen only from its title "
        "and conditions. Check eligibility in the record.",
        "ClinPGx clinical annotations were asked by drug name; drug labels and dosing guidelines were not asked.",
    ]
    if any(each.drug.best is None for each in found.inhibitors):
        items = [*items, "Where no stage is given, the records that were read hold none: look at the drug's page."]
    return compose.bullets(items)
