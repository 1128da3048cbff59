"""Find the provider that `burp.toml` names: `chat.providers.<name>`, or any module by its dotted path.

A provider's module has `create(row, api_key) -> Provider`; nothing else needs to know it.
"""

import importlib

from chat.config import ModelRow
from chat.providers.base import Provider


def create_provider(row: ModelRow, api_key: str) -> Provider:
    """Return a provider for one turn. Raises `ModelFailure` when its key is missing."""
    path = row.provider if "." in row.provider else f"chat.providers.{row.provider}"
    provider: Provider = importlib.import_module(path).create(row, api_key)
    return provider
