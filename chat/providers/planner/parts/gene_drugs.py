"""The drugs on record against one gene: their table, and the first words about them."""

from collections.abc import Mapping, Sequence

from chat.providers.planner import compose
from chat.providers.planner.parts.drugs import Drug, drug_link, shown
from chat.providers.planner.parts.inhibitors import mechanism_text
from chat.providers.planner.parts.trials import trial_count
from chat.providers.planner.results import Result

NAMES_SHOWN = 8
FEW = 3
REST_SHOWN = 8


def drugs_in_short(symbol: str, ensembl_id: str, listed: Result, drugs: Sequence[Drug], first: Sequence[Drug]) -> str:
    """Return one line on the drugs of a gene, `first` named before the others."""
    page = compose.open_targets_link("target", ensembl_id, "Open Targets")
    if not listed.has_data:
        return f"Drugs that act on {symbol}: {compose.said(listed)}."
    ordered = [*first, *(drug for drug in drugs if drug not in first)]
    approved = [shown(drug.name) for drug in ordered if drug.is_approved]
    others = [shown(drug.name) for drug in ordered if not drug.is_approved]
    texts = [f"approved for some disease: {compose.listed(approved, NAMES_SHOWN)}"] if approved else []
    if others:
        texts.append(f"{'others: ' if approved else ''}{compose.listed(others, FEW if approved else NAMES_SHOWN)}")
    count = compose.counted(len(drugs), "drug")
    return f"**{count} and candidates that act on {symbol}** are on record in {page}; {'; '.join(texts)}."


def drug_section(
    symbol: str,
    listed: Result,
    drugs: Sequence[Drug],
    followed: Sequence[Drug],
    asked: Mapping[str, Result] | None = None,
    trials: Mapping[str, Result] | None = None,
) -> str:
    """Return the table of the drugs that were followed, and the names of the others.

    `asked` are the look-ups that would have told mechanisms.
    """
    if not drugs:
        return ""
    columns = ("Drug", "ChEMBL records", "Mechanism", "Highest stage, any disease", "Trials")
    lines = [
        [
            shown(drug.name),
            drug.ids,
            mechanism_text(drug, (asked or {}).get(drug.chembl_id)),
            drug.linked_stage or "not recorded",
            trial_count(trials[drug.chembl_id]) if trials and drug.chembl_id in trials else "not asked",
        ]
        for drug in followed
    ]
    return compose.section(
        f"Drugs that act on {symbol}",
        compose.table(columns, lines) if lines else "",
        _others(drugs, followed),
        f"Open Targets lists {compose.of_total(listed, 'record')} (salt forms joined here), {compose.as_of([listed])}.",
    )


def _others(drugs: Sequence[Drug], followed: Sequence[Drug]) -> str:
    """Name the drugs that are not in the table, the approved ones first."""
    rest = sorted((drug for drug in drugs if drug not in followed), key=lambda drug: -drug.level)
    approved = [f"{shown(drug.name)} {drug_link(drug.chembl_id)}" for drug in rest if drug.is_approved]
    others = [f"{shown(drug.name)} {drug_link(drug.chembl_id)}" for drug in rest if not drug.is_approved]
    lines = []
    if approved:
        lines.append(f"Also approved, in whatever disease: {compose.listed(approved, REST_SHOWN)}.")
    if others:
        head = "Further" if followed or approved else "On record"
        lines.append(f"{head}, not followed: {compose.listed(others, REST_SHOWN)}.")
    return " ".join(lines)
