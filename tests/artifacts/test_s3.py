"""Stored results on a service that speaks S3, against a real server on loopback."""

import gzip
import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth import get_user_model
from django.test import override_settings

from artifacts.config import ArtifactLimits
from artifacts.errors import ArtifactNotFound
from artifacts.jq import JqEngine
from artifacts.models import Artifact, ArtifactContent
from artifacts.pipeline import reduce
from artifacts.store import artifact_load, artifact_save, artifacts_expire, session_artifacts_delete
from burp_site import environment
from burp_site.artifact_storage import artifact_storage
from tests.s3_server import BUCKET, KEY, S3Server, s3_server

SESSION = uuid.UUID(int=1)
CONTENT = b'{"hits":[{"id":1},{"id":2}]}' + b" " * 5_000
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def server() -> Iterator[S3Server]:
    """Run one server for these tests."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in KEY.items():
            patch.setenv(name, value)
        with s3_server() as running:
            yield running


@pytest.fixture(autouse=True)
def bucket(server: S3Server) -> Iterator[S3Server]:
    """Keep artifacts in the server's bucket, as the environment would set it."""
    configured = replace(environment.read({}), artifacts_bucket=BUCKET, artifacts_endpoint=server.url)
    server.empty()
    with override_settings(STORAGES={**settings.STORAGES, "artifacts": artifact_storage(configured)}):
        yield server


@pytest.fixture
def owner_id(db: None) -> int:
    """Give the id of somebody."""
    return int(get_user_model().objects.create_user("ada").pk)


def save(owner_id: int, content: bytes = CONTENT, session: int = 1, tool: str = "chembl__get") -> uuid.UUID:
    """Store something."""
    return artifact_save(content=content, session_id=uuid.UUID(int=session), owner_id=owner_id, tool=tool)


def test_what_is_saved_lies_compressed_in_the_bucket_and_is_loaded(owner_id: int, bucket: S3Server) -> None:
    artifact_id = save(owner_id)
    content = Artifact.objects.get(pk=artifact_id).content
    key = f"artifacts/{content.pk[:2]}/{content.pk}.json.gz"
    assert bucket.objects() == {key: content.stored_bytes}
    stored = bucket.client().get_object(Bucket=BUCKET, Key=key)["Body"].read()
    assert gzip.decompress(stored) == CONTENT
    assert artifact_load(artifact_id, session_id=SESSION, owner_id=owner_id) == CONTENT


def test_equal_content_is_one_object_until_the_last_session_goes(owner_id: int, bucket: S3Server) -> None:
    save(owner_id)
    save(owner_id, session=2)
    assert len(bucket.objects()) == 1
    session_artifacts_delete(session_id=uuid.UUID(int=1))
    assert len(bucket.objects()) == 1
    session_artifacts_delete(session_id=uuid.UUID(int=2))
    assert bucket.objects() == {} and ArtifactContent.objects.count() == 0


def test_expiry_empties_the_bucket(owner_id: int, bucket: S3Server) -> None:
    artifact_id = save(owner_id)
    late = Artifact.objects.get(pk=artifact_id).expires_at
    assert artifacts_expire(now=late).artifacts == 1
    assert bucket.objects() == {}


def test_an_object_that_is_gone_or_damaged_is_told_and_written_anew(owner_id: int, bucket: S3Server) -> None:
    artifact_id = save(owner_id)
    (key,) = bucket.objects()
    for body in (None, b"cut off", gzip.compress(b"another")):
        bucket.client().delete_object(Bucket=BUCKET, Key=key)
        if body is not None:
            bucket.client().put_object(Bucket=BUCKET, Key=key, Body=body)
        with pytest.raises(ArtifactNotFound, match="lost|damaged"):
            artifact_load(artifact_id, session_id=SESSION, owner_id=owner_id)
        assert save(owner_id) == artifact_id
        assert artifact_load(artifact_id, session_id=SESSION, owner_id=owner_id) == CONTENT


def test_a_service_that_is_away_costs_the_artifact_and_not_the_turn(owner_id: int, jq: JqEngine) -> None:
    away = replace(environment.read({}), artifacts_bucket=BUCKET, artifacts_endpoint="http://127.0.0.1:9")
    with override_settings(STORAGES={**settings.STORAGES, "artifacts": artifact_storage(away)}):
        limits = ArtifactLimits(inline_max_tokens=10)
        result = reduce(
            [{"id": n} for n in range(50)], noise=None, limits=limits, store=lambda c: str(save(owner_id, c)), jq=jq
        )
    assert (result.how, result.artifact_id) == ("stored", "")
    assert "could not be stored: the storage failed" in result.warning and ".[] object" in result.text
    assert Artifact.objects.count() == ArtifactContent.objects.count() == 0


def test_the_bucket_is_set_by_the_environment(server: S3Server, tmp_path: Path) -> None:
    program = (
        "import django; django.setup(); from django.core.files.storage import storages;"
        "from django.core.files.base import ContentFile;"
        "print(storages['artifacts'].save('ab/probe.json.gz', ContentFile(b'x')))"
    )
    environ = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "burp_site.settings",
        "BURP_DATA_DIR": str(tmp_path),
        "BURP_ARTIFACTS_BUCKET": BUCKET,
        "BURP_ARTIFACTS_ENDPOINT": server.url,
    }
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environ, capture_output=True, text=True, timeout=60, check=True
    )
    assert run.stdout == "ab/probe.json.gz\n"
    assert server.objects() == {"artifacts/ab/probe.json.gz": 1}
