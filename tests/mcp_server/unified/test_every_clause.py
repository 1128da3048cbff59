"""Every clause that a plan can hold changes what is asked or what is shown, or is said not to have been applied."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from mcp_server.http.messages import Request, Response
from mcp_server.http.snapshot import PACKAGED, SnapshotTransport
from mcp_server.unified.query.fields import FIELDS, PREFIXES
from tests.mcp_server.platforms.fake_upstream import Played
from tests.mcp_server.played import DATA
from tests.mcp_server.unified.sources import MYDISEASE, MYGENE, OPEN_TARGETS, Answer, Sources, call, usual

Json = Any
KINASE = {
    "entryType": "UniProtKB reviewed (Swiss-Prot)",
    "primaryAccession": "P15056",
    "uniProtkbId": "BRAF_HUMAN",
    "organism": {"scientificName": "Homo sapiens", "taxonId": 9606},
    "proteinDescription": {"recommendedName": {"fullName": {"value": "Serine/threonine-protein kinase B-raf"}}},
    "genes": [{"geneName": {"value": "BRAF"}}],
    "sequence": {"length": 766},
}
RECORDS = SnapshotTransport((PACKAGED, DATA / "examples"))


def answers() -> dict[str, Answer]:
    """Return answers where many different questions are asked; the others come out of the snapshot."""
    known = {name: answer for name, answer in usual().items() if name.partition("/")[0] not in
             (MYGENE, MYDISEASE, OPEN_TARGETS)}  # fmt: skip
    return known | {"rest.uniprot.org/uniprotkb/search": Played({"results": [KINASE]})}


@dataclass
class Both(Sources):
    """Plays answers, or the snapshot's records where there is none."""

    answers: dict[str, Answer] = field(default_factory=answers)

    async def send(self, request: Request) -> Response:
        """Answer a request."""
        try:
            return await super().send(request)
        except AssertionError:
            return await RECORDS.send(request)


# For each domain a query, and for each param a clause that the query's own rows do not meet, and one that they do.
# An empty text stands for a clause that can't be said so.
CASES: Mapping[str, tuple[str, Mapping[str, tuple[str, str]]]] = {
    "article": ("articles.gene:BRAF", {
        "genes": ("articles.gene:NRAS",) * 2,
        "diseases": ("articles.disease:melanoma",) * 2,
        "drugs": ("articles.drug:vemurafenib",) * 2,
        "variants": ("articles.variant:V600E",) * 2,
        "keywords": ("articles.keyword:resistance",) * 2,
        "title": ("articles.title:survival",) * 2,
        "abstract": ("articles.abstract:survival",) * 2,
        "author": ('articles.author:"Flaherty KT"',) * 2,
        "journal": ("articles.journal:nature",) * 2,
        "date": ("articles.date:2023",) * 2,
        "pmid": ("articles.pmid:1",) * 2,
        "pmcid": ("articles.pmcid:PMC1",) * 2,
        "doi": ("articles.doi:10.1056/nejmoa1203421",) * 2,
        "type": ("articles.type:review",) * 2,
        "source": ("articles.source:medrxiv",) * 2,
        "preprint": ("articles.preprint:true",) * 2,
        "open_access": ("articles.open_access:false", "articles.open_access:true"),
        "sort": ("articles.sort:date", ""),
    }),
    "trial": ("trials.condition:melanoma", {
        "condition": ("trials.condition:glioma",) * 2,
        "intervention": ("trials.intervention:vemurafenib",) * 2,
        "term": ("trials.term:biopsy",) * 2,
        "phases": ("trials.phase:3",) * 2,
        "status": ("trials.status:recruiting",) * 2,
        "sponsor": ("trials.sponsor:Novartis",) * 2,
        "nct": ("trials.nct:NCT01808573",) * 2,
        "location": ("trials.location:Cleveland",) * 2,
        "country": ("trials.country:Germany",) * 2,
        "geo": ("trials.near:41.4993,-81.6944",) * 2,
        "age": ("trials.age:>=65",) * 2,
        "sex": ("trials.sex:female",) * 2,
        "study_type": ("trials.type:observational",) * 2,
        "has_results": ("trials.results:true",) * 2,
        "start_date": ("trials.start_date:2023",) * 2,
        "completion_date": ("trials.completion_date:2023",) * 2,
        "update_date": ("trials.update_date:2023",) * 2,
        "biomarker": ("trials.biomarker:EGFR",) * 2,
        "prior_therapy": ("trials.prior_therapy:platinum",) * 2,
        "line": ("trials.line:2l",) * 2,
    }),
    "variant": ("variants.gene:BRAF", {
        "gene": ("variants.gene:NRAS",) * 2,
        "variant": ("variants.protein:V600K", "variants.protein:V600E"),
        "rsid": ("variants.rsid:rs1", "variants.rsid:rs113488022"),
        "region": ("variants.region:7:1-2", "variants.region:7:140753330-140753340"),
        "significance": ("variants.significance:benign", "variants.significance:pathogenic"),
        "review_status": ("variants.review_status:>=2", "variants.review_status:<=1"),
        "condition": ("variants.condition:glioma", "variants.condition:carcinoma"),
        "consequence": ("variants.consequence:stop_gained", "variants.consequence:missense_variant"),
        "frequency": ("variants.frequency:>0.1", "variants.frequency:<0.01"),
        "population": ("variants.population:afr", ""),
        "cadd": ("variants.cadd:>30", "variants.cadd:<30"),
        "revel": ("variants.revel:<0.1", "variants.revel:>0.9"),
        "assembly": ("variants.assembly:hg19", ""),
    }),
    "gene": ("genes.symbol:ERBB2", {
        "genes": ("genes.symbol:TP53", "genes.symbol:HER2"),
        "name": ("genes.name:apoptosis", "genes.name:kinase"),
        "type": ("genes.type:pseudo", "genes.type:protein-coding"),
        "id": ("genes.id:673", "genes.id:2064"),
        "chromosome": ("genes.chromosome:7", "genes.chromosome:17"),
    }),
    "drug": ("drugs.target:ERBB2", {
        "drugs": ("drug:clopidogrel",) * 2,
        "name": ("drugs.name:clopidogrel",) * 2,
        "tradename": ("drugs.tradename:Plavix",) * 2,
        "indication": ("drugs.indication:leukemia",) * 2,
        "diseases": ("disease:leukemia",) * 2,
        "target": ("drugs.target:EGFR",) * 2,
        "genes": ("gene:EGFR",) * 2,
        "id": ("drugs.id:CHEMBL941",) * 2,
        "phases": ("drugs.phase:1", "drugs.phase:4"),
        "mechanism": ("drugs.mechanism:agonist",) * 2,
    }),
    "disease": ('diseases.name:"Marfan syndrome"', {
        "diseases": ("disease:melanoma", "disease:Marfan"),
        "genes": ("gene:FBN1",) * 2,
        "name": ("diseases.name:melanoma", "diseases.name:Marfan"),
        "synonym": ("diseases.synonym:melanoma", "diseases.synonym:Marfan"),
        "mondo": ("diseases.mondo:MONDO:0005105", "diseases.mondo:MONDO:0007947"),
        "doid": ("diseases.doid:DOID:1", "diseases.doid:DOID:14323"),
        "omim": ("diseases.omim:155600", "diseases.omim:154700"),
        "mesh": ("diseases.mesh:D000001", "diseases.mesh:D008382"),
        "efo": ("diseases.efo:EFO:0000756", ""),
        "orphanet": ("diseases.orphanet:1", "diseases.orphanet:558"),
        "umls": ("diseases.umls:C0025202", "diseases.umls:C0024796"),
    }),
    "protein": ("proteins.gene:BRAF", {
        "accession": ("proteins.accession:P04637",) * 2,
        "genes": ("proteins.gene:NRAS",) * 2,
        "diseases": ("proteins.disease:melanoma",) * 2,
        "name": ("proteins.name:kinase",) * 2,
        "organism": ("proteins.organism:mouse",) * 2,
        "length": ("proteins.length:<500",) * 2,
        "reviewed": ("proteins.reviewed:false", "proteins.reviewed:true"),
    }),
    "pathway": ("pathways.id:R-HSA-5633007", {
        "id": ("pathways.id:R-HSA-5673001", "pathways.id:R-HSA-5633007"),
        "name": ('pathways.name:"MAPK signaling"', "pathways.name:TP53"),
        "genes": ("pathways.gene:TP53",) * 2,
    }),
    "pgx": ("pgx.gene:CYP2C19 AND pgx.drug:clopidogrel", {
        "genes": ("pgx.gene:CYP2D6", "pgx.gene:CYP2C19"),
        "drugs": ("pgx.drug:codeine", "pgx.drug:clopidogrel"),
        "variants": ("pgx.variant:rs4244285", "pgx.variant:rs11568732"),
        "level": ("pgx.level:1A",) * 2,
        "id": ("pgx.id:PA166104948",) * 2,
    }),
}  # fmt: skip
EACH = [(domain, param) for domain, (_, clauses) in CASES.items() for param in clauses]
# How much is asked for is no sign that a clause was heeded.
SIZES = re.compile(r'([?&]|")(page_?size|limit|size|rows|fields)("?[=:]\s*)"?\w+"?', re.IGNORECASE)


def without_sizes(request: Request) -> str:
    """Return what a request asks for, but not for how much of it."""
    body = json.dumps(request.body, sort_keys=True) if request.body is not None else request.text or ""
    return SIZES.sub("", f"{request.method} {request.public_url} {body}")


async def outcome(domain: str, query: str) -> tuple[frozenset[str], str]:
    """Return what was asked, and all that was shown and said."""
    sources = Both()
    content = (await call(sources, "search", query=query, domains=[domain])).content
    meta = content.get("_meta", {})
    said = [content.get("error"), meta.get("errors"), meta.get("not_applied"), content.get("results")]
    said += [notice for notice in meta.get("notices", ()) if notice["code"] != "N_POST_FILTERED"]
    return frozenset(map(without_sizes, sources.requests)), json.dumps(said)


def test_every_param_of_every_domain_is_tried() -> None:
    for domain, (_, clauses) in CASES.items():
        reached = {each.reach[domain].param for each in FIELDS if domain in each.reach}
        assert reached <= set(clauses), domain
    assert set(CASES) == set(PREFIXES.values())


@pytest.mark.parametrize(("domain", "param"), EACH)
async def test_a_clause_that_must_hold_is_heeded_or_reported(domain: str, param: str) -> None:
    query, clauses = CASES[domain]
    assert await outcome(domain, f"{query} AND {clauses[param][0]}") != await outcome(domain, query)


@pytest.mark.parametrize(("domain", "param"), [pair for pair in EACH if CASES[pair[0]][1][pair[1]][1]])
async def test_a_clause_that_must_not_hold_is_heeded_or_reported(domain: str, param: str) -> None:
    query, clauses = CASES[domain]
    assert await outcome(domain, f"{query} NOT {clauses[param][1]}") != await outcome(domain, query)
