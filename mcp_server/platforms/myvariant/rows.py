"""What a search shows of a variant: names, ClinVar, gnomAD, scores; and which ClinVar record fits a filter.

Significance, review status and condition belong to one ClinVar record (RCV), but the service matches them
over all records of a variant, and `pathogenic` also finds "Likely pathogenic". So rows are checked here.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from mcp_server.envelope import Citation
from mcp_server.http.errors import UpstreamBadResponse
from mcp_server.platforms.myvariant.base import (
    HOST,
    AssemblyName,
    filled,
    first_text,
    highest,
    numbers,
    texts,
    values,
)
from mcp_server.platforms.myvariant.clauses import SIGNIFICANCES, condition_words, spellings
from mcp_server.platforms.myvariant.names import fits_protein, protein_form

Json = Any

# gnomAD's release by its part and the assembly.
GNOMAD = {
    ("exome", "hg38"): "gnomAD exomes 2.1.1",
    ("exome", "hg19"): "gnomAD exomes 2.1.1",
    ("genome", "hg38"): "gnomAD genomes 3.1.1",
    ("genome", "hg19"): "gnomAD genomes 2.1.1",
}
_STARS = {
    "practice guideline": 4,
    "reviewed by expert panel": 3,
    "criteria provided, multiple submitters, no conflicts": 2,
    "criteria provided, multiple submitters": 2,
    "criteria provided, conflicting interpretations": 1,
    "criteria provided, conflicting classifications": 1,
    "criteria provided, single submitter": 1,
}


def fields_for(population: str) -> list[str]:
    """Return the fields that a row is made of."""
    suffix = "" if population == "all" else f"_{population}"
    counts = [f"gnomad_{kind}.{count}.{count}{suffix}" for kind in ("exome", "genome") for count in ("af", "ac", "an")]
    return [
        "_id", "chrom", "vcf", "hg19", "hg38", "clingen.caid", "dbsnp.rsid", "dbsnp.gene.symbol",
        "dbsnp.dbsnp_merges.rsid",
        "clinvar.variant_id", "clinvar.rsid", "clinvar.gene.symbol", "clinvar.rcv.accession",
        "clinvar.rcv.clinical_significance", "clinvar.rcv.review_status", "clinvar.rcv.preferred_name",
        "clinvar.rcv.conditions.name", "clinvar.rcv.conditions.synonyms", "dbnsfp.genename", "dbnsfp.hgvsp",
        "dbnsfp.hgvsc", "dbnsfp.revel.score", "dbnsfp.alphamissense.score", "dbnsfp.alphamissense.pred",
        "dbnsfp.cadd.phred", "cadd.phred", "snpeff.ann.genename", "snpeff.ann.hgvs_p", "snpeff.ann.hgvs_c",
        "snpeff.ann.effect", *counts,
    ]  # fmt: skip


def row(record: Json, assembly: AssemblyName, population: str = "all", asked: Collection[str] = ()) -> dict[str, Json]:
    """Return one variant as a search shows it; scores are the highest over transcripts."""
    check_assembly_of(record, assembly)
    genes = genes_of(record)
    return filled(
        {
            "variant_id": record["_id"],
            "assembly": assembly,
            "rsid": first_text(record, "dbsnp.rsid", "clinvar.rsid"),
            "clingen_id": first_text(record, "clingen.caid"),
            "genes": genes,
            "protein_changes": protein_changes_of(record, asked),
            "cdna_changes": texts(record, "snpeff.ann.hgvs_c", "dbnsfp.hgvsc"),
            "consequences": consequences_of(record),
            "clinvar": clinvar_of(record),
            "gnomad": frequency_of(record, assembly, population),
            **scores_of(record),
        }
    )


def protein_changes_of(record: Json, asked: Collection[str] = ()) -> list[str]:
    """Return the changes on all transcripts, best known first: as asked for, as ClinVar names it, then the others."""
    spelt = [*protein_names(record), *texts(record, "snpeff.ann.hgvs_p", "dbnsfp.hgvsp")]
    changes = [change for change in dict.fromkeys(map(protein_form, spelt)) if re.match(r"[A-Z*]\d", change)]
    return sorted(changes, key=lambda change: not any(fits_protein(one, [change]) for one in asked))


def check_assembly_of(record: Json, assembly: AssemblyName) -> None:
    """Refuse a record of the other assembly: the service answers on hg19 where it was not told otherwise."""
    other = "hg19" if assembly == "hg38" else "hg38"
    if other in record and assembly not in record:
        raise UpstreamBadResponse(HOST, f"asked for {assembly}, it answered {record['_id']} on {other}")


def genes_of(record: Json) -> list[str]:
    """Return the symbols of the genes that a variant lies in, by the most specific source that has any."""
    coding = texts(record, "dbnsfp.genename", "clinvar.gene.symbol", "cadd.gene.genename")
    return coding or texts(record, "dbsnp.gene.symbol", "snpeff.ann.genename")


def consequences_of(record: Json) -> list[str]:
    """Return the sequence-ontology terms of a variant's effects."""
    return list(dict.fromkeys(term for effect in texts(record, "snpeff.ann.effect") for term in effect.split("&")))


def scores_of(record: Json) -> dict[str, Json]:
    """Return the predictors' scores; on hg38 there is only the CADD that dbNSFP carries."""
    own, of_dbnsfp = highest(record, "cadd.phred"), highest(record, "dbnsfp.cadd.phred")
    source = "CADD" if own is not None else "CADD in dbNSFP" if of_dbnsfp is not None else None
    revel, alphamissense = (highest(record, f"dbnsfp.{name}.score") for name in ("revel", "alphamissense"))
    return {
        "cadd_phred": of_dbnsfp if own is None else own,
        "cadd_source": source,
        "revel": revel,
        "alphamissense": alphamissense,
        "alphamissense_predictions": texts(record, "dbnsfp.alphamissense.pred"),
        # A score belongs to a transcript, and the highest need not be that of the change named first.
        "scores_are": None if revel is alphamissense is None else "the highest over transcripts",
    }


def frequency_of(record: Json, assembly: AssemblyName, population: str = "all") -> dict[str, Json] | None:
    """Return gnomAD's frequency with its counts: of the exomes, else of the genomes; None where neither has it."""
    suffix = "" if population == "all" else f"_{population}"
    for kind in ("exome", "genome"):
        af, ac, an = (numbers(record, f"gnomad_{kind}.{count}.{count}{suffix}") for count in ("af", "ac", "an"))
        if not af:
            continue
        if not 0 <= af[0] <= 1:
            raise UpstreamBadResponse(HOST, f"{record['_id']} with an allele frequency of {af[0]}, which is above 1")
        return filled(
            {
                "frequency": af[0],
                "allele_count": int(ac[0]) if ac else None,
                "allele_number": int(an[0]) if an else None,
                "population": population,
                "dataset": GNOMAD[kind, assembly],
            }
        )
    return None


def clinvar_of(record: Json) -> dict[str, Json] | None:
    """Return ClinVar's view of a variant, its records grouped by significance, the best reviewed first."""
    groups: dict[str, list[Json]] = {}
    for rcv in values(record, "clinvar.rcv"):
        if isinstance(rcv, dict):
            groups.setdefault(first_text(rcv, "clinical_significance") or "not stated", []).append(rcv)
    if not groups and not texts(record, "clinvar.variant_id"):
        return None
    classified = [_group(significance, records) for significance, records in groups.items()]
    classified.sort(key=lambda group: (-(group["stars"] or 0), -group["records"]))
    name = first_text(record, "clinvar.rcv.preferred_name")
    return filled({"variation_id": first_text(record, "clinvar.variant_id"), "name": name, "classified": classified})


def _group(significance: str, records: Sequence[Json]) -> dict[str, Json]:
    best = max(records, key=lambda rcv: stars_of(rcv) or 0)
    return {
        "significance": significance,
        "records": len(records),
        "review_status": first_text(best, "review_status"),
        "stars": stars_of(best),
        "conditions": list(dict.fromkeys(name for rcv in records for name in texts(rcv, "conditions.name"))),
        "accessions": [accession for rcv in records for accession in texts(rcv, "accession")],
    }


def stars_of(rcv: Json) -> int | None:
    """Return the review stars of one record; None where it names no status."""
    status = first_text(rcv, "review_status")
    return None if status is None else _STARS.get(status.lower(), 0)


@dataclass(frozen=True)
class ClinvarFilter:
    """What one ClinVar record must have all of."""

    significance: tuple[str, ...] = ()
    min_stars: int | None = None
    condition: str = ""

    @property
    def is_exact_upstream(self) -> bool:
        """Whether the service's own count is right: one kind of filter, and one that its words can tell apart."""
        used = [bool(self.significance), self.min_stars is not None, bool(self.condition)]
        loose = {("pathogenic", "likely_pathogenic"), ("benign", "likely_benign")}
        is_loose = any(plain in self.significance and likely not in self.significance for plain, likely in loose)
        return sum(used) == 0 or (sum(used) == 1 and not is_loose and len(condition_words(self.condition)) <= 1)

    def accepts(self, record: Json) -> bool:
        """Tell whether one single record of the variant has all that is asked for."""
        if not (self.significance or self.min_stars is not None or self.condition):
            return True
        return any(self._fits(rcv) for rcv in values(record, "clinvar.rcv") if isinstance(rcv, dict))

    def _fits(self, rcv: Json) -> bool:
        if self.significance and not significances_of(rcv) & set(self.significance):
            return False
        if self.min_stars is not None and (stars_of(rcv) is None or (stars_of(rcv) or 0) < self.min_stars):
            return False
        return not self.condition or _names_condition(rcv, condition_words(self.condition))


def significances_of(rcv: Json) -> set[str]:
    """Return the significances that one record states: `Pathogenic/Likely pathogenic` states both."""
    found = set()
    for text in texts(rcv, "clinical_significance"):
        parts = [part.strip() for part in re.split(r"[/;,|]", text.lower())]
        found |= {name for name, words in SIGNIFICANCES.items() if words in parts}
        found |= {"conflicting"} if text.lower().startswith("conflicting") else set()
    return found


def _names_condition(rcv: Json, words: Collection[str]) -> bool:
    names = texts(rcv, "conditions.name", "conditions.synonyms")
    return any(all(set(spellings(word)) & _words_of(name) for word in words) for name in names)


def _words_of(name: str) -> set[str]:
    return {spelling for word in condition_words(name) for spelling in (word, word.replace("’", "'"))}


def citation(record: Json, assembly: AssemblyName, asked: Collection[str] = ()) -> Citation:
    """Return the page of a variant: ClinVar's, else dbSNP's, else the service's own record."""
    label = " ".join([*genes_of(record)[:1], *protein_changes_of(record, asked)[:1]])
    if variation := first_text(record, "clinvar.variant_id"):
        return Citation("clinvar_variation", f"VCV{int(variation):09d}", label)
    if rsid := first_text(record, "dbsnp.rsid", "clinvar.rsid"):
        return Citation("rsid", rsid, label)
    address = f"https://{HOST}/v1/variant/{record['_id'].replace('>', '%3E')}?assembly={assembly}"
    return Citation("variant", f"{record['_id']}@{assembly}", label, address)


def rsids_of(record: Json) -> set[str]:
    """Return the rsIDs of a record, former ones included."""
    return set(texts(record, "dbsnp.rsid", "clinvar.rsid", "dbsnp.dbsnp_merges.rsid", "dbnsfp.rsid"))


def protein_names(record: Json) -> list[str]:
    """Return the protein changes in ClinVar's names: `NM_000260.4(MYO7A):c.4919del (p.Gly1640fs)` → `p.Gly1640fs`."""
    names = texts(record, "clinvar.rcv.preferred_name")
    return [found[1] for name in names if (found := re.search(r"\((p\.[^)]+)\)$", name))]


def lowered(found: Iterable[str]) -> set[str]:
    """Return texts in lower case, as the service compares them."""
    return {text.lower() for text in found}


def ids_of(record: Json) -> set[str]:
    """Return everything that a record may be asked for by."""
    return {record["_id"], *rsids_of(record), *texts(record, "clinvar.rcv.accession", "clingen.caid")}
