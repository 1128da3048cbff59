"""Every environment variable that BURP's site reads, declared once and read once.

Variables that only the tool server's child process reads are declared there.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

PROJECT_ROOT = Path(__file__).resolve().parent.parent
KEY_SUFFIX = "_API_KEY"


class EnvironmentProblem(ValueError):
    """An environment variable holds what cannot be used. `name` says which."""

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(f"{name}: {problem}")
        self.name = name


def _variable(name: str, help_text: str, *, default: Any = "", secret: bool = False) -> Any:
    return field(default=default, repr=not secret, metadata={"name": name, "help": help_text, "secret": secret})


@dataclass(frozen=True)
class Environment:
    """What the environment says. Secrets never show in a repr."""

    mode: str = _variable(
        "BURP_MODE",
        "`local`: one researcher on this machine, reachable from nowhere else. `server`: a lab or company; then "
        "`BURP_SECRET_KEY` and `BURP_ALLOWED_HOSTS` are required.",
        default="local",
    )
    data_dir: Path = _variable(
        "BURP_DATA_DIR",
        "Folder of everything that BURP writes: database, artifacts, generated secret.",
        default=PROJECT_ROOT / "var",
    )
    config_file: Path = _variable(
        "BURP_CONFIG",
        "Configuration file to read in place of the one in `burp_site/`.",
        default=PROJECT_ROOT / "burp_site" / "burp.toml",
    )
    static_root: Path = _variable(
        "BURP_STATIC_ROOT",
        "Where `collectstatic` puts the hashed static files that server mode serves.",
        default=PROJECT_ROOT / "staticfiles",
    )
    secret_key: str = _variable(
        "BURP_SECRET_KEY",
        "Django's secret key. In local mode one is generated and kept in the data folder, readable by you only.",
        secret=True,
    )
    allowed_hosts: tuple[str, ...] = _variable(
        "BURP_ALLOWED_HOSTS",
        "Host names that the site answers to, separated by commas. Server mode only; local mode is loopback only.",
        default=(),
    )
    https: bool = _variable(
        "BURP_HTTPS",
        "Server mode: `1` when people reach the site over HTTPS (behind a proxy that sets `X-Forwarded-Proto`): "
        "secure cookies, HSTS, redirect. `0` only for trials.",
        default=True,
    )
    debug: bool = _variable("BURP_DEBUG", "`1` shows Django's debug pages. Local mode only.", default=False)
    database_url: str = _variable(
        "DATABASE_URL",
        "`postgres://user:password@host:port/name`. Empty: SQLite in the data folder.",
        secret=True,
    )
    redis_url: str = _variable(
        "REDIS_URL",
        "`redis://host:port/0` for channel layer and cache. Empty: in memory, one process.",
        secret=True,
    )
    artifacts_bucket: str = _variable(
        "BURP_ARTIFACTS_BUCKET",
        "Bucket of an S3-compatible service for stored results; needs the extra `s3`. The key is read from "
        "`AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`. Empty: files in the data folder.",
    )
    artifacts_endpoint: str = _variable(
        "BURP_ARTIFACTS_ENDPOINT",
        "Address of that service, such as `https://minio.lab.example`. Empty: Amazon's.",
    )
    model: str = _variable(
        "BURP_MODEL",
        "Key of the model to use by default. Empty: the configured rule.",
    )
    upstreams: str = _variable(
        "BURP_UPSTREAMS",
        "`live`, `snapshot`, or `auto`: live where the databases can be reached, else the offline snapshot.",
        default="auto",
    )
    embedder: str = _variable(
        "BURP_EMBEDDER",
        "How the tool search embeds: `minilm`, `sentence-transformers`, `remote` or `none`. Empty: as configured.",
    )
    upstream_gateway: str = _variable(
        "BURP_UPSTREAM_GATEWAY",
        "Address of a server that stands for all databases; each request goes to a path that begins with the host.",
    )
    api_keys: Mapping[str, str] = field(
        default_factory=dict,
        repr=False,
        metadata={
            "name": "…_API_KEY",
            "help": "Keys of model services, such as `ANTHROPIC_API_KEY`: `burp.toml` says which service needs which.",
            "secret": True,
        },
    )
    log_format: str = _variable("BURP_LOG_FORMAT", "`plain` or `json`, one record a line on stderr.", default="plain")
    log_level: str = _variable("BURP_LOG_LEVEL", "`DEBUG`, `INFO`, `WARNING` or `ERROR`.", default="INFO")

    @property
    def is_local(self) -> bool:
        """Whether one researcher uses this on their own machine."""
        return self.mode == "local"


CHOICES = {
    "mode": ("local", "server"),
    "upstreams": ("auto", "live", "snapshot"),
    "embedder": ("minilm", "sentence-transformers", "remote", "none"),
    "log_format": ("plain", "json"),
    "log_level": ("DEBUG", "INFO", "WARNING", "ERROR"),
}
BOOLEANS = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}


def read(environ: Mapping[str, str] = os.environ) -> Environment:
    """Return the environment, checked. Raises `EnvironmentProblem` with the variable's name."""
    values: dict[str, Any] = {}
    for variable in fields(Environment):
        raw = environ.get(variable.metadata["name"], "").strip()
        if raw:
            values[variable.name] = _parse(variable.name, variable.metadata["name"], variable.type, raw)
    keys = {name: value.strip() for name, value in environ.items() if name.endswith(KEY_SUFFIX) and value.strip()}
    environment = Environment(**values, api_keys=keys)
    _check_server_mode(environment)
    return environment


def _parse(field_name: str, name: str, kind: Any, raw: str) -> Any:
    if kind is bool:
        if raw.lower() not in BOOLEANS:
            raise EnvironmentProblem(name, f"{raw!r} is neither 1 nor 0")
        return BOOLEANS[raw.lower()]
    if kind is Path:
        return Path(raw).expanduser().resolve()
    if field_name == "allowed_hosts":
        return tuple(host.strip() for host in raw.split(",") if host.strip())
    allowed = CHOICES.get(field_name)
    if allowed and raw not in allowed:
        raise EnvironmentProblem(name, f"{raw!r} is not one of {', '.join(allowed)}")
    return raw


def _check_server_mode(environment: Environment) -> None:
    if environment.is_local:
        return
    if not environment.secret_key:
        raise EnvironmentProblem("BURP_SECRET_KEY", "is required in server mode")
    if not environment.allowed_hosts:
        raise EnvironmentProblem("BURP_ALLOWED_HOSTS", "is required in server mode")
    if environment.debug:
        raise EnvironmentProblem("BURP_DEBUG", "is not possible in server mode")
