"""How the domains of records with a name are searched: alternatives, several fields, and numbers of other databases."""

from typing import Any

import pytest

from mcp_server.unified.domains.protein import query
from tests.mcp_server.platforms import myvariant_cases
from tests.mcp_server.platforms.fake_upstream import Played
from tests.mcp_server.unified.sources import MYGENE, MYVARIANT, NCBI, OPEN_TARGETS, Sources, call, usual
from tests.mcp_server.unified.test_search import CANCER, codes, domain, ids
from tests.mcp_server.unified.test_variant_record import PREDICTED

Json = Any


@pytest.mark.parametrize(
    ("params", "asked"),
    [
        ({"genes": ["BRAF", "NRAS"]}, '(gene_exact:"BRAF" OR gene_exact:"NRAS") AND (organism_id:9606)'),
        ({"genes": ["Braf"], "organism": ["mouse"]}, '(gene_exact:"Braf") AND (organism_name:"mouse")'),
        ({"genes": ["A"], "min_length": 100, "min_length_exclusive": True},
         '(gene_exact:"A") AND (length:[101 TO *]) AND (organism_id:9606)'),
        ({"genes": ["A"], "max_length": 500, "max_length_exclusive": True},
         '(gene_exact:"A") AND (length:[* TO 499]) AND (organism_id:9606)'),
        ({"genes": ["A"], "reviewed": False}, '(gene_exact:"A") AND (reviewed:false) AND (organism_id:9606)'),
        ({"accession": ["P15056-2"], "reviewed": True}, "(accession:P15056) AND (reviewed:true)"),
        ({"genes": ["A"], "not_name": ["kinase"]},
         '(gene_exact:"A") AND (organism_id:9606) NOT (protein_name:"kinase")'),
        ({"name": ['x" OR gene:"y']}, '(protein_name:"x  OR gene: y") AND (organism_id:9606)'),
    ],
)  # fmt: skip
def test_clauses_of_a_protein_are_uniprots_own(params: dict[str, Json], asked: str) -> None:
    assert query(params) == asked


async def test_proteins_of_another_organism_are_not_looked_for_among_human_ones() -> None:
    sources = Sources({"rest.uniprot.org/uniprotkb/search": Played({"results": []})})
    result = await call(
        sources, "search", query="proteins.gene:Braf AND proteins.organism:mouse AND proteins.reviewed:false"
    )
    (asked,) = sources.asked("rest.uniprot.org")
    assert "9606" not in asked and "reviewed:false" in asked and "reviewed:true" not in asked
    assert domain(result.content, "protein")["status"] == "empty"


async def test_the_diseases_of_a_gene_are_those_that_open_targets_associates_with_it() -> None:
    rows = [{"score": 0.87, "disease": {"id": "MONDO_0005105", "name": "melanoma"}, "datatypeScores": [],
             "datasourceScores": []}]  # fmt: skip
    target = {"id": "ENSG00000157764", "approvedSymbol": "BRAF", "associatedDiseases": {"count": 1, "rows": rows}}
    sources = Sources(usual() | {f"{OPEN_TARGETS}/": Played({"data": {"target": target}})})
    content = (await call(sources, "search", domain="disease", genes=["BRAF"], diseases=["melanoma"])).content
    assert ids(content) == ["MONDO:0005105"] and "associated with BRAF, score 0.87" in content["results"][0]["text"]
    (asked,) = [request.body["variables"] for request in sources.requests if request.host == OPEN_TARGETS]
    assert asked["ensemblId"] == "ENSG00000157764" and asked["filter"] == "melanoma"


async def test_a_gene_is_found_by_the_words_of_its_name() -> None:
    named = {"id": "ENSG00000157764", "entity": "target", "name": "BRAF", "score": 1.0, "object": {}}
    sources = Sources({
        f"{MYGENE}/v3/query": lambda query: myvariant_cases.hits(
            *([{**myvariant_cases.ERBB2, "symbol": "BRAF", "ensembl": {"gene": "ENSG00000157764"}}]
              if "ENSG00000157764" in query else [])),
        f"{OPEN_TARGETS}/": Played({"data": {"search": {"total": 1, "hits": [named]}}}),
    })  # fmt: skip
    content = (await call(sources, "search", query='genes.name:"B-Raf proto-oncogene"')).content
    assert ids(content) == ["GENE:2064"]


async def test_an_entity_that_only_begins_alike_is_searched_as_words() -> None:
    autocomplete = f"{NCBI}/research/pubtator3-api/entity/autocomplete"
    row = {"_id": "@GENE_BRAFP1", "biotype": "gene", "db_id": "286494", "db": "ncbi_gene", "name": "BRAFP1",
           "match": "Matched on name <m>BRAFP1</m>"}  # fmt: skip
    sources = Sources(usual() | {autocomplete: Played([row])}, down=CANCER)
    await call(sources, "search", query="gene:BRAF", domains=["article"])
    assert any('text="BRAF"' in query for query in sources.asked(NCBI))


async def test_a_variant_of_a_transcript_that_myvariant_does_not_read_is_placed_first() -> None:
    answers = usual() | {"rest.ensembl.org/vep": Played([{**PREDICTED, "input": "ENST00000646891:c.1799T>A"}])}
    sources = Sources(answers, down=CANCER)
    content = (
        await call(sources, "search", query="variants.hgvs:ENST00000646891:c.1799T>A", domains=["variant"])
    ).content
    assert ids(content) == ["chr7:g.140753336A>T@hg38"]
    assert any("chr7:g.140753336A>T" in query for query in sources.asked(MYVARIANT))


async def test_a_source_that_can_not_apply_a_clause_is_named() -> None:
    content = (await call(Sources(down=CANCER), "search", query="articles.gene:BRAF AND articles.date:2012")).content
    assert "N_NOT_ASKED" in codes(content) and domain(content, "article")["sources"] == ["Europe PMC"]


@pytest.mark.parametrize(
    "query", ["articles.source:pubtator AND articles.author:X", "articles.source:pubmed AND gene:A AND preprint:true"]
)
async def test_a_search_that_no_source_can_make_is_no_empty_one(query: str) -> None:
    content = (await call(Sources(down=CANCER), "search", query=query, domains=["article"])).content
    if "_meta" in content:
        assert domain(content, "article")["status"] == "error" and "N_NO_HITS" not in codes(content)
    assert content["error"]["message"]
