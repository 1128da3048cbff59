"""The environment: what is read, and how each mistake is named."""

from pathlib import Path

import pytest

from burp_site import environment
from burp_site.database import database_from_url
from burp_site.environment import Environment, EnvironmentProblem


def test_an_empty_environment_is_one_researcher_on_one_machine() -> None:
    assert environment.read({}) == Environment()
    assert Environment().is_local


def test_each_kind_of_variable_is_read() -> None:
    read = environment.read(
        {
            "BURP_MODE": "server",
            "BURP_SECRET_KEY": "k",
            "BURP_ALLOWED_HOSTS": "burp.lab.example, www.burp.lab.example",
            "BURP_HTTPS": "0",
            "BURP_DATA_DIR": "/srv/burp",
        }
    )

    assert read.allowed_hosts == ("burp.lab.example", "www.burp.lab.example")
    assert (read.is_local, read.https, read.data_dir) == (False, False, Path("/srv/burp"))


@pytest.mark.parametrize(
    ("environ", "error"),
    [
        ({"BURP_MODE": "cloud"}, "BURP_MODE: 'cloud' is not one of local, server"),
        ({"BURP_DEBUG": "maybe"}, "BURP_DEBUG: 'maybe' is neither 1 nor 0"),
        ({"BURP_MODE": "server"}, "BURP_SECRET_KEY: is required in server mode"),
        ({"BURP_MODE": "server", "BURP_SECRET_KEY": "k"}, "BURP_ALLOWED_HOSTS: is required in server mode"),
        (
            {"BURP_MODE": "server", "BURP_SECRET_KEY": "k", "BURP_ALLOWED_HOSTS": "h", "BURP_DEBUG": "1"},
            "BURP_DEBUG: is not possible in server mode",
        ),
    ],
)
def test_a_mistake_is_named_by_its_variable(environ: dict[str, str], error: str) -> None:
    with pytest.raises(EnvironmentProblem) as problem:
        environment.read(environ)

    assert str(problem.value) == error


def test_secrets_do_not_show() -> None:
    read = environment.read(
        {"DATABASE_URL": "postgres://u:hush@h/n", "ANTHROPIC_API_KEY": "hush", "REDIS_URL": "redis://:hush@h"}
    )

    assert "hush" not in repr(read)


def test_a_database_url_is_taken_apart() -> None:
    database = database_from_url("postgres://ada:p%40ss@db.lab.example:5433/burp?sslmode=require")

    assert (database["USER"], database["PASSWORD"], database["HOST"]) == ("ada", "p@ss", "db.lab.example")
    assert (database["PORT"], database["NAME"]) == ("5433", "burp")
    assert database["OPTIONS"]["sslmode"] == "require"


@pytest.mark.parametrize("url", ["mysql://h/n", "postgres://h", "burp.sqlite3"])
def test_another_kind_of_database_is_refused_without_showing_the_url(url: str) -> None:
    with pytest.raises(EnvironmentProblem, match="^DATABASE_URL: is not of the form postgres://") as problem:
        database_from_url(url)

    assert url not in str(problem.value)
