"""Stored results: once, whole, and for their owner only."""

import random
import threading
import uuid
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.test import override_settings

from artifacts.config import ArtifactLimits
from artifacts.errors import ArtifactError, ArtifactNotFound, ArtifactTooLarge, QuotaExceeded
from artifacts.inspect import inspect
from artifacts.jq import JqEngine
from artifacts.models import Artifact, ArtifactContent
from artifacts.store import (
    Expired,
    artifact_facts,
    artifact_load,
    artifact_save,
    artifacts_expire,
    session_artifacts_delete,
)

pytestmark = pytest.mark.postgres
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
LIMITS = ArtifactLimits(expires_days=30)
CONTENT = b'{"hits":[{"id":1},{"id":2}]}' + b" " * 5_000
SESSION = uuid.UUID(int=1)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path):
    """Every test has a data folder of its own."""
    files = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path / "artifacts"}}
    with override_settings(STORAGES={**settings.STORAGES, "artifacts": files}):
        yield tmp_path / "artifacts"


@pytest.fixture
def owner_id(db: None) -> int:
    return int(get_user_model().objects.create_user("ada").pk)


def save(owner_id: int, content: bytes = CONTENT, **changes: object) -> uuid.UUID:
    facts = {"session_id": SESSION, "owner_id": owner_id, "tool": "chembl__get", "limits": LIMITS, "now": NOW}
    return artifact_save(content=content, **(facts | changes))


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_what_is_saved_is_loaded(owner_id: int, folder: Path) -> None:
    artifact_id = save(owner_id)
    assert artifact_load(artifact_id, session_id=SESSION, owner_id=owner_id, now=NOW) == CONTENT
    assert artifact_load(str(artifact_id), session_id=SESSION, owner_id=owner_id, now=NOW) == CONTENT
    facts = artifact_facts(artifact_id, session_id=SESSION, owner_id=owner_id, now=NOW)
    (file,) = files(folder)
    assert (facts.tool, facts.size_bytes, facts.stored_bytes) == ("chembl__get", len(CONTENT), file.stat().st_size)
    assert facts.stored_bytes < 200 and facts.expires_at == NOW + timedelta(days=30)


def test_equal_content_is_stored_once(owner_id: int, folder: Path) -> None:
    first = save(owner_id)
    assert save(owner_id) == first
    others = {save(owner_id, session_id=uuid.UUID(int=2)), save(owner_id, tool="chembl__other")}
    assert first not in others and len(others) == 2
    assert ArtifactContent.objects.count() == len(files(folder)) == 1


def test_the_file_goes_with_the_last_artifact(owner_id: int, folder: Path) -> None:
    save(owner_id)
    kept = save(owner_id, session_id=uuid.UUID(int=2))
    assert session_artifacts_delete(session_id=SESSION) == 1
    assert len(files(folder)) == 1
    assert artifact_load(kept, session_id=uuid.UUID(int=2), owner_id=owner_id, now=NOW) == CONTENT
    assert session_artifacts_delete(session_id=uuid.UUID(int=2)) == 1
    assert files(folder) == [] and ArtifactContent.objects.count() == 0


@pytest.mark.case("C073")
def test_only_the_owner_in_the_session_can_read(owner_id: int) -> None:
    other = get_user_model().objects.create_user("eve").pk
    artifact_id = save(owner_id)
    for session_id, reader in ((SESSION, other), (uuid.UUID(int=9), owner_id)):
        with pytest.raises(ArtifactNotFound, match="no artifact"):
            artifact_load(artifact_id, session_id=session_id, owner_id=reader, now=NOW)
        with pytest.raises(ArtifactNotFound):
            artifact_facts(artifact_id, session_id=session_id, owner_id=reader, now=NOW)


@pytest.mark.parametrize("artifact_id", ["", "x", "../../etc/passwd", str(uuid.UUID(int=7)), "1' OR 1=1"])
def test_an_unknown_id_is_not_found(owner_id: int, artifact_id: str) -> None:
    with pytest.raises(ArtifactNotFound):
        artifact_load(artifact_id, session_id=SESSION, owner_id=owner_id)


def test_an_expired_artifact_is_not_found_and_saving_it_again_revives_it(owner_id: int) -> None:
    artifact_id = save(owner_id)
    late = NOW + timedelta(days=30)
    with pytest.raises(ArtifactNotFound, match="expired"):
        artifact_load(artifact_id, session_id=SESSION, owner_id=owner_id, now=late)
    assert save(owner_id, now=late) == artifact_id
    assert artifact_load(artifact_id, session_id=SESSION, owner_id=owner_id, now=late) == CONTENT


def test_expiry_deletes_what_is_due_and_nothing_else(owner_id: int, folder: Path) -> None:
    save(owner_id)
    lonely = save(owner_id, b"[1]", now=NOW - timedelta(days=31))
    save(owner_id, b"[2]", now=NOW - timedelta(days=31))
    save(owner_id, b"[2]", session_id=uuid.UUID(int=2))
    lonely_bytes = Artifact.objects.get(pk=lonely).content.stored_bytes
    preview = artifacts_expire(now=NOW, dry_run=True)
    assert preview == Expired(2, lonely_bytes) and Artifact.objects.count() == 4
    assert artifacts_expire(now=NOW) == preview
    assert artifacts_expire(now=NOW) == Expired(0, 0)
    assert Artifact.objects.count() == len(files(folder)) == 2


def test_the_files_of_a_deleted_user_are_swept(owner_id: int, folder: Path) -> None:
    save(owner_id)
    get_user_model().objects.get(pk=owner_id).delete()
    assert Artifact.objects.count() == 0 and len(files(folder)) == 1
    assert artifacts_expire(now=NOW, dry_run=True).stored_bytes > 0
    assert artifacts_expire(now=NOW).artifacts == 0
    assert files(folder) == []


def test_the_command_shows_first_and_deletes_then(owner_id: int, folder: Path) -> None:
    save(owner_id, now=NOW - timedelta(days=400))
    size = f"{files(folder)[0].stat().st_size:,}"
    for options, said, left in (
        (["--dry-run"], f"1 artifacts would be deleted, {size} bytes freed.\n", 1),
        ([], f"1 artifacts were deleted, {size} bytes freed.\n", 0),
        ([], "0 artifacts were deleted, 0 bytes freed.\n", 0),
    ):
        out = StringIO()
        call_command("expire_artifacts", *options, stdout=out)
        assert (out.getvalue(), len(files(folder))) == (said, left)


def test_a_file_that_was_cut_off_is_written_anew(owner_id: int, folder: Path) -> None:
    artifact_id = save(owner_id)
    (file,) = files(folder)
    file.write_bytes(file.read_bytes()[:10])
    with pytest.raises(ArtifactNotFound, match="lost"):
        artifact_load(artifact_id, session_id=SESSION, owner_id=owner_id, now=NOW)
    assert save(owner_id) == artifact_id
    assert artifact_load(artifact_id, session_id=SESSION, owner_id=owner_id, now=NOW) == CONTENT


def test_a_file_that_was_changed_is_noticed(owner_id: int, folder: Path) -> None:
    artifact_id, other_id = save(owner_id), save(owner_id, b"[1]")
    hashes = [Artifact.objects.get(pk=pk).content_id for pk in (artifact_id, other_id)]
    first, second = (next(path for path in files(folder) if path.name.startswith(name)) for name in hashes)
    first.write_bytes(second.read_bytes())
    with pytest.raises(ArtifactNotFound, match="damaged"):
        artifact_load(artifact_id, session_id=SESSION, owner_id=owner_id, now=NOW)


def test_what_is_too_large_is_refused(owner_id: int, folder: Path) -> None:
    with pytest.raises(ArtifactTooLarge, match="11 bytes are more than the 10"):
        save(owner_id, b"x" * 11, limits=ArtifactLimits(stored_max_bytes=10))
    assert files(folder) == []


def test_a_storage_that_fails_leaves_no_row(owner_id: int, folder: Path) -> None:
    folder.write_text("a file where the folder should be")
    with pytest.raises(OSError):
        save(owner_id)
    assert ArtifactContent.objects.count() == Artifact.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_saving_and_deleting_at_once_never_loses_a_file() -> None:
    owner_id = int(get_user_model().objects.create_user("ada").pk)
    problems: list[BaseException] = []

    def work(number: int) -> None:
        session_id = uuid.UUID(int=number)
        try:
            for _ in range(5):
                artifact_id = save(owner_id, session_id=session_id)
                artifact_load(artifact_id, session_id=session_id, owner_id=owner_id, now=NOW)
                session_artifacts_delete(session_id=session_id)
        except BaseException as problem:
            problems.append(problem)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert problems == []
    assert ArtifactContent.objects.count() == 0


def look(owner_id: int, artifact_id: uuid.UUID, jq_filter: str, jq: JqEngine, **limits: int) -> str:
    return inspect(
        artifact_id,
        [jq_filter],
        session_id=SESSION,
        owner_id=owner_id,
        limits=ArtifactLimits(jq_timeout_s=1.0, **limits),
        jq=jq,
    )


@pytest.fixture
def stored(owner_id: int) -> uuid.UUID:
    return save(owner_id, b'{"hits":[{"id":1,"name":"a"},{"id":2,"name":"b"}],"total":2}', now=datetime.now(UTC))


@pytest.mark.parametrize(
    ("jq_filter", "text"),
    [
        (".total", "2"),
        ("[.hits[] | select(.id > 1) | {id, name}]", '[{"id":2,"name":"b"}]'),
        (".hits[].id", "1\n2"),
        (".hits[] | .name, .missing", '"a"\nnull\n"b"\nnull'),
    ],
)
def test_a_filter_gives_its_results(owner_id: int, stored: uuid.UUID, jq: JqEngine, jq_filter: str, text: str) -> None:
    assert look(owner_id, stored, jq_filter, jq) == text


@pytest.mark.parametrize(
    ("jq_filter", "parts"),
    [
        (
            ".hits.id",
            [
                "Cannot index array with string",
                "go through it with []",
                "Close to it: .hits  .hits[].id",
                "exist: .  .hits",
            ],
        ),
        (".nothing[]", ["Cannot iterate over null", "does not exist here", ".hits[].name"]),
        (".hits[", ["syntax error", "Mind quotes"]),
        (".hits[] | select(.id > 5)", ["no result at all", ".hits[].id"]),
        ("def f: f; f", ["too expensive", "over 1 s"]),
        ("env | error", ["{}"]),
    ],
)
def test_what_is_wrong_with_a_filter_is_said_with_the_way_on(
    owner_id: int, stored: uuid.UUID, jq: JqEngine, jq_filter: str, parts: list[str]
) -> None:
    with pytest.raises(ArtifactError) as problem:
        look(owner_id, stored, jq_filter, jq)
    assert all(part in str(problem.value) for part in parts)


def test_null_comes_with_the_paths_that_exist(owner_id: int, stored: uuid.UUID, jq: JqEngine) -> None:
    text = look(owner_id, stored, ".hit", jq)
    assert text.startswith("null\n(null may mean that this path does not exist.") and ".hits[].id" in text


def test_too_many_results_are_cut_and_it_is_said(owner_id: int, stored: uuid.UUID, jq: JqEngine) -> None:
    text = look(owner_id, stored, "range(1000)", jq, inline_max_tokens=5)
    assert text.startswith("0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n")
    assert text.endswith("\n276\n(723 more after these 277 results; narrow the filter to see others)")


def test_an_array_that_is_too_large_is_shown_from_its_beginning(owner_id: int, stored: uuid.UUID, jq: JqEngine) -> None:
    text = look(owner_id, stored, "[range(1000)]", jq, inline_max_tokens=5)
    assert text.endswith(",276]\n(723 more of 1,000 items; go on with [277:], or narrow the filter)")


def test_one_result_that_is_too_large_is_described(owner_id: int, stored: uuid.UUID, jq: JqEngine) -> None:
    with pytest.raises(ArtifactError, match=r"one string of 2,002 bytes; at most 1,000 bytes"):
        look(owner_id, stored, '"x" * 2000', jq, inline_max_tokens=10)


def test_several_filters_are_answered_one_by_one(owner_id: int, stored: uuid.UUID, jq: JqEngine) -> None:
    facts = {"session_id": SESSION, "owner_id": owner_id, "limits": ArtifactLimits(jq_timeout_s=1.0), "jq": jq}
    text = inspect(stored, [".total", ".hits.id", "def f: f; f", "[.hits[].name]"], **facts)
    parts = text.split("# ")
    assert parts[1] == ".total\n2\n" and parts[4] == '[.hits[].name]\n["a","b"]'
    assert "error: Cannot index array" in parts[2] and "too expensive" in parts[3]
    with pytest.raises(ArtifactError, match="none of the filters"):
        inspect(stored, [".[", ".hits.id"], **facts)


def test_an_artifact_of_somebody_else_can_not_be_inspected(owner_id: int, stored: uuid.UUID, jq: JqEngine) -> None:
    other = int(get_user_model().objects.create_user("eve").pk)
    with pytest.raises(ArtifactNotFound):
        look(other, stored, ".", jq)


QUOTA = ArtifactLimits(quota_mb=1)


def random_content(number: int) -> bytes:
    """Return 400 kB that no compression makes smaller."""
    return random.Random(number).randbytes(400_000)


def test_the_oldest_results_of_other_sessions_make_room(owner_id: int, folder: Path) -> None:
    oldest, older = (
        save(owner_id, random_content(n), session_id=uuid.UUID(int=n), limits=QUOTA, now=NOW + timedelta(n))
        for n in (2, 3)
    )
    eve = int(get_user_model().objects.create_user("eve").pk)
    hers = save(eve, random_content(9), session_id=uuid.UUID(int=9), limits=QUOTA, now=NOW)
    new = save(owner_id, random_content(4), limits=QUOTA, now=NOW + timedelta(5))
    assert {*Artifact.objects.values_list("pk", flat=True)} == {older, hers, new} and len(files(folder)) == 3
    assert save(owner_id, random_content(4), limits=QUOTA, now=NOW + timedelta(6)) == new
    assert not Artifact.objects.filter(pk=oldest).exists() and Artifact.objects.count() == 3


def test_one_session_can_not_have_more_than_its_owner_may_store(owner_id: int, folder: Path) -> None:
    other = save(owner_id, b"[1]", session_id=uuid.UUID(int=2), limits=QUOTA)
    for number in (1, 2):
        save(owner_id, random_content(number), limits=QUOTA)
    with pytest.raises(QuotaExceeded, match="1,000,000 bytes"):
        save(owner_id, random_content(3), limits=QUOTA)
    assert Artifact.objects.count() == len(files(folder)) == 3
    assert Artifact.objects.filter(pk=other).exists()
    assert save(owner_id, random_content(3), limits=ArtifactLimits(quota_mb=0))


@pytest.mark.django_db(transaction=True)
def test_two_who_store_at_once_do_not_exceed_the_quota_together() -> None:
    owner_id = int(get_user_model().objects.create_user("ada").pk)
    outcomes: list[str] = []

    def work(number: int) -> None:
        try:
            save(owner_id, random_content(number), limits=QUOTA)
            outcomes.append("stored")
        except QuotaExceeded:
            outcomes.append("refused")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(outcomes) == ["refused", "refused", "stored", "stored"]
