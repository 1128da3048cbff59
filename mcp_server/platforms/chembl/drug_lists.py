"""Many drugs: by target, by disease, by year, stem or class of the Anatomical Therapeutic Chemical system."""

from typing import Annotated

from mcp_server.args import DiseaseId, DiseaseName, Limit, Offset
from mcp_server.envelope import Answer, Citation, InvalidArguments, empty, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.platforms.chembl.families import FORM_FIELDS, form_row, molecules_by_id, parent_of, withdrawn_note
from mcp_server.platforms.chembl.service import (
    ChemblTargetId,
    Json,
    MinPhase,
    at_least,
    check,
    check_all,
    cite_molecule,
    cite_target,
    collection,
    contains,
    kept,
    next_page,
    number,
    one_of,
    platform,
    record,
)
from mcp_server.tool import Arg

ActionType = Annotated[
    str, Arg("What the drug does to the target, as ChEMBL words it.", "INHIBITOR", normalise=str.upper)
]
AtcCode = Annotated[
    str,
    Arg(
        "ATC code of any level, from one letter to the whole code.",
        "C02CA01",
        r"^[A-Z](\d{2}([A-Z]([A-Z](\d{2})?)?)?)?$",
        normalise=str.upper,
    ),
]
ATC_LEVELS = {1: "level1", 3: "level2", 4: "level3", 5: "level4", 7: "level5"}
DRUG_FIELDS = f"{FORM_FIELDS},atc_classifications,usan_stem,usan_stem_definition,usan_year"


@platform.tool(
    example={"target_chembl_id": "CHEMBL1824"},
    asks=(
        "approved drugs that act on a target",
        "medicines that inhibit EGFR",
        "which drugs block this receptor",
        "agonists and antagonists on the market",
    ),
)
async def find_drugs_by_target(
    api: Api,
    target_chembl_id: ChemblTargetId,
    action_type: ActionType | None = None,
    min_phase: MinPhase | None = None,
    limit: Limit = 100,
    offset: Offset = 0,
) -> Answer:
    """List drugs whose curated mechanism is a given ChEMBL target, with action, phase, form and withdrawal. With stage
    and the diseases tried, also candidates: opentargets__get_target_drugs.
    """
    parameters = {"target_chembl_id": target_chembl_id, "action_type": action_type, "order_by": "mec_id"}
    found, total = await collection(api, "mechanism", "mechanisms", parameters)
    check(found, "target_chembl_id", target_chembl_id)
    if action_type:
        check(found, "action_type", action_type)
    if min_phase is not None:
        found = [row for row in found if at_least(min_phase)(row.get("max_phase"))]
        total = len(found)
    if not found:
        target = await record(api, f"/target/{target_chembl_id}.json", {"only": "target_chembl_id,pref_name"})
        if target is None:
            return unknown_id(target_chembl_id, f"ChEMBL has no target {target_chembl_id}.")
        with_filters = " that fits" if action_type or min_phase is not None else ""
        return empty(
            f"ChEMBL has no curated mechanism{with_filters} on {target_chembl_id} ({target.get('pref_name')})."
        )
    shown = found[offset : offset + limit]
    known = await molecules_by_id(api, list(dict.fromkeys(row["molecule_chembl_id"] for row in shown)))
    drugs = [_drug_of_target(row, known.get(row["molecule_chembl_id"])) for row in shown]
    drugs.sort(key=lambda drug: (-(drug.get("max_phase") or -2), drug.get("pref_name") or ""))
    return rows(
        drugs,
        total=total,
        next=next_page(offset, len(shown), len(found)),
        note=withdrawn_note(drugs),
        data={"target_chembl_id": target_chembl_id, "count": total, "drugs": drugs},
        citations=[cite_target(target_chembl_id), *(cite_molecule(drug) for drug in drugs)],
    )


def _drug_of_target(row: Json, molecule: Json | None) -> Json:
    mechanism = {name: row[name] for name in ("mechanism_of_action", "action_type") if row.get(name) is not None}
    form = form_row(molecule) if molecule else {"molecule_chembl_id": row["molecule_chembl_id"]}
    return {**form, "parent_chembl_id": parent_of(molecule) if molecule else None, **mechanism}


@platform.tool(
    example={"disease_id": "MONDO_0009061"},
    asks=(
        "what is used to treat a disease",
        "approved medicines for an illness",
        "therapies for rheumatoid arthritis",
        "treatment options by condition",
        "which pills are there against an illness",
    ),
)
async def find_drugs_by_indication(
    api: Api,
    disease_id: DiseaseId | None = None,
    disease_name: DiseaseName | None = None,
    min_phase: MinPhase = 4,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Answer:
    """List drugs for a disease by EFO/MONDO id or words, with the phase reached for it; phase 4 unless asked. Below
    phase 4 a row means "studied for". Give one of id and name; a name matches inside longer terms. With targets and
    stage words use Open Targets.
    """
    if one_of(disease_id=disease_id, disease_name=disease_name) == "disease_id":
        # Open Targets writes an underscore, ChEMBL a colon.
        wanted, field, name = (disease_id or "").replace("_", ":", 1), "efo_id", "efo_id"
    else:
        wanted, field, name = disease_name or "", "efo_term", "efo_term__icontains"
    parameters = {
        name: wanted,
        "max_phase_for_ind__gte": f"{min_phase:g}",
        "order_by": "drugind_id",
        "limit": limit,
        "offset": offset,
    }
    found, total = await collection(api, "drug_indication", "drug_indications", parameters)
    check_all(found, field, wanted, (lambda value: value == wanted) if disease_id else contains(wanted))
    check_all(found, "max_phase_for_ind", f"of at least {min_phase:g}", at_least(min_phase))
    if not found:
        return empty(
            f"ChEMBL lists no drug of phase {min_phase:g} or more for {wanted}. Its terms are those of EFO: "
            "try the id, other words, or a lower phase."
        )
    known = await molecules_by_id(api, list(dict.fromkeys(row["molecule_chembl_id"] for row in found)))
    drugs = [_drug_of_disease(row, known.get(row["molecule_chembl_id"])) for row in found]
    return rows(
        drugs,
        total=total,
        next=next_page(offset, len(drugs), total),
        note=withdrawn_note(drugs),
        data={"query": wanted, "min_phase": min_phase, "drugs": drugs},
        citations=[cite_molecule(drug) for drug in drugs],
    )


def _drug_of_disease(row: Json, molecule: Json | None) -> Json:
    form = form_row(molecule) if molecule else {"molecule_chembl_id": row["molecule_chembl_id"]}
    return {
        **form,
        "parent_chembl_id": row.get("parent_molecule_chembl_id"),
        **kept(row, "efo_id", "efo_term", "mesh_id", "mesh_heading"),
        "max_phase_for_ind": number(row.get("max_phase_for_ind")),
    }


@platform.tool(
    example={"usan_stem": "-azosin", "approved_from_year": 1970},
    asks=(
        "new drugs approved in a year",
        "FDA approvals since 2020",
        "all drugs ending in -tinib or -mab",
        "drugs of an ATC class",
        "medicines that were withdrawn from the market",
    ),
)
async def search_approved_drugs(
    api: Api,
    name_contains: Annotated[str, Arg("Part of the drug's preferred name.", "tinib")] | None = None,
    usan_stem: Annotated[str, Arg("Stem of the United States Adopted Name, with its dash.", "-tinib")] | None = None,
    atc_code: AtcCode | None = None,
    approved_from_year: Annotated[int, Arg("First approved in this year or later.", minimum=1900, maximum=2100)]
    | None = None,
    approved_to_year: Annotated[int, Arg("First approved in this year or before.", minimum=1900, maximum=2100)]
    | None = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Answer:
    """List approved drugs by year of first approval, name stem, part of the name or ATC class, with withdrawal. Needs
    one filter. For one drug use resolve_drug, for a disease find_drugs_by_indication.
    """
    filters = {
        "pref_name__icontains": name_contains,
        "usan_stem": usan_stem,
        "atc_classifications__level5__startswith": atc_code,
        "first_approval__gte": approved_from_year,
        "first_approval__lte": approved_to_year,
    }
    if not any(filters.values()):
        raise InvalidArguments("name_contains", "give at least one filter", {"usan_stem": "-azosin"})
    page = {"max_phase": 4, "only": DRUG_FIELDS, "order_by": "molecule_chembl_id", "limit": limit, "offset": offset}
    found, total = await collection(api, "molecule", "molecules", {**filters, **page})
    _check_drugs(found, filters)
    drugs = [{**form_row(row), "parent_chembl_id": parent_of(row)} for row in found]
    return rows(
        drugs,
        total=total,
        next=next_page(offset, len(drugs), total),
        note=withdrawn_note(drugs) if drugs else "ChEMBL has no approved drug that fits all of this.",
        citations=[cite_molecule(drug) for drug in drugs],
    )


def _check_drugs(found: list[Json], filters: dict[str, Json]) -> None:
    check_all(found, "max_phase", 4, at_least(4))
    name, stem, atc, first, last = filters.values()
    if name:
        check_all(found, "pref_name", name, contains(name))
    if stem:
        check(found, "usan_stem", stem)
    if atc:
        codes_fit = lambda codes: any(str(code).startswith(atc) for code in codes or [])  # noqa: E731
        check_all(found, "atc_classifications", atc, codes_fit)
    if first or last:
        years = range(first or 0, (last or 9999) + 1)
        check_all(found, "first_approval", f"{first or ''}-{last or ''}", lambda year: year in years)


@platform.tool(
    example={"atc_code": "C02CA01"},
    asks=(
        "anatomical therapeutic chemical code of a drug",
        "what does ATC L01 mean",
        "therapeutic class hierarchy of WHO",
        "drugs in the same class",
        "what class of medicine does the code stand for",
    ),
)
async def get_atc_class(
    api: Api,
    atc_code: AtcCode | None = None,
    name_contains: Annotated[str, Arg("Part of the WHO name of a substance.", "azosin")] | None = None,
    limit: Limit = 100,
    offset: Offset = 0,
) -> Answer:
    """Get the ATC tree: the levels of a code, and the substances of a class or with a name. Give code or name. Rows
    are substances with their five levels. For drugs with ChEMBL ids use search_approved_drugs.
    """
    if one_of(atc_code=atc_code, name_contains=name_contains) == "atc_code":
        code = atc_code or ""
        field, wanted = ATC_LEVELS[len(code)], code
        filters = {field: code}
    else:
        field, wanted = "who_name", name_contains or ""
        filters = {"who_name__icontains": wanted}
    parameters = {**filters, "order_by": "level5", "limit": limit, "offset": offset}
    found, total = await collection(api, "atc_class", "atc", parameters)
    check_all(found, field, wanted, contains(wanted) if name_contains else lambda value: value == wanted)
    if not found and atc_code:
        return unknown_id(wanted, f"The ATC system has no {field} {wanted} in ChEMBL.")
    return rows(
        found,
        total=total,
        next=next_page(offset, len(found), total),
        note="" if found else f"No substance of the ATC system has {wanted!r} in its name.",
        citations=[
            Citation("atc", row["level5"], row.get("who_name") or "", _atc_page(row["level5"]))
            for row in found
            if row.get("level5")
        ],
    )


def _atc_page(code: str) -> str:
    return f"https://atcddd.fhi.no/atc_ddd_index/?code={code}"
