"""Which record an id or a name opens, and how much of it is told."""

from typing import Any

import pytest

from mcp_server.unified.opening import kind_of
from tests.mcp_server.platforms import europepmc_cases, myvariant_cases, reactome_cases, registry_studies
from tests.mcp_server.platforms.fake_upstream import Played
from tests.mcp_server.unified.sources import EUROPE_PMC, MYDISEASE, MYGENE, OPEN_TARGETS, TRIALS, Sources, article, call
from tests.mcp_server.unified.test_every_clause import KINASE

Json = Any
UNIPROT, REACTOME, CLINPGX, CHEMBL = (
    "rest.uniprot.org", "reactome.org/ContentService", "api.clinpgx.org/v1/data", "www.ebi.ac.uk/chembl/api/data",
)  # fmt: skip
ARTICLE = f"{EUROPE_PMC}/europepmc/webservices/rest/article"
FULL_TEXT = f"{EUROPE_PMC}/europepmc/webservices/rest"


@pytest.mark.parametrize(
    ("identifier", "domain"),
    [
        ("PMID38768446", "article"), ("pmid: 38768446", "article"), ("PMC9984800", "article"),
        ("DOI:10.1101/2024.01.01.573890", "article"), ("10.1101/2024.01.01.573890v2", "article"),
        ("https://doi.org/10.1056/NEJMoa1103782", "article"), ("PPR780001", "article"), ("cbioportal:BRAF", "article"),
        ("cbioportal:BRAF V600E", "article"), ("NCT01808573", "trial"), ("nct01808573", "trial"),
        ("rs113488022", "variant"), ("chr7:g.140753336A>T@hg38", "variant"), ("chr7:g.140453136A>T", "variant"),
        ("NC_000007.14:g.140753336A>T", "variant"), ("NM_004333.6:c.1799T>A", "variant"),
        ("NM_004333.6(BRAF):c.1799T>A", "variant"), ("ENSP00000493543.1:p.Val600Glu", "variant"),
        ("RCV000014992", "variant"), ("VCV000013961.12", "variant"), ("GENE:673", "gene"),
        ("ENSG00000157764", "gene"), ("ENSG00000157764.14", "gene"), ("HGNC:1097", "gene"), ("CHEMBL941", "drug"),
        ("DB00619", "drug"), ("CID5291", "drug"), ("MONDO:0005105", "disease"), ("MONDO_0005105", "disease"),
        ("DOID:14323", "disease"), ("EFO_0000756", "disease"), ("Orphanet:558", "disease"), ("MESH:D008545", "disease"),
        ("UMLS:C0025202", "disease"), ("OTAR_0000018", "disease"), ("HP:0002861", "disease"),
        ("UNIPROT:P15056", "protein"), ("UNIPROT:P15056-2", "protein"), ("P15056", "protein"),
        ("A0A024R161-2", "protein"), ("R-HSA-5633007", "pathway"), ("R-HSA-5633007.3", "pathway"),
        ("PA166104948", "pgx"), ("PGX:1451282340", "pgx"),
    ],
)  # fmt: skip
def test_every_kind_of_id_says_its_domain(identifier: str, domain: str) -> None:
    found = kind_of(identifier, None)
    assert found is not None and found[0] == domain
    assert kind_of(f" {identifier} ", domain) is not None


@pytest.mark.parametrize(
    ("name", "domain"),
    [
        ("38768446", "article"), ("CLEOPATRA", "trial"), ("BRAF", "gene"), ("BRAF V600E", "variant"),
        ("BRAF:p.Val600Glu", "variant"), ("imatinib", "drug"), ("Crohn's disease", "disease"), ("BRAF", "protein"),
        ("MAPK signaling", "pathway"), ("CYP2C19*2", "pgx"), ("clopidogrel", "pgx"),
    ],
)  # fmt: skip
def test_a_name_is_opened_in_its_domain_only(name: str, domain: str) -> None:
    found = kind_of(name, domain)
    assert found is not None and found[0] == domain
    assert kind_of(name, None) is None or name.isdigit()


@pytest.mark.parametrize("name", ["V600E", "BRAF", "38768446"])
async def test_a_change_without_its_gene_is_refused_with_an_example(name: str) -> None:
    sources = Sources({})
    error = (await call(sources, "fetch", id=name, domain="variant")).content["error"]
    assert error["code"] == "tool_invalid_arguments" and "BRAF V600E" in error["message"] and not sources.requests


async def test_a_protein_is_opened_by_the_symbol_of_its_gene() -> None:
    answers = {
        f"{UNIPROT}/uniprotkb/search": Played({"results": [KINASE]}),
        f"{UNIPROT}/uniprotkb/P15056": Played(KINASE),
    }
    sources = Sources(answers)
    content = (await call(sources, "fetch", id="BRAF", domain="protein")).content
    assert content["id"] == "UNIPROT:P15056"
    assert 'gene_exact:"BRAF"' in sources.asked(UNIPROT)[0] and "organism_id:9606" in sources.asked(UNIPROT)[0]


async def test_an_isoform_opens_its_entry_and_says_so() -> None:
    sources = Sources({f"{UNIPROT}/uniprotkb/P15056": Played(KINASE)})
    content = (await call(sources, "fetch", id="UNIPROT:P15056-2")).content
    assert content["id"] == "UNIPROT:P15056" and "P15056-2" in content["text"]


async def test_a_pathway_is_opened_by_its_name() -> None:
    entry = {
        "stId": "R-HSA-5673001",
        "name": "RAF/MAP kinase cascade",
        "exactType": "Pathway",
        "species": ["Homo sapiens"],
    }
    found = {"results": [{"entries": [entry], "entriesCount": 1, "typeName": "Pathway"}], "numberOfMatches": 1}
    answers = {
        f"{REACTOME}/search/query": Played(found),
        f"{REACTOME}/data/query/R-HSA-5673001": Played(reactome_cases.event("R-HSA-5673001", "RAF/MAP kinase cascade")),
    }
    content = (await call(Sources(answers), "fetch", id="MAPK cascade", domain="pathway")).content
    assert content["id"] == "R-HSA-5673001"
    assert [notice["code"] for notice in content["_meta"]["notices"]] == ["N_CHOSEN"]


async def test_a_trial_is_opened_by_its_acronym_and_what_else_was_found_is_named() -> None:
    first, second = (registry_studies.study(number) for number in ("NCT00567190", "NCT01772472"))
    answers = {
        f"{TRIALS}/api/v2/studies/NCT00567190": Played(first),
        f"{TRIALS}/api/v2/studies": Played(registry_studies.page(first, second)),
    }
    sources = Sources(answers)
    content = (await call(sources, "fetch", id="CLEOPATRA", domain="trial")).content
    assert content["id"] == "NCT00567190" and "query.titles=CLEOPATRA" in sources.asked(TRIALS)[0]
    assert "NCT01772472" in content["_meta"]["notices"][0]["message"]


async def test_a_name_that_means_several_genes_says_which() -> None:
    one = {**myvariant_cases.ERBB2, "alias": ["NEU"]}
    other = {**myvariant_cases.ERBB2, "_id": "1", "symbol": "NEU1", "entrezgene": "1", "alias": ["NEU"]}
    sources = Sources({f"{MYGENE}/v3/query": myvariant_cases.hits(one, other)})
    content = (await call(sources, "fetch", id="NEU", domain="gene")).content
    (told,) = content["_meta"]["notices"]
    assert told["code"] == "N_ALIAS" and "ERBB2" in told["message"] and "NEU1" in told["message"]


async def test_a_number_of_another_vocabulary_is_opened_without_a_fault_of_open_targets() -> None:
    sources = Sources({
        f"{MYDISEASE}/v1/query": myvariant_cases.hits(myvariant_cases.MARFAN),
        f"{OPEN_TARGETS}/": Played({"data": {"disease": None, "search": {"total": 0, "hits": []}}}),
    })  # fmt: skip
    content = (await call(sources, "fetch", id="MESH:D008382")).content
    assert content["title"] == "Marfan syndrome" and content["_meta"]["errors"] == []
    asked = [str(request.body) for request in sources.requests if request.host == OPEN_TARGETS]
    assert "MONDO_0007947" in asked[0] and not any("MESH" in body for body in asked)


async def test_the_whole_text_is_whole() -> None:
    words = "word " * 2_000
    text = f'<?xml version="1.0"?><article><body><sec><title>Methods</title><p>{words}end.</p></sec></body></article>'
    record = article(pmcid="PMC1", isOpenAccess="Y")
    answers = {
        f"{FULL_TEXT}/PMC1/fullTextXML": Played(text),
        f"{ARTICLE}/MED/22663011": europepmc_cases.one(record, number="22663011"),
        f"{FULL_TEXT}/search": europepmc_cases.hits(record),
    }
    content = (await call(Sources(answers), "fetch", id="PMID22663011", detail="full")).content
    assert content["text"].rstrip().endswith("end.") and len(content["text"]) > len(words)


async def test_an_article_without_open_text_is_shown_as_far_as_it_is_open_and_says_so() -> None:
    sources = Sources({f"{ARTICLE}/MED/22663011": europepmc_cases.one(article(), number="22663011")})
    content = (await call(sources, "fetch", id="PMID22663011", detail="full")).content
    assert [notice["code"] for notice in content["_meta"]["notices"]] == ["N_NO_FULL_TEXT"]
    assert "We compared." in content["text"]


async def test_a_trial_in_full_holds_its_protocol() -> None:
    study = registry_studies.study("NCT01808573")
    sources = Sources({f"{TRIALS}/api/v2/studies/NCT01808573": Played(study)})
    brief = (await call(sources, "fetch", id="NCT01808573")).content
    full = (await call(sources, "fetch", id="NCT01808573", detail="full")).content
    assert "record" not in brief["metadata"]["clinicaltrials"]
    assert full["metadata"]["clinicaltrials"]["record"]["protocolSection"]["statusModule"]


async def test_where_nothing_is_longer_the_wish_for_more_is_not_passed_over() -> None:
    sources = Sources({f"{MYGENE}/v3/query": myvariant_cases.hits(myvariant_cases.ERBB2)})
    content = (await call(sources, "fetch", id="GENE:2064", detail="full")).content
    assert [notice["code"] for notice in content["_meta"]["notices"]] == ["N_NOT_APPLIED"]
