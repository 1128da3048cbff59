"""The drugs on record against one gene: their table, and the first words about them."""

from collections.abc import Mapping, Sequence

from chat.providers.planner import compose
from chat.providers.planner.parts.drugs import Drug, drug_link, shown
from chat.providers.planner.parts.inhibitors import mechanism_text, stage_text
from chat.providers.planner.parts.trials import trial_count
from chat.providers.planner.results import Result

NAMES_SHOWN = 8
REST_SHOWN = 14


def drugs_in_short(symbol: str, ensembl_id: str, listed: Result, drugs: Sequence[Drug], first: Sequence[Drug]) -> str:
    """Return one sentence on the drugs of a gene, `first` named before the others."""
    page = compose.open_targets_link("target", ensembl_id, "Open Targets")
    if not listed.has_data:
        return f"Drugs that act on {symbol}: {compose.said(listed)}."
    ordered = [*first, *(drug for drug in drugs if drug not in first)]
    names = compose.listed([shown(drug.name) for drug in ordered], NAMES_SHOWN)
    count = compose.counted(len(drugs), "drug")
    return f"**{count} and candidates that act on {symbol}** are on record in {page}: {names}."


def drug_section(
    symbol: str,
    listed: Result,
    drugs: Sequence[Drug],
    followed: Sequence[Drug],
    curated: Mapping[str, Result] | None = None,
    trials: Mapping[str, Result] | None = None,
) -> str:
    """Return the table of the drugs that were followed, and the names of the others."""
    rows = [
        [
            shown(drug.name),
            drug.ids,
            mechanism_text(drug, (curated or {}).get(drug.chembl_id)),
            stage_text(drug, (curated or {}).get(drug.chembl_id)),
            trial_count(trials[drug.chembl_id]) if trials and drug.chembl_id in trials else "not asked",
        ]
        for drug in followed
    ]
    head = ("Drug", "ChEMBL records", "Mechanism", "Highest stage", "Trials")
    rest = [f"{shown(drug.name)} {drug_link(drug.chembl_id)}" for drug in drugs if drug not in followed]
    others = f"{'Further' if rows else 'On record'}: {compose.listed(rest, REST_SHOWN)}." if rest else ""
    note = (
        f"Open Targets lists {compose.of_total(listed, 'record')} (salt forms joined here), {compose.as_of([listed])}."
    )
    if not drugs:
        return ""
    return compose.section(f"Drugs that act on {symbol}", compose.table(head, rows) if rows else "", others, note)
