"""The drugs on record against one gene or two, sifted: by name, by a second gene, by kind, or whether there are any."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from chat.providers.planner import compose
from chat.providers.planner.parts.diseases import Disease, choose_disease, disease_call
from chat.providers.planner.parts.drug_kinds import Classified, Kind, classify, of_kind
from chat.providers.planner.parts.drugs import Drug, drug_link, join_forms, shown, target_drugs_call
from chat.providers.planner.parts.genes import Gene, gene_call, protein_search_call, read_gene
from chat.providers.planner.replay import Recipe, ask
from chat.providers.planner.results import Result, text_at
from chat.providers.planner.shapes import Question

SHOWN_EACH = 12
ONLY_SHOWN = 8
_TITLES = {
    Kind.INHIBITOR: "Small-molecule kinase inhibitors",
    Kind.ANTIBODY: "Antibodies",
    Kind.CONJUGATE: "Antibody-drug conjugates",
    Kind.OTHER_SMALL_MOLECULE: "Other small molecules",
    Kind.OTHER: "Others",
    Kind.UNCLASSIFIED: "Of a kind that is not recorded",
}


@dataclass
class Found:
    """What was looked up."""

    question: Question
    genes: list[Gene]
    lists: list[Result]
    proteins: list[Result] = field(default_factory=list)
    disease: Disease | None = None
    drugs: list[Classified] = field(default_factory=list)

    @property
    def symbols(self) -> list[str]:
        """The genes' symbols."""
        return [gene.symbol for gene in self.genes]


def recipe(question: Question) -> Recipe[str]:
    """Resolve the genes, read their lists of drugs, and answer by what the question sifts them for."""
    found = yield from _look_up(question)
    if all(result.is_empty for result in found.lists):
        return _none(found)
    return compose.document(
        compose.opening(*_summary(found)),
        *_sections(found),
        compose.section("Limits, and what to check next", compose.bullets(_limits(found))),
    )


def _look_up(question: Question) -> Recipe[Found]:
    names = question.genes[: 2 if "both" in question.tasks else 1]
    calls = [gene_call(name) for name in names]
    calls += [disease_call(question.diseases[-1])] if question.disease else []
    results = yield from ask(f"Resolve {compose.listed(list(names))}.", *calls)
    genes = [read_gene(name, result) for name, result in zip(names, results, strict=False)]
    found = Found(question, genes, [])
    if question.disease:
        found.disease = choose_disease(question.diseases[-1], results[-1])
    calls = [target_drugs_call(gene.symbol, gene.ensembl_id) for gene in genes]
    calls += [protein_search_call(gene.symbol) for gene in genes] if "protein" in question.tasks else []
    results = yield from ask(f"Read the drugs on record against {compose.listed(found.symbols)}.", *calls)
    found.lists, found.proteins = list(results[: len(genes)]), list(results[len(genes) :])
    drugs = join_forms(zip(found.symbols, found.lists, strict=True))
    drugs.sort(key=lambda drug: -drug.level)
    found.drugs = [classify(drug, set(found.symbols)) for drug in drugs]
    return found


def _none(found: Found) -> str:
    """Answer that nothing is on record: a finding of its own, which the list's meaning explains."""
    symbols = compose.listed(found.symbols)
    links = compose.listed([compose.open_targets_link("target", gene.ensembl_id) for gene in found.genes])
    readings = compose.listed([gene.reading for gene in found.genes])
    return compose.document(
        f"**There is no drug or clinical candidate recorded for {symbols}** in Open Targets ({links}): the list is "
        f"empty, {compose.as_of(found.lists)}.",
        f"Read as {readings}.",
        "The list holds what acts on the protein itself. A drug that acts on another protein is filed under that "
        f"protein, even where a change in {symbols} is the reason to use it.",
    )


def _summary(found: Found) -> list[str]:
    readings = [
        f"{gene.reading}: {compose.plain(gene.name)}{_protein(found, place)}." for place, gene in enumerate(found.genes)
    ]
    if found.question.drugs:
        lead = _named_in_short(found)
    elif len(found.genes) == 2:
        both = [each for each in found.drugs if len(each.drug.targets) == 2]
        kept = _kept(found, both)
        kind = "kinase inhibitor" if "kinase_inhibitors" in found.question.tasks else "drug"
        lead = f"**{compose.counted(len(kept), kind)} on record against both {compose.listed(found.symbols)}**."
    else:
        counts = [compose.of_total(result, "record") for result in found.lists]
        lead = f"**Drugs on record against {found.symbols[0]}**: {compose.listed(counts)} in Open Targets."
    disease = f"{found.disease.reading}." if found.disease else ""
    return [lead, *readings, disease]


def _protein(found: Found, place: int) -> str:
    row = next(iter(found.proteins[place].rows()), None) if place < len(found.proteins) else None
    return f"; protein {compose.link('uniprot', text_at(row, 'primaryAccession'))}" if row else ""


def _named(found: Found) -> list[tuple[str, Drug | None]]:
    """Pair each drug that the question names with its entry in the lists, found by the name of any form."""
    pairs = []
    for name in found.question.drugs:
        wanted = name.casefold()
        fits = [
            each.drug
            for each in found.drugs
            if wanted in (each.drug.name.casefold(), *(form.name.casefold() for form in each.drug.forms))
        ]
        pairs.append((name, fits[0] if fits else None))
    return pairs


def _named_in_short(found: Found) -> str:
    pairs = _named(found)
    there = [shown(name) for name, drug in pairs if drug]
    missing = [shown(name) for name, drug in pairs if drug is None]
    failed = compose.listed(
        [f"{result.call.about}: {compose.said(result)}" for result in found.lists if result.is_failed]
    )
    if failed:
        return f"Not known: {failed}."
    parts = [f"**Recorded against {compose.listed(found.symbols)}**: {compose.listed(there) or 'none of them'}"]
    if missing:
        parts.append(f"not among what was read: {compose.listed(missing)}")
    return f"{'; '.join(parts)}."


def _sections(found: Found) -> list[str]:
    if found.question.drugs:
        rows = [_row(drug) for _, drug in _named(found) if drug]
        return [compose.section("The drugs that the question names", _table(rows), _note(found))]
    if len(found.genes) == 2:
        return _shared(found)
    kinds = [kind for kind in _TITLES if kind is not Kind.UNCLASSIFIED or "modalities" not in found.question.tasks]
    if "modalities" not in found.question.tasks and "kinase_inhibitors" in found.question.tasks:
        kinds = [Kind.INHIBITOR]
    blocks = [_of_kind(found.drugs, kind) for kind in kinds]
    return [*blocks, _note(found)]


def _shared(found: Found) -> list[str]:
    """Return the drugs against both genes, then the names of those against one of them only."""

    def on(symbols: Sequence[str]) -> list[Classified]:
        return _kept(found, [each for each in found.drugs if each.drug.targets == list(symbols)])

    both = _kept(found, [each for each in found.drugs if len(each.drug.targets) == 2])
    blocks = [compose.section("Against both", _table([_row(each.drug) for each in both]))]
    for symbol in found.symbols:
        only = [f"{shown(each.drug.name)} {drug_link(each.drug.chembl_id)}" for each in on([symbol])]
        blocks.append(
            compose.section(f"Only against {symbol}", f"{compose.listed(only, ONLY_SHOWN)}." if only else "None.")
        )
    return [*blocks, _note(found)]


def _kept(found: Found, drugs: Sequence[Classified]) -> list[Classified]:
    """Return the drugs of the kind that the question asks for."""
    if "kinase_inhibitors" not in found.question.tasks:
        return list(drugs)
    return [each for each in drugs if each.kind is Kind.INHIBITOR]


def _of_kind(drugs: Sequence[Classified], kind: Kind) -> str:
    chosen = of_kind(drugs, kind)
    rest = len(chosen) - SHOWN_EACH
    more = f"{compose.counted(rest, 'further one')} not shown." if rest > 0 else ""
    by_name = any(each.by_stem for each in chosen[:SHOWN_EACH])
    note = "Of some the kind is read from the generic name, as the record gives no type." if by_name else ""
    table = _table([_row(each.drug) for each in chosen[:SHOWN_EACH]])
    return compose.section(_TITLES[kind], table, " ".join(filter(None, (more, note)))) if chosen else ""


def _row(drug: Drug) -> list[str]:
    return [shown(drug.name), drug.ids, drug.linked_stage or "not recorded", compose.listed(drug.targets)]


def _table(rows: Sequence[list[str]]) -> str:
    head = ("Drug", "ChEMBL records, parent first", "Highest stage, any disease", "Listed for")
    return compose.table(head, rows) if rows else ""


def _note(found: Found) -> str:
    counts = [
        f"{compose.of_total(result, 'record')} of {symbol}" if result.has_data else f"{symbol}: {compose.said(result)}"
        for symbol, result in zip(found.symbols, found.lists, strict=True)
    ]
    return f"Open Targets: {compose.listed(counts)}, salts joined with their parents, {compose.as_of(found.lists)}."


def _limits(found: Found) -> list[str]:
    items = ["Salts and parents are separate records; a drug is counted once here, under its parent."]
    unknown = of_kind(found.drugs, Kind.UNCLASSIFIED)
    if unknown and found.question.tasks & {"modalities", "kinase_inhibitors"}:
        names = compose.listed([shown(each.drug.name) for each in unknown], ONLY_SHOWN)
        items.append(f"Neither record nor name tells the kind of {names}: they are counted nowhere.")
    return items
