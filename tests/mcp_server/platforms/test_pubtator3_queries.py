"""PubTator3: which query texts are sent, which are refused, and how snippets are read."""

import pytest

from mcp_server.envelope import InvalidArguments
from mcp_server.platforms.pubtator3.queries import (
    check,
    entities_in,
    excluded,
    explicit,
    mentions,
    snippet_of,
    text_form,
)


@pytest.mark.parametrize(
    "text",
    [
        "BRCA1",
        "chronic fatigue syndrome",
        "@GENE_BRAF AND @DISEASE_Melanoma",
        '@GENE_BRAF AND (melanoma OR "colorectal cancer") NOT review',
        "@VARIANT_p.V600E_BRAF_human AND NOT (mouse OR rat)",
        "@GENE_672 OR @DISEASE_MESH:D015673",
        "relations:ANY|@CHEMICAL_Doxorubicin|@DISEASE_Neoplasms",
        "relations:treat|@CHEMICAL_Doxorubicin|DISEASE",
        "(@GENE_BRCA1.L OR @CELLLINE_HeLa) AND @SPECIES_9606",
    ],
)
def test_a_right_text_is_let_through_but_not_with_an_operator_behind_it(text: str) -> None:
    check(text)
    with pytest.raises(InvalidArguments, match="something is missing"):
        check(f"{text} AND")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('"colorectal cancer', "quotation mark is not closed"),
        ("(BRAF OR KRAS", "a parenthesis is not closed"),
        ("BRAF) AND (KRAS", "was not opened"),
        ("AND BRAF", "something is missing"),
        ("BRAF AND", "something is missing"),
        ("BRAF AND OR KRAS", "something is missing between 'AND' and 'OR'"),
        ("BRAF AND ()", "something is missing"),
        ("NOT BRAF", "needs something to look for"),
        ("BRAF NOT NOT KRAS", "NOT stands twice"),
        ("BRAF NOT clinical trial", "NOT reaches 'clinical' only"),
        ("@gene_BRAF", "is no entity id"),
        ("@PROTEIN_BRAF", "is no entity id"),
        ("relations:cures|@CHEMICAL_Doxorubicin|@DISEASE_Neoplasms", "is no relation"),
        ("relations:treat|@CHEMICAL_Doxorubicin", "is no relation"),
        ("relations:treat|@CHEMICAL_Doxorubicin|SPECIES", "is no relation"),
    ],
)
def test_a_wrong_text_is_refused_with_the_reason(text: str, why: str) -> None:
    with pytest.raises(InvalidArguments, match=why) as refusal:
        check(text)
    assert refusal.value.argument == "text" and refusal.value.example


@pytest.mark.case("C040")
@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("BRAF melanoma", "BRAF melanoma"),
        ("@GENE_BRAF melanoma", "@GENE_BRAF AND melanoma"),
        ('@GENE_BRAF (a OR b) NOT "x y"', '@GENE_BRAF AND (a OR b) NOT "x y"'),
        ("(@GENE_BRAF OR @GENE_KRAS) @DISEASE_Melanoma", "(@GENE_BRAF OR @GENE_KRAS) AND @DISEASE_Melanoma"),
        ("@GENE_BRAF AND melanoma", "@GENE_BRAF AND melanoma"),
    ],
)
def test_what_stands_beside_an_id_is_joined_by_and(text: str, sent: str) -> None:
    assert explicit(text) == sent
    assert explicit(sent) == sent


def test_typographic_signs_become_plain() -> None:
    assert text_form("\u201ccolorectal\u00a0 cancer\u201d AND  BRAF") == '"colorectal cancer" AND BRAF'


def test_ids_are_found_in_relations_too() -> None:
    text = "relations:ANY|@CHEMICAL_trametinib|@GENE_BRAF OR (@GENE_BRAF AND edema)"
    assert entities_in(text) == ["@CHEMICAL_trametinib", "@GENE_BRAF"]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("BRAF NOT melanoma", ["melanoma"]),
        ("BRAF AND NOT (melanoma OR @SPECIES_10090)", ["melanoma", "@SPECIES_10090"]),
        ("BRAF NOT (melanoma AND mouse)", []),
        ("BRAF NOT (old mouse)", []),
        ("(BRAF NOT melanoma) OR KRAS", []),
        ("BRAF", []),
    ],
)
def test_only_what_no_hit_may_mention_counts_as_excluded(text: str, terms: list[str]) -> None:
    assert excluded(text) == terms


@pytest.mark.parametrize(
    ("term", "is_there"),
    [
        ("melanoma", True),
        ("MELANOMA", True),
        ("mela", False),
        ('"uveal melanoma"', True),
        ("@DISEASE_Uveal_melanoma", True),
        ("@DISEASE_Uveal", False),
        ("relations:ANY|@GENE_BRAF|DISEASE", False),
    ],
)
def test_a_mention_is_a_whole_word_or_a_whole_id(term: str, is_there: bool) -> None:
    marked = "GNAQ in @<m>DISEASE_Uveal_melanoma</m> @DISEASE_MESH:C536494 @@@uveal melanoma@@@"
    assert mentions(term, "A title", marked, snippet_of(marked)) is is_there


@pytest.mark.parametrize(
    ("marked", "plain"),
    [
        ("@GENE_BRCA1 @GENE_672 @@@<m>BRCA1</m>@@@-BRCT Mutations", "BRCA1-BRCT Mutations"),
        ("The Gut in @<m>DISEASE_Fatigue</m> @DISEASE_MESH:D015673 @@@ME@@@", "The Gut in ME"),
        ("...Larger <m>BRCA1</m> protein", "...Larger BRCA1 protein"),
        ("cut in @GENE_BRCA1 @GENE_672 @@@<m>BRC", "cut in BRC"),
        ("", ""),
    ],
)
def test_a_snippet_is_read_without_its_marks(marked: str, plain: str) -> None:
    assert snippet_of(marked) == plain
