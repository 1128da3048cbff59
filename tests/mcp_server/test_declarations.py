"""Every declared tool can be read, called and offered to every model."""

import json
import re
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from mcp_server.config import ServerConfig
from mcp_server.envelope import Envelope, envelope_schema
from mcp_server.http.snapshot import PACKAGED, SnapshotTransport
from mcp_server.registry import discover, tools_by_name
from mcp_server.server import ToolServer
from mcp_server.tool import PAGES, VERBS, ToolSpec
from mcp_server.unified import TOOLS as UNIFIED
from tests.mcp_server.played import DATA
from tools_catalog.schema_rules import schema_problems

PLATFORMS = discover()
TOOLS = tools_by_name(PLATFORMS)
DESCRIPTION_MAX_CHARS = 300
CORE_MAX = 12
LISTED_BYTES_MEAN = 1_450
LISTED_BYTES_MAX = 4_096
# What the tool search reads of a tool, and no model.
ASKS_BYTES_MEAN = 200
ASK_MAX_CHARS = 80
ENVELOPE = Draft202012Validator(envelope_schema())
# A list of what comes back, or a word that leads to it.
RETURNS = re.compile(r"[,:]|\b(returns?|gives?|says|with|of|to)\b", re.IGNORECASE)
# What every provider accepts for the name of a tool.
PROVIDER_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
# A tool as descriptions name it: in full, or without the database where it is the same one.
NAMED_TOOL = re.compile(rf"\b([a-z0-9]+(?:_[a-z0-9]+)*__[a-z0-9_]+|(?:{'|'.join(VERBS)})_[a-z0-9_]+)\b")
UP_TO = re.compile(r"\bup to ([\d,]+)\b(?! days)", re.IGNORECASE)
FORBIDDEN_KEYWORDS = {"anyOf", "oneOf", "allOf", "not", "$ref", "$defs", "if", "then", "else", "patternProperties"}

each_tool = pytest.mark.parametrize("tool", TOOLS.values(), ids=lambda tool: tool.name)


@pytest.fixture(scope="module")
def server() -> ToolServer:
    """Give all tools over the packaged records, and over those of the tests for what nobody recorded yet."""
    return ToolServer(PLATFORMS, ServerConfig(), SnapshotTransport((PACKAGED, DATA / "examples")))


def inner(schema: Any) -> list[dict[str, Any]]:
    """Return a schema and all schemas inside it."""
    found = [schema]
    for part in schema.get("properties", {}).values():
        found += inner(part)
    if "items" in schema:
        found += inner(schema["items"])
    return found


@each_tool
def test_a_name_says_platform_verb_and_noun(tool: ToolSpec) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9_]*?__(search|autocomplete|hotspots|survival|[a-z]+(_[a-z0-9]+)+)", tool.name)
    words = tool.name.partition("__")[2].split("_")
    assert words[0] in VERBS or words[-1] in PAGES


@each_tool
def test_a_description_is_short_and_says_what_comes_back(tool: ToolSpec) -> None:
    assert 20 <= len(tool.description) <= DESCRIPTION_MAX_CHARS
    assert tool.description.endswith(".")
    assert RETURNS.search(tool.description)


@each_tool
def test_a_description_sends_nobody_to_a_tool_that_is_not_there(tool: ToolSpec) -> None:
    texts = [tool.description, *(schema.get("description", "") for schema in tool.input_schema["properties"].values())]
    for name in (found for text in texts for found in NAMED_TOOL.findall(text)):
        full = name if "__" in name else f"{tool.platform.name}__{name}"
        assert full in TOOLS or name in tool.parameters, name
    assert tool.function.__name__ not in NAMED_TOOL.findall(tool.description), "a tool does not send to itself"


@each_tool
def test_a_number_of_records_at_once_is_the_one_that_the_schema_allows(tool: ToolSpec) -> None:
    limits = {schema.get("maxItems") for schema in tool.input_schema["properties"].values()}
    for number in UP_TO.findall(tool.description):
        assert int(number.replace(",", "")) in limits


@each_tool
def test_every_argument_is_described(tool: ToolSpec) -> None:
    for name, schema in tool.input_schema["properties"].items():
        assert re.fullmatch(r"[a-z][a-z0-9_]*", name)
        assert len(schema.get("description", "")) >= 10, name
        assert len(schema["description"]) <= DESCRIPTION_MAX_CHARS, name


@pytest.mark.case("C050")
@each_tool
def test_a_schema_is_accepted_by_every_provider(tool: ToolSpec) -> None:
    schema = tool.input_schema
    assert PROVIDER_NAME.fullmatch(tool.name)
    assert schema["type"] == "object" and schema["additionalProperties"] is False
    assert set(schema["required"]) <= set(schema["properties"])
    for part in inner(schema):
        assert not FORBIDDEN_KEYWORDS & set(part)
        assert part["type"] in ("object", "array", "string", "integer", "number", "boolean")
        assert part["type"] != "array" or "items" in part
        if "enum" in part:
            assert part["enum"] and part["type"] == "string"
        if "pattern" in part:
            re.compile(part["pattern"])
    json.dumps(schema)


@each_tool
def test_defaults_and_examples_fit_their_own_schema(tool: ToolSpec) -> None:
    defaults = {
        name: schema["default"] for name, schema in tool.input_schema["properties"].items() if "default" in schema
    }
    bound = tool.bind({**defaults, **tool.example})
    assert tool.bind(bound) == bound, "a normal form is its own normal form"


@each_tool
def test_examples_of_arguments_fit_their_own_schema(tool: ToolSpec) -> None:
    examples = {
        name: parameter.arg.example for name, parameter in tool.parameters.items() if parameter.arg.example is not None
    }
    bound = tool.bind({**tool.example, **examples})
    assert bound.keys() >= examples.keys()


@pytest.mark.case("C030")
@each_tool
async def test_the_example_runs_offline_through_the_whole_server(tool: ToolSpec, server: ToolServer) -> None:
    envelope = await server.call(tool.name, tool.example)
    assert envelope.content["outcome"] in ("data", "empty"), envelope.content
    ENVELOPE.validate(envelope.content)


async def test_no_two_examples_ask_for_the_same_thing(server: ToolServer) -> None:
    def asked(envelope: Envelope) -> tuple[str, ...]:
        return tuple(f"{request['method']} {request['url']}" for request in envelope.meta["burp/requests"])

    seen: dict[tuple[str, ...], str] = {}
    for tool in TOOLS.values():
        if tool.platform.name == "opentargets":
            # Its requests differ by their bodies only.
            continue
        requests = asked(await server.call(tool.name, tool.example))
        assert requests not in seen, f"{tool.name} and {seen.get(requests)} ask for the same"
        seen[requests] = tool.name


def test_the_core_stays_small() -> None:
    core = [tool.name for tool in TOOLS.values() if tool.core]
    assert 0 < len(core) <= CORE_MAX, core


@pytest.mark.parametrize("platform", PLATFORMS, ids=lambda platform: platform.name)
def test_a_platform_says_where_it_is_and_under_which_terms(platform: Any) -> None:
    assert platform.base_url.startswith("https://") and platform.docs.startswith("https://")
    assert platform.licence and platform.title and platform.tools
    assert all(re.fullmatch(r"[a-z0-9.-]+", host) for host in platform.all_hosts)
    assert 0 < platform.rate.requests / platform.rate.seconds <= 15


def test_the_hosts_of_ncbi_share_one_rate() -> None:
    ncbi = [platform for platform in PLATFORMS if "eutils.ncbi.nlm.nih.gov" in platform.all_hosts]
    assert ncbi and {platform.rate.group for platform in ncbi} == {"ncbi"}
    assert all(platform.key_parameter == "api_key" for platform in ncbi)


def test_the_listing_carries_what_the_catalogue_needs(server: ToolServer) -> None:
    listing = server.listing()
    assert [tool.name for tool in listing] == sorted([*TOOLS, *(tool.name for tool in UNIFIED)])
    for listed in listing:
        assert listed.meta is not None
        owed = {"burp/platform", "burp/example", "burp/asks"}
        assert owed <= set(listed.meta) <= owed | {"burp/core", "burp/noise", "burp/normalised"}
        assert listed.title and listed.title != listed.name
        hints = listed.annotations
        assert hints is not None
        assert (hints.read_only_hint, hints.destructive_hint, hints.open_world_hint) == (True, False, True)


@pytest.mark.case("C050")
def test_every_tool_says_what_it_answers_in_a_schema_that_every_provider_accepts(server: ToolServer) -> None:
    for listed in server.listing():
        assert schema_problems(listed.name, "output", listed.output_schema) == [], listed.name
        accepts = Draft202012Validator(listed.output_schema).is_valid
        assert accepts({"outcome": "failed", "error": {"code": "internal", "message": "bang"}}), listed.name
        assert accepts({"outcome": "data", "spooled": {"path": "a.json", "bytes": 300_000}}), listed.name
        if listed.name in TOOLS:
            assert not accepts({"data": []}) and not accepts({"outcome": "found"}) and not accepts({"outcome": None})
            assert not accepts({"outcome": "data", "total": "many"})


def test_every_tool_says_in_users_words_what_it_is_asked_for(server: ToolServer) -> None:
    owners: dict[str, str] = {}
    for listed in server.listing():
        asks = (listed.meta or {})["burp/asks"]
        assert 2 <= len(asks) <= 6, listed.name
        for ask in asks:
            assert ask == ask.strip() and 3 <= len(ask) <= ASK_MAX_CHARS, ask
            assert ask not in owners, f"{listed.name} and {owners.get(ask)} are asked for the same"
            owners[ask] = listed.name


def test_what_the_search_reads_of_a_tool_is_in_nothing_that_a_model_reads(server: ToolServer) -> None:
    for listed in server.listing():
        read = listed.description or "", json.dumps(listed.input_schema), listed.title or ""
        asks = [ask for ask in (listed.meta or {})["burp/asks"] if " " in ask]
        assert [ask for ask in asks if any(ask in text for text in read)] == [], listed.name


def test_the_list_of_tools_stays_small(server: ToolServer) -> None:
    asks = [len(json.dumps((listed.meta or {})["burp/asks"])) for listed in server.listing()]
    assert sum(asks) / len(asks) < ASKS_BYTES_MEAN
    sizes = {
        listed.name: len(listed.model_dump_json(by_alias=True, exclude_none=True)) - size
        for listed, size in zip(server.listing(), asks, strict=True)
    }
    assert sum(sizes.values()) / len(sizes) < LISTED_BYTES_MEAN
    assert max(sizes.values()) < LISTED_BYTES_MAX, max(sizes, key=lambda name: sizes[name])


def test_noise_programs_compile() -> None:
    jq = pytest.importorskip("jq")
    noisy = [tool for tool in TOOLS.values() if tool.noise]
    assert noisy
    for tool in noisy:
        assert jq.compile(tool.noise).program_string == tool.noise
