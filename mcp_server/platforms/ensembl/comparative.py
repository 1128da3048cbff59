"""Genes of other species: homologues and gene trees."""

from typing import Annotated, Any, Literal

from mcp_server.args import Limit, Offset
from mcp_server.envelope import Answer, Citation, empty
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamNotFound, UpstreamRefused
from mcp_server.platforms.ensembl.base import Species, kept, known, matched, page, platform, species_form
from mcp_server.platforms.ensembl.names import GeneName, one_gene
from mcp_server.tool import Arg, Cite

Json = Any

TargetSpecies = Annotated[
    str | None,
    Arg("Only homologues in this species.", "mus_musculus", r"^[a-z0-9_]+$", normalise=species_form),
]
PruneSpecies = Annotated[
    str | None, Arg("Only this species in the tree.", "mus_musculus", r"^[a-z0-9_]+$", normalise=species_form)
]
Taxon = Annotated[int | None, Arg("Only species under this NCBI taxon.", 9443, minimum=1)]


@platform.tool(
    example={"gene": "ENSG00000157764", "target_species": "mus_musculus"},
    cites=(Cite("ensembl", "", "gene_id", "gene_symbol"), Cite("ensembl", "homologues[]", "id")),
    asks=(
        "mouse version of a human gene",
        "orthologs in zebrafish",
        "is there an equivalent gene in the rat",
        "paralogs, duplicated genes",
        "conserved in other species",
        "does the fly, worm or yeast have this gene",
    ),
)
async def get_homologs(
    api: Api,
    gene: GeneName,
    type: Annotated[
        Literal["orthologues", "paralogues"], Arg("Genes of other species, or further copies in the same species.")
    ] = "orthologues",
    target_species: TargetSpecies = None,
    target_taxon: Taxon = None,
    species: Species = "homo_sapiens",
    limit: Limit = 100,
    offset: Offset = 0,
) -> Answer:
    """Orthologues of a gene (the same gene in other species), or its paralogues: gene id, species, kind of homology,
    protein id, percent identity. For the tree of the whole family use get_gene_tree.

    gene_id, gene_symbol, species, homologues: [{id, species, taxon_id, protein_id, type, taxonomy_level,
    percent_identity (of the homologue's protein), percent_identity_source, dn_ds}].
    """
    found, note = await one_gene(api, gene, species)
    if isinstance(found, Answer):
        return found
    own = found.get("species", species)
    parameters = {
        "type": type,
        "format": "full",
        "sequence": "none",
        "aligned": 0,
        "cigar_line": 0,
        "target_species": target_species,
        "target_taxon": target_taxon,
    }
    # The route by symbol stalls: only ids are asked for.
    answer = await known(api, f"/homology/id/{own}/{found['id']}", found["id"], parameters) or {"data": []}
    homologues: list[Json] = []
    for entry in answer.get("data") or []:
        matched(api, "gene", found["id"], entry.get("id"))
        homologues += [_homologue(row) for row in entry.get("homologies") or []]
    if not homologues:
        where = f" in {target_species}" if target_species else ""
        note = f"Ensembl records no {type} of {found.get('display_name', found['id'])}{where}. {note}".strip()
    wrap = {"gene_id": found["id"], "gene_symbol": found.get("display_name"), "species": own}
    return page(homologues, limit, offset, wrap=wrap, under="homologues", note=note)


@platform.tool(
    example={"gene": "ENSG00000139618", "prune_taxon": 9443},
    cites=Cite("ensembl", "", "gene_id"),
    asks=(
        "phylogeny of a gene family",
        "evolutionary tree",
        "Newick tree of orthologs",
        "when did the gene duplicate",
    ),
)
async def get_gene_tree(
    api: Api,
    gene: GeneName,
    labels: Annotated[
        Literal["simple", "full", "display_label_composite", "species", "ncbi_taxon", "ncbi_name", "gene_stable_id"],
        Arg("What stands at the leaves; simple is the protein id."),
    ] = "simple",
    prune_species: PruneSpecies = None,
    prune_taxon: Taxon = None,
    species: Species = "homo_sapiens",
) -> Answer:
    """Gene tree of a gene's family over all species, as Newick text with the number of its leaves; prune it to a
    species or taxon. For a plain list of orthologues use get_homologs.

    gene_id, gene_symbol, species, newick, leaves.
    """
    found, note = await one_gene(api, gene, species)
    if isinstance(found, Answer):
        return found
    own = found.get("species", species)
    parameters = {"nh_format": labels, "prune_species": prune_species, "prune_taxon": prune_taxon}
    path = f"/genetree/member/id/{own}/{found['id']}"
    try:
        newick = await api.get_text(path, parameters, accept="text/x-nh", starts_with="(")
    except (UpstreamRefused, UpstreamNotFound) as error:
        if found["id"].lower() not in error.message.lower():
            raise
        return empty(f"Ensembl has no gene tree of {found.get('display_name', found['id'])}. {note}".strip())
    data = {"gene_id": found["id"], "gene_symbol": found.get("display_name"), "species": own}
    # A tree of n leaves that were parted n - 1 times has n - 1 commas, however it branches.
    data |= {"newick": newick.strip(), "leaves": newick.count(",") + 1}
    return Answer(data, note=note, citations=[Citation("ensembl", found["id"])])


def _homologue(row: Json) -> Json:
    target, source = row.get("target") or row, row.get("source") or {}
    return {
        **kept(target, ("id", "species", "taxon_id", "protein_id")),
        **kept(row, ("type", "taxonomy_level", "dn_ds")),
        "percent_identity": target.get("perc_id"),
        "percent_identity_source": source.get("perc_id"),
    }
