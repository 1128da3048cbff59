"""The arguments of tools, named as the field names them, each declared once.

A normal form is applied before the check, so that the spellings that people and other databases
use are accepted: a version suffix, a colon for an underscore, lower case, a Greek letter.
"""

import re
import unicodedata
from typing import Annotated

from mcp_server.tool import Arg

_DASHES = re.compile("[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]")
_GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ζ": "zeta", "η": "eta",
    "θ": "theta", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "π": "pi", "ρ": "rho", "σ": "sigma",
    "τ": "tau", "φ": "phi", "χ": "chi", "ψ": "psi", "ω": "omega",
}  # fmt: skip


def look_up_form(text: str) -> str:
    """Return the spelling to look a name up with: NFKC, Greek letters by name, plain dashes, single blanks."""
    plain = _DASHES.sub("-", unicodedata.normalize("NFKC", text))
    plain = "".join(_GREEK.get(letter.lower(), letter) for letter in plain)
    return " ".join(plain.split())


def gene_symbol_form(text: str) -> str:
    """Return a gene symbol's usual spelling: upper case, but for the `orf` of reading-frame genes."""
    plain = look_up_form(text)
    if re.fullmatch(r"c[0-9xy]+orf\d+", plain, re.IGNORECASE):
        chromosome, _, number = plain[1:].upper().partition("ORF")
        return f"C{chromosome}orf{number}"
    return plain.upper()


AMINO_ACIDS = {
    "ala": "A", "arg": "R", "asn": "N", "asp": "D", "cys": "C", "gln": "Q", "glu": "E", "gly": "G", "his": "H",
    "ile": "I", "leu": "L", "lys": "K", "met": "M", "phe": "F", "pro": "P", "ser": "S", "thr": "T", "trp": "W",
    "tyr": "Y", "val": "V", "sec": "U", "ter": "*",
}  # fmt: skip


def protein_change_form(text: str) -> str:
    """Return a substitution in one letter: `p.(Val600Glu)` and `p.V600E` → `V600E`; anything else as it is."""
    found = re.fullmatch(r"(?:p\.)?\(?([a-z]{3}|[a-z])(\d+)([a-z]{3}|[a-z*])\)?", text, re.IGNORECASE)
    if found is None:
        return text
    old, new = (AMINO_ACIDS.get(residue.lower(), residue.upper()) for residue in (found[1], found[3]))
    return f"{old}{found[2]}{new}"


def without_version(text: str) -> str:
    """Return an accession in upper case without its version suffix."""
    return text.upper().partition(".")[0]


def ontology_form(text: str) -> str:
    """Return an ontology id with an underscore: `MONDO:0004989` → `MONDO_0004989`."""
    prefix, _, number = text.replace(":", "_").partition("_")
    return f"{'Orphanet' if prefix.lower() == 'orphanet' else prefix.upper()}_{number}"


def region_form(text: str) -> str:
    """Return `chr7:140,753,336..140,753,340:-1` as `7:140753336-140753340:-1`; one position becomes a range."""
    plain = look_up_form(text).replace(" ", "").replace(",", "").replace("..", "-")
    found = re.fullmatch(r"(?:chr)?([A-Za-z0-9_.]+):(\d+)(?:[-:](\d+))?(?::([+-]?1))?", plain, re.IGNORECASE)
    if not found:
        return plain
    name = {"M": "MT"}.get(found[1].upper(), found[1].upper() if len(found[1]) <= 2 else found[1])
    strand = ":-1" if found[4] == "-1" else ""
    return f"{name}:{found[2]}-{found[3] or found[2]}{strand}"


GeneSymbol = Annotated[
    str,
    Arg("Gene symbol, former symbol or everyday name of a human gene, e.g. HER2.", "ERBB2", normalise=look_up_form),
]
EnsemblGeneId = Annotated[
    str,
    Arg(
        "Ensembl gene id; a version suffix is ignored.",
        "ENSG00000141736",
        r"^ENS[A-Z]*G\d{11}$",
        normalise=without_version,
    ),
]
EnsemblId = Annotated[
    str,
    Arg(
        "Ensembl gene, transcript or protein id; a version suffix is ignored.",
        "ENSG00000141736",
        r"^ENS[A-Z]*[GTPE]\d{11}$",
        normalise=without_version,
    ),
]
UniProtAccession = Annotated[
    str,
    Arg(
        "UniProt accession, with an isoform suffix where one is meant.",
        "P04626",
        r"^([OPQ]\d[A-Z0-9]{3}\d|[A-NR-Z]\d([A-Z][A-Z0-9]{2}\d){1,2})(-\d+)?$",
        normalise=str.upper,
    ),
]
ChemblId = Annotated[str, Arg("ChEMBL id.", "CHEMBL554", r"^CHEMBL\d+$", normalise=str.upper)]
ProteinChange = Annotated[
    str,
    Arg(
        "Change of one residue, in one- or three-letter code.",
        "V600E",
        r"^[A-Z]\d+[A-Z*]$",
        normalise=protein_change_form,
    ),
]
DiseaseId = Annotated[
    str,
    Arg(
        "Disease or phenotype id as Open Targets uses it (MONDO, EFO, Orphanet, HP …); colon or underscore.",
        "MONDO_0004989",
        r"^[A-Za-z]+_[A-Za-z0-9]+$",
        normalise=ontology_form,
    ),
]
Rsid = Annotated[str, Arg("dbSNP reference number.", "rs113488022", r"^rs\d+$", normalise=str.lower)]
NctId = Annotated[str, Arg("ClinicalTrials.gov number.", "NCT01808573", r"^NCT\d{8}$", normalise=str.upper)]
Pmid = Annotated[str, Arg("PubMed number, digits only.", "22663011", r"^\d{1,8}$")]
PubchemCid = Annotated[str, Arg("PubChem compound number, digits only.", "208908", r"^\d{1,10}$")]
ReactomeId = Annotated[
    str,
    Arg(
        "Reactome stable id; a version suffix is ignored.",
        "R-HSA-5633007",
        r"^R-[A-Z]{3}-\d+(-\d+)?$",
        normalise=without_version,
    ),
]
ClinPgxId = Annotated[str, Arg("ClinPGx accession.", "PA449053", r"^PA\d+$", normalise=str.upper)]
ClinVarVariationId = Annotated[
    str,
    Arg(
        "ClinVar Variation ID: digits, or a VCV accession.",
        "13961",
        r"^(\d{1,9}|VCV\d{9}(\.\d+)?)$",
        normalise=str.upper,
    ),
]
DrugName = Annotated[
    str,
    Arg("Drug or compound name, brand, synonym or research code.", "lapatinib", normalise=look_up_form),
]
DiseaseName = Annotated[str, Arg("Disease or condition in words.", "breast cancer", normalise=look_up_form)]
Limit = Annotated[int, Arg("How many records to return at most.", minimum=1, maximum=200)]
Offset = Annotated[int, Arg("How many records to skip: `next` of an earlier result gives it.", minimum=0)]
