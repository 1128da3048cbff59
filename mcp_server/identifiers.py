"""Every kind of identifier BURP knows: its pattern, its normal form, and the page of its record.

Public and pure. `find_in_text` is what grounding and pages use; `normalise` makes two spellings
of one identifier equal (`ENSG00000141736.14` and `ENSG00000141736`, `MONDO:0007254` and `MONDO_0007254`).
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass


def _same(value: str) -> str:
    return value


def _upper(value: str) -> str:
    return value.upper()


def _ensembl(value: str) -> str:
    """Strip the version; ids of flies and worms (FBgn…, WBGene…) keep their letters."""
    bare = value.partition(".")[0]
    return bare.upper() if bare.upper().startswith("ENS") else bare


def _ontology(value: str) -> str:
    prefix, _, number = value.replace(":", "_").partition("_")
    return f"{'Orphanet' if prefix.lower() == 'orphanet' else prefix.upper()}_{number}"


def _accession_version(value: str) -> str:
    return value.upper().partition(".")[0]


def _star_allele(value: str) -> str:
    gene, _, allele = value.partition("*")
    return f"{gene.upper()}*{allele.upper().rstrip(':')}"


def _hgvs(value: str) -> str:
    """Strip gene and punctuation; a question mark belongs to a protein change (p.Met1?), not to a base."""
    bare = re.sub(r"\([A-Za-z0-9-]+\)(?=:)", "", value).rstrip(".,;")
    return re.sub(r"(?<=[ACGT])\?$", "", bare) if re.search(r":[cgnm]\.", bare) else bare


def _doi(value: str) -> str:
    return value.rstrip(".,;:)]}").lower()


@dataclass(frozen=True)
class Kind:
    """One family of identifiers.

    `pattern` has the identifier in group `id`; `record_url` takes the normal form as `{id}` and is
    empty for names that have no page of their own.
    """

    name: str
    label: str
    pattern: str
    example: str
    record_url: str = ""
    normal_form: Callable[[str], str] = _same

    def normalise(self, value: str) -> str:
        """Return the one spelling used for comparison."""
        return self.normal_form(value.strip())

    def url(self, value: str) -> str:
        """Return the address of the record's page, or an empty string."""
        return self.record_url.format(id=self.normalise(value)) if self.record_url else ""


_ONTOLOGIES = "MONDO|EFO|Orphanet|ORPHANET|HP|DOID|NCIT|OTAR|OBA|MP|UBERON"
# What may stand before an identifier: no letter, digit, or part of a longer identifier.
_START = r"(?<![A-Za-z0-9_./-])"
_END = r"(?![A-Za-z0-9_])"

KINDS: tuple[Kind, ...] = (
    Kind(
        "hgvs",
        "HGVS name",
        r"(?P<id>(?:N[MPCGR]_\d+\.\d+|ENS[TP]\d{11}(?:\.\d+)?)(?:\([A-Za-z0-9-]+\))?:[cgpnmr]\.[A-Za-z0-9_*+\-=>()\[\];?]+)",
        "NM_004333.6:c.1799T>A",
        normal_form=_hgvs,
    ),
    Kind(
        "ensembl",
        "Ensembl",
        rf"{_START}(?P<id>ENS(?:[A-Z]{{3,4}})?[GTPE]\d{{11}}(?:\.\d+)?){_END}",
        "ENSG00000141736",
        "https://www.ensembl.org/id/{id}",
        _ensembl,
    ),
    Kind(
        "chembl",
        "ChEMBL",
        rf"{_START}(?P<id>CHEMBL\d+){_END}",
        "CHEMBL554",
        "https://www.ebi.ac.uk/chembl/explore/compound/{id}",
        _upper,
    ),
    Kind(
        "nct",
        "ClinicalTrials.gov",
        rf"{_START}(?P<id>NCT\d{{5,}}){_END}",
        "NCT01808573",
        "https://clinicaltrials.gov/study/{id}",
        _upper,
    ),
    Kind(
        "pmid",
        "PubMed",
        r"(?<![A-Za-z])PMIDs?\b[:\s#]*(?P<id>\d{1,8})(?!\d)|pubmed\.ncbi\.nlm\.nih\.gov/(?P<id2>\d{1,8})",
        "22663011",
        "https://pubmed.ncbi.nlm.nih.gov/{id}/",
    ),
    Kind(
        "pmcid",
        "PubMed Central",
        rf"{_START}(?P<id>PMC\d{{4,}}){_END}",
        "PMC9984800",
        "https://pmc.ncbi.nlm.nih.gov/articles/{id}/",
        _upper,
    ),
    Kind(
        "doi",
        "DOI",
        r"(?<![A-Za-z0-9])(?P<id>10\.\d{4,9}/[^\s\"'<>|\]\)]+)",
        "10.1158/0008-5472.can-09-4563",
        "https://doi.org/{id}",
        _doi,
    ),
    Kind(
        "rsid",
        "dbSNP",
        rf"{_START}(?P<id>rs\d{{3,}}){_END}",
        "rs113488022",
        "https://www.ncbi.nlm.nih.gov/snp/{id}",
        str.lower,
    ),
    Kind(
        "clinvar_variation",
        "ClinVar",
        rf"{_START}(?P<id>VCV\d{{9}}(?:\.\d+)?){_END}",
        "VCV000013961",
        "https://www.ncbi.nlm.nih.gov/clinvar/variation/{id}/",
        _accession_version,
    ),
    Kind(
        "clinvar_record",
        "ClinVar",
        rf"{_START}(?P<id>[RS]CV\d{{9}}(?:\.\d+)?){_END}",
        "RCV000067669",
        "https://www.ncbi.nlm.nih.gov/clinvar/{id}/",
        _accession_version,
    ),
    Kind(
        "reactome",
        "Reactome",
        rf"{_START}(?P<id>R-[A-Z]{{3}}-\d+(?:-\d+)?){_END}",
        "R-HSA-1227986",
        "https://reactome.org/content/detail/{id}",
        _upper,
    ),
    Kind(
        "clinpgx_annotation",
        "ClinPGx clinical annotation",
        r"(?i:clinical annotation|clinicalAnnotation)s?[\s/#:]*(?P<id>\d{6,10})(?!\d)",
        "1444712823",
        "https://www.clinpgx.org/clinicalAnnotation/{id}",
    ),
    Kind(
        "clinpgx",
        "ClinPGx",
        rf"{_START}(?P<id>PA\d{{2,}}){_END}",
        "PA449053",
        "https://www.clinpgx.org/search?query={id}",
    ),
    Kind(
        "ontology",
        "Open Targets disease",
        rf"{_START}(?P<id>(?:{_ONTOLOGIES})[_:]\d{{4,}}){_END}",
        "MONDO_0007254",
        "https://platform.opentargets.org/disease/{id}",
        _ontology,
    ),
    Kind(
        "hgnc",
        "HGNC",
        rf"{_START}(?P<id>HGNC:\d+){_END}",
        "HGNC:3430",
        "https://www.genenames.org/data/gene-symbol-report/#!/hgnc_id/{id}",
        _upper,
    ),
    Kind(
        "pubchem",
        "PubChem",
        r"(?<![A-Za-z])CIDs?\b[:\s#]*(?P<id>\d{1,10})(?!\d)|pubchem\.ncbi\.nlm\.nih\.gov/compound/(?P<id2>\d{1,10})",
        "208908",
        "https://pubchem.ncbi.nlm.nih.gov/compound/{id}",
    ),
    Kind(
        "star_allele",
        "Star allele",
        rf"{_START}(?P<id>(?:HLA-[A-Z][A-Z0-9]{{0,4}}|[A-Z][A-Z0-9]{{1,9}})\*\d+[A-Z]?(?::\d{{2,3}})*){_END}",
        "CYP2C19*2",
        normal_form=_star_allele,
    ),
    Kind(
        "uniprot",
        "UniProt",
        rf"{_START}(?P<id>(?:[OPQ]\d[A-Z0-9]{{3}}\d|[A-NR-Z]\d(?:[A-Z][A-Z0-9]{{2}}\d){{1,2}})(?:-\d{{1,2}})?){_END}",
        "P04626",
        "https://www.uniprot.org/uniprotkb/{id}/entry",
        _upper,
    ),
)

BY_NAME: dict[str, Kind] = {kind.name: kind for kind in KINDS}


def _numbered(number: int, pattern: str) -> str:
    """Give the groups of one kind's pattern names of their own, so that all fit one expression."""
    return f"(?P<k{number}>{pattern.replace('(?P<id', f'(?P<k{number}_id')})"


_SEARCHED = re.compile("|".join(_numbered(number, kind.pattern) for number, kind in enumerate(KINDS)))


@dataclass(frozen=True)
class Found:
    """An identifier in a text: `value` is its normal form, `start`/`end` the span of the identifier itself."""

    kind: str
    value: str
    start: int
    end: int

    @property
    def key(self) -> tuple[str, str]:
        """What two mentions of the same record share."""
        return (self.kind, self.value)


def find_in_text(text: str) -> Iterator[Found]:
    """Yield every identifier in `text`, from left to right, without overlaps.

    Numbers alone are never identifiers: a PMID or CID needs its prefix or its address.
    """
    for match in _SEARCHED.finditer(text):
        for number, kind in enumerate(KINDS):
            if match.group(f"k{number}") is None:
                continue
            for group in (f"k{number}_id", f"k{number}_id2"):
                if group in match.re.groupindex and match.group(group) is not None:
                    start, end = match.span(group)
                    if kind.name in ("doi", "hgvs"):
                        end = start + len(match.group(group).rstrip(".,;:)"))
                    yield Found(kind.name, kind.normalise(text[start:end]), start, end)
            break


def normalise(kind: str, value: str) -> str:
    """Return the normal form of an identifier of a known kind."""
    return BY_NAME[kind].normalise(value)


def record_url(kind: str, value: str) -> str:
    """Return the address of the record's page, or an empty string where there is none."""
    if kind == "clinvar_variation":
        number = re.sub(r"\D", "", value.partition(".")[0]).lstrip("0")
        return f"https://www.ncbi.nlm.nih.gov/clinvar/variation/{number}/"
    known = BY_NAME.get(kind)
    return known.url(value) if known else ""


def kind_of(value: str) -> str:
    """Return the kind of a bare identifier, or an empty string if its form fits none."""
    found = next(find_in_text(value.strip()), None)
    return found.kind if found and found.start == 0 and found.end == len(value.strip()) else ""
