"""What the settings promise: headers, database, static files, an event loop that no middleware leaves."""

import os
import secrets
import subprocess
import sys
from pathlib import Path

import pytest
from asgiref.sync import iscoroutinefunction
from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.test import AsyncClient, Client
from django.utils.module_loading import import_string

from burp_site.static_files import StaticFilesMiddleware

ROOT = Path(__file__).parents[2]
SECONDS = 60
SERVED = """
from django.templatetags.static import static
from django.test import Client
https = Client(headers={"host": "burp.lab.example", "x-forwarded-proto": "https"})
http = Client(headers={"host": "burp.lab.example"})
url = static("django_htmx/htmx-2.min.js")
file = https.get(url)
print(url, file.status_code, file["Cache-Control"], http.get("/").status_code, http.get("/healthz").status_code)
"""


def test_pages_carry_a_strict_content_security_policy(client: Client, db: None) -> None:
    headers = client.get("/sign-in/").headers

    policy = dict(part.strip().split(" ", 1) for part in headers["Content-Security-Policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert policy["frame-ancestors"] == policy["base-uri"] == "'none'"


def test_pages_carry_the_other_security_headers(client: Client, db: None) -> None:
    headers = client.get("/sign-in/").headers

    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"


def test_another_host_name_is_refused(client: Client, db: None) -> None:
    assert client.get("/healthz", headers={"host": "evil.example"}).status_code == 400


@pytest.mark.case("C068")
@pytest.mark.django_db
def test_sqlite_is_set_up_for_parallel_writers() -> None:
    if connection.vendor != "sqlite":
        pytest.skip("not SQLite")
    with connection.cursor() as cursor:
        values = []
        for name in ("journal_mode", "busy_timeout", "foreign_keys", "synchronous"):
            cursor.execute(f"PRAGMA {name}")
            values.append(cursor.fetchone()[0])

    assert values == ["wal", 10_000, 1, 1]
    assert connection.transaction_mode == "IMMEDIATE"


@pytest.mark.case("C069")
def test_no_middleware_leaves_the_event_loop() -> None:
    async def answer(request: HttpRequest) -> HttpResponse:
        return HttpResponse()

    for path in settings.MIDDLEWARE:
        middleware = import_string(path)
        assert middleware.async_capable, path
        assert iscoroutinefunction(middleware(answer)), path
    assert not [path for path in settings.MIDDLEWARE if "GZip" in path]


async def test_static_files_are_served_on_the_event_loop(async_client: AsyncClient) -> None:
    response = await async_client.get("/static/django_htmx/htmx-2.min.js")

    assert response.status_code == 200
    assert not response.streaming
    assert response.headers["Content-Type"].startswith("text/javascript")
    assert len(response.content) > 10_000
    again = await async_client.get(
        "/static/django_htmx/htmx-2.min.js", headers={"if-modified-since": response.headers["Last-Modified"]}
    )
    assert (again.status_code, again.content) == (304, b"")


async def test_an_unknown_static_file_is_not_found(async_client: AsyncClient) -> None:
    async def answer(request: HttpRequest) -> HttpResponse:
        return HttpResponse(status=404)

    request = HttpRequest()
    request.path_info, request.method = "/static/absent.js", "GET"

    assert (await StaticFilesMiddleware(answer)(request)).status_code == 404


@pytest.fixture
def server_environ(tmp_path: Path) -> dict[str, str]:
    """Give the environment of server mode."""
    return {
        **os.environ,
        "BURP_MODE": "server",
        "BURP_SECRET_KEY": secrets.token_urlsafe(48),
        "BURP_ALLOWED_HOSTS": "burp.lab.example",
        "BURP_DATA_DIR": str(tmp_path / "data"),
        "BURP_STATIC_ROOT": str(tmp_path / "static"),
    }


def manage(environ: dict[str, str], *arguments: str) -> str:
    """Run a management command in a process of its own and return what it printed."""
    command = [sys.executable, "-W", "error", "manage.py", *arguments]
    run = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_server_mode_passes_djangos_deployment_check_and_hashes_static_files(
    server_environ: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "static").mkdir()

    manage(server_environ, "check", "--deploy", "--fail-level", "WARNING")
    manage(server_environ, "collectstatic", "--noinput", "-v0")

    served = manage(server_environ, "shell", "-v0", "-c", SERVED).split()
    assert served[0] != "/static/django_htmx/htmx-2.min.js"
    assert served[0].startswith("/static/django_htmx/htmx-2.min.")
    assert served[1:] == ["200", "max-age=315360000,", "public,", "immutable", "301", "200"]
