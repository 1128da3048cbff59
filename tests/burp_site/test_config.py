"""The configuration file: what it says, and how each mistake in it is named."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from burp_site import config
from burp_site.config import BurpConfig, ConfigProblem
from burp_site.environment import Environment
from chat.config import TurnLimits, UnknownModel
from usage.pricing import band_for, cost_pico_usd, price_on

SHIPPED = Environment()
Load = Callable[[str], BurpConfig]

MINIMAL = """
default_models = ["tiny"]
[budgets]
turn_usd = "1"
daily_usd = "2"
monthly_usd = "3"
[services.planner]
[services.keyed]
key_variable = "KEYED_API_KEY"
[models.tiny]
provider = "planner"
model = "tiny-1"
label = "Tiny"
context_window = 1000
max_output_tokens = 100
inline_max_tokens = 500
[[models.tiny.prices]]
from = 2026-01-01
input = "1"
output = "2"
cache_write_5m = "1.25"
cache_write_1h = "2"
cache_read = "0.10"
"""


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Give a function that loads a configuration from its text."""

    def load_text(text: str) -> BurpConfig:
        path = tmp_path / "burp.toml"
        path.write_text(text, encoding="utf-8")
        return config.build(replace(SHIPPED, config_file=path))

    return load_text


def test_without_a_key_the_recipe_planner_answers_and_costs_nothing() -> None:
    shipped = config.build(SHIPPED)

    assert shipped.chat.default_model == "recipes"
    assert [row.key for row in shipped.chat.usable_models()] == ["recipes"]
    assert cost_pico_usd(shipped.usage.prices, "recipes", {"input": 10**9, "output": 10**9}, date(2026, 11, 30)) == 0


def test_with_a_key_claude_answers_and_the_key_never_shows() -> None:
    environment = replace(SHIPPED, api_keys={"ANTHROPIC_API_KEY": "sk-ant-secret"})
    shipped = config.build(environment)

    assert shipped.chat.default_model == "claude-sonnet-5-5"
    assert shipped.chat.services["anthropic"].api_key == "sk-ant-secret"
    assert "secret" not in f"{shipped!r} {environment!r}"


def test_with_another_service_s_key_its_model_answers() -> None:
    shipped = config.build(replace(SHIPPED, api_keys={"OPENAI_API_KEY": "k"}))

    assert shipped.chat.default_model == "gpt-6.2-sol"
    assert {row.provider for row in shipped.chat.usable_models()} == {"planner", "openai"}


def test_the_environment_chooses_the_model() -> None:
    assert config.build(replace(SHIPPED, model="claude-opus-5-5")).chat.default_model == "claude-opus-5-5"
    with pytest.raises(ConfigProblem, match="BURP_MODEL: no model has the key 'gpt'; known: recipes, claude-sonnet"):
        config.build(replace(SHIPPED, model="gpt"))


def test_prices_change_on_their_day_and_with_the_size_of_the_prompt() -> None:
    prices = config.build(SHIPPED).usage.prices

    assert price_on(prices, "claude-sonnet-5-5", date(2026, 10, 6)).bands[0].cache_read == 200_000
    assert price_on(prices, "claude-sonnet-5-5", date(2026, 10, 7)).bands[0].cache_read == 100_000
    haiku = price_on(prices, "claude-haiku-5-5", date(2026, 11, 30))
    assert (band_for(haiku, 100_000).output, band_for(haiku, 100_001).output) == (500_000, 2_500_000)


def test_every_model_has_a_price() -> None:
    shipped = config.build(SHIPPED)

    for row in shipped.chat.models:
        assert price_on(shipped.usage.prices, row.key, date(2026, 11, 30)).bands


def test_an_unknown_model_is_an_error_that_lists_the_known() -> None:
    with pytest.raises(UnknownModel, match="'gpt'; known: recipes"):
        config.build(SHIPPED).chat.model("gpt")


def test_what_is_left_out_has_its_default(load: Load) -> None:
    minimal = load(MINIMAL)

    assert minimal.chat.turns == TurnLimits()
    assert minimal.usage.budgets.daily_pico_usd == 2 * 10**12
    assert minimal.usage.prices[0].bands[0].cache_write_5m == 1_250_000


def test_a_service_has_its_key_from_the_environment_and_may_do_without(tmp_path: Path) -> None:
    path = tmp_path / "burp.toml"
    local = '[services.local]\nkey_variable = "LOCAL_API_KEY"\nkey_required = false\nbase_url = "http://127.0.0.1:1"\n'
    path.write_text(MINIMAL.replace("[models.tiny]", local + "[models.tiny]"), encoding="utf-8")

    built = config.build(replace(SHIPPED, config_file=path, api_keys={"KEYED_API_KEY": "hush"}))

    services = built.chat.services
    assert {name: (service.api_key, service.is_usable) for name, service in services.items()} == {
        "planner": ("", True),
        "keyed": ("hush", True),
        "local": ("", True),
    }
    assert services["local"].base_url == "http://127.0.0.1:1"
    assert "hush" not in repr(built)


def test_always_loaded_tools_are_read_by_platform(load: Load) -> None:
    loaded = load(MINIMAL + '[catalog.always_loaded_tools]\nchembl = ["search_molecules"]\n')

    assert loaded.catalog.always_loaded_tools == {"chembl": ["search_molecules"]}


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ("[budgets]", "[budget]", "budget: is not a key; known: default_models, services"),
        ("[budgets]", "x = 1\n[budgets]", "x: is not a key"),
        ('turn_usd = "1"', "", "budgets.turn_usd: None is not an amount"),
        ('turn_usd = "1"', "turn_usd = 1.5", "budgets.turn_usd: 1.5 is not an amount; write USD as a text"),
        ('turn_usd = "1"', 'turn_usd = "one"', "budgets.turn_usd: 'one' is not a number"),
        ('turn_usd = "1"', 'turn_usd = "-1"', "budgets.turn_usd: '-1' is not an amount of zero or more"),
        ("context_window = 1000", "", "models.tiny.context_window: is missing"),
        ("context_window = 1000", "context_windw = 1000", "models.tiny.context_windw: is not a key; known:"),
        ("context_window = 1000", 'context_window = "1k"', "models.tiny.context_window: '1k' is not a number"),
        ("context_window = 1000", "context_window = true", "models.tiny.context_window: True is not a number"),
        ("context_window = 1000", "context_window = -1", "models.tiny.context_window: -1 is not a number of zero"),
        ('label = "Tiny"', "label = 7", "models.tiny.label: 7 is not a text"),
        ('label = "Tiny"', 'label = "T"\nefforts = "low"', "models.tiny.efforts: 'low' is not a list of texts"),
        ('label = "Tiny"', 'label = "T"\ndefault_effort = "low"', "models.tiny.default_effort: 'low' is not one of"),
        ("from = 2026-01-01", "from = 2026", "models.tiny.prices[1].from: must be a date"),
        ("from = 2026-01-01", "", "models.tiny.prices[1].from: must be a date"),
        ('cache_read = "0.10"', "", "models.tiny.prices[1].cache_read: None is not an amount"),
        ('cache_read = "0.10"', 'cache_read = "0.0000001"', "models.tiny.prices[1].cache_read: '0.0000001' is finer"),
        ('cache_read = "0.10"', 'cache_read = "0.1"\ninputs = "1"', "models.tiny.prices[1].inputs: is not a key"),
        ('cache_read = "0.10"', 'cache_read = "0.1"\nmax_prompt_tokens = 9', "models.tiny.prices: each day needs one"),
        ("[[models.tiny.prices]]", "[[models.tiny.pricse]]", "models.tiny.pricse: is not a key"),
        ('default_models = ["tiny"]', 'default_models = ["big"]', "default_models: no model has the key 'big'"),
        ('default_models = ["tiny"]', "", "default_models: none of these can be used without a key"),
        ('provider = "planner"', 'provider = "keyed"', "default_models: none of these can be used without a key"),
        ('provider = "planner"', 'provider = "nobody"', "models.tiny.provider: no service is called 'nobody'; known: "),
        ("[services.planner]", "[services]\nplanner = 1", "services.planner: must be a table"),
        ("[services.planner]", '[services.planner]\nkey = "k"', "services.planner.key: is not a key; known: module"),
        ("[services.planner]", '[services.planner]\napi_key = "k"', "services.planner.api_key: is not a key"),
        ('"KEYED_API_KEY"', '"sk-1"', "services.keyed.key_variable: 'sk-1' does not end in _API_KEY"),
        ("[models.tiny]", "[turns]\nmax_iterations = 'x'\n[models.tiny]", "turns.max_iterations: 'x' is not a number"),
        ("[models.tiny]", "[artifacts]\nsize = 1\n[models.tiny]", "artifacts.size: is not a key"),
        (
            "[models.tiny]",
            "[catalog.always_loaded_tools]\nchembl = 'x'\n[models.tiny]",
            "catalog.always_loaded_tools.chembl: 'x' is not a list of texts",
        ),
        ("[models.tiny]", "[models.tiny", "burp.toml: is not TOML"),
    ],
)
def test_a_mistake_is_named_by_its_key(load: Load, old: str, new: str, error: str) -> None:
    assert old in MINIMAL

    with pytest.raises(ConfigProblem) as problem:
        load(MINIMAL.replace(old, new, 1))

    assert error in str(problem.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigProblem, match="absent.toml: can't be read: No such file"):
        config.build(replace(SHIPPED, config_file=tmp_path / "absent.toml"))
