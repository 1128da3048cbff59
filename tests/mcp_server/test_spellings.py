"""Names and identifiers as people write them: every accepted spelling asks for the same record."""

import pytest

from mcp_server.args import look_up_form
from mcp_server.envelope import InvalidArguments
from mcp_server.registry import discover, tools_by_name
from mcp_server.tool import Parameter, ToolSpec
from tests.mcp_server.played import Played, call

PLATFORMS = {platform.name: platform for platform in discover()}
TOOLS = tools_by_name(PLATFORMS.values())
# By the example of an argument: the spellings that other databases and people use for it.
SPELLINGS = {
    "MONDO_0004989": ("MONDO:0004989", "mondo_0004989", " MONDO_0004989 "),
    "ENSG00000141736": ("ENSG00000141736.14", "ensg00000141736"),
    "P04626": ("p04626",),
    "CHEMBL554": ("chembl554",),
    "rs113488022": ("RS113488022", "Rs113488022"),
    "NCT01808573": ("nct01808573",),
    "R-HSA-5633007": ("r-hsa-5633007",),
    "PA449053": ("pa449053",),
}
# These look into the archive, where a version means that version.
ASK_BY_VERSION = {"ensembl__get_gene", "ensembl__get_id_history"}
ARGUMENTS = [
    (tool, parameter)
    for tool in TOOLS.values()
    for parameter in tool.parameters.values()
    if parameter.arg.pattern and str(parameter.arg.example) in SPELLINGS and parameter.schema["type"] == "string"
]


@pytest.mark.case("C019")
@pytest.mark.parametrize(("tool", "parameter"), ARGUMENTS, ids=lambda value: value.name)
def test_each_spelling_of_an_identifier_gives_the_same_argument(tool: ToolSpec, parameter: Parameter) -> None:
    wanted = str(parameter.arg.example)
    spellings = [wanted, *(each for each in SPELLINGS[wanted] if tool.name not in ASK_BY_VERSION or "." not in each)]
    assert {parameter.normal_form(spelling) for spelling in spellings} == {wanted}


@pytest.mark.case("C019")
@pytest.mark.parametrize(("tool", "parameter"), ARGUMENTS, ids=lambda value: value.name)
def test_what_fits_no_pattern_is_refused_with_an_example(tool: ToolSpec, parameter: Parameter) -> None:
    arguments = {**tool.example, parameter.name: "no such identifier!"}
    with pytest.raises(InvalidArguments) as refused:
        tool.bind(arguments)
    assert refused.value.argument == parameter.name
    assert refused.value.example == parameter.arg.example


@pytest.mark.case("C004")
@pytest.mark.parametrize(
    ("written", "looked_up"),
    [
        ("α-synuclein", "alpha-synuclein"),
        ("β‑amyloid", "beta-amyloid"),
        ("TNF–α", "TNF-alpha"),
        ("β-catenin", "beta-catenin"),
        ("NF‑κB", "NF-kappaB"),
        ("Ｈｅｒ２", "Her2"),
        ("  PD−L1 ", "PD-L1"),
    ],
)
def test_greek_letters_and_typographic_dashes_are_looked_up_in_plain_letters(written: str, looked_up: str) -> None:
    assert look_up_form(written) == looked_up


@pytest.mark.case("C004")
async def test_a_greek_name_asks_open_targets_for_the_spelled_out_one() -> None:
    played = Played().answer("graphql", {"data": {"search": {"total": 0, "hits": []}}})
    envelope = await call(PLATFORMS["opentargets"], played, "search_entities", query="α-synuclein")
    assert "alpha-synuclein" in played.requests[0].body["variables"].values()
    assert envelope.content["outcome"] == "empty"
