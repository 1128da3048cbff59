"""ChEMBL: drug-like molecules with their targets, mechanisms, indications and warnings.

REST/JSON at https://www.ebi.ac.uk/chembl/api/data, no key. An unknown parameter is silently ignored,
so every row is checked for the id that was asked for. Mechanisms, indications and warnings hang on one
form of a drug, often a salt: they are collected by parent. Most numbers arrive as text. A 404 with an
empty body means "no such record", one with a page means a routing fault.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from mcp_server.args import ChemblId, DrugName, GeneSymbol, Limit, Offset, UniProtAccession, gene_symbol_form
from mcp_server.envelope import Answer, Citation, InvalidArguments, empty, rows, unknown_id
from mcp_server.http.client import Api, Parameters
from mcp_server.http.errors import UpstreamBadResponse, UpstreamNotFound
from mcp_server.http.rate_limit import Rate
from mcp_server.tool import Arg, Platform

Json = Any

HOST = "www.ebi.ac.uk"
platform = Platform(
    "chembl",
    title="ChEMBL",
    base_url=f"https://{HOST}/chembl/api/data",
    docs="https://chembl.gitbook.io/chembl-interface-documentation/web-services",
    licence="CC BY-SA 3.0",
    rate=Rate(4),
)

PAGE_ROWS = 1000
# Asked for by name, so that a list of forms stays small; the whole record has 40 fields.
FORM_FIELDS = (
    "molecule_chembl_id,pref_name,molecule_type,max_phase,first_approval,molecule_hierarchy,"
    "withdrawn_flag,black_box_warning"
)
NAMES_MAX = 5
SYNONYMS_SHOWN = 15
REFERENCES_SHOWN = 5
MECHANISM_FIELDS = (
    "mec_id", "mechanism_of_action", "action_type", "target_chembl_id", "direct_interaction", "disease_efficacy",
    "max_phase", "mechanism_comment", "selectivity_comment", "binding_site_comment",
)  # fmt: skip
WARNING_KEY = ("warning_type", "warning_year", "warning_country")
WARNING_LISTS = {
    "warning_classes": "warning_class",
    "warning_descriptions": "warning_description",
    "efo_terms": "efo_term",
    "molecule_chembl_ids": "molecule_chembl_id",
    "warning_refs": "warning_refs",
}

ChemblTargetId = Annotated[str, Arg("ChEMBL id of a target.", "CHEMBL1824", r"^CHEMBL\d+$", normalise=str.upper)]


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
        return [_cite(form) for form in self.forms]


def _number(value: Json) -> float | None:
    """Read a number that may be text; what is none becomes None, never 0."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def _cite(molecule: Json) -> Citation:
    return Citation("chembl", molecule["molecule_chembl_id"], molecule.get("pref_name") or "")


def _cite_target(target_id: str, label: str = "") -> Citation:
    return Citation("chembl", target_id, label, f"https://{HOST}/chembl/explore/target/{target_id}")


def _parent_of(molecule: Json) -> str:
    hierarchy = molecule.get("molecule_hierarchy") or {}
    return str(hierarchy.get("parent_chembl_id") or molecule["molecule_chembl_id"])


def _form(molecule: Json) -> Json:
    form = {name: value for name, value in molecule.items() if name != "molecule_hierarchy"}
    if "max_phase" in form:
        form["max_phase"] = _number(form["max_phase"])
    return {**form, "is_parent": _parent_of(molecule) == molecule["molecule_chembl_id"]}


async def _record(api: Api, path: str, parameters: Parameters | None = None) -> Json:
    """Return one record, or None if ChEMBL does not know the id."""
    try:
        return await api.get(path, parameters)
    except UpstreamNotFound as error:
        if error.body:
            raise UpstreamBadResponse(error.host, f"a page instead of a record: {error.message}", status=404) from error
        return None


async def _list(api: Api, resource: str, key: str, parameters: Parameters) -> tuple[list[Json], int]:
    """Return the rows of a collection and the service's count."""
    answer = await api.get(f"/{resource}.json", {**parameters, "limit": parameters.get("limit", PAGE_ROWS)})
    if not isinstance(answer, dict) or key not in answer:
        raise UpstreamBadResponse(HOST, f"no {key!r} in the answer of {resource}")
    return answer[key], (answer.get("page_meta") or {}).get("total_count", len(answer[key]))


def _check(found: Iterable[Json], field: str, wanted: str) -> None:
    """Refuse rows of another record: ChEMBL answers an unknown filter with the whole table."""
    for row in found:
        if row.get(field) != wanted:
            raise UpstreamBadResponse(HOST, f"asked for {field} {wanted}, got a row of {row.get(field)}")


async def _forms(api: Api, parent_id: str) -> list[Json]:
    parameters = {
        "molecule_hierarchy__parent_chembl_id": parent_id,
        "only": FORM_FIELDS,
        "order_by": "molecule_chembl_id",
    }
    found, _ = await _list(api, "molecule", "molecules", parameters)
    for molecule in found:
        if _parent_of(molecule) != parent_id:
            raise UpstreamBadResponse(HOST, f"asked for forms of {parent_id}, got {molecule['molecule_chembl_id']}")
    ordered = [_form(molecule) for molecule in found]
    return sorted(ordered, key=lambda form: not form["is_parent"])


async def _family(api: Api, chembl_id: str) -> Family | None:
    """Return the family that a molecule belongs to, or None if there is no such molecule."""
    forms = await _forms(api, chembl_id)
    if forms:
        return Family(chembl_id, tuple(forms))
    # No form names this id as its parent: it is a salt, or unknown.
    molecule = await _record(api, f"/molecule/{chembl_id}.json", {"only": FORM_FIELDS})
    if molecule is None:
        return None
    parent_id = _parent_of(molecule)
    forms = await _forms(api, parent_id) if parent_id != chembl_id else []
    return Family(parent_id, tuple(forms or [_form(molecule)]))


def _unknown(chembl_id: str) -> Answer:
    return unknown_id(chembl_id, f"ChEMBL has no molecule {chembl_id}.")


async def _by_parent(api: Api, resource: str, key: str, parent_id: str, order: str) -> list[Json]:
    parameters = {"parent_molecule_chembl_id": parent_id, "order_by": order}
    found, _ = await _list(api, resource, key, parameters)
    _check(found, "parent_molecule_chembl_id", parent_id)
    return found


def _grouped_warnings(found: Iterable[Json]) -> list[Json]:
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


async def _with_withdrawal(api: Api, family: Family) -> dict[str, Json]:
    """Return the family's facts; a withdrawn drug keeps phase 4, so year, country and reason stand beside it."""
    facts = family.facts
    if facts["withdrawn_flag"]:
        found = await _by_parent(api, "drug_warning", "drug_warnings", family.parent_id, "warning_id")
        facts["withdrawals"] = [group for group in _grouped_warnings(found) if group["warning_type"] == "Withdrawn"]
    return facts


async def _named(api: Api, drug_name: str) -> tuple[str, list[Json], int]:
    """Find molecules by exact preferred name, else by exact synonym, else by text; say which."""
    exact = {"pref_name": "pref_name__iexact", "synonym": "molecule_synonyms__molecule_synonym__iexact"}
    for matched_as, filter_name in exact.items():
        parameters = {filter_name: drug_name, "only": FORM_FIELDS, "limit": 20}
        found, total = await _list(api, "molecule", "molecules", parameters)
        if found:
            return matched_as, found, total
    parameters = {"q": drug_name, "only": FORM_FIELDS, "limit": NAMES_MAX}
    found, total = await _list(api, "molecule/search", "molecules", parameters)
    return "text", found, total


@platform.tool(core=True, example={"drug_name": "clopidogrel"})
async def resolve_drug(api: Api, drug_name: DrugName) -> Answer:
    """Find the ChEMBL id of a drug by name, brand or code: the parent first, with salts, phase and withdrawal."""
    if re.fullmatch(r"CHEMBL\d+", drug_name, re.IGNORECASE):
        family = await _family(api, drug_name.upper())
        if family is None:
            return _unknown(drug_name.upper())
        return _resolved(drug_name, "chembl_id", [await _with_withdrawal(api, family)], family.citations, "")
    matched_as, hits, total = await _named(api, drug_name)
    if not hits:
        return empty(f"ChEMBL has no molecule called {drug_name!r}.", {"query": drug_name, "molecules": []})
    if matched_as == "text":
        note = f"No molecule is called {drug_name!r} exactly; these are the nearest of {total} by text."
        return _resolved(drug_name, matched_as, [_form(hit) for hit in hits], [_cite(hit) for hit in hits], note)
    parents = list(dict.fromkeys(_parent_of(hit) for hit in hits))
    molecules, citations = [], []
    for parent_id in parents[:NAMES_MAX]:
        forms = await _forms(api, parent_id)
        family = Family(parent_id, tuple(forms or [_form(hit) for hit in hits if _parent_of(hit) == parent_id]))
        molecules.append(await _with_withdrawal(api, family))
        citations += family.citations
    note = f"{len(parents)} different drugs carry this name: choose one." if len(parents) > 1 else ""
    return _resolved(drug_name, matched_as, molecules, citations, note, total=len(parents))


def _resolved(
    query: str,
    matched_as: str,
    molecules: list[Json],
    citations: Sequence[Citation],
    note: str,
    total: int | None = None,
) -> Answer:
    data = {"query": query, "matched_as": matched_as, "molecules": molecules}
    return rows(molecules, total=total, note=note, data=data, citations=citations)


@platform.tool(example={"chembl_id": "CHEMBL2010601"})
async def get_molecule(api: Api, chembl_id: ChemblId) -> Answer:
    """Get a molecule's names, type, structure, properties, highest phase, withdrawal and its other forms."""
    molecule = await _record(api, f"/molecule/{chembl_id}.json")
    if molecule is None:
        return _unknown(chembl_id)
    _check([molecule], "molecule_chembl_id", chembl_id)
    forms = await _forms(api, _parent_of(molecule))
    itself = {name: molecule[name] for name in FORM_FIELDS.split(",") if name in molecule}
    family = Family(_parent_of(molecule), tuple(forms or [_form(itself)]))
    (molecule.get("molecule_structures") or {}).pop("molfile", None)
    names = list(dict.fromkeys(item["molecule_synonym"] for item in molecule.get("molecule_synonyms") or []))
    molecule["molecule_synonyms"] = names[:SYNONYMS_SHOWN]
    molecule["molecule_synonym_count"] = len(names)
    if "max_phase" in molecule:
        molecule["max_phase"] = _number(molecule["max_phase"])
    return Answer({**molecule, "family": await _with_withdrawal(api, family)}, citations=family.citations)


def _mechanism(row: Json, family: Family) -> Json:
    kept = {name: row[name] for name in MECHANISM_FIELDS if row.get(name) is not None}
    kept["mechanism_refs"] = (row.get("mechanism_refs") or [])[:REFERENCES_SHOWN]
    if row.get("variant_sequence"):
        # The whole protein sequence hangs here.
        kept["variant_sequence"] = {k: v for k, v in row["variant_sequence"].items() if k != "sequence"}
    form_id = row["molecule_chembl_id"]
    return {**kept, "molecule_chembl_id": form_id, "molecule_pref_name": family.name(form_id)}


@platform.tool(example={"chembl_id": "CHEMBL554"})
async def get_drug_mechanisms(api: Api, chembl_id: ChemblId) -> Answer:
    """List a drug's curated mechanisms of action and targets, collected over parent and salts, naming the form."""
    family = await _family(api, chembl_id)
    if family is None:
        return _unknown(chembl_id)
    found = await _by_parent(api, "mechanism", "mechanisms", family.parent_id, "mec_id")
    mechanisms = [_mechanism(row, family) for row in found]
    targets = dict.fromkeys(row["target_chembl_id"] for row in mechanisms if row.get("target_chembl_id"))
    return rows(
        mechanisms,
        note="" if mechanisms else f"ChEMBL has no curated mechanism for {chembl_id} or its other forms.",
        data={"molecule_chembl_id": chembl_id, **family.facts, "mechanisms": mechanisms},
        citations=[*family.citations, *(_cite_target(target_id) for target_id in targets)],
    )


def _indication(row: Json, family: Family) -> Json:
    references = []
    for reference in row.get("indication_refs") or []:
        # One reference packs up to a hundred trial numbers.
        ids = reference["ref_id"].split(",")
        references.append({"ref_type": reference["ref_type"], "ref_ids": ids[:REFERENCES_SHOWN], "count": len(ids)})
    kept = {name: row.get(name) for name in ("efo_id", "efo_term", "mesh_id", "mesh_heading")}
    return {
        **kept,
        "max_phase_for_ind": _number(row.get("max_phase_for_ind")),
        "molecule_chembl_id": row["molecule_chembl_id"],
        "molecule_pref_name": family.name(row["molecule_chembl_id"]),
        "indication_refs": references,
    }


@platform.tool(example={"chembl_id": "CHEMBL2010601"})
async def get_drug_indications(api: Api, chembl_id: ChemblId, limit: Limit = 50, offset: Offset = 0) -> Answer:
    """List diseases a drug is approved for (phase 4) or studied in, over parent and salts, highest phase first."""
    family = await _family(api, chembl_id)
    if family is None:
        return _unknown(chembl_id)
    found = await _by_parent(api, "drug_indication", "drug_indications", family.parent_id, "drugind_id")
    ordered = sorted((_indication(row, family) for row in found), key=lambda row: -(row["max_phase_for_ind"] or -2))
    shown = ordered[offset : offset + limit]
    return rows(
        shown,
        total=len(ordered),
        next=_next(offset, len(shown), len(ordered)),
        note="" if ordered else f"ChEMBL lists no indication for {chembl_id} or its other forms.",
        data={"molecule_chembl_id": chembl_id, **family.facts, "drug_indications": shown},
        citations=family.citations,
    )


@platform.tool(example={"chembl_id": "CHEMBL122"})
async def get_drug_warnings(api: Api, chembl_id: ChemblId) -> Answer:
    """List a drug's withdrawals and boxed warnings: year, country, reason, class, over parent and salts."""
    family = await _family(api, chembl_id)
    if family is None:
        return _unknown(chembl_id)
    groups = _grouped_warnings(await _by_parent(api, "drug_warning", "drug_warnings", family.parent_id, "warning_id"))
    return rows(
        groups,
        note="" if groups else f"ChEMBL lists no withdrawal or boxed warning for {chembl_id} or its other forms.",
        data={"molecule_chembl_id": chembl_id, **family.facts, "drug_warnings": groups},
        citations=family.citations,
    )


def _next(offset: int, returned: int, total: int) -> dict[str, Json] | None:
    return {"offset": offset + returned} if returned and offset + returned < total else None


@platform.tool(example={"target_chembl_id": "CHEMBL1824"})
async def find_drugs_by_target(
    api: Api, target_chembl_id: ChemblTargetId, limit: Limit = 100, offset: Offset = 0
) -> Answer:
    """List drugs whose curated mechanism is a given ChEMBL target, with action, phase, form and withdrawal."""
    parameters = {"target_chembl_id": target_chembl_id, "order_by": "mec_id"}
    found, total = await _list(api, "mechanism", "mechanisms", parameters)
    _check(found, "target_chembl_id", target_chembl_id)
    if not found:
        target = await _record(api, f"/target/{target_chembl_id}.json", {"only": "target_chembl_id,pref_name"})
        if target is None:
            return unknown_id(target_chembl_id, f"ChEMBL has no target {target_chembl_id}.")
        return empty(f"ChEMBL has no curated mechanism on {target_chembl_id} ({target.get('pref_name')}).")
    shown = found[offset : offset + limit]
    ids = list(dict.fromkeys(row["molecule_chembl_id"] for row in shown))
    parameters = {"molecule_chembl_id__in": ",".join(ids), "only": FORM_FIELDS, "order_by": "molecule_chembl_id"}
    molecules, _ = await _list(api, "molecule", "molecules", parameters)
    known = {molecule["molecule_chembl_id"]: molecule for molecule in molecules}
    drugs = [_drug_of_target(row, known.get(row["molecule_chembl_id"])) for row in shown]
    drugs.sort(key=lambda drug: (-(drug.get("max_phase") or -2), drug.get("pref_name") or ""))
    withdrawn = sorted({drug["pref_name"] or "" for drug in drugs if drug.get("withdrawn_flag")})
    return rows(
        drugs,
        total=total,
        next=_next(offset, len(shown), len(found)),
        note=f"Withdrawn from a market: {', '.join(withdrawn)}." if withdrawn else "",
        data={"target_chembl_id": target_chembl_id, "count": total, "drugs": drugs},
        citations=[_cite_target(target_chembl_id), *(_cite(drug) for drug in drugs)],
    )


def _drug_of_target(row: Json, molecule: Json | None) -> Json:
    mechanism = {name: row[name] for name in ("mechanism_of_action", "action_type") if row.get(name) is not None}
    form = _form(molecule) if molecule else {"molecule_chembl_id": row["molecule_chembl_id"]}
    return {**form, "parent_chembl_id": _parent_of(molecule) if molecule else None, **mechanism}


def _target(record: Json, wanted: str) -> Json:
    """Keep of a target what tells it from others; cross references take 90 % of the record."""
    components = []
    for component in record.get("target_components") or []:
        synonyms = component.get("target_component_synonyms") or []
        components.append(
            {
                "accession": component.get("accession"),
                "relationship": component.get("relationship"),
                "description": component.get("component_description"),
                "gene_symbols": [s["component_synonym"] for s in synonyms if s["syn_type"] == "GENE_SYMBOL"],
                "is_wanted": wanted.lower()
                in {str(component.get("accession")).lower(), *(s["component_synonym"].lower() for s in synonyms)},
            }
        )
    kept = {name: record.get(name) for name in ("target_chembl_id", "pref_name", "target_type", "organism")}
    return {**kept, "target_components": components}


@platform.tool(example={"gene_symbol": "ERBB2"})
async def resolve_target(
    api: Api, gene_symbol: GeneSymbol | None = None, uniprot_accession: UniProtAccession | None = None
) -> Answer:
    """Find human ChEMBL targets by gene symbol or UniProt accession, single proteins first. Give one of both."""
    if bool(gene_symbol) == bool(uniprot_accession):
        raise InvalidArguments("gene_symbol", "give either a gene symbol or a UniProt accession", "ERBB2")
    common = {"organism": "Homo sapiens", "order_by": "target_chembl_id"}
    if uniprot_accession:
        # Targets name the protein, not one isoform of it.
        wanted = uniprot_accession.partition("-")[0]
        found, total = await _list(api, "target", "targets", {"target_components__accession": wanted, **common})
    else:
        wanted = gene_symbol_form(gene_symbol or "")
        prefix = "target_components__target_component_synonyms"
        symbol = {f"{prefix}__component_synonym__iexact": wanted, **common}
        found, total = await _list(api, "target", "targets", {**symbol, f"{prefix}__syn_type": "GENE_SYMBOL"})
        if not found:
            found, total = await _list(api, "target", "targets", symbol)
    targets = [_target(record, wanted) for record in found]
    for target in targets:
        if not any(component["is_wanted"] for component in target["target_components"]):
            raise UpstreamBadResponse(HOST, f"asked for {wanted}, got target {target['target_chembl_id']}")
    targets.sort(key=lambda target: target["target_type"] != "SINGLE PROTEIN")
    return rows(
        targets,
        total=total,
        note="" if targets else f"ChEMBL has no human target for {wanted}.",
        data={"query": wanted, "targets": targets},
        citations=[_cite_target(target["target_chembl_id"], target["pref_name"] or "") for target in targets],
    )
