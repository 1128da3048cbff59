"""The arguments of the search for variants: what each filter takes, and how people write it.

Their descriptions are short, because every model reads the list of all tools. What a pattern would say at
length is checked by `check_names`.
"""

import re
from collections.abc import Sequence
from typing import Annotated, Literal

from mcp_server.args import gene_symbol_form, look_up_form, region_form
from mcp_server.envelope import InvalidArguments
from mcp_server.platforms.myvariant.names import (
    CDNA_PATTERN,
    GENOMIC_PATTERN,
    PROTEIN_PATTERN,
    cdna_form,
    genomic_form,
    protein_form,
)
from mcp_server.tool import Arg

LIST_MAX = 20
_ALIASES = {
    "missense": "missense_variant", "nonsense": "stop_gained", "frameshift": "frameshift_variant",
    "synonymous": "synonymous_variant", "splice_donor": "splice_donor_variant",
    "splice_acceptor": "splice_acceptor_variant", "intron": "intron_variant",
}  # fmt: skip


def consequence_form(text: str) -> str:
    """Return a sequence-ontology term with underscores: `Missense variant` and `missense` → `missense_variant`."""
    plain = look_up_form(text).replace(" ", "_").replace("-", "_").lower()
    return _ALIASES.get(plain, plain)


def human_region_form(text: str) -> str:
    """Return a region as `7:140753336-140753340`, without strand."""
    return region_form(text).removesuffix(":-1")


def check_names(
    protein_changes: Sequence[str], excluded: Sequence[str], hgvs: Sequence[str], cdna_change: str | None
) -> None:
    """Refuse a name of a variant that is none, with an example of one."""
    named = (
        ("protein_changes", PROTEIN_PATTERN, protein_changes, ["V600E"]),
        ("exclude_protein_changes", PROTEIN_PATTERN, excluded, ["V600E"]),
        ("hgvs", GENOMIC_PATTERN, hgvs, ["chr7:g.140753336A>T@hg38"]),
        ("cdna_change", CDNA_PATTERN, [cdna_change] if cdna_change else [], "c.1799T>A"),
    )
    for argument, pattern, names, example in named:
        for name in names:
            if not re.fullmatch(pattern, name):
                raise InvalidArguments(argument, f"{name!r} is not the name of a change", example)


Genes = Annotated[list[str] | None, Arg("Gene symbols, any of.", max_items=LIST_MAX, normalise=gene_symbol_form)]
ProteinChanges = Annotated[
    list[str] | None,
    Arg("Any of: V600E, p.Val600Glu, L747fs; V600 = any change of it.", max_items=LIST_MAX, normalise=protein_form),
]
Rsids = Annotated[list[str] | None, Arg("Any of.", ["rs113488022"], r"^rs\d+$", max_items=LIST_MAX,
                                        normalise=str.lower)]  # fmt: skip
GenomicIds = Annotated[
    list[str] | None,
    Arg("Genomic ids, any of, on `assembly`, or @hg19, @hg38.", ["chr7:g.140753336A>T"], max_items=LIST_MAX,
        normalise=genomic_form),
]  # fmt: skip
CdnaChange = Annotated[str | None, Arg("cDNA change, transcript optional.", "c.1799T>A", normalise=cdna_form)]
Region = Annotated[
    str | None, Arg("Overlapping region.", "7:140753330-140753340", r"^(\d+|X|Y|MT):\d+-\d+$",
                    normalise=human_region_form),
]  # fmt: skip
Significances = Annotated[
    list[
        Literal[
            "pathogenic", "likely_pathogenic", "uncertain_significance", "likely_benign", "benign", "conflicting"
        ]
    ]
    | None,
    Arg("In ClinVar, any of."),
]  # fmt: skip
Stars = Annotated[int | None, Arg("ClinVar stars.", minimum=0, maximum=4)]
Condition = Annotated[str | None, Arg("ClinVar condition, all words.", normalise=look_up_form)]
Consequence = Annotated[str | None, Arg("SO term.", "missense_variant", r"^\w+$", normalise=consequence_form)]
LowestFrequency = Annotated[float | None, Arg("Lowest gnomAD frequency, 0.01 = 1 %.", minimum=0, maximum=1)]
HighestFrequency = Annotated[float | None, Arg("Highest gnomAD frequency.", minimum=0, maximum=1)]
Population = Annotated[Literal["all", "afr", "amr", "eas", "eur", "nfe", "fin", "sas"], Arg("gnomAD group.")]
WithUnknown = Annotated[bool, Arg("Also variants not in gnomAD.")]
Cadd = Annotated[float | None, Arg("CADD phred, hg19 only.", minimum=0)]
Revel = Annotated[float | None, Arg("REVEL score.", minimum=0, maximum=1)]
Exclusive = Annotated[
    list[Literal["min_frequency", "max_frequency", "min_cadd", "max_cadd", "min_revel", "max_revel"]] | None,
    Arg("Bounds meant as < or >."),
]
NotProteinChanges = Annotated[list[str] | None, Arg("To leave out.", max_items=LIST_MAX, normalise=protein_form)]
NotGenes = Annotated[list[str] | None, Arg("To leave out.", max_items=LIST_MAX, normalise=gene_symbol_form)]
NotRsids = Annotated[list[str] | None, Arg("To leave out.", None, r"^rs\d+$", max_items=LIST_MAX, normalise=str.lower)]
SearchAssembly = Annotated[Literal["hg38", "hg19"] | None, Arg("Default hg38; both for hgvs or region without one.")]
