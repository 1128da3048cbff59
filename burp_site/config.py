"""Build each area's configuration from `burp.toml` and the environment, once, naming the key in every error."""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, replace
from datetime import date
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

from artifacts.config import ArtifactLimits
from burp_site.environment import KEY_SUFFIX, Environment
from chat.config import ChatConfig, ModelRow, Service, TurnLimits
from tools_catalog.config import CatalogConfig
from usage.config import Budgets, ModelPrice, PriceBand, UsageConfig
from usage.money import pico_from_usd, pico_per_request, pico_per_token
from usage.pricing import TIERS

Table = Mapping[str, Any]
T = TypeVar("T")


class ConfigProblem(ValueError):
    """The configuration can't be used. `key` is the dotted path of the culprit."""

    def __init__(self, key: str, problem: str) -> None:
        super().__init__(f"{key}: {problem}")
        self.key = key


@dataclass(frozen=True)
class BurpConfig:
    """The whole configuration, one part an area."""

    chat: ChatConfig
    usage: UsageConfig
    artifacts: ArtifactLimits
    catalog: CatalogConfig


def build(env: Environment) -> BurpConfig:
    """Read the file that `env` names and return the configuration. Raises `ConfigProblem`."""
    document = _read_file(env.config_file)
    known = ("default_models", "services", "models", "turns", "budgets", "artifacts", "catalog")
    _refuse_unknown(document, known, "")
    models = _section(document, "models")
    return BurpConfig(
        chat=_chat(document, models, env),
        usage=UsageConfig(prices=_all_prices(models), budgets=_budgets(_section(document, "budgets"))),
        artifacts=read_section(ArtifactLimits, _section(document, "artifacts"), "artifacts"),
        catalog=_catalog(_section(document, "catalog"), env),
    )


def _catalog(table: Table, env: Environment) -> CatalogConfig:
    config = read_section(CatalogConfig, table, "catalog")
    return replace(config, embedder=env.embedder) if env.embedder else config


def read_section(cls: type[T], table: Table, path: str, *, skip: tuple[str, ...] = (), **given: Any) -> T:
    """Build the dataclass `cls` from `table`, checking names, presence and types of its fields."""
    hints = get_type_hints(cls)
    names = [f.name for f in fields(cls) if f.name not in given]  # type: ignore[arg-type]
    _refuse_unknown(table, (*names, *skip), path)
    values = dict(given)
    for f in fields(cls):  # type: ignore[arg-type]
        if f.name in given:
            continue
        if f.name in table:
            values[f.name] = _checked(table[f.name], hints[f.name], f"{path}.{f.name}")
        elif f.default is MISSING and f.default_factory is MISSING:
            raise ConfigProblem(f"{path}.{f.name}", "is missing")
    return cls(**values)


def _read_file(path: Path) -> Table:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise ConfigProblem(str(path), f"can't be read: {problem.strerror}") from problem
    except tomllib.TOMLDecodeError as problem:
        raise ConfigProblem(str(path), f"is not TOML: {problem}") from problem


def _section(document: Table, name: str) -> Table:
    table = document.get(name, {})
    if not isinstance(table, dict):
        raise ConfigProblem(name, "must be a table")
    return table


def _refuse_unknown(table: Table, known: tuple[str, ...], path: str) -> None:
    for name in table:
        if name not in known:
            raise ConfigProblem(f"{path}.{name}".lstrip("."), f"is not a key; known: {', '.join(known)}")


def _checked(value: Any, hint: Any, key: str) -> Any:
    """Return `value` as the type that `hint` asks for; numbers must not be negative."""
    if hint in (int, float):
        is_number = isinstance(value, int | float if hint is float else int) and not isinstance(value, bool)
        if not is_number or value < 0:
            raise ConfigProblem(key, f"{value!r} is not a number of zero or more")
        return hint(value)
    if hint is bool or hint is str:
        if not isinstance(value, hint):
            raise ConfigProblem(key, f"{value!r} is not a {'boolean' if hint is bool else 'text'}")
        return value
    if hint == tuple[str, ...]:
        return tuple(_texts(value, key))
    return _lists_by_name(value, key)


def _texts(value: Any, key: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ConfigProblem(key, f"{value!r} is not a list of texts")
    return value


def _lists_by_name(value: Any, key: str) -> dict[str, list[str]]:
    if not isinstance(value, dict):
        raise ConfigProblem(key, f"{value!r} is not a table of lists")
    return {name: _texts(items, f"{key}.{name}") for name, items in value.items()}


def _chat(document: Table, models: Table, env: Environment) -> ChatConfig:
    services = {name: _service(name, table, env) for name, table in _section(document, "services").items()}
    rows = tuple(_model_row(key, table, services) for key, table in models.items())
    chat = ChatConfig(
        models=rows,
        default_model="",
        turns=read_section(TurnLimits, _section(document, "turns"), "turns"),
        upstreams=env.upstreams,
        upstream_gateway=env.upstream_gateway,
        services=services,
    )
    return replace(chat, default_model=_default_model(document, chat, env))


def _service(name: str, table: Any, env: Environment) -> Service:
    path = f"services.{name}"
    if not isinstance(table, dict):
        raise ConfigProblem(path, "must be a table")
    service = read_section(Service, table, path, name=name, api_key="")
    if service.key_variable and not service.key_variable.endswith(KEY_SUFFIX):
        raise ConfigProblem(f"{path}.key_variable", f"{service.key_variable!r} does not end in {KEY_SUFFIX}")
    return replace(service, api_key=env.api_keys.get(service.key_variable, ""))


def _model_row(key: str, table: Any, services: Mapping[str, Service]) -> ModelRow:
    path = f"models.{key}"
    if not isinstance(table, dict):
        raise ConfigProblem(path, "must be a table")
    row = read_section(ModelRow, table, path, skip=("prices",), key=key)
    if row.provider not in services:
        raise ConfigProblem(f"{path}.provider", f"no service is called {row.provider!r}; known: {', '.join(services)}")
    if row.default_effort and row.default_effort not in row.efforts:
        raise ConfigProblem(f"{path}.default_effort", f"{row.default_effort!r} is not one of its efforts")
    return row


def _default_model(document: Table, chat: ChatConfig, env: Environment) -> str:
    """Return the chosen model, or the first of `default_models` whose service has what it needs."""
    by_key = {row.key: row for row in chat.models}
    candidates = _texts(document.get("default_models", []), "default_models")
    for name, keys in (("BURP_MODEL", [env.model] if env.model else []), ("default_models", candidates)):
        for key in keys:
            if key not in by_key:
                raise ConfigProblem(name, f"no model has the key {key!r}; known: {', '.join(by_key)}")
    if env.model:
        return env.model
    for key in candidates:
        if chat.service(by_key[key]).is_usable:
            return key
    raise ConfigProblem("default_models", "none of these can be used without a key; add `recipes`")


def _all_prices(models: Table) -> tuple[ModelPrice, ...]:
    return tuple(price for key, table in models.items() for price in _prices(key, table))


def _prices(key: str, table: Table) -> list[ModelPrice]:
    """Group the rows of one model by the day from which they hold."""
    path = f"models.{key}.prices"
    rows = table.get("prices", [])
    if not isinstance(rows, list) or not rows:
        raise ConfigProblem(path, "is missing: a model without a price can't be used")
    by_start: dict[date, list[PriceBand]] = {}
    for number, row in enumerate(rows, 1):
        starts, band = _price_row(row, f"{path}[{number}]")
        by_start.setdefault(starts, []).append(band)
    return [ModelPrice(key, starts, _ordered(bands, path)) for starts, bands in sorted(by_start.items())]


def _price_row(row: Any, path: str) -> tuple[date, PriceBand]:
    if not isinstance(row, dict):
        raise ConfigProblem(path, "must be a table")
    _refuse_unknown(row, ("from", "max_prompt_tokens", "requests", *TIERS), path)
    if type(row.get("from")) is not date:
        raise ConfigProblem(f"{path}.from", "must be a date such as 2026-11-30")
    prices = {tier: _money(pico_per_token, row.get(tier), f"{path}.{tier}") for tier in TIERS}
    band = row.get("max_prompt_tokens")
    if band is not None:
        _checked(band, int, f"{path}.max_prompt_tokens")
    return row["from"], PriceBand(max_prompt_tokens=band, requests=_request_prices(row, path), **prices)


def _request_prices(row: Table, path: str) -> dict[str, int]:
    table = row.get("requests", {})
    if not isinstance(table, dict):
        raise ConfigProblem(f"{path}.requests", 'must be a table such as { web_search = "10.00" }')
    return {tool: _money(pico_per_request, amount, f"{path}.requests.{tool}") for tool, amount in table.items()}


def _ordered(bands: list[PriceBand], path: str) -> tuple[PriceBand, ...]:
    ordered = sorted(bands, key=lambda band: (band.max_prompt_tokens is None, band.max_prompt_tokens or 0))
    limits = [band.max_prompt_tokens for band in ordered]
    if limits[-1] is not None or len(set(limits)) != len(limits):
        raise ConfigProblem(path, "each day needs one row without max_prompt_tokens, and no two rows of one size")
    return tuple(ordered)


def _money(read: Callable[[str], int], value: Any, key: str) -> int:
    """Read an amount that is written as a text; a float could not hold it."""
    if not isinstance(value, str):
        raise ConfigProblem(key, f'{value!r} is not an amount; write USD as a text such as "2.50"')
    try:
        return read(value)
    except ValueError as problem:
        raise ConfigProblem(key, str(problem)) from None


def _budgets(table: Table) -> Budgets:
    names = ("turn_usd", "daily_usd", "monthly_usd")
    _refuse_unknown(table, names, "budgets")
    amounts = [_money(pico_from_usd, table.get(name), f"budgets.{name}") for name in names]
    return Budgets(turn_pico_usd=amounts[0], daily_pico_usd=amounts[1], monthly_pico_usd=amounts[2])
