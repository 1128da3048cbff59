"""The two-tier catalogue and the rules that keep every provider content."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tools_catalog.catalog import Catalog, RawTool, canonical_schema
from tools_catalog.config import CatalogConfig
from tools_catalog.schema_rules import schema_problems

SCHEMA: dict[str, Any] = {
    "properties": {
        "limit": {"default": 10, "type": "integer"},
        "gene_symbol": {"description": "A symbol.", "type": "string"},
    },
    "type": "object",
    "required": ["gene_symbol"],
    "additionalProperties": False,
}


def raw(name: str, *, core: bool = False, schema: Any = None, **meta: Any) -> RawTool:
    described = {"burp/platform": name.partition("__")[0].title(), "burp/core": core} | meta
    return RawTool(name, f"Title of {name}", f"Purpose of {name}.", SCHEMA if schema is None else schema, described)


TOOLS = [
    raw("ensembl__lookup_gene", core=True),
    raw("chembl__get_molecule", **{"burp/noise": "del(.x)", "burp/example": {"gene_symbol": "TP53"}}),
    raw("chembl__resolve_drug", core=True),
]


def names(tools: Any) -> list[str]:
    return [tool.name for tool in tools]


def test_tools_are_sorted_and_split_into_two_tiers() -> None:
    catalog = Catalog.from_tools(TOOLS)
    assert names(catalog.tools) == ["chembl__get_molecule", "chembl__resolve_drug", "ensembl__lookup_gene"]
    assert names(catalog.core) == ["chembl__resolve_drug", "ensembl__lookup_gene"]
    assert names(catalog.deferred) == ["chembl__get_molecule"]
    assert {title: names(tools) for title, tools in catalog.platforms().items()} == {
        "Chembl": ["chembl__get_molecule", "chembl__resolve_drug"],
        "Ensembl": ["ensembl__lookup_gene"],
    }


def test_a_tool_keeps_what_its_platform_declared() -> None:
    tool = Catalog.from_tools(TOOLS).get("chembl__get_molecule")
    assert tool is not None
    assert (tool.platform, tool.platform_key, tool.noise) == ("Chembl", "chembl", "del(.x)")
    assert tool.example == {"gene_symbol": "TP53"}
    assert Catalog.from_tools(TOOLS).get("chembl__nothing") is None


def test_tools_over_all_databases_have_one_key_which_is_no_database() -> None:
    over_all = [raw("search", **{"burp/platform": "BURP"}), raw("about_sources", **{"burp/platform": "BURP"})]
    catalog = Catalog.from_tools([*TOOLS, *over_all], CatalogConfig(always_loaded_tools={"burp": ["search"]}))
    assert {tool.platform_key for tool in catalog.tools if tool.platform == "BURP"} == {"burp"}
    assert catalog.by_name["search"].core and not catalog.by_name["about_sources"].core
    assert catalog.problems == ()


def test_definitions_grow_only_at_their_end() -> None:
    catalog = Catalog.from_tools([*TOOLS, raw("uniprot__get_entry"), raw("clinvar__get_variant")])
    before = catalog.definitions(["uniprot__get_entry"])
    after = catalog.definitions(["uniprot__get_entry", "clinvar__get_variant", "chembl__resolve_drug", "unknown"])
    assert names(before) == ["chembl__resolve_drug", "ensembl__lookup_gene", "uniprot__get_entry"]
    assert after[: len(before)] == before
    assert names(after[len(before) :]) == ["clinvar__get_variant"]


def test_the_setting_replaces_one_platforms_own_choice() -> None:
    catalog = Catalog.from_tools(TOOLS, CatalogConfig({"chembl": ["chembl__get_molecule"]}))
    assert names(catalog.core) == ["chembl__get_molecule", "ensembl__lookup_gene"]
    assert catalog.problems == ()


def test_a_setting_that_names_nothing_is_reported() -> None:
    catalog = Catalog.from_tools(TOOLS, CatalogConfig({"chembl": ["chembl__typo"], "chemble": []}))
    assert [(problem.name, problem.reason) for problem in catalog.problems] == [
        ("chembl__typo", "always loaded by setting, but unknown"),
        ("chemble", "named in always_loaded_tools, but no platform of this key"),
    ]


@pytest.mark.case("C060")
def test_the_order_of_keys_in_a_schema_does_not_matter() -> None:
    turned = dict(reversed(SCHEMA.items())) | {"properties": dict(reversed(SCHEMA["properties"].items()))}
    assert json.dumps(turned) != json.dumps(SCHEMA)
    assert json.dumps(canonical_schema(turned)) == json.dumps(canonical_schema(SCHEMA))
    assert list(canonical_schema(SCHEMA)) == ["type", "properties", "required", "additionalProperties"]
    assert list(canonical_schema(SCHEMA)["properties"]) == ["gene_symbol", "limit"]


def test_an_argument_may_be_called_like_a_keyword_of_the_schema() -> None:
    schema = {"type": "object", "properties": {"type": {"type": "string"}, "required": {"type": "boolean"}}}
    assert canonical_schema(schema) == schema
    assert schema_problems("a__b", "Purpose.", schema) == []


@pytest.mark.parametrize(
    "change",
    [
        {"name": "chembl__other"},
        {"description": "Another purpose."},
        {"input_schema": {"type": "object", "properties": {}}},
        {"meta": {"burp/core": True}},
    ],
    ids=["name", "description", "schema", "tier"],
)
def test_the_hash_changes_with_what_a_model_reads(change: dict[str, Any]) -> None:
    original = TOOLS[1]
    changed = RawTool(**{**vars(original), **change})
    assert Catalog.from_tools([changed]).hash != Catalog.from_tools([original]).hash


def test_the_hash_does_not_change_with_what_no_model_reads() -> None:
    changed = RawTool(**{**vars(TOOLS[1]), "meta": {**TOOLS[1].meta, "burp/noise": "del(.y)"}})
    assert Catalog.from_tools([changed]).hash == Catalog.from_tools([TOOLS[1]]).hash


@pytest.mark.case("C060")
def test_every_process_computes_the_same_hash() -> None:
    script = (
        "import json, sys\n"
        "from tools_catalog.catalog import Catalog, RawTool\n"
        "tools = [RawTool(**tool) for tool in set_order(json.load(sys.stdin))]\n"
        "print(Catalog.from_tools(tools).hash)\n"
    )
    script = "def set_order(tools):\n    return sorted(tools, key=lambda tool: hash(tool['name']))\n" + script
    listed = json.dumps([dict(vars(tool)) for tool in TOOLS])
    hashes = {
        subprocess.run(
            [sys.executable, "-c", script],
            input=listed,
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PATH": os.environ["PATH"]},
            cwd=Path(__file__).parents[2],
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert hashes == {Catalog.from_tools(reversed(TOOLS)).hash}


@pytest.mark.case("C050")
def test_a_tool_that_a_provider_would_refuse_is_left_out_and_the_rest_works() -> None:
    either = {"type": "object", "anyOf": [{"required": ["pmid"]}, {"required": ["doi"]}]}
    catalog = Catalog.from_tools([*TOOLS, raw("pubmed__get", schema=either), raw("open-targets.search")])
    assert len(catalog.tools) == len(TOOLS)
    assert {problem.name for problem in catalog.problems} == {"open-targets.search", "pubmed__get"}


def test_of_two_tools_with_one_name_the_first_is_kept() -> None:
    catalog = Catalog.from_tools([TOOLS[0], RawTool(TOOLS[0].name, "", "Another.", SCHEMA)])
    assert names(catalog.tools) == [TOOLS[0].name]
    assert catalog.problems[0].reason == "two tools have this name"


def one_argument(schema: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": schema}}


@pytest.mark.case("C050")
@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ({"type": "array", "items": {}}, "type 'object'"),
        ("object", "type 'object'"),
        ({"type": "object", "oneOf": []}, "'oneOf' is not allowed at the top"),
        ({"type": "object", "$ref": "#/x"}, "'$ref' is not allowed at the top"),
        ({"type": "object", "properties": []}, "'properties' must be an object"),
        ({"type": "object", "required": ["a"]}, "'a' is required but not declared"),
        ({"type": "object", "required": "a"}, "'required' must be a list"),
        ({"type": "object", "properties": {"a b": {"type": "string"}}}, "the argument name 'a b'"),
        (one_argument({"type": "array"}), "an array needs 'items'"),
        (one_argument({"type": "text"}), "'text' is no type"),
        (one_argument({"description": "x"}), "there is no type"),
        (one_argument({"type": "integer", "enum": [1, 2]}), "'enum' must be texts"),
        (one_argument({"type": "string", "enum": []}), "'enum' must be texts"),
        (one_argument({"type": "integer", "minimum": "1"}), "'minimum' must be a number"),
        (one_argument({"type": "string", "pattern": "("}), "the pattern '('"),
        (one_argument({"$ref": "#/$defs/x"}), "'$ref' is not understood"),
        (one_argument({"type": "array", "items": {"type": "array"}}), "input.a[]: an array needs 'items'"),
        (one_argument({"anyOf": [{"type": "string"}, {"type": "array"}]}), "an array needs 'items'"),
        (one_argument({"type": "string", "description": "x" * 40_000}), "over 32,768 bytes"),
        (one_argument({"type": "string", "default": {1}}), "no JSON"),
        (one_argument("string"), "is no schema"),
    ],
)
def test_schemas_that_some_provider_refuses(schema: Any, reason: str) -> None:
    problems = schema_problems("a__b", "Purpose.", schema)
    assert len(problems) == 1 and reason in problems[0]


def test_deep_nesting_is_refused() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(12):
        schema = {"type": "object", "properties": {"x": schema}}
    assert any("nested over" in problem for problem in schema_problems("a__b", "Purpose.", schema))


@pytest.mark.parametrize("name", ["", "a b", "a.b", "a/b", "ä", "x" * 65, "a\n"])
def test_names_that_some_provider_refuses(name: str) -> None:
    assert schema_problems(name, "Purpose.", {"type": "object"}) != []


@pytest.mark.parametrize("description", ["", "  ", "x" * 1025])
def test_descriptions_that_some_provider_refuses(description: str) -> None:
    assert schema_problems("a__b", description, {"type": "object"}) != []


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object"},
        SCHEMA,
        one_argument({"type": ["string", "null"]}),
        one_argument({"anyOf": [{"type": "string"}, {"type": "null"}], "description": "x"}),
        one_argument({"type": "array", "items": {"type": "string", "pattern": "^rs[0-9]+$"}, "minItems": 1}),
        one_argument({"type": "string", "enum": ["a", "b"], "default": "a"}),
    ],
)
def test_schemas_that_all_providers_accept(schema: Any) -> None:
    assert schema_problems("a__b-c", "Purpose.", schema) == []


def test_asks_change_what_is_searched_and_nothing_that_a_model_reads() -> None:
    schema = {"type": "object", "properties": {}}
    plain, asked = (
        Catalog.from_tools([RawTool("a__get_gene", "", "One gene.", schema, {"burp/asks": asks})])
        for asks in ([], ["locus"])
    )
    assert asked.tools[0].asks == ("locus",)
    assert asked.hash == plain.hash and asked != plain
    assert asked.tools[0].search_hash != plain.tools[0].search_hash
