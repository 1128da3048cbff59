"""The page of a stored result: for its owner, and for nobody else."""

import json
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth import get_user_model
from django.test import Client, override_settings

from artifacts.store import artifact_save
from chat.services import session_create, session_delete

pytestmark = pytest.mark.django_db(transaction=True)
DATA = {
    "query": "<script>alert(1)</script>",
    "hits": [{"id": f"CHEMBL{n}", "name": "=cmd", "score": n / 4} for n in range(120)],
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Iterator[None]:
    """Keep the files of each test apart."""
    files = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path}}
    with override_settings(STORAGES={**settings.STORAGES, "artifacts": files}):
        yield


@pytest.fixture
def ada() -> Any:
    """Give the owner."""
    return get_user_model().objects.create_user("ada")


@pytest.fixture
def client(ada: Any) -> Client:
    """Give the owner's browser."""
    client = Client()
    client.force_login(ada)
    return client


@pytest.fixture
def session(ada: Any) -> Any:
    """Give a session of the owner."""
    return session_create(owner_id=ada.pk, model="recipes", upstreams="snapshot")


@pytest.fixture
def url(ada: Any, session: Any) -> str:
    """Store a result and give the address of its page."""
    content = json.dumps(DATA).encode()
    artifact_id = artifact_save(content=content, session_id=session.pk, owner_id=ada.pk, tool="chembl__search")
    return f"/artifacts/{artifact_id}/"


def test_the_page_shows_what_it_is_and_its_first_level(client: Client, url: str, session: Any) -> None:
    response = client.get(url)
    text = response.content.decode()
    assert response.status_code == 200 and "no-store" in response["Cache-Control"]
    assert f'href="/sessions/{session.pk}/"' in text and "chembl__search" in text
    assert "array, 120 items" in text and "CSV of <code>.hits</code>, 120 rows" in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text and "<script>alert" not in text
    assert "'unsafe" not in response["Content-Security-Policy"] and " style=" not in text


def test_a_branch_comes_in_parts(client: Client, url: str) -> None:
    text = client.get(f"{url}branch/", {"path": '["hits"]'}).content.decode()
    assert text.count("<details>") == 100 and "Show more (20 left)" in text
    more = client.get(f"{url}branch/", {"path": '["hits"]', "from": "100"}).content.decode()
    assert more.count("<details>") == 20 and "Show more" not in more


@pytest.mark.parametrize("path", ["{", "[[]]", '["hits","x"]', '["query",0]'])
def test_a_wrong_place_is_told(client: Client, url: str, path: str) -> None:
    response = client.get(url, {"path": path})
    assert response.status_code == 422 and "There is no such part" in response.content.decode()
    assert client.get(f"{url}branch/", {"path": path}).status_code == 200


def test_a_part_is_shown_without_javascript(client: Client, url: str) -> None:
    text = client.get(url, {"path": '["hits",3]'}).content.decode()
    assert "<code>.hits[3]</code>" in text and "&quot;CHEMBL3&quot;" in text


@pytest.mark.parametrize("target", ["", "found"])
def test_a_search_finds_and_escapes(client: Client, url: str, target: str) -> None:
    headers = {"HX-Target": target} if target else {}
    text = client.get(url, {"q": "CHEMBL11"}, headers=headers).content.decode()
    assert "11 places with <q>CHEMBL11</q>" in text and "<code>.hits[110].id</code>" in text
    assert ("<html" in text) == (not target)
    found = client.get(url, {"q": "<script"}, headers=headers).content.decode()
    assert "1 place with <q>&lt;script</q>" in found


@pytest.mark.parametrize(
    ("jq_filter", "said"),
    [
        (".hits | length", "120"),
        ("[.hits[].id][:2]", "[&quot;CHEMBL0&quot;,&quot;CHEMBL1&quot;]"),
        (".hit[]", "Cannot iterate over null"),
        (".[", "syntax error"),
        ("env", "{}"),
    ],
)
def test_a_filter_runs_and_is_told_what_is_wrong(client: Client, url: str, jq_filter: str, said: str) -> None:
    for headers in ({}, {"HX-Target": "answer"}):
        assert said in client.get(url, {"filter": jq_filter}, headers=headers).content.decode()


def test_the_whole_is_downloaded_as_it_was_stored(client: Client, url: str) -> None:
    response = client.get(f"{url}result.json")
    assert json.loads(response.content) == DATA
    assert response["Content-Disposition"] == 'attachment; filename="chembl__search.json"'
    assert response["Content-Type"] == "application/json"


def test_a_table_is_downloaded_for_spreadsheets(client: Client, url: str) -> None:
    response = client.get(f"{url}result.csv", {"at": '["hits"]'})
    lines = response.content.decode("utf-8-sig").splitlines()
    assert lines[0] == "id,name,score" and lines[3] == "CHEMBL2,'=cmd,0.5" and len(lines) == 121
    assert response["Content-Disposition"] == 'attachment; filename="chembl__search.csv"'
    assert client.get(f"{url}result.csv", {"at": '["query"]'}).status_code == 404


PAGES = ("", "branch/", "result.json", 'result.csv?at=["hits"]')


@pytest.mark.case("C073")
@pytest.mark.parametrize("page", PAGES)
def test_a_second_person_reaches_nothing_of_it(url: str, page: str) -> None:
    for is_staff in (False, True):
        other = Client()
        other.force_login(get_user_model().objects.create_user(f"eve{is_staff}", is_staff=is_staff))
        response = other.get(url + page)
        assert response.status_code == 404 and b"CHEMBL" not in response.content
    assert Client().get(url + page).status_code == 302


@pytest.mark.parametrize("page", PAGES)
def test_it_goes_with_its_session(client: Client, session: Any, url: str, page: str) -> None:
    assert client.get(url + page).status_code == 200
    session_delete(session=session)
    assert client.get(url + page).status_code == 404


def test_it_goes_with_its_time(client: Client, ada: Any, session: Any) -> None:
    long_ago = datetime.now(UTC) - timedelta(days=400)
    artifact_id = artifact_save(content=b"[1]", session_id=session.pk, owner_id=ada.pk, tool="x", now=long_ago)
    assert client.get(f"/artifacts/{artifact_id}/").status_code == 404
    assert client.get(f"/artifacts/{uuid.uuid4()}/").status_code == 404


def test_only_reading_is_possible(client: Client, url: str) -> None:
    assert {client.post(url + page).status_code for page in PAGES} == {405}
