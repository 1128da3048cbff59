"""docs/configuration.md says everything that can be configured."""

import re
from dataclasses import fields
from pathlib import Path

from burp_site.environment import Environment
from tests.configuration_docs import DOCUMENT, PRICE, TOOL_SERVER, document
from usage.config import PriceBand

ROOT = Path(__file__).parents[2]


def test_the_page_is_up_to_date() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == document(), "run `python -m tests.configuration_docs`"


def test_every_setting_says_what_it_is_for() -> None:
    assert "|  |" not in document()


def test_every_variable_that_the_tool_server_reads_is_named() -> None:
    source = (ROOT / "mcp_server" / "config.py").read_text(encoding="utf-8")
    read = set(re.findall(r'environment\.get\("([A-Z_]+)"', source))
    of_the_site = {field.metadata["name"] for field in fields(Environment)}

    assert len(read) > 3
    assert read - of_the_site == set(TOOL_SERVER)


def test_every_part_of_a_price_is_named() -> None:
    assert set(PRICE) == {"from"} | {field.name for field in fields(PriceBand)}
