"""A drug as ChEMBL spreads it: a parent molecule and its salts, and what hangs on any of them.

Mechanisms, indications and warnings hang on one form of a drug, often a salt: they are collected by
parent, and each row names its form.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from mcp_server.envelope import Answer, Citation, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse, UpstreamError
from mcp_server.platforms.chembl.service import (
    HOST,
    REFERENCES_SHOWN,
    Json,
    check,
    cite_molecule,
    collection,
    number,
    record,
    why_unknown,
)

# Asked for by name, so that a list of forms stays small; the whole record has 40 fields.
FORM_FIELDS = (
    "molecule_chembl_id,pref_name,molecule_type,max_phase,first_approval,molecule_hierarchy,"
    "withdrawn_flag,black_box_warning"
)
WARNING_KEY = ("warning_type", "warning_year", "warning_country")
WARNING_LISTS = {
    "warning_classes": "warning_class",
    "warning_descriptions": "warning_description",
    "efo_terms": "efo_term",
    "molecule_chembl_ids": "molecule_chembl_id",
    "warning_refs": "warning_refs",
}


@dataclass(frozen=True)
class Family:
    """A parent molecule and all its forms, the parent among them."""

    parent_id: str
    forms: tuple[Json, ...]

    def name(self, chembl_id: str) -> str | None:
        """Return the preferred name of one form."""
        return next((form.get("pref_name") for form in self.forms if form["molecule_chembl_id"] == chembl_id), None)

    @property
    def facts(self) -> dict[str, Json]:
        """What every answer about the drug says first: its forms, the highest phase among them, withdrawal."""
        phases = [form["max_phase"] for form in self.forms if form.get("max_phase") is not None]
        return {
            "parent_chembl_id": self.parent_id,
            "pref_name": self.name(self.parent_id),
            "max_phase_over_forms": max(phases, default=None),
            "withdrawn_flag": any(form.get("withdrawn_flag") for form in self.forms),
            "forms": list(self.forms),
        }

    @property
    def citations(self) -> list[Citation]:
        """Cite each form."""
        return [cite_molecule(form) for form in self.forms]


def parent_of(molecule: Json) -> str:
    """Return the id of a molecule's parent, which may be itself."""
    hierarchy = molecule.get("molecule_hierarchy") or {}
    return str(hierarchy.get("parent_chembl_id") or molecule["molecule_chembl_id"])


def form_row(molecule: Json) -> Json:
    """Return a molecule as one of a drug's forms."""
    form = {name: value for name, value in molecule.items() if name != "molecule_hierarchy"}
    if "max_phase" in form:
        form["max_phase"] = number(form["max_phase"])
    if "withdrawn_flag" in form:
        # Some releases write it as text, and "0" must not count as yes.
        form["withdrawn_flag"] = form["withdrawn_flag"] in (True, "1", "true")
    return {**form, "is_parent": parent_of(molecule) == molecule["molecule_chembl_id"]}


async def forms_of(api: Api, parent_id: str) -> list[Json]:
    """Return all forms of a parent, itself first."""
    parameters = {
        "molecule_hierarchy__parent_chembl_id": parent_id,
        "only": FORM_FIELDS,
        "order_by": "molecule_chembl_id",
    }
    found, _ = await collection(api, "molecule", "molecules", parameters)
    for molecule in found:
        if parent_of(molecule) != parent_id:
            raise UpstreamBadResponse(HOST, f"asked for forms of {parent_id}, got {molecule['molecule_chembl_id']}")
    ordered = [form_row(molecule) for molecule in found]
    return sorted(ordered, key=lambda form: not form["is_parent"])


async def family_of(api: Api, chembl_id: str) -> Family | None:
    """Return the family that a molecule belongs to, or None if there is no such molecule."""
    forms = await forms_of(api, chembl_id)
    if forms:
        return Family(chembl_id, tuple(forms))
    # No form names this id as its parent: it is a salt, or unknown.
    molecule = await record(api, f"/molecule/{chembl_id}.json", {"only": FORM_FIELDS})
    if molecule is None:
        return None
    parent_id = parent_of(molecule)
    forms = await forms_of(api, parent_id) if parent_id != chembl_id else []
    return Family(parent_id, tuple(forms or [form_row(molecule)]))


async def no_molecule(api: Api, query: str) -> Answer:
    """Answer that there is no such molecule, and where ChEMBL tells it, why."""
    reason = ""
    if query.startswith("CHEMBL"):
        # That there is none is known already; only the reason is asked for.
        with suppress(UpstreamError):
            reason = await why_unknown(api, query, "molecule")
    return unknown_id(query, reason or f"ChEMBL has no molecule {query}.")


async def by_parent(api: Api, resource: str, key: str, parent_id: str, order: str) -> list[Json]:
    """Return the rows that hang on any form of a drug."""
    parameters = {"parent_molecule_chembl_id": parent_id, "order_by": order}
    found, _ = await collection(api, resource, key, parameters)
    check(found, "parent_molecule_chembl_id", parent_id)
    return found


def grouped_warnings(found: Iterable[Json]) -> list[Json]:
    """Fold the rows of one warning, which differ by class, wording, disease term and source, into one."""
    groups: dict[tuple[Json, ...], Json] = {}
    for row in found:
        key = tuple(row.get(name) for name in WARNING_KEY)
        group = groups.setdefault(
            key, {**dict(zip(WARNING_KEY, key, strict=True)), **{new: [] for new in WARNING_LISTS}}
        )
        for new, old in WARNING_LISTS.items():
            values = row.get(old) or []
            group[new] += [v for v in (values if isinstance(values, list) else [values]) if v not in group[new]]
    for group in groups.values():
        group["warning_ref_count"] = len(group["warning_refs"])
        group["warning_refs"] = group["warning_refs"][:REFERENCES_SHOWN]
    return sorted(groups.values(), key=lambda group: (group["warning_type"] != "Withdrawn", group["warning_year"] or 0))


async def with_withdrawal(api: Api, family: Family) -> dict[str, Json]:
    """Return the family's facts; a withdrawn drug keeps phase 4, so year, country and reason stand beside it."""
    facts = family.facts
    if facts["withdrawn_flag"]:
        found = await by_parent(api, "drug_warning", "drug_warnings", family.parent_id, "warning_id")
        facts["withdrawals"] = [group for group in grouped_warnings(found) if group["warning_type"] == "Withdrawn"]
    return facts


async def molecules_by_id(api: Api, chembl_ids: Sequence[str], fields: str = FORM_FIELDS) -> dict[str, Json]:
    """Return short records of some molecules, by id."""
    if not chembl_ids:
        return {}
    parameters = {"molecule_chembl_id__in": ",".join(chembl_ids), "only": fields, "order_by": "molecule_chembl_id"}
    found, _ = await collection(api, "molecule", "molecules", parameters)
    known = {molecule["molecule_chembl_id"]: molecule for molecule in found}
    if strays := known.keys() - set(chembl_ids):
        raise UpstreamBadResponse(HOST, f"asked for {len(chembl_ids)} molecules, got {min(strays)} too")
    return known


def withdrawn_note(molecules: Iterable[Json]) -> str:
    """Name the withdrawn ones: they keep phase 4, and a list of drugs must not hide it."""
    withdrawn = sorted({molecule.get("pref_name") or "" for molecule in molecules if molecule.get("withdrawn_flag")})
    return f"Withdrawn from a market: {', '.join(withdrawn)}." if withdrawn else ""
