"""The ways people write a variant: rsIDs, protein changes, HGVS, ClinVar accessions, star alleles.

Nothing is looked up: a name is recognised by its form, and brought to one spelling.
"""

import re
from dataclasses import dataclass

from mcp_server.args import AMINO_ACIDS, gene_symbol_form

KINDS = ("rsid", "clinvar", "protein", "protein_position", "cdna", "hgvs", "genomic", "star")
FORMS = 'an rsID, V600E, p.Val600Glu, E746_A750del, c.1799T>A, chr7:g.140453136A>T, NM_004333.4:c.1799T>A, "BRAF V600E"'


@dataclass(frozen=True)
class VariantName:
    """A variant by its form; `gene` and `assembly` only where the name itself says so."""

    kind: str
    text: str
    gene: str = ""
    assembly: str = ""

    @property
    def hgvs_protein(self) -> str:
        """Return a protein change with its `p.`."""
        return f"p.{self.text}"

    @property
    def written(self) -> str:
        """Return the name with all that it says: `BRAF V600E`, `chr7:g.140453136A>T@hg19`."""
        if self.kind == "genomic":
            return self.text + (f"@{self.assembly}" if self.assembly else "")
        if self.kind == "hgvs" and self.gene:
            return self.text.replace(":", f"({self.gene}):", 1)
        return f"{self.gene} {self.text}" if self.gene else self.text


_RSID = re.compile(r"rs\d{1,12}", re.IGNORECASE)
_CLINVAR = re.compile(r"([RV]CV\d{9})(\.\d+)?", re.IGNORECASE)
_STAR = re.compile(r"(HLA-[A-Z][A-Z0-9]{0,4}|[A-Z][A-Z0-9]{1,9})\*(\d+[A-Z]?(?::\d{2,3})*)", re.IGNORECASE)
_GENOMIC = re.compile(
    r"(?:chr)?(?P<chromosome>[1-9]|1\d|2[0-2]|X|Y|MT?):g\.(?P<change>\d[\w>=\[\]]*)(?:@(?P<assembly>\w+))?",
    re.IGNORECASE,
)
_REFSEQ_CHROMOSOME = re.compile(r"NC_0000(?P<number>\d\d)\.(?P<version>\d+):g\.(?P<change>\d[\w>=\[\]]*)")
_HGVS = re.compile(
    r"(?P<reference>(?:N[CGMPRTW]|X[MPR])_\d+(?:\.\d+)?|ENS[TPG]\d{11}(?:\.\d+)?|LRG_\d+(?:[tp]\d+)?)"
    r"(?:\((?P<gene>[A-Za-z0-9-]+)\))?:(?P<change>[cgpnmr]\.[^\s:]+)",
    re.IGNORECASE,
)
_CDNA = re.compile(r"[cnmr]\.[*-]?\d[\w*+\-=>?\[\];]*", re.IGNORECASE)
_RESIDUE = "[ACDEFGHIKLMNPQRSTVWYUX*]"
_CHANGE = re.compile(
    rf"{_RESIDUE}\d{{1,5}}(?P<second>_{_RESIDUE}\d{{1,5}})?"
    rf"(?P<what>{_RESIDUE}|=|\?|{_RESIDUE}?fs(?:\*\d*)?|del|dup|(?:del)?ins{_RESIDUE}+)?"
)
_THREE_LETTERS = re.compile("|".join(AMINO_ACIDS), re.IGNORECASE)
_WITH_GENE = re.compile(r"(?P<gene>[A-Za-z][A-Za-z0-9-]{0,14})(?:\s+|:)(?P<change>\S+)")
_TRAILING_PROTEIN = re.compile(r"\s*\(p\.[^()\s]+\)$")
_POSITION = re.compile(
    r"(?:chr)?(?P<chromosome>[1-9]|1\d|2[0-2]|X|Y|MT?)[-:](?P<start>\d+)[-:]?(?P<old>[ACGT])[->/:](?P<new>[ACGT])",
    re.IGNORECASE,
)
_ASSEMBLIES = {"hg19": "hg19", "grch37": "hg19", "hg38": "hg38", "grch38": "hg38"}
# Version of each chromosome's RefSeq sequence (1 to 22, X, Y) in hg19; hg38 has the next one.
_HG19_VERSIONS = (10, 11, 11, 11, 9, 11, 13, 10, 11, 10, 9, 11, 10, 8, 9, 9, 10, 9, 9, 10, 8, 10, 10, 9)


def read_variant(text: str) -> VariantName | None:
    """Return the variant that a text names by its form, or none."""
    plain = _TRAILING_PROTEIN.sub("", " ".join(text.split()))
    alone = _without_gene(plain)
    if alone is not None:
        return alone
    found = _WITH_GENE.fullmatch(plain)
    if found is None:
        return None
    named = _without_gene(found["change"])
    if named is None or named.kind not in ("protein", "protein_position", "cdna"):
        return None
    return VariantName(named.kind, named.text, gene=gene_symbol_form(found["gene"]))


def _without_gene(text: str) -> VariantName | None:
    """Read a name that stands for itself."""
    if _RSID.fullmatch(text):
        return VariantName("rsid", text.lower())
    if found := _CLINVAR.fullmatch(text):
        return VariantName("clinvar", found[1].upper())
    if found := _STAR.fullmatch(text):
        return VariantName("star", f"{found[1].upper()}*{found[2].upper()}")
    if _CDNA.fullmatch(text):
        return VariantName("cdna", text[0].lower() + text[1:])
    return _genomic(text) or _with_reference(text) or _protein(text)


def _genomic(text: str) -> VariantName | None:
    if found := _GENOMIC.fullmatch(text):
        assembly = _ASSEMBLIES.get((found["assembly"] or "").lower(), "")
        if found["assembly"] and not assembly:
            return None
        return VariantName("genomic", _placed(found["chromosome"], found["change"]), assembly=assembly)
    if found := _POSITION.fullmatch(text):
        change = f"{found['start']}{found['old'].upper()}>{found['new'].upper()}"
        return VariantName("genomic", _placed(found["chromosome"], change))
    if found := _REFSEQ_CHROMOSOME.fullmatch(text):
        number = int(found["number"])
        if not 1 <= number <= len(_HG19_VERSIONS):
            return None
        behind = int(found["version"]) - _HG19_VERSIONS[number - 1]
        chromosome = {23: "X", 24: "Y"}.get(number, str(number))
        if behind in (0, 1):
            return VariantName("genomic", _placed(chromosome, found["change"]), assembly=("hg19", "hg38")[behind])
    return None


def _placed(chromosome: str, change: str) -> str:
    name = chromosome.upper()
    return f"chr{'MT' if name == 'M' else name}:g.{change}"


def _with_reference(text: str) -> VariantName | None:
    found = _HGVS.fullmatch(text)
    if found is None:
        return None
    change = found["change"]
    reference = found["reference"].upper() if found["reference"][:3].upper() != "LRG" else found["reference"]
    gene = gene_symbol_form(found["gene"]) if found["gene"] else ""
    return VariantName("hgvs", f"{reference}:{change[0].lower()}{change[1:]}", gene=gene)


def _protein(text: str) -> VariantName | None:
    """Read `V600E`, `p.(Val600Glu)`, `v600e`, `E746_A750del`, `L747fs`, `V600`."""
    plain = re.sub(r"^p\.", "", text, flags=re.IGNORECASE)
    if plain.startswith("(") and plain.endswith(")"):
        plain = plain[1:-1]
    if _THREE_LETTERS.match(plain):
        plain = _THREE_LETTERS.sub(lambda found: AMINO_ACIDS[found[0].lower()], plain)
    elif re.fullmatch(r"[a-z]\d{1,5}[a-z*]?", plain):
        plain = plain.upper()
    found = _CHANGE.fullmatch(plain)
    if found is None:
        return None
    if found["second"] and not re.match("del|dup|ins", found["what"] or ""):
        return None  # only what spans residues has two of them
    if found["what"] is None:
        return VariantName("protein_position", plain)
    if found["what"] == "X":
        plain = plain[:-1] + "*"
    return VariantName("protein", plain)
