"""Write `docs/configuration.md` from the declarations: `python -m tests.configuration_docs`."""

import sys
from collections.abc import Iterable
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any

from artifacts.config import ArtifactLimits
from burp_site.environment import PROJECT_ROOT, Environment
from chat.config import ModelRow, Service, TurnLimits
from tools_catalog.config import CatalogConfig

DOCUMENT = PROJECT_ROOT / "docs" / "configuration.md"

# What only the tool server's process reads; `mcp_server/config.py` can't say it in Django's terms.
TOOL_SERVER = {
    "BURP_CONTACT": "Address or web page that the databases may use to reach you; it goes into the User-Agent.",
    "NCBI_API_KEY": "Key for NCBI's databases, which allow more requests a second with one.",
    "BURP_SNAPSHOT_DIRS": "Folders with more snapshot records, separated by colons; they are looked at first.",
    "BURP_UPSTREAM_CACHE": "`0` asks live databases anew each time; else answers are kept for a while.",
    "BURP_SPOOL_DIR": "Folder for results over 256 kB, over stdio: files are written there and announced by reference.",
    "BURP_MCP_TOKEN": "Bearer token that `--http` asks of its clients, at least 16 characters; a must beyond loopback.",
    "BURP_TOOL_TIMEOUT_S": "Time budget of one tool call inside the server, in seconds. Default `60`.",
}
MONEY = {
    "turn_usd": "What one question may cost.",
    "daily_usd": "What one user may spend in a day (UTC).",
    "monthly_usd": "What one user may spend in a calendar month (UTC).",
}
PRICE = {
    "from": "The day (UTC) from which the row holds, a TOML date.",
    "max_prompt_tokens": "The row holds for prompts of up to this size; left out in the row for larger ones.",
    "input": "Uncached prompt tokens.",
    "output": "Output tokens, thinking included.",
    "cache_write_5m": "Tokens written to the cache for five minutes.",
    "cache_write_1h": "Tokens written to the cache for an hour.",
    "cache_read": "Tokens read from the cache.",
    "requests": 'Tools that the model\'s service runs itself, in USD per thousand: `{ web_search = "10.00" }`.',
}
INTRODUCTION = """# Configuration

Two places, each read once at the start: environment variables for what differs between installations and
must not lie in a file (keys, addresses), and `burp_site/burp.toml` for models, prices, limits and budgets.
A mistake in either stops the start and names the variable or the key.

This page is written by `python -m tests.configuration_docs`; a test compares it with the code.
"""


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """Return a Markdown table."""
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def default_of(declared: Field[Any]) -> str:
    """Return a default as it would be written."""
    if declared.default_factory is not MISSING:
        return "none"
    if declared.default is MISSING:
        return "required"
    value = declared.default
    if isinstance(value, Path):
        return f"`{value.relative_to(PROJECT_ROOT)}`"
    if isinstance(value, bool):
        return f"`{int(value)}`"
    return f"`{value}`" if value not in ("", ()) else "none"


def knobs(cls: type[Any]) -> str:
    """Return the table of a dataclass whose fields carry their help."""
    declared = [field for field in fields(cls) if "help" in field.metadata]
    return table(
        ("key", "default", "meaning"),
        ((f"`{field.name}`", default_of(field), field.metadata["help"]) for field in declared),
    )


def variables() -> str:
    """Return the table of the site's environment variables."""
    return table(
        ("variable", "default", "meaning"),
        (
            (f"`{field.metadata['name']}`", default_of(field), field.metadata["help"].replace("|", "\\|"))
            for field in fields(Environment)
        ),
    )


def named(rows: dict[str, str]) -> str:
    """Return a table of names and meanings."""
    return table(("key", "meaning"), ((f"`{name}`", meaning) for name, meaning in rows.items()))


def document() -> str:
    """Return the whole page."""
    parts = [
        INTRODUCTION,
        "## Environment variables\n",
        variables(),
        "The process of the tool server sees `BURP_*` without secrets, and these:\n",
        named(TOOL_SERVER),
        "## burp.toml\n",
        "`default_models` is a list of model keys: the first one that can be used answers when nobody chose. "
        "A model can be used when its service has the key that it needs; the recipe planner always can.\n",
        "### `[services.NAME]`: who is asked\n",
        "A model names its service as its `provider`. Keys stay in the environment. "
        "A server of your own is described in [local-models.md](local-models.md).\n",
        knobs(Service),
        "### `[models.KEY]`: a model to choose from\n",
        knobs(ModelRow),
        "### `[[models.KEY.prices]]`: what it costs\n",
        'In USD per million tokens, written as texts such as `"2.50"`: a float can\'t hold a price. A model needs '
        "at least one row. Rows of one day with different `max_prompt_tokens` are bands: the size of the whole "
        "prompt, cached tokens included, decides which of them prices every token of the request.\n",
        named(PRICE),
        "### `[budgets]`: in USD, as texts\n",
        named(MONEY),
        "A user's own caps stand in the admin (*Quotas*).\n",
        "### `[turns]`\n",
        knobs(TurnLimits),
        "### `[artifacts]`: large tool results\n",
        knobs(ArtifactLimits),
        "### `[catalog]`: finding tools\n",
        knobs(CatalogConfig),
    ]
    return "\n".join(parts)


if __name__ == "__main__":
    DOCUMENT.write_text(document(), encoding="utf-8")
    sys.exit(0)
