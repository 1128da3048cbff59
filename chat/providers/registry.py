"""Find the provider of a model: the module that its service names, `chat.providers.<name>` by default.

A provider's module has `create(row, service) -> Provider`; nothing else needs to know it.
"""

import importlib
from typing import Any

from chat.config import ModelRow, Service
from chat.providers.base import Provider


def create_provider(row: ModelRow, service: Service) -> Provider:
    """Return a provider for one turn. Raises `ModelFailure` when its key is missing."""
    provider: Provider = load_provider(service).create(row, service)
    return provider


def load_provider(service: Service) -> Any:
    """Load the module of a service, which may take seconds the first time: it brings its SDK."""
    return importlib.import_module(
        service.module or (service.name if "." in service.name else f"chat.providers.{service.name}")
    )
