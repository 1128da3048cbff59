"""The arguments of the search for variants: what each filter takes, and how people write it."""

from typing import Annotated, Literal

from mcp_server.args import gene_symbol_form, look_up_form, region_form
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


Genes = Annotated[
    list[str] | None,
    Arg("Gene symbols, any of them, as dbNSFP or ClinVar use them.", ["BRAF"], r"^[A-Za-z0-9][A-Za-z0-9.@_-]*$",
        max_items=LIST_MAX, normalise=gene_symbol_form),
]  # fmt: skip
ProteinChanges = Annotated[
    list[str] | None,
    Arg("Protein changes, any of them, one- or three-letter; a residue alone (V600) is any change of it.", ["V600E"],
        PROTEIN_PATTERN, max_items=LIST_MAX, normalise=protein_form),
]  # fmt: skip
Rsids = Annotated[
    list[str] | None, Arg("dbSNP numbers, any of them.", ["rs113488022"], r"^rs\d+$", max_items=LIST_MAX,
                           normalise=str.lower),
]  # fmt: skip
GenomicIds = Annotated[
    list[str] | None,
    Arg("Genomic HGVS ids, any of them; NC_ accessions and @hg19 or @hg38 at the end tell the assembly.",
        ["chr7:g.140753336A>T@hg38"], GENOMIC_PATTERN, max_items=LIST_MAX, normalise=genomic_form),
]  # fmt: skip
CdnaChange = Annotated[
    str | None,
    Arg("cDNA change, with or without RefSeq transcript.", "c.1799T>A", CDNA_PATTERN, normalise=cdna_form),
]
Region = Annotated[
    str | None,
    Arg("Chromosome, first and last position; 1-based, inclusive.", "7:140753330-140753340",
        r"^([1-9]|1\d|2[0-2]|X|Y|MT):\d+-\d+$", normalise=human_region_form),
]  # fmt: skip
Significances = Annotated[
    list[
        Literal[
            "pathogenic", "likely_pathogenic", "uncertain_significance", "likely_benign", "benign", "conflicting"
        ]
    ]
    | None,
    Arg("ClinVar significance, any of them.", ["pathogenic"]),
]  # fmt: skip
Stars = Annotated[int | None, Arg("Least ClinVar review stars, 0 to 4.", minimum=0, maximum=4)]
Condition = Annotated[
    str | None,
    Arg("Condition in ClinVar: all words in one name or synonym.", "melanoma", normalise=look_up_form),
]
Consequence = Annotated[
    str | None,
    Arg("Sequence-ontology term of the effect.", "missense_variant", r"^[a-z0-9_]+$", normalise=consequence_form),
]
MinFrequency = Annotated[float | None, Arg("Least gnomAD allele frequency.", minimum=0, maximum=1)]
MaxFrequency = Annotated[float | None, Arg("Highest gnomAD allele frequency.", 0.01, minimum=0, maximum=1)]
Population = Annotated[
    Literal["all", "afr", "amr", "eas", "eur", "nfe", "fin", "sas"],
    Arg("gnomAD group of the frequency; eur is refused, gnomAD divides it into nfe and fin."),
]
WithUnknown = Annotated[bool, Arg("Also variants without a gnomAD frequency, when one is bounded.")]
MinCadd = Annotated[float | None, Arg("Least CADD phred score; hg19 only.", minimum=0, maximum=100)]
MaxCadd = Annotated[float | None, Arg("Highest CADD phred score; hg19 only.", minimum=0, maximum=100)]
MinRevel = Annotated[float | None, Arg("Least REVEL score, on any transcript.", minimum=0, maximum=1)]
MaxRevel = Annotated[float | None, Arg("Highest REVEL score, on any transcript.", minimum=0, maximum=1)]
Exclusive = Annotated[
    list[Literal["min_frequency", "max_frequency", "min_cadd", "max_cadd", "min_revel", "max_revel"]] | None,
    Arg("Bounds that are themselves left out: < and > instead of ≤ and ≥."),
]
NotProteinChanges = Annotated[
    list[str] | None,
    Arg("Protein changes to leave out.", ["V600K"], PROTEIN_PATTERN, max_items=LIST_MAX, normalise=protein_form),
]
NotGenes = Annotated[
    list[str] | None,
    Arg("Gene symbols to leave out.", ["NRAS"], r"^[A-Za-z0-9][A-Za-z0-9.@_-]*$", max_items=LIST_MAX,
        normalise=gene_symbol_form),
]  # fmt: skip
NotRsids = Annotated[
    list[str] | None,
    Arg("dbSNP numbers to leave out.", ["rs121913227"], r"^rs\d+$", max_items=LIST_MAX, normalise=str.lower),
]
