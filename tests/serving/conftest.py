"""One strict model service and one gateway for a module; servers on SQLite and on PostgreSQL with Redis."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from evals.strict_messages import Reply, StrictMessages, Text
from tests.serving.phases import World
from tests.serving.site import START_S, Home, Running, running
from tests.serving.upstream import Upstream

ROOT = Path(__file__).parents[2]
SERVERS = ("daphne", "uvicorn")


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    """The model service and the databases."""
    with StrictMessages() as model, Upstream() as upstream:
        yield World(model, upstream)


def make_home(world: World, folder: Path, *, grace_s: float, lease_s: float = 30, **variables: str) -> Home:
    """Return a fresh site that knows nothing but this world; its configuration is the delivered one but for this."""
    text = (ROOT / "burp_site" / "burp.toml").read_text()
    for key, value in (("disconnect_grace_s = 60", grace_s), ("lease_s = 30", lease_s)):
        assert key in text
        text = text.replace(key, f"{key.split()[0]} = {value}")
    config = folder / "burp.toml"
    config.write_text(text)
    return Home.made(
        folder,
        BURP_CONFIG=str(config),
        BURP_MODEL="claude-sonnet-5-5",
        BURP_UPSTREAMS="live",
        BURP_UPSTREAM_CACHE="0",
        BURP_UPSTREAM_GATEWAY=world.upstream.url,
        ANTHROPIC_API_KEY=world.model.api_key,
        ANTHROPIC_BASE_URL=world.model.base_url,
        **variables,
    )


@pytest.fixture(scope="module", params=SERVERS)
def server(request: pytest.FixtureRequest) -> str:
    """The name of a server."""
    return str(request.param)


@pytest.fixture(scope="module")
def home(server: str, world: World, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Home:
    """Daphne at home on SQLite, uvicorn as on a server: on PostgreSQL and Redis."""
    variables = {}
    if server == "uvicorn":
        variables = {
            "DATABASE_URL": request.getfixturevalue("postgres_url"),
            "REDIS_URL": request.getfixturevalue("redis_url"),
        }
    return make_home(world, tmp_path_factory.mktemp(server), grace_s=0.5, **variables)


def warm_up(site: Running, world: World) -> None:
    """Ask one question, so that the tool server runs."""
    world.model.script(Reply(Text("Ready.")))
    device = site.device()
    assert device.ask(device.open_session()).ended(START_S)["outcome"] == "completed"


@pytest.fixture(scope="module")
def site(server: str, home: Home, world: World) -> Iterator[Running]:
    """A running server whose tool server is ready."""
    with running(server, home) as started:
        warm_up(started, world)
        yield started


@pytest.fixture(scope="module")
def other_worker(server: str, home: Home, site: Running) -> Iterator[Running]:
    """A second worker of the same site."""
    if server == "daphne":
        pytest.skip("at home there is one process")
    with running(server, home) as worker:
        yield worker
