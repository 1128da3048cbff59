"""The example of a local model in `burp.toml` is one that works when its marks are taken away."""

from dataclasses import replace
from pathlib import Path

import pytest

from burp_site import config
from burp_site.config import BurpConfig
from burp_site.environment import Environment
from chat.providers.openai_compatible import OpenAICompatibleProvider
from chat.providers.registry import create_provider

SHIPPED = Environment()


@pytest.fixture
def with_example(tmp_path: Path) -> BurpConfig:
    """Load the shipped file with its example switched on, as a user would do it."""
    lines = SHIPPED.config_file.read_text(encoding="utf-8").splitlines()
    path = tmp_path / "burp.toml"
    path.write_text("\n".join(line[1:] if line[:1] == "#" and line[1:2] != " " else line for line in lines))
    return config.build(replace(SHIPPED, config_file=path, model="local"))


def test_the_shipped_file_has_no_local_model() -> None:
    assert "local" not in {row.key for row in config.build(SHIPPED).chat.models}


async def test_the_example_needs_no_key_and_costs_nothing(with_example: BurpConfig) -> None:
    row = with_example.chat.model("local")
    service = with_example.chat.service(row)

    provider = create_provider(row, service)
    await provider.aclose()

    assert isinstance(provider, OpenAICompatibleProvider)
    assert (with_example.chat.default_model, row in with_example.chat.usable_models()) == ("local", True)
    assert service.base_url == "http://127.0.0.1:11434/v1"
    (price,) = (price for price in with_example.usage.prices if price.model_key == "local")
    assert {band.input for band in price.bands} == {band.output for band in price.bands} == {0}
