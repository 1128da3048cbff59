"""What is known about single residues and stretches: variants, mutations, sites and domains."""

import re
from typing import Annotated, Any, Literal

from mcp_server.args import Limit, Offset, ProteinChange, UniProtAccession
from mcp_server.envelope import Answer
from mcp_server.http.client import Api
from mcp_server.platforms.uniprot.base import ENTRY, platform, sliced
from mcp_server.platforms.uniprot.entry import (
    IDENTITY_FIELDS,
    changed,
    comments,
    features,
    fetch_entry,
    identity,
    isoform_citation,
    nothing,
    placed,
    resolved_note,
    touches,
)
from mcp_server.tool import Arg

Json = Any

Position = Annotated[int | None, Arg("Only variants at this residue of the canonical sequence.", 790, minimum=1)]
Residue = Annotated[int | None, Arg("Only mutations at this residue of the canonical sequence.", 600, minimum=1)]
Start = Annotated[int | None, Arg("First residue of the stretch, counted from 1.", 700, minimum=1)]
End = Annotated[int | None, Arg("Last residue of the stretch.", 800, minimum=1)]

VARIANT_FIELDS = ("accession", "protein_name", "gene_names", "ft_variant")
# Names as people say them, with the field that asks for each and the type that comes back.
FEATURE_TYPES = {
    "domain": ("ft_domain", "Domain"),
    "region": ("ft_region", "Region"),
    "motif": ("ft_motif", "Motif"),
    "zinc finger": ("ft_zn_fing", "Zinc finger"),
    "repeat": ("ft_repeat", "Repeat"),
    "coiled coil": ("ft_coiled", "Coiled coil"),
    "active site": ("ft_act_site", "Active site"),
    "binding site": ("ft_binding", "Binding site"),
    "dna binding": ("ft_dna_bind", "DNA binding"),
    "site": ("ft_site", "Site"),
    "modified residue": ("ft_mod_res", "Modified residue"),
    "glycosylation": ("ft_carbohyd", "Glycosylation"),
    "disulfide bond": ("ft_disulfid", "Disulfide bond"),
    "cross-link": ("ft_crosslnk", "Cross-link"),
    "lipidation": ("ft_lipid", "Lipidation"),
    "signal": ("ft_signal", "Signal"),
    "transit peptide": ("ft_transit", "Transit peptide"),
    "propeptide": ("ft_propep", "Propeptide"),
    "chain": ("ft_chain", "Chain"),
    "peptide": ("ft_peptide", "Peptide"),
    "transmembrane": ("ft_transmem", "Transmembrane"),
    "intramembrane": ("ft_intramem", "Intramembrane"),
    "topological domain": ("ft_topo_dom", "Topological domain"),
    "helix": ("ft_helix", "Helix"),
    "beta strand": ("ft_strand", "Beta strand"),
    "turn": ("ft_turn", "Turn"),
}
SECONDARY_STRUCTURE = ("helix", "beta strand", "turn")


def _type_form(text: str) -> str:
    plain = re.sub(r"[\s_]+", " ", text.lower())
    return {"ptm": "modified residue", "signal peptide": "signal", "strand": "beta strand"}.get(plain, plain)


Types = Annotated[
    list[
        Literal[
            "domain", "region", "motif", "zinc finger", "repeat", "coiled coil", "active site", "binding site",
            "dna binding", "site", "modified residue", "glycosylation", "disulfide bond", "cross-link", "lipidation",
            "signal", "transit peptide", "propeptide", "chain", "peptide", "transmembrane", "intramembrane",
            "topological domain", "helix", "beta strand", "turn",
        ]
    ] | None,
    Arg("Types of features; by default all but the secondary structure.", ["domain"], normalise=_type_form),
]  # fmt: skip


@platform.tool(
    example={"accession": "P00533", "position": 790},
    cites=ENTRY,
    asks=(
        "disease variants in a protein sequence",
        "natural variants, polymorphisms by residue",
        "known amino acid substitutions",
    ),
)
async def get_variants(
    api: Api,
    accession: UniProtAccession,
    position: Position = None,
    change: ProteinChange | None = None,
    disease_only: Annotated[bool, Arg("Only variants whose text names a disease of the entry.")] = False,
    limit: Limit = 100,
    offset: Offset = 0,
) -> Answer:
    """Curated natural variants in a protein's sequence, with their description (disease, effect) and dbSNP ids. For
    variants of gnomAD, ClinVar and COSMIC use get_population_variants; made in the laboratory: get_mutagenesis.

    primaryAccession, proteinName, geneName, variants: [{start, end, originalSequence, alternativeSequences,
    description, featureId, dbSNP}].
    """
    fields = (*VARIANT_FIELDS, "cc_disease") if disease_only else VARIANT_FIELDS
    entry = await fetch_entry(api, accession, fields)
    if isinstance(entry, Answer):
        return entry
    wanted = [_variant(row) for row in features(entry, "Natural variant") if touches(row, position, position)]
    if change:
        wanted = [row for row in wanted if change in _changes(row)]
    if disease_only:
        named = _disease_names(entry)
        wanted = [row for row in wanted if any(re.search(name, row["description"]) for name in named)]
    return _answer(accession, entry, wanted, "such natural variant", "variants", limit, offset)


@platform.tool(
    example={"accession": "P15056", "position": 600},
    cites=ENTRY,
    asks=(
        "what happens if the catalytic lysine is mutated",
        "kinase-dead mutant",
        "site-directed mutagenesis",
        "experimental mutations, loss of activity",
        "what happens when one residue is replaced in the lab",
    ),
)
async def get_mutagenesis(
    api: Api, accession: UniProtAccession, position: Residue = None, limit: Limit = 100, offset: Offset = 0
) -> Answer:
    """Mutations of a protein made in the laboratory and their measured effect, by UniProt accession. For variants seen
    in people use get_variants.

    mutations: [{start, end, originalSequence, alternativeSequences, description}].
    """
    entry = await fetch_entry(api, accession, (*IDENTITY_FIELDS, "ft_mutagen"))
    if isinstance(entry, Answer):
        return entry
    found = [changed(row) for row in features(entry, "Mutagenesis") if touches(row, position, position)]
    return _answer(accession, entry, found, "such mutagenesis experiment", "mutations", limit, offset)


@platform.tool(
    example={"accession": "P15056", "start": 570, "end": 620},
    cites=ENTRY,
    asks=(
        "active site, binding site residues",
        "phosphorylation sites, PTM",
        "domains and motifs by position",
        "disulfide bonds, glycosylation, signal peptide",
        "which domain is residue 858 in",
    ),
)
async def get_features(
    api: Api,
    accession: UniProtAccession,
    types: Types = None,
    start: Start = None,
    end: End = None,
    limit: Limit = 200,
    offset: Offset = 0,
) -> Answer:
    """Curated domains, active and binding sites, phosphorylation and other modified residues, topology of a protein
    (UniProt accession), by type or range. Mass-spectrometry sites: get_proteomics_ptms; by ENSP:
    ensembl__get_protein_features.

    features: [{type, start, end, description, featureId, ligand}].
    """
    wanted: list[str] = [*types] if types else [name for name in FEATURE_TYPES if name not in SECONDARY_STRUCTURE]
    entry = await fetch_entry(api, accession, (*IDENTITY_FIELDS, *(FEATURE_TYPES[name][0] for name in wanted)))
    if isinstance(entry, Answer):
        return entry
    named = features(entry, *(FEATURE_TYPES[name][1] for name in wanted))
    found = [placed(row) for row in named if touches(row, start, end)]
    return _answer(accession, entry, found, "such feature", "features", limit, offset)


def _answer(asked: str, entry: Json, found: list[Json], what: str, name: str, limit: int, offset: int) -> Answer:
    note = resolved_note(asked, entry)
    if not found:
        note = f"{nothing(entry, what)} {note}".strip()
    answer = sliced(found, limit, offset, identity(entry), name, note)
    return Answer(**{**vars(answer), "citations": isoform_citation(asked)})


def _variant(feature: Json) -> dict[str, Json]:
    linked = feature.get("featureCrossReferences") or []
    return changed(feature) | {"dbSNP": [row["id"] for row in linked if row["database"] == "dbSNP"]}


def _changes(variant: Json) -> set[str]:
    """Return a variant's changes in the one-letter form, `V600E`; of several residues, `VK600EI`."""
    old = variant["originalSequence"]
    return {f"{old}{variant['start']}{new}" for new in variant["alternativeSequences"]} if old else set()


def _disease_names(entry: Json) -> list[str]:
    """Return patterns for the diseases that the entry names, by which variant texts call them."""
    found = [comment.get("disease", {}).get("acronym") for comment in comments(entry, "DISEASE")]
    return [rf"(?<![\w-]){re.escape(name)}(?![\w-])" for name in found if name]
