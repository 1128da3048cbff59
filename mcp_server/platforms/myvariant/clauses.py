"""The query of a search for variants: each filter one clause in parentheses, all joined by an explicit AND."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from mcp_server.envelope import InvalidArguments
from mcp_server.platforms.myvariant.base import AssemblyName, either, is_any, quoted
from mcp_server.platforms.myvariant.names import protein_spellings, without_assembly

# Longer addresses are refused by the service's front door.
QUERY_MAX_CHARS = 5_000
GENE_FIELDS = ("dbnsfp.genename", "clinvar.gene.symbol")
RSID_FIELDS = ("dbsnp.rsid", "clinvar.rsid", "dbsnp.dbsnp_merges.rsid")
SIGNIFICANCES = {
    "pathogenic": "pathogenic",
    "likely_pathogenic": "likely pathogenic",
    "uncertain_significance": "uncertain significance",
    "likely_benign": "likely benign",
    "benign": "benign",
    "conflicting": "conflicting",
}
# The words of ClinVar's review status that stand for each number of stars.
STAR_WORDS = {4: "practice guideline", 3: "expert panel", 2: "multiple submitters", 1: "single submitter"}
_ONE_STAR_TOO = "criteria provided, conflicting"
# gnomAD's genomes have no South Asian group of their own in both assemblies.
_ONLY_IN_EXOMES = ("sas",)


@dataclass(frozen=True)
class Bounds:
    """A range of numbers; a bound may itself be left out of it."""

    low: float | None = None
    high: float | None = None
    is_low_left_out: bool = False
    is_high_left_out: bool = False

    @property
    def is_open(self) -> bool:
        """Whether nothing is bounded."""
        return self.low is None and self.high is None

    def clause(self, field: str) -> str:
        """Return the clause that a field lies in the range."""
        start, end = "{" if self.is_low_left_out else "[", "}" if self.is_high_left_out else "]"
        low, high = ("*" if value is None else _plain(value) for value in (self.low, self.high))
        return f"{field}:{start}{low} TO {high}{end}"


def _plain(value: float) -> str:
    """Return a number in full: an exponent's minus would be read as an operator."""
    return format(Decimal(str(value)), "f")


def bounds(name: str, low: float | None, high: float | None, exclusive: Sequence[str]) -> Bounds:
    """Return the range of `min_…` and `max_…`, checked to hold something."""
    found = Bounds(low, high, f"min_{name}" in exclusive, f"max_{name}" in exclusive)
    for bound, value in (("min", low), ("max", high)):
        if value is None and f"{bound}_{name}" in exclusive:
            raise InvalidArguments("exclusive", f"{bound}_{name} is not given, so it can't be left out", [])
    if low is not None and high is not None:
        is_empty = low > high or (low == high and (found.is_low_left_out or found.is_high_left_out))
        if is_empty:
            raise InvalidArguments(f"min_{name}", f"no number lies between {low} and {high}", low)
    return found


def joined(clauses: Iterable[str], excluded: Iterable[str]) -> str:
    """Join clauses so that all hold and none of the excluded does."""
    found = " AND ".join([*clauses, *(f"NOT {clause}" for clause in excluded)])
    if len(found) > QUERY_MAX_CHARS:
        raise InvalidArguments("", f"the filters make a query of {len(found):,} characters; ask in parts", None)
    return found


def genes_clause(genes: Iterable[str]) -> str:
    """Return the clause for any of some genes, as dbNSFP or ClinVar assign variants to them."""
    return is_any(GENE_FIELDS, genes)


def rsids_clause(rsids: Iterable[str]) -> str:
    """Return the clause for any of some rsIDs, former numbers included."""
    return is_any(RSID_FIELDS, rsids)


def genomic_clause(genomic: Iterable[str]) -> str:
    """Return the clause for any of some genomic ids."""
    return is_any(("_id",), map(without_assembly, genomic))


def proteins_clause(changes: Iterable[str]) -> str:
    """Return the clause for any of some protein changes, in every spelling."""
    return either(clause for change in changes for clause in _protein_clauses(change))


def _protein_clauses(change: str) -> Iterator[str]:
    spellings = protein_spellings(change)
    for field in ("dbnsfp.hgvsp", "snpeff.ann.hgvs_p"):
        yield from (f"{field}:{quoted(spelt)}" for spelt in spellings.exact)
        yield from (f"{field}:{pattern}" for pattern in spellings.patterns)
    if spellings.in_names:
        yield f"clinvar.rcv.preferred_name:*{_escaped(spellings.in_names.lower())}"


def cdna_clause(change: str) -> str:
    """Return the clause for a cDNA change, on one reference sequence where the name has one."""
    reference, _, bare = change.rpartition(":")
    if not reference:
        return is_any(("dbnsfp.hgvsc", "snpeff.ann.hgvs_c"), [bare])
    # The version of the sequence differs between sources.
    pattern = f"{_escaped(reference.partition('.')[0].lower())}.*"
    by_clinvar = f"clinvar.hgvs.coding:{pattern}{_escaped(':' + bare.lower())}"
    by_snpeff = f"(snpeff.ann.feature_id:{pattern} AND snpeff.ann.hgvs_c:{quoted(bare)})"
    return either([by_clinvar, by_snpeff])


def _escaped(text: str) -> str:
    """Return a text for a pattern: what means something in a query is escaped, a `>` stands as any character."""
    return re.sub(r'([\\+\-=&|!(){}\[\]^"~*?:/ ])', r"\\\1", text).replace(">", "?").replace("<", "?")


def region_clause(region: str, assembly: AssemblyName) -> str:
    """Return the clause for variants that overlap a region."""
    name, _, span = region.partition(":")
    start, _, end = span.partition("-")
    return f"(chrom:{quoted(name)} AND {assembly}.start:[* TO {end}] AND {assembly}.end:[{start} TO *])"


def significance_clause(significance: Iterable[str]) -> str:
    """Return the clause for any of some significances; the words of `likely pathogenic` include `pathogenic`."""
    return is_any(("clinvar.rcv.clinical_significance",), (SIGNIFICANCES[name] for name in significance))


def stars_clause(stars: int) -> str:
    """Return the clause for a ClinVar record with at least so many review stars."""
    if stars == 0:
        return "(_exists_:clinvar.rcv.review_status)"
    words = [word for number, word in STAR_WORDS.items() if number >= stars]
    return is_any(("clinvar.rcv.review_status",), [*words, *([_ONE_STAR_TOO] if stars == 1 else [])])


def condition_words(condition: str) -> list[str]:
    """Return the words of a condition as ClinVar's names are split into words."""
    return re.findall(r"[^\W_]+(?:['’.][^\W_]+)*", condition.lower())


def condition_clause(words: Iterable[str]) -> str:
    """Return the clause that all words stand in the names or synonyms of ClinVar's conditions."""
    fields = ("clinvar.rcv.conditions.name", "clinvar.rcv.conditions.synonyms")
    return f"({' AND '.join(is_any(fields, spellings(word)) for word in words)})"


def spellings(word: str) -> list[str]:
    """Return a word and, for a possessive one, the word without its ending: `alzheimer's` and `alzheimer`."""
    plain = word.replace("’", "'")
    return list(dict.fromkeys([plain, plain.removesuffix("'s")]))


def consequence_clause(term: str) -> str:
    """Return the clause for a consequence, which may stand beside others (`splice_donor_variant&intron_variant`)."""
    return f"(snpeff.ann.effect:*{term.lower()}*)"


def frequency_clause(frequency: Bounds, population: str, with_unknown: bool) -> str:
    """Return the clause for gnomAD's exome frequency, and for the genome frequency where the exomes have none."""
    suffix = "" if population == "all" else f"_{population}"
    exomes, genomes = (f"gnomad_{kind}.af.af{suffix}" for kind in ("exome", "genome"))
    clauses = [frequency.clause(exomes)]
    if population not in _ONLY_IN_EXOMES:
        clauses.append(f"({frequency.clause(genomes)} AND NOT _exists_:{exomes})")
    if with_unknown:
        unknown = [exomes] if population in _ONLY_IN_EXOMES else [exomes, genomes]
        clauses.append(f"(*:* AND {' AND '.join(f'NOT _exists_:{field}' for field in unknown)})")
    return either(clauses)


def check_population(population: str) -> None:
    """Refuse a group that gnomAD does not have."""
    if population == "eur":
        raise InvalidArguments(
            "population", "gnomAD has no single European group: nfe is non-Finnish Europeans, fin is Finns", "nfe"
        )


def check_cadd(cadd: Bounds, assemblies: Iterable[AssemblyName]) -> None:
    """Refuse a filter by CADD where the service has not made its scores searchable."""
    if not cadd.is_open and "hg38" in assemblies:
        raise InvalidArguments(
            "min_cadd" if cadd.low is not None else "max_cadd",
            "CADD can be searched on hg19 only; set assembly to hg19, or filter by min_revel on hg38",
            "assembly='hg19'",
        )
