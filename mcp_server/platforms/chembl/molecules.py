"""Compounds by id or by filters: the whole record, short records of many, forms, properties, alerts."""

from typing import Annotated

from mcp_server.args import ChemblId, Limit, Offset
from mcp_server.envelope import Answer, InvalidArguments, empty, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.platforms.chembl.families import (
    FORM_FIELDS,
    Family,
    family_of,
    form_row,
    forms_of,
    molecules_by_id,
    no_molecule,
    parent_of,
    with_withdrawal,
    withdrawn_note,
)
from mcp_server.platforms.chembl.service import (
    Json,
    at_most,
    check,
    check_all,
    cite_molecule,
    collection,
    next_page,
    nothing,
    number,
    number_or_text,
    platform,
    record,
)
from mcp_server.tool import Arg

SYNONYMS_SHOWN = 15
BATCH_MAX = 50
SHORT_FIELDS = f"{FORM_FIELDS},molecule_structures,molecule_properties"
MoleculeIds = Annotated[
    list[str],
    Arg(
        f"ChEMBL ids of molecules, {BATCH_MAX} at most.",
        ["CHEMBL25", "CHEMBL192"],
        r"^CHEMBL\d+$",
        max_items=BATCH_MAX,
        normalise=str.upper,
    ),
]


def properties_of(molecule: Json) -> dict[str, Json] | None:
    """Return the calculated properties with numbers as numbers; biologics have none."""
    properties = molecule.get("molecule_properties")
    return {name: number_or_text(value) for name, value in properties.items()} if properties else None


def short(molecule: Json) -> dict[str, Json]:
    """Keep what tells a compound from others: names, phase, structure as SMILES and key, properties."""
    structures = molecule.get("molecule_structures") or {}
    row = {name: molecule[name] for name in FORM_FIELDS.split(",") if name in molecule}
    return {
        **form_row(row),
        "parent_chembl_id": parent_of(molecule),
        "canonical_smiles": structures.get("canonical_smiles"),
        "standard_inchi_key": structures.get("standard_inchi_key"),
        "molecule_properties": properties_of(molecule),
    }


@platform.tool(
    example={"chembl_id": "CHEMBL2010601"},
    asks=(
        "structure and SMILES of a ChEMBL molecule",
        "record of a compound by CHEMBL id",
        "is it a small molecule or antibody",
        "InChIKey, max phase of a molecule",
    ),
)
async def get_molecule(api: Api, chembl_id: ChemblId) -> Answer:
    """Get a molecule's names, type, structure, properties, highest phase, withdrawal and its other forms. For several
    molecules use get_molecules_batch, for what a drug does drug_dossier.
    """
    molecule = await record(api, f"/molecule/{chembl_id}.json")
    if molecule is None:
        return await no_molecule(api, chembl_id)
    check([molecule], "molecule_chembl_id", chembl_id)
    forms = await forms_of(api, parent_of(molecule))
    itself = {name: molecule[name] for name in FORM_FIELDS.split(",") if name in molecule}
    family = Family(parent_of(molecule), tuple(forms or [form_row(itself)]))
    (molecule.get("molecule_structures") or {}).pop("molfile", None)
    names = list(dict.fromkeys(item["molecule_synonym"] for item in molecule.get("molecule_synonyms") or []))
    molecule["molecule_synonyms"] = names[:SYNONYMS_SHOWN]
    molecule["molecule_synonym_count"] = len(names)
    if "max_phase" in molecule:
        molecule["max_phase"] = number(molecule["max_phase"])
    return Answer({**molecule, "family": await with_withdrawal(api, family)}, citations=family.citations)


@platform.tool(
    example={"molecule_type": "Small molecule", "max_phase": 4, "mw_max": 200},
    asks=(
        "find compounds by name or property",
        "molecules below 500 Da that obey Lipinski",
        "antibodies or peptides in phase 3",
        "chemical library search",
    ),
)
async def search_molecules(
    api: Api,
    query: Annotated[str, Arg("Words to find in names and descriptions, best match first.", "kinase inhibitor")]
    | None = None,
    molecule_type: Annotated[str, Arg("Type as ChEMBL words it: Small molecule, Antibody, Protein …", "Antibody")]
    | None = None,
    max_phase: Annotated[
        float, Arg("Highest phase reached, exactly: 4 approved, 3, 2, 1, 0.5, -1 unknown.", 4, minimum=-1, maximum=4)
    ]
    | None = None,
    mw_max: Annotated[float, Arg("Highest molecular weight of the parent, in dalton.", 500, minimum=1)] | None = None,
    ro5_max: Annotated[int, Arg("Most violations of the rule of five.", 0, minimum=0, maximum=4)] | None = None,
    limit: Limit = 20,
    offset: Offset = 0,
) -> Answer:
    """Search compounds by words, or by type, phase, weight and rule of five; gives structure and properties. Words and
    filters cannot be joined. For one known drug use resolve_drug, for approved drugs by year, stem or class
    search_approved_drugs.
    """
    filters = {
        "molecule_type": molecule_type,
        "max_phase": None if max_phase is None else f"{max_phase:g}",
        "molecule_properties__mw_freebase__lte": mw_max,
        "molecule_properties__num_ro5_violations__lte": ro5_max,
    }
    filtered = any(value is not None for value in filters.values())
    if bool(query) == filtered:
        raise InvalidArguments("query", "give either words or filters: ChEMBL cannot filter a text search", "aspirin")
    page = {"only": SHORT_FIELDS, "limit": limit, "offset": offset}
    if query:
        found, total = await collection(api, "molecule/search", "molecules", {"q": query, **page})
    else:
        ordered = {**filters, **page, "order_by": "molecule_chembl_id"}
        found, total = await collection(api, "molecule", "molecules", ordered)
        _check_filters(found, molecule_type, max_phase, mw_max, ro5_max)
    molecules = [short(row) for row in found]
    note = "ChEMBL has no molecule that fits."
    if molecules:
        fuzzy = f"A text search is fuzzy: {total} hits, few of them meant." if query else ""
        note = f"{withdrawn_note(molecules)} {fuzzy}".strip()
    return rows(
        molecules,
        total=total,
        next=next_page(offset, len(molecules), total),
        note=note,
        citations=[cite_molecule(row) for row in molecules],
    )


def _check_filters(
    found: list[Json], molecule_type: str | None, max_phase: float | None, mw_max: float | None, ro5_max: int | None
) -> None:
    if molecule_type:
        check(found, "molecule_type", molecule_type)
    if max_phase is not None:
        check_all(found, "max_phase", max_phase, lambda value: number(value) == max_phase)
    properties = [row.get("molecule_properties") or {} for row in found]
    for name, most in (("mw_freebase", mw_max), ("num_ro5_violations", ro5_max)):
        if most is not None:
            check_all(properties, name, f"of at most {most}", at_most(most))


def _of_batch(asked: list[str], found: list[Json]) -> Answer:
    """Answer with the molecules in the order asked for, naming those that ChEMBL does not know."""
    by_id = {row["molecule_chembl_id"]: row for row in found}
    ordered = [by_id[chembl_id] for chembl_id in dict.fromkeys(asked) if chembl_id in by_id]
    missing = [chembl_id for chembl_id in dict.fromkeys(asked) if chembl_id not in by_id]
    if not ordered:
        return unknown_id(", ".join(missing), f"ChEMBL has no molecule {' or '.join(missing)}.")
    return rows(
        ordered,
        note=f"ChEMBL has no molecule {', '.join(missing)}." if missing else "",
        data={"molecules": ordered, "unknown_ids": missing},
        citations=[cite_molecule(row) for row in ordered],
    )


@platform.tool(
    example={"chembl_ids": ["CHEMBL25", "CHEMBL192", "CHEMBL27"]},
    asks=(
        "several CHEMBL molecules in one go",
        "list of ChEMBL ids to names and structures",
        "bulk compound records",
    ),
)
async def get_molecules_batch(api: Api, chembl_ids: MoleculeIds) -> Answer:
    """Many at once (up to 50): short records of molecules by ChEMBL id, with phase, structure and properties. Unknown
    ids are named. For one molecule in full use get_molecule.
    """
    known = await molecules_by_id(api, list(dict.fromkeys(chembl_ids)), SHORT_FIELDS)
    return _of_batch(chembl_ids, [short(row) for row in known.values()])


@platform.tool(
    example={"chembl_ids": ["CHEMBL2"]},
    asks=(
        "logP, polar surface area, molecular weight of a molecule",
        "is it orally bioavailable, rule of five violations",
        "physicochemical descriptors, QED",
        "lipophilicity of a ChEMBL compound",
        "will the molecule be absorbed when swallowed",
    ),
)
async def get_admet_properties(api: Api, chembl_ids: MoleculeIds) -> Answer:
    """Get calculated properties of up to 50 molecules: weight, AlogP, polar surface, bonds, rule of five, QED. All are
    calculated, none measured; biologics have none. For measured ones use get_bioactivities with type A.
    """
    fields = "molecule_chembl_id,pref_name,molecule_properties"
    known = await molecules_by_id(api, list(dict.fromkeys(chembl_ids)), fields)
    return _of_batch(chembl_ids, [{**row, "molecule_properties": properties_of(row)} for row in known.values()])


@platform.tool(
    example={"chembl_id": "CHEMBL554"},
    asks=(
        "salt forms of a drug",
        "parent compound of a hydrochloride",
        "free base and its salts, hydrates",
        "is mesylate the same molecule",
    ),
)
async def get_molecule_forms(api: Api, chembl_id: ChemblId) -> Answer:
    """List the parent, salts and other forms of a compound, each with name and phase; works from any form. For stereo
    forms and mixtures use PubChem.
    """
    family = await family_of(api, chembl_id)
    if family is None:
        return await no_molecule(api, chembl_id)
    return rows(list(family.forms), data=family.facts, citations=family.citations)


@platform.tool(
    example={"chembl_id": "CHEMBL457419"},
    asks=(
        "PAINS filter",
        "is this compound a frequent hitter",
        "reactive or toxic groups in a molecule",
        "medicinal chemistry red flags",
    ),
)
async def get_structural_alerts(api: Api, chembl_id: ChemblId, limit: Limit = 50, offset: Offset = 0) -> Answer:
    """List undesirable fragments in a compound (PAINS, Glaxo, Dundee, BMS …) with the set and pattern of each. An
    alert is a reason to look, not a verdict.
    """
    parameters = {"molecule_chembl_id": chembl_id, "order_by": "cpd_str_alert_id", "limit": limit, "offset": offset}
    resource = "compound_structural_alert"
    found, total = await collection(api, resource, "compound_structural_alerts", parameters)
    check(found, "molecule_chembl_id", chembl_id)
    if not found and not total:
        data = {"molecule_chembl_id": chembl_id, "alerts": []}
        return await nothing(api, chembl_id, "molecule", f"ChEMBL has no alert for {chembl_id}.", data)
    if not found:
        return empty(f"There are {total} alerts, none after the first {offset}.")
    alerts = [_alert(row["alert"]) for row in found]
    return rows(
        alerts,
        total=total,
        next=next_page(offset, len(alerts), total),
        data={"molecule_chembl_id": chembl_id, "alerts": alerts},
        citations=[cite_molecule(row) for row in found[:1]],
    )


def _alert(alert: Json) -> dict[str, Json]:
    alert_set = alert.get("alert_set") or {}
    return {
        **{name: alert.get(name) for name in ("alert_id", "alert_name", "smarts")},
        "set_name": alert_set.get("set_name"),
        "priority": alert_set.get("priority"),
    }
