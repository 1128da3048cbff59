"""Targets: by name, in full, their relations, protein families and binding sites."""

from collections.abc import Iterable
from typing import Annotated

from mcp_server.args import GeneSymbol, Limit, Offset, UniProtAccession, gene_symbol_form
from mcp_server.envelope import Answer, Citation, empty, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse
from mcp_server.platforms.chembl.service import (
    HOST,
    ChemblTargetId,
    Json,
    Organism,
    check,
    check_all,
    cite_target,
    collection,
    contains,
    kept,
    next_page,
    nothing,
    one_of,
    platform,
    record,
    unknown,
)
from mcp_server.tool import Arg

TEXT_MATCHES = 100
GENE_SYMBOLS = ("GENE_SYMBOL", "GENE_SYMBOL_OTHER")
TargetType = Annotated[str, Arg("Kind of target to keep, as ChEMBL words it.", "SINGLE PROTEIN", normalise=str.upper)]


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
    return {**_named(record), "target_components": components}


def _named(record: Json) -> Json:
    return {name: record.get(name) for name in ("target_chembl_id", "pref_name", "target_type", "organism")}


async def _by_component(
    api: Api, gene_symbol: str, uniprot_accession: str, organism: str, target_type: str | None
) -> tuple[str, list[Json], int]:
    """Find targets by a protein in them: by accession, else by approved symbol, else by any synonym."""
    common = {"organism": organism, "target_type": target_type, "order_by": "target_chembl_id"}
    if uniprot_accession:
        # Targets name the protein, not one isoform of it.
        wanted = uniprot_accession.partition("-")[0]
        found, total = await collection(api, "target", "targets", {"target_components__accession": wanted, **common})
    else:
        wanted = gene_symbol_form(gene_symbol)
        prefix = "target_components__target_component_synonyms"
        symbol = {f"{prefix}__component_synonym__iexact": wanted, **common}
        found, total = await collection(api, "target", "targets", {**symbol, f"{prefix}__syn_type": "GENE_SYMBOL"})
        if not found:
            found, total = await collection(api, "target", "targets", symbol)
    targets = [_target(record, wanted) for record in found]
    for target in targets:
        if not any(component["is_wanted"] for component in target["target_components"]):
            raise UpstreamBadResponse(HOST, f"asked for {wanted}, got target {target['target_chembl_id']}")
    check(targets, "organism", organism)
    return wanted, targets, total


@platform.tool(
    example={"gene_symbol": "ERBB2"},
    asks=(
        "CHEMBL target id of a gene or protein",
        "gene symbol to drug target",
        "UniProt accession to ChEMBL target",
        "which target record is EGFR",
        "which target is meant by this gene name",
    ),
)
async def resolve_target(
    api: Api,
    gene_symbol: GeneSymbol | None = None,
    uniprot_accession: UniProtAccession | None = None,
    target_name: Annotated[str, Arg("Words of a target's name, where there is no gene.", "muscarinic receptor")]
    | None = None,
    organism: Organism = "Homo sapiens",
    target_type: TargetType | None = None,
) -> Answer:
    """Find ChEMBL targets by gene symbol, UniProt accession or words, human unless asked; single proteins first. Give
    one of the three. Complexes that hold the protein follow the protein itself.
    """
    given = one_of(gene_symbol=gene_symbol, uniprot_accession=uniprot_accession, target_name=target_name)
    if given == "target_name":
        return await _by_words(api, target_name or "", organism, target_type)
    wanted, targets, total = await _by_component(api, gene_symbol or "", uniprot_accession or "", organism, target_type)
    if target_type:
        check(targets, "target_type", target_type)
    targets.sort(key=lambda target: target["target_type"] != "SINGLE PROTEIN")
    species = "human" if organism == "Homo sapiens" else organism
    return rows(
        targets,
        total=total,
        note="" if targets else f"ChEMBL has no {species} target for {wanted}.",
        data={"query": wanted, "targets": targets},
        citations=[cite_target(target["target_chembl_id"], target["pref_name"]) for target in targets],
    )


async def _by_words(api: Api, words: str, organism: str, target_type: str | None) -> Answer:
    # ChEMBL cannot filter a text search: the best matches are filtered here.
    fields = "target_chembl_id,pref_name,target_type,organism"
    parameters = {"q": words, "only": fields, "limit": TEXT_MATCHES}
    found, total = await collection(api, "target/search", "targets", parameters)
    fitting = [
        _named(record)
        for record in found
        if record.get("organism") == organism and target_type in (None, record.get("target_type"))
    ]
    note = f"Text matches, best first: {len(fitting)} fit among the first {len(found)} of {total}."
    return rows(
        fitting,
        note=note if fitting else f"{note} Try a gene symbol or another organism.",
        data={"query": words, "targets": fitting},
        citations=[cite_target(target["target_chembl_id"], target["pref_name"]) for target in fitting],
    )


def _component(component: Json, with_cross_references: bool) -> dict[str, Json]:
    by_type: dict[str, list[str]] = {}
    for synonym in component.get("target_component_synonyms") or []:
        by_type.setdefault(synonym["syn_type"], []).append(synonym["component_synonym"])
    short = {
        **kept(component, "accession", "component_id", "component_type", "relationship", "component_description"),
        "gene_symbols": [name for kind in GENE_SYMBOLS for name in by_type.get(kind, [])],
        "ec_numbers": by_type.get("EC_NUMBER", []),
        "synonyms": by_type.get("UNIPROT", []),
    }
    if with_cross_references:
        short["cross_references"] = [
            kept(xref, "xref_src_db", "xref_id", "xref_name") for xref in component.get("target_component_xrefs") or []
        ]
    return short


@platform.tool(
    example={"target_chembl_id": "CHEMBL3885559"},
    asks=(
        "components of a drug target",
        "what proteins make up a CHEMBL target",
        "EC number, organism, type of a target",
        "which protein is behind this target id",
    ),
)
async def get_target(
    api: Api,
    target_chembl_id: ChemblTargetId,
    with_cross_references: Annotated[bool, Arg("Add ids of structures, families and GO terms: long.")] = False,
    with_sequences: Annotated[bool, Arg("Add sequence and protein family ids of each protein.")] = False,
) -> Answer:
    """Get one ChEMBL target: type, species and its proteins with accession, role, gene symbols and EC numbers. For ids
    from a gene use resolve_target; for the biology of a protein use UniProt.
    """
    target = await record(api, f"/target/{target_chembl_id}.json")
    if target is None:
        return await unknown(api, target_chembl_id, "target")
    check([target], "target_chembl_id", target_chembl_id)
    components = [_component(one, with_cross_references) for one in target.get("target_components") or []]
    if with_sequences:
        await _add_sequences(api, components)
    names = ("target_chembl_id", "pref_name", "target_type", "organism", "tax_id", "species_group_flag")
    cited = [
        Citation("uniprot", one["accession"], one.get("component_description", ""))
        for one in components
        if one.get("accession")
    ]
    return Answer(
        {**{name: target.get(name) for name in names}, "target_components": components},
        citations=[cite_target(target_chembl_id, target.get("pref_name")), *cited],
    )


async def _add_sequences(api: Api, components: list[dict[str, Json]]) -> None:
    accessions = [one["accession"] for one in components if one.get("accession")]
    if not accessions:
        return
    parameters = {"accession__in": ",".join(accessions), "order_by": "component_id"}
    found, _ = await collection(api, "target_component", "target_components", parameters)
    check_all(found, "accession", " or ".join(accessions), lambda value: value in accessions)
    known = {row["accession"]: row for row in found}
    for one in components:
        row = known.get(one.get("accession")) or {}
        classes = [item.get("protein_classification_id") for item in row.get("protein_classifications") or []]
        one |= {"sequence": row.get("sequence"), "organism": row.get("organism"), "protein_class_ids": classes}


@platform.tool(
    example={"target_chembl_id": "CHEMBL1824"},
    asks=(
        "protein complexes or families that include a target",
        "parent and subset targets",
        "selectivity groups, subunits of a receptor complex",
    ),
)
async def get_target_relations(
    api: Api, target_chembl_id: ChemblTargetId, limit: Limit = 100, offset: Offset = 0
) -> Answer:
    """List targets that contain a target or are parts of it (complexes, families, subunits), with names. For the
    proteins inside one target use get_target.
    """
    parameters = {
        "target_chembl_id": target_chembl_id,
        "order_by": "related_target_chembl_id",
        "limit": limit,
        "offset": offset,
    }
    found, total = await collection(api, "target_relation", "target_relations", parameters)
    check(found, "target_chembl_id", target_chembl_id)
    if not found and not total:
        note = f"ChEMBL relates {target_chembl_id} to no other target."
        return await nothing(api, target_chembl_id, "target", note)
    named = await _targets_by_id(api, [row["related_target_chembl_id"] for row in found])
    related = [
        {"relationship": row.get("relationship"), **(named.get(row["related_target_chembl_id"]) or _unnamed(row))}
        for row in found
    ]
    return rows(
        related,
        total=total,
        next=next_page(offset, len(related), total),
        data={"target_chembl_id": target_chembl_id, "related_targets": related},
        citations=[cite_target(row["target_chembl_id"], row.get("pref_name")) for row in related],
    )


def _unnamed(row: Json) -> Json:
    return {"target_chembl_id": row["related_target_chembl_id"]}


async def _targets_by_id(api: Api, target_ids: Iterable[str]) -> dict[str, Json]:
    ids = ",".join(dict.fromkeys(target_ids))
    if not ids:
        return {}
    fields = "target_chembl_id,pref_name,target_type,organism"
    parameters = {"target_chembl_id__in": ids, "only": fields, "order_by": "target_chembl_id"}
    found, _ = await collection(api, "target", "targets", parameters)
    return {target["target_chembl_id"]: _named(target) for target in found}


def _protein_class(row: Json) -> dict[str, Json]:
    # The levels are parted by two blanks; a name may hold one.
    levels = [level for level in str(row.get("protein_class_desc") or "").split("  ") if level]
    fields = ("protein_class_id", "pref_name", "short_name", "class_level", "parent_id", "definition")
    return {**kept(row, *fields), "levels": levels}


@platform.tool(
    example={"protein_class_id": 1},
    asks=(
        "protein family classification",
        "is it a kinase, GPCR or ion channel",
        "hierarchy of target classes",
    ),
)
async def get_protein_class(
    api: Api,
    protein_class_id: Annotated[int, Arg("ChEMBL's number of a protein family.", 1, minimum=0)] | None = None,
    name: Annotated[str, Arg("Words of a family's name.", "tyrosine kinase")] | None = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Answer:
    """Get ChEMBL's protein families by number or words: name, level and the path from the top of the tree. The numbers
    of a target's proteins come from get_target with sequences.
    """
    if one_of(protein_class_id=protein_class_id is not None, name=name) == "protein_class_id":
        found = await record(api, f"/protein_classification/{protein_class_id}.json")
        if found is None:
            return unknown_id(str(protein_class_id), f"ChEMBL has no protein family {protein_class_id}.")
        check([found], "protein_class_id", protein_class_id)
        return rows([_protein_class(found)])
    parameters = {"q": name, "limit": limit, "offset": offset}
    classes, total = await collection(api, "protein_classification/search", "protein_classifications", parameters)
    if not classes:
        return empty(f"ChEMBL has no protein family for {name!r}.")
    shown = [_protein_class(row) for row in classes]
    return rows(shown, total=total, next=next_page(offset, len(shown), total))


@platform.tool(
    example={"name_contains": "tyrosine-protein kinase"},
    asks=(
        "where on the protein does the drug bind",
        "binding domain, pocket, subunit of a drug's site",
    ),
)
async def get_binding_sites(
    api: Api,
    site_id: Annotated[int, Arg("ChEMBL's number of a binding site, as mechanisms give it.", 2, minimum=0)]
    | None = None,
    name_contains: Annotated[str, Arg("Part of the site's name.", "kinase domain")] | None = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Answer:
    """Get the binding sites that ChEMBL's drug mechanisms refer to: name, subunits and domains, by number or name. For
    active sites and residues of a protein use UniProt.
    """
    if one_of(site_id=site_id is not None, name_contains=name_contains) == "site_id":
        site = await record(api, f"/binding_site/{site_id}.json")
        if site is None:
            return unknown_id(str(site_id), f"ChEMBL has no binding site {site_id}.")
        check([site], "site_id", site_id)
        return rows([site])
    parameters = {"site_name__icontains": name_contains, "order_by": "site_id", "limit": limit, "offset": offset}
    found, total = await collection(api, "binding_site", "binding_sites", parameters)
    check_all(found, "site_name", name_contains, contains(name_contains or ""))
    if not found:
        return empty(f"ChEMBL has no binding site with {name_contains!r} in its name.")
    return rows(found, total=total, next=next_page(offset, len(found), total))
