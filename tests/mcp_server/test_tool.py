"""A tool is one typed function: schema, checks, normal forms and citations come from its declaration."""

from typing import Annotated, Any, Literal

import pytest

from mcp_server.args import (
    ChemblId,
    DiseaseId,
    EnsemblGeneId,
    GeneSymbol,
    Limit,
    UniProtAccession,
    gene_symbol_form,
    look_up_form,
)
from mcp_server.choices import choice_of
from mcp_server.envelope import Answer, InvalidArguments
from mcp_server.http.client import Api
from mcp_server.http.rate_limit import Rate
from mcp_server.registry import discover, tools_by_name
from mcp_server.tool import Arg, Cite, Platform, ToolSpec
from tests.mcp_server.played import Played, call


def declared(**options: Any) -> tuple[Platform, ToolSpec]:
    """Return a platform with one tool that uses every form of argument."""
    platform = Platform(
        "demo", title="Demo DB", base_url="https://rest.demo.test/api", docs="", licence="", rate=Rate(9)
    )

    @platform.tool(example={"accession": "P04626"}, core=True, noise="del(.x)", **options)
    async def get_thing(
        api: Api,
        accession: UniProtAccession,
        kind: Annotated[Literal["all", "some"], Arg("Which kind.")] = "all",
        symbols: Annotated[list[GeneSymbol], Arg("Genes.", ["ERBB2"], max_items=2, normalise=gene_symbol_form)]
        | None = None,
        limit: Limit = 10,
        reviewed: Annotated[bool, Arg("Only reviewed ones.")] = True,
        score: Annotated[float, Arg("Least score.", minimum=0, maximum=1)] | None = None,
    ) -> Any:
        """Find things by accession,
        on two lines.

        This is for people who read the code.
        """
        return await api.get(f"/things/{accession}", {"kind": kind, "symbols": symbols, "limit": limit})

    return platform, platform.tools[0]


def test_name_title_and_description_come_from_the_function() -> None:
    _, tool = declared()
    assert (tool.name, tool.title) == ("demo__get_thing", "Demo DB: get thing")
    assert tool.description == "Find things by accession, on two lines."
    assert (tool.core, tool.noise) == (True, "del(.x)")


def test_a_platforms_noise_policy_holds_for_tools_without_their_own() -> None:
    platform = Platform("demo", "Demo", "https://rest.demo.test", "", "", Rate(9), noise="del(._links)")

    @platform.tool(example={})
    async def list_things(api: Api) -> Any:
        """List."""

    @platform.tool(example={}, noise="del(.x)", keep=(".id",))
    async def get_thing(api: Api) -> Any:
        """Get."""

    @platform.tool(example={}, noise="")
    async def count_things(api: Api) -> Any:
        """Count."""

    assert [(tool.noise, tool.keep) for tool in platform.tools] == [
        ("del(._links)", ()),
        ("del(.x)", (".id",)),
        ("", ()),
    ]


def test_the_schema_comes_from_the_signature_and_accepts_nothing_else() -> None:
    _, tool = declared()
    schema = tool.input_schema
    assert schema["required"] == ["accession"] and schema["additionalProperties"] is False
    properties = schema["properties"]
    assert "api" not in properties
    assert properties["accession"]["type"] == "string" and properties["accession"]["pattern"].startswith("^")
    assert properties["accession"]["description"].endswith("Example: 'P04626'.")
    assert properties["kind"] == {
        "type": "string",
        "enum": ["all", "some"],
        "description": "Which kind.",
        "default": "all",
    }
    assert properties["symbols"] == {
        "type": "array",
        "items": {"type": "string"},
        "minItems": 1,
        "maxItems": 2,
        "description": "Genes. Example: ['ERBB2'].",
    }
    assert properties["limit"]["minimum"] == 1 and properties["limit"]["default"] == 10
    assert properties["reviewed"] == {"type": "boolean", "description": "Only reviewed ones.", "default": True}
    assert properties["score"] == {"type": "number", "minimum": 0, "maximum": 1, "description": "Least score."}


@pytest.mark.parametrize(
    ("arguments", "argument", "said"),
    [
        ({}, "accession", "required"),
        ({"accession": None}, "accession", "required"),
        ({"accession": "  "}, "accession", "required"),
        ({"accession": "nonsense"}, "accession", "not of the form that is wanted: UniProt accession"),
        ({"accession": 4626}, "accession", "is not of type 'string'"),
        ({"accession": "P04626", "limt": 3}, "limt", "known: accession, kind, symbols, limit, reviewed, score"),
        ({"accession": "P04626", "kind": "none"}, "kind", "is not one of ['all', 'some']"),
        ({"accession": "P04626", "limit": 0}, "limit", "less than the minimum of 1"),
        ({"accession": "P04626", "limit": 201}, "limit", "greater than the maximum of 200"),
        ({"accession": "P04626", "limit": "10"}, "limit", "is not of type 'integer'"),
        ({"accession": "P04626", "limit": True}, "limit", "is not of type 'integer'"),
        ({"accession": "P04626", "symbols": []}, "symbols", "should be non-empty"),
        ({"accession": "P04626", "symbols": ["a", "b", "c"]}, "symbols", "too long"),
        ({"accession": "P04626", "symbols": "ERBB2"}, "symbols", "'ERBB2' must stand in a list"),
        ({"accession": "P04626", "score": 1.5}, "score", "greater than the maximum of 1"),
    ],
)
def test_a_wrong_argument_is_named_with_what_is_right(arguments: dict[str, Any], argument: str, said: str) -> None:
    with pytest.raises(InvalidArguments) as caught:
        declared()[1].bind(arguments)
    assert caught.value.argument == argument
    assert said in caught.value.message


def test_arguments_are_brought_to_their_normal_form_before_the_check() -> None:
    bound = declared()[1].bind({"accession": " p04626 ", "symbols": ["her2", "c9ORF72"], "score": None})
    assert bound == {"accession": "P04626", "symbols": ["HER2", "C9orf72"]}


@pytest.mark.parametrize(
    ("argument", "given", "normal"),
    [
        (EnsemblGeneId, "ensg00000141736.14", "ENSG00000141736"),
        (DiseaseId, "mondo:0004989", "MONDO_0004989"),
        (DiseaseId, "ORPHANET_227535", "Orphanet_227535"),
        (ChemblId, "chembl554", "CHEMBL554"),
        (GeneSymbol, "  HER‑2 ", "HER-2"),
        (GeneSymbol, "TNFα", "TNFalpha"),
    ],
)
async def test_spellings_that_people_use_are_accepted(argument: Any, given: str, normal: str) -> None:
    platform = Platform("demo", title="D", base_url="https://rest.demo.test", docs="", licence="", rate=Rate(9))

    async def get_it(api: Api, value: Any) -> Any:
        """Get it. Returns it."""
        return {"value": value}

    get_it.__annotations__["value"] = argument
    platform.tool(example={})(get_it)
    envelope = await call(platform, Played(), "get_it", value=given)
    assert envelope.content["data"] == {"value": normal}


@pytest.mark.parametrize("given", ["Some", "SOME", " some "])
def test_a_choice_is_known_in_any_case(given: str) -> None:
    _, tool = declared()
    assert tool.bind({"accession": "P04626", "kind": given})["kind"] == "some"


def test_a_choice_of_several_words_is_known_with_blanks_and_dashes() -> None:
    significance = tools_by_name(discover())["myvariant__variant_search"].parameters["significance"]
    assert significance.normal_form(["Likely pathogenic", "likely-benign"]) == ["likely_pathogenic", "likely_benign"]
    change = tools_by_name(discover())["gdc__copy_number"].parameters["change"]
    assert change.normal_form("homozygous deletion") == "Homozygous Deletion"


@pytest.mark.parametrize(
    ("name", "given", "own"),
    [
        ("myvariant__variant_get", "GRCh38", "hg38"),
        ("myvariant__variant_get", "hg19", "hg19"),
        ("ensembl__get_variant", "HG19", "GRCh37"),
        ("thousand_genomes__population_frequencies", "grch38", "GRCh38"),
        ("ensembl__get_variant", "hg18", "hg18"),
    ],
)
def test_an_assembly_is_known_by_both_its_names(name: str, given: str, own: str) -> None:
    assert tools_by_name(discover())[name].parameters["assembly"].normal_form(given) == own


def test_a_word_that_means_two_choices_means_none() -> None:
    assert choice_of("pm 1", ["PM_1", "pm-1"]) == "" and choice_of("PM_2", ["PM_1", "pm-1"]) == ""


def test_an_argument_without_an_example_of_its_own_is_shown_the_tools() -> None:
    with pytest.raises(InvalidArguments) as refused:
        tools_by_name(discover())["myvariant__variant_search"].bind({"genes": "BRAF"})
    assert refused.value.example == ["BRAF"]


@pytest.mark.parametrize(
    ("given", "symbol"), [("brca1", "BRCA1"), ("C9ORF72", "C9orf72"), ("IL‐2", "IL-2"), ("ﬁx", "FIX")]
)
def test_gene_symbols_have_one_spelling(given: str, symbol: str) -> None:
    assert gene_symbol_form(given) == symbol


def test_names_to_look_up_lose_foreign_signs() -> None:
    assert look_up_form("  TGF‑β 1\u00a0") == "TGF-beta 1"


async def test_the_upstreams_json_is_returned_with_count_and_citations() -> None:
    cites = Cite("uniprot", ".items[]", ".acc", ".name", "https://x.test/{id}")
    platform, _ = declared(rows=".items", total=".n", cites=cites)
    answer = {"items": [{"acc": "P04626", "name": "ERBB2"}, {"acc": None}, {"acc": True}, {}], "n": 70}
    envelope = await call(platform, Played().answer("/things/P04626?", answer), "get_thing", accession="P04626")
    assert (envelope.content["total"], envelope.content["returned"]) == (70, 4)
    assert envelope.meta["burp/citations"] == [
        {"kind": "uniprot", "identifier": "P04626", "label": "ERBB2", "url": "https://x.test/P04626"}
    ]


@pytest.mark.parametrize("answer", [{"items": []}, {}, {"items": None}])
async def test_no_rows_are_empty(answer: Any) -> None:
    platform, _ = declared(rows=".items")
    envelope = await call(platform, Played().answer("/things/", answer), "get_thing", accession="P04626")
    assert envelope.content["outcome"] == "empty"


async def test_nothing_is_asked_with_a_wrong_argument() -> None:
    platform, _ = declared()
    played = Played()
    envelope = await call(platform, played, "get_thing", accession="xx")
    assert envelope.content["error"]["code"] == "tool_invalid_arguments"
    assert envelope.content["error"]["argument"] == "accession"
    assert envelope.content["error"]["example"] == "P04626"
    assert played.requests == []


async def test_an_unknown_tool_is_told() -> None:
    envelope = await call(declared()[0], Played(), "get_nothing")
    assert envelope.content["error"]["code"] == "tool_unknown"


async def test_a_fault_of_a_tool_does_not_leave_the_server(caplog: pytest.LogCaptureFixture) -> None:
    platform = Platform("demo", title="D", base_url="https://rest.demo.test", docs="", licence="", rate=Rate(9))

    @platform.tool(example={})
    async def get_it(api: Api) -> Answer:
        """Get it. Returns it."""
        return Answer({}["missing"])

    envelope = await call(platform, Played(), "get_it")
    assert envelope.content["error"]["code"] == "internal"
    assert "KeyError" in envelope.content["error"]["message"]
    assert "Traceback" in caplog.text


@pytest.mark.parametrize("name", ["Demo", "1demo", "open-targets", ""])
def test_platform_names_fit_into_tool_names(name: str) -> None:
    with pytest.raises(ValueError, match="platform name"):
        Platform(name, title="", base_url="https://x.test", docs="", licence="", rate=Rate(1))


def test_two_tools_of_one_name_are_an_error() -> None:
    with pytest.raises(ValueError, match="two tools are called 'demo__get_thing'"):
        tools_by_name([declared()[0], declared()[0]])


def test_every_platform_is_found_by_itself_and_sorted() -> None:
    names = [platform.name for platform in discover()]
    assert names == sorted(names)
    assert {"clinicaltrials", "pubmed", "pubchem"} <= set(names)


@pytest.mark.case("C038")
@pytest.mark.parametrize("body", [{"items": None}, {"other": 1}, [1, 2], None, {"items": [{"id": None}]}])
async def test_an_answer_of_another_shape_is_the_upstreams_fault(body: Any, caplog: pytest.LogCaptureFixture) -> None:
    shapes = Platform("shapes", title="Shapes", base_url="https://s.example", docs="d", licence="CC0", rate=Rate(99))

    @shapes.tool(example={"gene_symbol": "ERBB2"})
    async def get_first(api: Api, gene_symbol: GeneSymbol) -> Any:
        """Get the first item's id."""
        answer = await api.get("/x")
        return answer["items"][0]["id"].upper()

    envelope = await call(shapes, Played().answer("/x", body), "get_first", gene_symbol="ERBB2")
    assert envelope.content["error"]["code"] == "upstream_bad_response"
    assert envelope.content["error"]["message"].startswith("s.example answered in an unexpected shape (")
    assert "tool shapes__get_first failed" in caplog.text
