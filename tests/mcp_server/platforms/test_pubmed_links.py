"""PubMed's links, citations and lists: ranked, verified against the record, spelled as people write them."""

from typing import Any

import pytest

from mcp_server.platforms.pubmed import platform
from tests.mcp_server.platforms.pubmed_answers import arguments, example, found, links, paper, played, summaries
from tests.mcp_server.played import Played, call


async def test_similar_articles_come_without_the_article_itself_by_score() -> None:
    play = played(example("find_similar_articles", 1), example("find_similar_articles", 2))
    envelope = await call(platform, play, "find_similar_articles", pmid="PMID 37258680", limit=3)
    assert [(row["pmid"], row["relative_score"]) for row in envelope.content["data"]["articles"]] == [
        ("42026145", 1.0),
        ("39636237", 0.872),
        ("41896605", 0.798),
    ]
    assert (envelope.content["total"], envelope.content["next"]) == (4, {"offset": 3})
    assert play.query(0)["linkname"] == "pubmed_pubmed" and play.query(0)["cmd"] == "neighbor_score"


async def test_only_reviews_are_another_list_of_links() -> None:
    reviews = links("pubmed", "1", pubmed_pubmed_reviews=[{"id": "2", "score": 5}])
    play = played(reviews, summaries(paper("1"), paper("2")))
    envelope = await call(platform, play, "find_similar_articles", pmid="1", reviews_only=True)
    assert play.query(0)["linkname"] == "pubmed_pubmed_reviews"
    assert envelope.content["total"] == 1


async def test_linked_genes_carry_species_and_each_way_they_are_linked() -> None:
    play = played(example("get_linked_records", 1), example("get_linked_records", 2))
    envelope = await call(platform, play, "get_linked_records", **arguments("get_linked_records"))
    first, second = envelope.content["data"]["records"]
    assert first == {
        "uid": "673",
        "links": ["pubmed_gene", "pubmed_gene_rif"],
        "label": "BRAF",
        "description": "B-Raf proto-oncogene, serine/threonine kinase",
        "species": "Homo sapiens",
    }
    assert (second["links"], envelope.content["total"]) == (["pubmed_gene_rif"], 2)
    assert envelope.meta["burp/citations"][1]["url"] == "https://www.ncbi.nlm.nih.gov/gene/673"


@pytest.mark.parametrize(
    ("database", "record", "kind", "identifier"),
    [
        ("snp", {"uid": "7412"}, "rsid", "rs7412"),
        ("clinvar", {"uid": "13961", "accession": "VCV000013961"}, "clinvar_variation", "VCV000013961"),
        ("pccompound", {"uid": "2244", "iupacname": "x"}, "pubchem", "2244"),
    ],
)
async def test_linked_records_are_cited_as_their_own_database_names_them(
    database: str, record: dict[str, str], kind: str, identifier: str
) -> None:
    play = played(links("pubmed", "1", some_list=[record["uid"]]), summaries(record))
    envelope = await call(platform, play, "get_linked_records", pmid="1", database=database)
    cited = envelope.meta["burp/citations"][1]
    assert (cited["kind"], cited["identifier"]) == (kind, identifier) and cited["url"]


async def test_the_kinds_of_links_that_exist_are_listed() -> None:
    info = "<DbTo>gene</DbTo><LinkName>pubmed_gene</LinkName><MenuTag>Gene Links</MenuTag>"
    inner = f"<IdCheckList><IdLinkSet><Id>1</Id><LinkInfo>{info}</LinkInfo></IdLinkSet></IdCheckList>"
    answer = f'<?xml version="1.0"?><eLinkResult><LinkSet>{inner}</LinkSet></eLinkResult>'
    envelope = await call(platform, played(answer), "get_linked_records", pmid="1", database="all")
    assert envelope.content["data"]["links"] == [{"database": "gene", "linkname": "pubmed_gene", "label": "Gene Links"}]


@pytest.mark.parametrize(
    ("database", "written", "number"),
    [("snp", "rs7412", "7412"), ("clinvar", "VCV000013961.5", "13961"), ("pccompound", "CID 2244", "2244")],
)
async def test_records_are_named_as_people_write_them(database: str, written: str, number: str) -> None:
    play = played(links(database, number), summaries({"uid": number}))
    envelope = await call(platform, play, "find_articles_for_record", database=database, uid=written)
    assert (play.query(0)["dbfrom"], play.query(0)["id"]) == (database, number)
    assert envelope.content["outcome"] == "empty"


async def test_one_kind_of_link_is_taken_and_the_list_goes_on() -> None:
    several = links("clinvar", "13961", clinvar_pubmed=["1", "2", "3"], clinvar_pubmed_calculated=["4"])
    play = played(several, summaries(paper("1")))
    envelope = await call(platform, play, "find_articles_for_record", database="clinvar", uid="13961", limit=1)
    assert (envelope.content["total"], envelope.content["next"]) == (3, {"offset": 1})
    assert [cited["identifier"] for cited in envelope.meta["burp/citations"]] == ["13961", "1"]


async def test_where_to_read_says_who_provides_it_and_on_which_terms() -> None:
    envelope = await call(platform, played(example("get_full_text_links")), "get_full_text_links", pmid="10611131")
    assert envelope.content["data"]["links"] == [
        {
            "url": "https://academic.oup.com/brain/article-lookup/doi/10.1093/brain/123.1.171",
            "category": "Full Text Sources",
            "provider": "Silverchair Information Systems",
            "attributes": ["subscription/membership/fee required"],
        }
    ]


async def test_a_reason_in_place_of_a_number_is_no_pmid() -> None:
    play = played(example("match_citation", 1), example("match_citation", 2))
    envelope = await call(platform, play, "match_citation", **arguments("match_citation"))
    matched, missed = envelope.content["data"]["matches"]
    assert (matched["status"], matched["pmid"], matched["mismatch"]) == ("matched", "31978945", [])
    assert missed == {"citation": "fake journal|2000|1|1|", "status": "not_found", "reason": "INVALID_JOURNAL"}
    assert (envelope.content["total"], envelope.content["returned"]) == (2, 1)
    assert play.query(0)["bdata"] == "n engl j med|2020|382|727|zhu n|1|\rfake journal|2000|1|1||2|"


async def test_a_match_of_another_year_or_author_is_pointed_out() -> None:
    play = played("a|2019|382|727|lee k|1|31978945\n", example("match_citation", 2))
    envelope = await call(platform, play, "match_citation", citations=["a|2019|382|727|lee k"])
    assert envelope.content["data"]["matches"][0]["mismatch"] == [
        "year: the record says 2020 Feb 20",
        "author: the record's first is Zhu N",
    ]
    assert "check it" in envelope.content["note"]


@pytest.mark.parametrize(
    ("line", "match"),
    [
        ("a||||b|1|AMBIGUOUS 12,34\n", {"status": "ambiguous", "candidates": ["12", "34"]}),
        ("a||||b|2|77\n", {"status": "no_answer"}),
    ],
    ids=["ambiguous", "a dropped line"],
)
async def test_what_is_no_match_is_said_as_it_is(line: str, match: dict[str, Any]) -> None:
    envelope = await call(platform, played(line), "match_citation", citations=["a||||b"])
    assert envelope.content["data"]["matches"] == [{"citation": "a||||b", **match}]
    assert envelope.content["returned"] == 0


async def test_a_citation_of_too_few_parts_is_refused() -> None:
    envelope = await call(platform, Played(), "match_citation", citations=["n engl j med 2020;382:727"])
    assert envelope.content["error"]["argument"] == "citations"


MEK = paper(
    "22663011",
    "Improved survival with MEK inhibition in BRAF-mutated melanoma.",
    date="2012 Jul 12",
    source="N Engl J Med",
    fulljournalname="The New England journal of medicine",
    volume="367",
    issue="2",
    pages="107-14",
)
MEK |= {
    "authors": [{"name": name} for name in ("Flaherty KT", "Robert C", "METRIC Study Group")],
    "articleids": [{"idtype": "doi", "value": "10.1056/NEJMoa1203421"}],
}


@pytest.mark.parametrize(
    ("style", "citation"),
    [
        (
            "nlm",
            "Flaherty KT, Robert C, METRIC Study Group. Improved survival with MEK inhibition in BRAF-mutated "
            "melanoma. N Engl J Med. 2012 Jul 12;367(2):107-14. doi: 10.1056/NEJMoa1203421. PMID: 22663011.",
        ),
        (
            "ama",
            "Flaherty KT, Robert C, METRIC Study Group. Improved survival with MEK inhibition in BRAF-mutated "
            "melanoma. N Engl J Med. 2012;367(2):107-14. doi:10.1056/NEJMoa1203421",
        ),
        (
            "apa",
            "Flaherty, K. T., Robert, C., & METRIC Study Group (2012). Improved survival with MEK inhibition in "
            "BRAF-mutated melanoma. The New England journal of medicine, 367(2), 107-14. "
            "https://doi.org/10.1056/NEJMoa1203421",
        ),
        (
            "mla",
            'Flaherty, K. T., et al. "Improved survival with MEK inhibition in BRAF-mutated melanoma." The New England '
            "journal of medicine, vol. 367, no. 2, 2012, pp. 107-14, doi:10.1056/NEJMoa1203421.",
        ),
    ],
)
async def test_references_are_written_from_the_record(style: str, citation: str) -> None:
    play = played(summaries(MEK))
    envelope = await call(platform, play, "format_citations", pmids=["22663011", "99999999"], style=style)
    assert envelope.content["data"]["articles"][0]["citation"] == citation
    assert envelope.content["data"]["missing"] == ["99999999"]


async def test_ris_lines_hold_each_part_by_its_tag() -> None:
    envelope = await call(platform, played(summaries(MEK)), "format_citations", pmids=["22663011"], style="ris")
    lines = envelope.content["data"]["articles"][0]["citation"].splitlines()
    assert lines[:2] == ["TY  - JOUR", "AU  - Flaherty, K. T."] and lines[-1] == "ER  - "
    assert {"DA  - 2012/07", "SP  - 107", "EP  - 14", "AN  - 22663011"} <= set(lines)


async def test_many_authors_are_cut_as_the_style_wants() -> None:
    crowd = MEK | {"authors": [{"name": f"Author{n} A"} for n in range(8)]}
    texts = {}
    for style in ("nlm", "ama"):
        envelope = await call(platform, played(summaries(crowd)), "format_citations", pmids=["22663011"], style=style)
        texts[style] = envelope.content["data"]["articles"][0]["citation"]
    assert "Author5 A, et al." in texts["nlm"] and "Author6" not in texts["nlm"]
    assert "Author2 A, et al." in texts["ama"] and "Author3" not in texts["ama"]


async def test_figures_leave_out_the_long_lists_and_read_old_flags() -> None:
    body = example("get_citation_metrics")
    body["data"].append({"pmid": 23456789, "is_clinical": "No", "is_research_article": "Yes", "citation_count": 26})
    play = played(body)
    envelope = await call(platform, play, "get_citation_metrics", pmids=["32162448", "23456789", "1"])
    new, old = envelope.content["data"]["articles"]
    assert (new["citation_count"], new["nih_percentile"], new["is_clinical"]) == (17, 77.1, True)
    assert new["cited_by_clin"] == ["32997821", "38615661", "35166373"] and "citedByPmidsByYear" not in new
    assert (old["pmid"], old["is_clinical"], old["is_research_article"]) == ("23456789", False, True)
    assert envelope.content["data"]["missing"] == ["1"]
    assert play.requests[0].url.startswith("https://icite.od.nih.gov/api/pubs?pmids=32162448%2C23456789%2C1")


def article(pmid: str, types: str = "", notices: str = "") -> str:
    """Return a record with publication types and links to notices."""
    return (
        f"<PubmedArticle><MedlineCitation><PMID>{pmid}</PMID><Article><ArticleTitle>T</ArticleTitle><PublicationTypeList>"
        f"<PublicationType>{types}</PublicationType></PublicationTypeList></Article><CommentsCorrectionsList>{notices}"
        "</CommentsCorrectionsList></MedlineCitation></PubmedArticle>"
    )


@pytest.mark.parametrize(
    ("kinds", "types", "status"),
    [
        (["RetractionIn", "ErratumIn"], "", "retracted"),
        ([], "Retracted Publication", "retracted"),
        (["ExpressionOfConcernIn"], "", "expression of concern"),
        (["PartialRetractionIn"], "", "partly retracted"),
        (["ErratumIn"], "", "corrected"),
        (["CorrectedandRepublishedIn"], "", "corrected"),
        (["RetractionOf"], "", "notice about another article"),
        (["CommentIn", "Cites"], "Review", "none"),
    ],
)
async def test_the_gravest_notice_gives_the_status(kinds: list[str], types: str, status: str) -> None:
    notices = "".join(
        f'<CommentsCorrections RefType="{kind}"><RefSource>S</RefSource><PMID>9</PMID></CommentsCorrections>'
        for kind in kinds
    )
    answer = f'<?xml version="1.0" ?><PubmedArticleSet>{article("5", types, notices)}</PubmedArticleSet>'
    envelope = await call(platform, played(answer), "check_retractions", pmids=["5", "6"])
    (row,) = envelope.content["data"]["articles"]
    assert row["status"] == status
    assert envelope.content["data"]["flagged"] == (status != "none")
    assert envelope.content["data"]["missing"] == ["6"]


async def test_a_query_is_explained_without_its_articles() -> None:
    play = played(example("check_query", 1), found("1", count=40362))
    envelope = await call(platform, play, "check_query", query="biopythooon")
    assert envelope.content["data"]["corrected_query"] == "biopython"
    assert (envelope.content["total"], envelope.content["returned"]) == (40362, 0)
    assert envelope.content["note"] == "PubMed suggests 'biopython'."


@pytest.mark.case("C035")
async def test_words_that_are_left_out_are_named_with_the_query() -> None:
    answer = found(count=540, warninglist={"quotedphrasesnotfound": ["unicornwombatxyz"]})
    spelling = '<?xml version="1.0"?><eSpellResult><CorrectedQuery/><ERROR/></eSpellResult>'
    envelope = await call(platform, played(spelling, answer), "check_query", query="JAK2 unicornwombatxyz")
    assert envelope.content["data"]["phrases_not_found"] == ["unicornwombatxyz"]
    assert "unicornwombatxyz" in envelope.content["note"]


async def test_a_trend_has_one_count_a_year() -> None:
    play = played(*(example("count_articles_by_year", number) for number in (1, 2, 3)))
    envelope = await call(platform, play, "count_articles_by_year", **arguments("count_articles_by_year"))
    assert [(each["year"], each["count"]) for each in envelope.content["data"]["counts"]] == [
        (2020, 210),
        (2021, 240),
        (2022, 225),
    ]
    assert envelope.content["data"]["articles"] == 675
    assert (play.query(1)["mindate"], play.query(1)["maxdate"], play.query(1)["datetype"]) == ("2021", "2021", "pdat")


@pytest.mark.parametrize(("first", "last"), [(2020, 2019), (1990, 2020)])
async def test_years_that_make_no_span_are_refused(first: int, last: int) -> None:
    envelope = await call(platform, Played(), "count_articles_by_year", query="x", year_from=first, year_to=last)
    assert envelope.content["error"]["argument"] == "year_to"


async def test_papers_of_a_trial_say_whether_they_report_results_and_name_it() -> None:
    play = played(example("find_trial_publications", 1), example("find_trial_publications", 2))
    envelope = await call(platform, play, "find_trial_publications", nct_id="nct01245062")
    (row,) = envelope.content["data"]["articles"]
    assert (row["pmid"], row["reports_results"], row["names_trial"]) == ("22663011", True, True)
    assert play.query(0)["term"] == "NCT01245062[si]"


async def test_a_heading_has_its_descriptor_and_no_pointers() -> None:
    play = played(example("lookup_mesh_term", 1), example("lookup_mesh_term", 2))
    envelope = await call(platform, play, "lookup_mesh_term", term="Mekinist")
    (row,) = envelope.content["data"]["headings"]
    assert (row["ui"], row["name"]) == ("C560077", "trametinib")
    assert "tree_numbers" not in row and "note" not in envelope.content
    assert envelope.meta["burp/citations"][0]["url"] == "https://www.ncbi.nlm.nih.gov/mesh/67560077"


async def test_an_exact_heading_comes_before_a_near_one() -> None:
    near = {"uid": "68001940", "ds_meshterms": ["Breast"], "ds_idxlinks": [{"treenum": "A01.236"}]}
    exact = {"uid": "68001943", "ds_meshterms": ["Breast Neoplasms", "Breast Cancer"], "ds_idxlinks": []}
    play = played(found("68001940", "68001943", count=9), summaries(near, exact))
    envelope = await call(platform, play, "lookup_mesh_term", term="breast cancer", limit=2)
    assert [row["ui"] for row in envelope.content["data"]["headings"]] == ["D001943", "D001940"]
    assert envelope.content["next"] == {"offset": 2}


@pytest.mark.parametrize(
    ("query", "term"),
    [
        ("1059-7794", "1059-7794[issn]"),
        ("Hum Mutat", '("Hum Mutat"[ta] OR "Hum Mutat"[title]) AND ncbijournals[filter]'),
    ],
)
async def test_a_journal_is_found_by_issn_or_name(query: str, term: str) -> None:
    play = played(example("lookup_journal", 1), example("lookup_journal", 2))
    envelope = await call(platform, play, "lookup_journal", query=query)
    assert play.query(0)["term"] == term
    (row,) = envelope.content["data"]["journals"]
    assert row["issns"] == ["1059-7794", "1098-1004"] and "end_year" not in row
