"""UniProt: one request a search, merged and deleted entries, id mapping over pages, variants."""

from typing import Any

import pytest

from mcp_server.platforms.uniprot import mapping as mapping_tools
from mcp_server.platforms.uniprot import platform
from tests.mcp_server.platforms.fake_upstream import FakeUpstream, Played, call

Json = Any
RELEASE = {"x-uniprot-release": "2026_03"}


def entry(accession: str, symbol: str, **more: Json) -> Json:
    return {
        "entryType": "UniProtKB reviewed (Swiss-Prot)",
        "primaryAccession": accession,
        "uniProtkbId": f"{symbol}_HUMAN",
        "proteinDescription": {
            "recommendedName": {"fullName": {"value": f"{symbol} protein"}, "ecNumbers": [{"value": "2.7.10.1"}]},
            "alternativeNames": [{"fullName": {"value": f"Proto-oncogene {symbol}"}}],
        },
        "genes": [{"geneName": {"value": symbol}, "synonyms": [{"value": "NEU"}]}],
        "organism": {"scientificName": "Homo sapiens", "taxonId": 9606},
        "sequence": {"length": 1255},
        "keywords": [{"id": "KW-0418", "category": "Molecular function", "name": "Kinase"}],
        **more,
    }


REFERENCES = [
    {"database": "ChEMBL", "id": "CHEMBL1824", "properties": [{"key": "Description", "value": "-"}]},
    {"database": "Ensembl", "id": "ENST1.10", "properties": [{"key": "GeneId", "value": "ENSG00000141736.14"}]},
    {"database": "Ensembl", "id": "ENST2.1", "properties": [{"key": "GeneId", "value": "ENSG00000141736.14"}]},
    {"database": "HGNC", "id": "HGNC:3430", "properties": [{"key": "GeneName", "value": "ERBB2"}]},
    {
        "database": "Reactome",
        "id": "R-HSA-1227986",
        "properties": [{"key": "PathwayName", "value": "Signaling by ERBB2"}],
    },
]
FUNCTION = [{"commentType": "FUNCTION", "texts": [{"value": f"Kinase (PubMed:1, PubMed:22). {'Long text. ' * 40}"}]}]
ERBB2 = entry("P04626", "ERBB2", uniProtKBCrossReferences=REFERENCES, comments=FUNCTION)


async def test_search_by_symbols_and_keyword_is_one_request_in_a_fixed_order() -> None:
    upstream = FakeUpstream(
        {"/uniprotkb/search": Played({"results": [ERBB2]}, headers={"x-total-results": "1", **RELEASE})}
    )
    result = await call(
        platform, upstream, "search_proteins", gene_symbols=["erbb2", "HLA-A"], keyword="Kinase", limit=50
    )
    assert upstream.asked == [
        'uniprotkb/search?query=(gene_exact:ERBB2 OR gene_exact:"HLA-A") AND (keyword:Kinase) AND (organism_id:9606)'
        " AND (reviewed:true)&fields=accession,id,gene_names,protein_name,organism_name,ec,keyword,length,cc_function,"
        "xref_chembl,xref_ensembl&size=50"
    ]
    (row,) = result.content["data"]
    assert (row["primaryAccession"], row["geneName"], row["reviewed"]) == ("P04626", "ERBB2", True)
    assert (row["chembl"], row["ensembl"], row["keywords"]) == (["CHEMBL1824"], ["ENSG00000141736"], ["Kinase"])
    assert row["function"].startswith("Kinase. Long text.") and row["function"].endswith("…")
    assert result.content["total"] == 1
    assert result.meta["burp/release"] == "2026_03"
    assert result.meta["burp/citations"][0]["url"] == "https://www.uniprot.org/uniprotkb/P04626/entry"


async def test_word_of_another_keyword_is_left_out_and_told() -> None:
    inhibitor = entry("P38936", "CDKN1A", keywords=[{"id": "KW-0649", "name": "Protein kinase inhibitor"}])
    upstream = FakeUpstream(
        {"/uniprotkb/search": Played({"results": [inhibitor, ERBB2]}, headers={"x-total-results": "2"})}
    )
    result = await call(platform, upstream, "search_proteins", gene_symbols=["CDKN1A", "ERBB2"], keyword="Kinase")
    assert [row["geneName"] for row in result.content["data"]] == ["ERBB2"]
    assert result.content["total"] == 1
    assert "1 more only had the word 'Kinase'" in result.content["note"]


async def test_more_symbols_than_one_query_holds_are_asked_in_groups() -> None:
    pages = [
        Played({"results": [ERBB2]}, headers={"x-total-results": "1"}),
        Played({"results": [entry("P00533", "EGFR")]}, headers={"x-total-results": "1"}),
    ]
    upstream = FakeUpstream({"/uniprotkb/search": pages})
    symbols = [f"GENE{number}" for number in range(51)]
    result = await call(platform, upstream, "search_proteins", gene_symbols=symbols)
    assert [asked.count("gene_exact:") for asked in upstream.asked] == [50, 1]
    assert [row["primaryAccession"] for row in result.content["data"]] == ["P04626", "P00533"]
    assert (result.content["total"], result.content["returned"]) == (2, 2)


@pytest.mark.case("C011")
async def test_search_tells_the_total_and_how_to_go_on() -> None:
    link = '<https://rest.uniprot.org/uniprotkb/search?query=x&cursor=abc123&size=1>; rel="next"'
    upstream = FakeUpstream(
        {
            "/uniprotkb/search?cursor=abc123": Played({"results": []}, headers={"x-total-results": "26"}),
            "/uniprotkb/search": Played({"results": [ERBB2]}, headers={"x-total-results": "26", "link": link}),
        }
    )
    first = await call(platform, upstream, "search_proteins", query="kinase", limit=1)
    assert (first.content["total"], first.content["returned"]) == (26, 1)
    assert first.content["next"] == {"cursor": "abc123"}
    await call(platform, upstream, "search_proteins", query="kinase", limit=1, **first.content["next"])
    assert "cursor=abc123" in upstream.asked[1]


@pytest.mark.case("C009")
async def test_search_for_another_species_keeps_the_spelling() -> None:
    upstream = FakeUpstream({"/uniprotkb/search": Played({"results": []}, headers={"x-total-results": "0"})})
    result = await call(platform, upstream, "search_proteins", gene_symbols=["Brca1"], organism_id=10090)
    assert "gene_exact:Brca1) AND (organism_id:10090)" in upstream.asked[0]
    assert result.content["outcome"] == "empty"
    assert "taxon 10090" in result.content["note"]


@pytest.mark.case("C009")
async def test_a_protein_of_another_species_than_asked_for_is_refused() -> None:
    upstream = FakeUpstream({"/uniprotkb/search": Played({"results": [ERBB2]})})
    result = await call(platform, upstream, "search_proteins", gene_symbols=["Erbb2"], organism_id=10090)
    assert result.content["error"]["code"] == "upstream_bad_response"
    assert "P04626 is of taxon 9606" in result.content["error"]["message"]


async def test_search_for_nothing_is_refused() -> None:
    result = await call(platform, FakeUpstream({}), "search_proteins")
    assert result.content["error"]["argument"] == "query"


@pytest.mark.case("C012")
async def test_old_query_syntax_brings_the_servers_own_words() -> None:
    refusal = Played({"url": "x", "messages": ["'taxonomy' is not a valid search field"]}, 400)
    result = await call(
        platform, FakeUpstream({"/uniprotkb/search": refusal}), "search_proteins", query="taxonomy:9606"
    )
    assert result.content["error"]["code"] == "upstream_refused"
    assert "'taxonomy' is not a valid search field" in result.content["error"]["message"]
    assert "for 'taxonomy' try taxonomy_id" in result.content["error"]["message"]


@pytest.mark.case("C012")
@pytest.mark.parametrize(
    ("query", "hint"),
    [
        ("organismid:9606", "for 'organismid' try organism_id"),
        ("organism:human AND zzqx:1", "for 'organism' try organism_id; nothing is like 'zzqx'"),
        ("insulin AND (", "Fields are accession, sec_acc, id, gene, "),
    ],
    ids=["near", "former and unknown", "no field at fault"],
)
async def test_a_refused_query_brings_the_fields_there_are(query: str, hint: str) -> None:
    refusal = Played({"url": "x", "messages": ["query parameter has an invalid syntax"]}, 400)
    result = await call(
        platform, FakeUpstream({"/groups/ec": refusal}), "count_proteins_by_group", query=query, group="ec"
    )
    assert result.content["error"]["code"] == "upstream_refused"
    assert hint in result.content["error"]["message"]


async def test_protein_card_groups_cross_references() -> None:
    upstream = FakeUpstream({"/uniprotkb/P04626": Played(ERBB2, headers=RELEASE)})
    result = await call(platform, upstream, "get_protein", accession="p04626")
    card = result.content["data"]
    assert card["crossReferences"] == {
        "ChEMBL": ["CHEMBL1824"],
        "HGNC": ["HGNC:3430"],
        "GeneID": [],
        "MIM": [],
        "PharmGKB": [],
        "Ensembl": ["ENSG00000141736"],
        "Reactome": [{"id": "R-HSA-1227986", "pathwayName": "Signaling by ERBB2"}],
    }
    assert (card["proteinName"], card["length"], card["taxonId"]) == ("ERBB2 protein", 1255, 9606)
    assert card["alternativeNames"] == ["Proto-oncogene ERBB2"]
    assert "(PubMed:1, PubMed:22)" in card["function"]
    assert "note" not in result.content


@pytest.mark.case("C010")
async def test_merged_accession_leads_to_its_successor_in_both_forms() -> None:
    tp53 = Played(entry("P04637", "TP53"))
    merged = {
        "entryType": "Inactive",
        "primaryAccession": "Q15086",
        "inactiveReason": {"inactiveReasonType": "MERGED", "mergeDemergeTo": ["P04637"]},
    }
    for first in (tp53, Played(merged)):
        upstream = FakeUpstream({"/uniprotkb/Q15086": first, "/uniprotkb/P04637": tp53})
        result = await call(platform, upstream, "get_protein", accession="Q15086")
        assert result.content["data"]["primaryAccession"] == "P04637"
        assert "Q15086 was merged into P04637" in result.content["note"]


@pytest.mark.parametrize(
    ("reason", "replacement"),
    [
        ({"inactiveReasonType": "DEMERGED", "mergeDemergeTo": ["P99999", "P99998"]}, ["P99999", "P99998"]),
        ({"inactiveReasonType": "DELETED", "deletedReason": "Not part of a reference proteome"}, None),
    ],
    ids=["demerged", "deleted"],
)
async def test_inactive_entry_is_an_unknown_id_with_its_reason(reason: Json, replacement: Json) -> None:
    inactive = {"entryType": "Inactive", "primaryAccession": "P00001", "inactiveReason": reason}
    result = await call(
        platform, FakeUpstream({"/uniprotkb/P00001": Played(inactive)}), "get_protein", accession="P00001"
    )
    assert result.content["outcome"] == "unknown_id"
    assert result.content["data"].get("replacement") == replacement
    assert "no longer in UniProtKB" in result.content["note"]


async def test_accession_nobody_has_and_a_broken_service() -> None:
    missing = FakeUpstream({"/uniprotkb/P99997": Played({"messages": ["Resource not found"]}, 404)})
    result = await call(platform, missing, "get_protein", accession="P99997")
    assert result.content["outcome"] == "unknown_id"
    broken = FakeUpstream({"/uniprotkb/P99997": Played("<html>oops</html>", 500)})
    result = await call(platform, broken, "get_protein", accession="P99997")
    assert result.content["error"]["code"] == "upstream_unavailable"


@pytest.mark.case("C013")
async def test_isoform_is_accepted_and_its_numbering_explained() -> None:
    upstream = FakeUpstream({"/uniprotkb/P04637": Played(entry("P04637", "TP53"))})
    result = await call(platform, upstream, "get_protein", accession="P04637-2")
    assert result.content["data"]["primaryAccession"] == "P04637"
    assert "not to P04637-2" in result.content["note"]
    assert {row["identifier"] for row in result.meta["burp/citations"]} == {"P04637", "P04637-2"}


VARIANTS = [
    {
        "type": "Natural variant",
        "location": {"start": {"value": 790}, "end": {"value": 790}},
        "description": "found in a lung cancer sample; increased kinase activity; dbSNP:rs121434569",
        "featureCrossReferences": [{"database": "dbSNP", "id": "rs121434569"}],
        "featureId": "VAR_026098",
        "alternativeSequence": {"originalSequence": "T", "alternativeSequences": ["M"]},
    },
    {
        "type": "Natural variant",
        "location": {"start": {"value": 30}, "end": {"value": 297}},
        "featureId": "VAR_066493",
        "alternativeSequence": {},
    },
    {"type": "Domain", "location": {"start": {"value": 712}, "end": {"value": 979}}},
]


async def test_variants_at_a_position_and_page_by_page() -> None:
    upstream = FakeUpstream({"/uniprotkb/P00533": Played(entry("P00533", "EGFR", features=VARIANTS))})
    at_790 = await call(platform, upstream, "get_variants", accession="P00533", position=790)
    (row,) = at_790.content["data"]["variants"]
    assert row == {
        "start": 790,
        "end": 790,
        "originalSequence": "T",
        "alternativeSequences": ["M"],
        "description": "found in a lung cancer sample; increased kinase activity; dbSNP:rs121434569",
        "featureId": "VAR_026098",
        "dbSNP": ["rs121434569"],
    }
    inside = await call(platform, upstream, "get_variants", accession="P00533", position=100)
    assert [row["featureId"] for row in inside.content["data"]["variants"]] == ["VAR_066493"]
    first = await call(platform, upstream, "get_variants", accession="P00533", limit=1)
    assert (first.content["total"], first.content["returned"], first.content["next"]) == (2, 1, {"offset": 1})
    rest = await call(platform, upstream, "get_variants", accession="P00533", limit=1, offset=1)
    assert "next" not in rest.content
    none = await call(platform, upstream, "get_variants", accession="P00533", position=1200)
    assert (none.content["outcome"], none.content["total"]) == ("empty", 0)


async def test_variants_of_an_unknown_protein_and_of_a_silent_service() -> None:
    answers = {"/uniprotkb/P99997": Played({}, 404), "/uniprotkb/P00533": Played("", 503)}
    for accession, outcome in (("P99997", "unknown_id"), ("P00533", "failed")):
        result = await call(platform, FakeUpstream(answers), "get_variants", accession=accession)
        assert result.content["outcome"] == outcome


def mapping(results: Played | list[Played], status: Played | list[Played] | None = None) -> FakeUpstream:
    return FakeUpstream(
        {
            "/idmapping/run": Played({"jobId": "job1"}),
            "/idmapping/status/job1": status or Played({"jobStatus": "FINISHED"}),
            "/idmapping/details/job1": Played({"redirectURL": "https://rest.uniprot.org/idmapping/results/job1"}),
            "/idmapping/results/job1": results,
        }
    )


@pytest.mark.case("C011")
async def test_mapping_reads_all_pages_and_counts_failures_once() -> None:
    link = '<https://rest.uniprot.org/idmapping/results/job1?cursor=next2&size=500>; rel="next"'
    first = {"results": [{"from": "P04626", "to": "CHEMBL1824"}], "failedIds": ["P99997"]}
    last = {
        "results": [{"from": "P00533", "to": {"primaryAccession": "P00533", "entryType": "x"}}],
        "failedIds": ["P99997"],
    }
    upstream = mapping([Played(first, headers={"link": link, "x-total-results": "2"}), Played(last)])
    result = await call(
        platform,
        upstream,
        "map_ids",
        ids=["P04626", "P00533", "P99997", "P04626"],
        from_db="UniProtKB_AC-ID",
        to_db="ChEMBL",
    )
    assert upstream.requests[0].text == "from=UniProtKB_AC-ID&to=ChEMBL&ids=P04626%2CP00533%2CP99997"
    assert upstream.requests[0].headers["Content-Type"] == "application/x-www-form-urlencoded"
    assert result.content["data"] == {
        "results": [{"from": "P04626", "to": "CHEMBL1824"}, {"from": "P00533", "to": "P00533"}],
        "failedIds": ["P99997"],
    }
    assert (result.content["total"], result.content["returned"]) == (2, 2)
    assert "Nothing was found for 1 of 3 ids" in result.content["note"]


async def test_mapping_waits_for_the_job(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mapping_tools, "POLL_WAITS_S", (0.0, 0.0, 0.0))
    page = Played({"results": [{"from": "P04626", "to": "HGNC:3430"}]})
    # A client that follows redirects sees the results where the status was.
    upstream = mapping(page, [Played({"jobStatus": "NEW"}), Played({"jobStatus": "RUNNING"}), page])
    arguments: Json = {"ids": ["P04626"], "from_db": "UniProtKB_AC-ID", "to_db": "HGNC"}
    result = await call(platform, upstream, "map_ids", **arguments)
    assert result.content["data"]["results"] == [{"from": "P04626", "to": "HGNC:3430"}]
    stuck = await call(platform, mapping(page, Played({"jobStatus": "RUNNING"})), "map_ids", **arguments)
    assert stuck.content["error"]["code"] == "upstream_unavailable"
    assert "job1" in stuck.content["error"]["message"]


async def test_a_mapping_that_answers_with_something_else_is_a_failure() -> None:
    upstream = mapping(Played(entry("P30542", "ADORA1")))
    result = await call(platform, upstream, "map_ids", ids=["P30542"], from_db="UniProtKB_AC-ID", to_db="UniProtKB")
    assert result.content["error"]["code"] == "upstream_bad_response"


async def test_mapping_without_hits_and_with_a_refusal() -> None:
    arguments: Json = {"ids": ["P99997"], "from_db": "UniProtKB_AC-ID", "to_db": "ChEMBL"}
    nothing = await call(platform, mapping(Played({"results": [], "failedIds": ["P99997"]})), "map_ids", **arguments)
    assert nothing.content["outcome"] == "empty"
    assert nothing.content["data"]["failedIds"] == ["P99997"]
    refusal = Played({"jobStatus": "ERROR", "errors": [{"code": 40, "message": "too many mapped ids"}]})
    refused = await call(platform, mapping(Played({}), refusal), "map_ids", **arguments)
    assert refused.content["error"]["code"] == "upstream_refused"
    assert "too many mapped ids" in refused.content["error"]["message"]


async def test_mapping_of_gene_names_takes_a_taxon_and_tells_suggestions_and_warnings() -> None:
    page = {
        "results": [{"from": "APP", "to": {"uniParcId": "UPI000002DB1C"}}],
        "suggestedIds": [{"from": "Q11111", "to": "UPI0000000001"}],
        "obsoleteCount": 1,
        "warnings": [{"code": 20, "message": "Filters are not supported"}],
    }
    upstream = mapping(Played(page))
    result = await call(platform, upstream, "map_ids", ids=["APP"], from_db="gene name", to_db="UniParc", taxon_id=9606)
    assert upstream.requests[0].text == "from=Gene_Name&to=UniParc&ids=APP&taxId=9606"
    assert result.content["data"]["results"] == [{"from": "APP", "to": "UPI000002DB1C"}]
    assert result.content["data"]["suggestedIds"] == [{"from": "Q11111", "to": "UPI0000000001"}]
    assert result.content["note"] == "1 ids are obsolete entries of UniProtKB. Filters are not supported"
    refused = await call(
        platform, FakeUpstream({}), "map_ids", ids=["P04626"], from_db="UniProtKB", to_db="ChEMBL", taxon_id=9606
    )
    assert refused.content["error"]["argument"] == "taxon_id"


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ({"disease": "breast cancer"}, '(cc_disease:"breast cancer") AND (organism_id:9606)'),
        ({"ec_number": "2.7.10.1"}, "(ec:2.7.10.1) AND (organism_id:9606)"),
        ({"query": "kinase", "sort": "length"}, "sort=length desc"),
    ],
    ids=["disease", "enzyme", "order"],
)
async def test_every_filter_of_a_search_reaches_the_request(arguments: Json, part: str) -> None:
    upstream = FakeUpstream({"/uniprotkb/search": Played({"results": []}, headers={"x-total-results": "0"})})
    result = await call(platform, upstream, "search_proteins", **arguments)
    assert part in upstream.asked[0]
    assert "reviewed=false searches all" in result.content["note"]
