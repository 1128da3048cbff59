"""Names of variants as people write them: genomic ids with their assembly, protein and cDNA changes.

The same genomic id means different variants in the two assemblies. Where a name tells the assembly (a
RefSeq chromosome with its version, or `@hg19` at the end) the normal form keeps it: `chr7:g.140753336A>T@hg38`.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mcp_server.args import AMINO_ACIDS, look_up_form
from mcp_server.envelope import InvalidArguments
from mcp_server.platforms.myvariant.base import BOTH, AssemblyName

# Versions of the RefSeq chromosomes in GRCh38; those of GRCh37 are one lower.
_GRCH38_VERSIONS = (11, 12, 12, 12, 10, 12, 14, 11, 12, 11, 10, 12, 11, 9, 10, 10, 11, 10, 10, 11, 9, 11, 11, 10)
_CHANGE = r"\d+(?:_\d+)?(?:[ACGT]+>[ACGT]+|delins[ACGT]+|del|dup|ins[ACGT]+)(?:_seqhashed_\w+)?"
GENOMIC_PATTERN = rf"^chr([1-9]|1\d|2[0-2]|X|Y|MT):g\.{_CHANGE}(@hg(38|19))?$"
_ASSEMBLIES: dict[str, AssemblyName] = {"hg38": "hg38", "grch38": "hg38", "hg19": "hg19", "grch37": "hg19"}
_THREE_LETTERS = {one: three.capitalize() for three, one in AMINO_ACIDS.items()}


def genomic_form(text: str) -> str:
    """Return a genomic name as the service writes its ids: `NC_000007.14:g.140753336A>T` → `chr7:g.…@hg38`."""
    plain, _, said = look_up_form(text).replace(" ", "").partition("@")
    assembly = _ASSEMBLIES.get(said.lower(), said)
    refseq = re.fullmatch(r"NC_0*(\d+)\.(\d+):(?:g\.)?(.+)", plain, re.IGNORECASE)
    if refseq and refseq[1] == "12920":
        plain = f"chrMT:{refseq[3]}"
    elif refseq and 1 <= int(refseq[1]) <= 24:
        number, version = int(refseq[1]), int(refseq[2])
        offset = _GRCH38_VERSIONS[number - 1] - version
        own = {0: "hg38", 1: "hg19"}.get(offset, f"version-{version}")
        assembly = own if assembly in ("", own) else f"{own}-or-{assembly}"
        plain = f"chr{ {23: 'X', 24: 'Y'}.get(number, number) }:{refseq[3]}"
    found = re.fullmatch(r"(?:chr)?([0-9]+|X|Y|MT?)[:-](?:[gm]\.)?(.+)", plain, re.IGNORECASE)
    if not found:
        return f"{plain}@{assembly}" if assembly else plain
    chromosome = {"M": "MT"}.get(found[1].upper(), found[1].upper())
    return f"chr{chromosome}:g.{_change_form(found[2])}{f'@{assembly}' if assembly else ''}"


def _change_form(change: str) -> str:
    vcf = re.fullmatch(r"(\d+)[-:]([ACGT])[-:]([ACGT])", change, re.IGNORECASE)
    if vcf:
        return f"{vcf[1]}{vcf[2].upper()}>{vcf[3].upper()}"
    # Deleted and doubled bases are not part of the service's ids.
    plain = re.sub(r"(del|dup)[ACGT]+$", r"\1", change.replace(",", ""), flags=re.IGNORECASE)
    bases = re.sub(r"[acgt]+(?=>)|(?<=>)[acgt]+|(?<=ins)[acgt]+", lambda found: found[0].upper(), plain)
    return re.sub(r"DEL|DUP|INS|DELINS", lambda found: found[0].lower(), bases)


def is_genomic(text: str) -> bool:
    """Tell whether a text in normal form is a genomic id."""
    return re.fullmatch(GENOMIC_PATTERN, text) is not None


def assembly_of(genomic: str) -> AssemblyName | None:
    """Return the assembly that a genomic name tells, if it tells one."""
    return _ASSEMBLIES.get(genomic.partition("@")[2])


def without_assembly(genomic: str) -> str:
    """Return the id that the service knows."""
    return genomic.partition("@")[0]


def check_assembly(argument: str, genomic: Iterable[str], assembly: AssemblyName | None) -> None:
    """Refuse a name that tells another assembly than the one asked for."""
    for name in genomic:
        told = assembly_of(name)
        if assembly and told and told != assembly:
            raise InvalidArguments(
                argument,
                f"{name} is a name on {told}, but the assembly asked for is {assembly}; leave the assembly out or "
                f"give the name on {assembly}",
                f"{without_assembly(name)}@{assembly}",
            )


def assemblies_for(genomic: Sequence[str], has_place: bool, assembly: AssemblyName | None) -> tuple[AssemblyName, ...]:
    """Return where to look: the assembly asked for, those that the names tell, both for a bare coordinate, hg38."""
    if assembly:
        return (assembly,)
    told = {assembly_of(name) for name in genomic}
    if has_place or None in told:
        return BOTH
    return tuple(name for name in BOTH if name in told) or ("hg38",)


_RESIDUE = r"[a-z]{3}|[a-z]|\*"
_LETTERS = "ACDEFGHIKLMNPQRSTUVWY"
_AFTER_RANGE = rf"_[{_LETTERS}]\d+(del|dup|(del)?ins[{_LETTERS}*]+)"
_AFTER_RESIDUE = rf"[{_LETTERS}*=]?|fs|del|dup|delins[{_LETTERS}*]+"
PROTEIN_PATTERN = rf"^[{_LETTERS}*]\d+({_AFTER_RANGE}|{_AFTER_RESIDUE})$"


def protein_form(text: str) -> str:
    """Return a protein change in one letter without `p.`: `p.(Val600Glu)` → `V600E`; a shifted frame is `L747fs`."""
    plain = look_up_form(text).replace(" ", "").strip("()[]")
    plain = re.sub(r"^(?:[\w.-]+:)?p\.", "", plain).strip("()[]")
    found = re.fullmatch(rf"({_RESIDUE})(\d+)(?:_({_RESIDUE})(\d+))?(.*)", plain, re.IGNORECASE)
    if not found:
        return plain
    place = f"{_one_letter(found[1])}{found[2]}"
    # How far a shifted frame goes on (`fs*5`, `fsTer5`) is not kept: every database writes it in its own way.
    if "fs" in found[5].lower():
        return f"{place}fs"
    place += f"_{_one_letter(found[3])}{found[4]}" if found[3] else ""
    kind = re.match(r"delins|ins|del|dup", found[5], re.IGNORECASE)
    if not kind:
        return place + _one_letter(found[5])
    inserted = found[5][kind.end() :] if "ins" in kind[0].lower() else ""
    in_threes = re.fullmatch(r"(?:[A-Z][a-z]{2})+", inserted) is not None
    residues = re.findall(r"[A-Za-z]{3}|\*" if in_threes else r"[A-Za-z*]", inserted)
    return place + kind[0].lower() + "".join(_one_letter(residue) for residue in residues)


def _one_letter(residue: str) -> str:
    plain = residue.lower()
    return "*" if plain in ("x", "stop") else AMINO_ACIDS.get(plain, residue.upper())


@dataclass(frozen=True)
class ProteinSpellings:
    """How databases write one protein change: exactly, as a pattern of a field, at the end of ClinVar's names."""

    exact: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    in_names: str = ""


def protein_spellings(change: str) -> ProteinSpellings:
    """Return the spellings to look for; a residue alone (`V600`) means any change of it."""
    long = re.sub(rf"[{_LETTERS}*]", lambda found: _THREE_LETTERS[found[0]], change)
    if re.fullmatch(rf"[{_LETTERS}]\d+", change):
        # In lower case, as these fields are indexed. One letter, three letters, a shifted frame, a longer change.
        place = long.lower()
        return ProteinSpellings(patterns=(f"p.{change.lower()}?", f"p.{place}???", f"p.{place}fs*", f"p.{place}_*"))
    if change.endswith("*") and "ins" not in change:
        place, long_place = change[:-1], long.removesuffix("Ter")
        return ProteinSpellings((f"p.{place}*", f"p.{place}X", f"p.{long_place}Ter", f"p.{long_place}*"))
    spelt = (f"p.{change}", f"p.{long}")
    is_substitution = re.fullmatch(rf"[{_LETTERS}*]\d+[{_LETTERS}=]", change) is not None
    # dbNSFP has substitutions only; longer changes stand in snpEff's fields and in ClinVar's names.
    return ProteinSpellings(spelt, in_names="" if is_substitution else f"(p.{long})")


def fits_protein(asked: str, spelt: Iterable[str]) -> bool:
    """Tell whether one of a record's spellings is the change asked for, or a change of the residue asked for."""
    forms = {protein_form(text) for text in spelt}
    is_residue = re.fullmatch(rf"[{_LETTERS}]\d+", asked) is not None
    return asked in forms or (is_residue and any(re.match(rf"{asked}(?!\d)", form) for form in forms))


CDNA_PATTERN = r"^([A-Z]{2}_\d+(\.\d+)?:)?c\.[0-9*+_-]+([ACGT]>[ACGT]|delins[ACGT]+|del|dup|ins[ACGT]+|=)$"


def cdna_form(text: str) -> str:
    """Return a cDNA change without gene name and deleted bases: `NM_007294.4(BRCA1):c.68_69delAG` → `…:c.68_69del`."""
    plain = re.sub(r"\([A-Za-z0-9-]+\)(?=:)", "", look_up_form(text).replace(" ", ""))
    reference, _, change = plain.rpartition(":")
    if not change.startswith("c."):
        change = f"c.{change}"
    change = re.sub(r"(del|dup)[ACGT]+$", r"\1", change)
    change = re.sub(r"[acgt](?=>)|(?<=>)[acgt]", lambda found: found[0].upper(), change)
    return f"{reference.upper()}:{change}" if reference else change
