"""The ways people write a variant, each read into a ClinVar search.

Pure: `BRAF V600E`, `braf:p.val600glu`, HGVS names, SPDIs, rsIDs and VCV accessions all get one form.
"""

import re
from dataclasses import dataclass

from mcp_server.args import gene_symbol_form

AMINO_ACIDS = {
    "Ala": "A", "Arg": "R", "Asn": "N", "Asp": "D", "Cys": "C", "Gln": "Q", "Glu": "E", "Gly": "G", "His": "H",
    "Ile": "I", "Leu": "L", "Lys": "K", "Met": "M", "Phe": "F", "Pro": "P", "Ser": "S", "Thr": "T", "Trp": "W",
    "Tyr": "Y", "Val": "V", "Ter": "*", "Sec": "U",
}  # fmt: skip
_LONG = {short: long for long, short in AMINO_ACIDS.items()}
_OTHER_CHANGES = ("del", "dup", "fs")

_VCV = re.compile(r"VCV0*(\d+)(\.\d+)?", re.IGNORECASE)
_RSID = re.compile(r"rs\d+", re.IGNORECASE)
_HGVS = re.compile(r"((?:N[CGMRP]|LRG)_\d+(?:\.\d+)?)(?:\([^)]*\))?:([cgmnpr]\..+)", re.IGNORECASE)
_SPDI = re.compile(r"N[CGMRTW]_\d+\.\d+:\d+:[ACGT]*:[ACGT]*", re.IGNORECASE)
_CODING = re.compile(r"([A-Za-z][\w-]*)[\s:]+(c\.\S+)", re.IGNORECASE)
_PROTEIN = re.compile(
    r"(?:(?P<gene>[A-Za-z][\w-]*)[\s:]+)?(?:p\.)?\(?"
    r"(?P<old>[A-Za-z]{3}|[A-Za-z])(?P<position>\d+)(?P<new>[A-Za-z]{3}|fs|[A-Za-z*])\S*?\)?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class VariantName:
    """What a text names: `kind` is variation_id, rsid, hgvs, spdi, coding or protein.

    `value` is the normal form; for a protein change in one letter (`V600E`), with `long` in three.
    """

    kind: str
    value: str
    gene: str = ""
    long: str = ""

    @property
    def words(self) -> str:
        """How the text was understood, for people."""
        change = f"{self.value} (p.{self.long})" if self.long else self.value
        return f"{self.gene} {change}".strip()

    @property
    def term(self) -> str:
        """The ClinVar search that finds it."""
        if self.kind in ("rsid", "hgvs", "spdi"):
            return self.value if self.kind == "rsid" else f'"{self.value}"'
        gene = f"{self.gene}[gene] AND single_gene[prop] AND " if self.gene else ""
        if self.kind == "coding":
            return f'{gene}"{self.value}"'
        # A star would be read as a wildcard.
        spellings = [name for name in (self.value, self.long) if "*" not in name]
        return f"{gene}({' OR '.join(f'{name}[variant name]' for name in spellings)})"


def read(text: str) -> VariantName | None:
    """Return what `text` names, or None when it is no variant name."""
    if found := _VCV.fullmatch(text):
        return VariantName("variation_id", found[1])
    if _RSID.fullmatch(text):
        return VariantName("rsid", text.lower())
    if found := _HGVS.fullmatch(text):
        return VariantName("hgvs", f"{found[1].upper()}:{found[2]}")
    if _SPDI.fullmatch(text):
        return VariantName("spdi", text.upper())
    if found := _CODING.fullmatch(text):
        return VariantName("coding", f"c.{found[2][2:]}", gene_symbol_form(found[1]))
    for order in (text, " ".join(reversed(text.split()))):
        if (found := _PROTEIN.fullmatch(order)) and (change := _protein_change(found)):
            return change
    return None


def _protein_change(found: re.Match[str]) -> VariantName | None:
    old, new = _one_letter(found["old"]), _one_letter(found["new"])
    if old is None or new is None:
        return None
    long = f"{_LONG[old]}{found['position']}{_LONG.get(new, new)}"
    gene = gene_symbol_form(found["gene"]) if found["gene"] else ""
    return VariantName("protein", f"{old}{found['position']}{new}", gene, long)


def _one_letter(residue: str) -> str | None:
    """Return a residue as one letter, a change that is none (`del`) as it is, anything else as None."""
    if residue.lower() in _OTHER_CHANGES:
        return residue.lower()
    short = AMINO_ACIDS.get(residue.capitalize(), residue.upper())
    return {"X": "*"}.get(short, short) if short in _LONG or short == "X" else None
