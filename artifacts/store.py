"""Keep tool results: save, load, delete, expire. Content is compressed and stored once, under its hash.

Synchronous, each function one transaction; a file is written or deleted while its row is locked, so that no two
can be at odds. From async code call these in a thread; a thread's database connection is given back each time.
"""

import gzip
import hashlib
import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import wraps
from typing import ParamSpec, TypeVar
from uuid import UUID

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import Storage, storages
from django.db import connections, transaction

from artifacts.config import ArtifactLimits
from artifacts.errors import ArtifactNotFound, ArtifactTooLarge
from artifacts.models import Artifact, ArtifactContent
from artifacts.quota import Room

log = logging.getLogger(__name__)

STORAGE_ALIAS = "artifacts"
COMPRESSION_LEVEL = 6
MEGABYTE = 1_000_000
P = ParamSpec("P")
R = TypeVar("R")


@contextmanager
def _faults_as_os_errors() -> Iterator[None]:
    """Let every fault of a storage be an `OSError`: a service has exceptions of its own."""
    try:
        yield
    except (OSError, EOFError):
        raise
    except Exception as problem:
        raise OSError(f"the storage failed: {problem}") from problem


@dataclass(frozen=True)
class ArtifactFacts:
    """What is known of an artifact without its content."""

    id: UUID
    session_id: UUID
    tool: str
    size_bytes: int
    stored_bytes: int
    created_at: datetime
    expires_at: datetime


@dataclass(frozen=True)
class Expired:
    """What an expiry deleted, or would delete: artifacts, and the bytes of files that no other one needs."""

    artifacts: int
    stored_bytes: int


def _gives_connection_back(function: Callable[P, R]) -> Callable[P, R]:
    """Close this thread's old database connections afterwards: a pool's threads never end a request."""

    @wraps(function)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        finally:
            for connection in connections.all(initialized_only=True):
                # Inside somebody's transaction the connection is still needed.
                if not connection.in_atomic_block:
                    connection.close_if_unusable_or_obsolete()

    return wrapped


@_gives_connection_back
def artifact_save(
    *,
    content: bytes,
    session_id: UUID,
    owner_id: int,
    tool: str,
    limits: ArtifactLimits | None = None,
    now: datetime | None = None,
) -> UUID:
    """Store a result; return its id. The same result of the same tool in one session has one id.

    Raises `ArtifactTooLarge`, `QuotaExceeded`, or `OSError` when the storage can't take it.
    """
    limits = limits or settings.BURP.artifacts
    if len(content) > limits.stored_max_bytes:
        raise ArtifactTooLarge(f"{len(content):,} bytes are more than the {limits.stored_max_bytes:,} that are kept")
    now = now or datetime.now(UTC)
    expires_at = now + timedelta(days=limits.expires_days)
    content_hash = hashlib.sha256(content).hexdigest()
    # Without a time stamp inside, equal content gives equal bytes.
    compressed = gzip.compress(content, COMPRESSION_LEVEL, mtime=0)
    room = Room(owner_id, session_id, limits.quota_mb * MEGABYTE)
    is_known = Artifact.objects.filter(
        session_id=session_id, owner_id=owner_id, tool=tool, content=content_hash
    ).exists()
    needed = 0 if is_known else len(compressed)
    _delete(room.to_clear(needed))
    with transaction.atomic():
        room.check(needed)
        row = _locked_content(content_hash, len(content), len(compressed))
        _ensure_file(content_hash, compressed)
        artifact, is_new = Artifact.objects.get_or_create(
            session_id=session_id,
            owner_id=owner_id,
            tool=tool,
            content=row,
            defaults={"created_at": now, "expires_at": expires_at},
        )
        if not is_new:
            Artifact.objects.filter(pk=artifact.pk).update(expires_at=expires_at)
    return artifact.pk


@_gives_connection_back
def artifact_load(artifact_id: UUID | str, *, session_id: UUID, owner_id: int, now: datetime | None = None) -> bytes:
    """Return a result's content. Raises `ArtifactNotFound`, also for one of another session or owner."""
    artifact = _readable(artifact_id, session_id, owner_id, now)
    try:
        with _faults_as_os_errors(), _storage().open(_file_name(artifact.content_id), "rb") as file:
            content = gzip.decompress(file.read())
    except (OSError, EOFError) as problem:
        log.error("the file of artifact %s can't be read: %s", artifact.pk, problem)
        raise ArtifactNotFound(f"the content of artifact {artifact_id} is lost; call the tool again") from problem
    if hashlib.sha256(content).hexdigest() != artifact.content_id:
        log.error("the file of artifact %s is damaged", artifact.pk)
        raise ArtifactNotFound(f"the content of artifact {artifact_id} is damaged; call the tool again")
    return content


@_gives_connection_back
def artifact_facts(
    artifact_id: UUID | str, *, session_id: UUID, owner_id: int, now: datetime | None = None
) -> ArtifactFacts:
    """Return what is known of an artifact. Raises `ArtifactNotFound`."""
    return _facts(_readable(artifact_id, session_id, owner_id, now))


@_gives_connection_back
def artifact_find(artifact_id: UUID, *, owner_id: int, now: datetime | None = None) -> ArtifactFacts:
    """Return what is known of an artifact of any session of its owner. Raises `ArtifactNotFound`."""
    owned = Artifact.objects.filter(owner_id=owner_id, expires_at__gt=now or datetime.now(UTC))
    artifact = owned.select_related("content").filter(pk=artifact_id).first()
    if artifact is None:
        raise ArtifactNotFound(f"there is no artifact {artifact_id} of this person, or it has expired")
    return _facts(artifact)


def _facts(artifact: Artifact) -> ArtifactFacts:
    return ArtifactFacts(
        id=artifact.pk,
        session_id=artifact.session_id,
        tool=artifact.tool,
        size_bytes=artifact.content.size_bytes,
        stored_bytes=artifact.content.stored_bytes,
        created_at=artifact.created_at,
        expires_at=artifact.expires_at,
    )


@_gives_connection_back
def session_artifacts_delete(*, session_id: UUID) -> int:
    """Delete all artifacts of a session; return how many."""
    return _delete(Artifact.objects.for_session(session_id).values_list("pk", flat=True)).artifacts


@_gives_connection_back
def artifacts_expire(*, now: datetime | None = None, dry_run: bool = False) -> Expired:
    """Delete what has expired; with `dry_run` only say what that would be."""
    expired = Artifact.objects.expired(now or datetime.now(UTC))
    if dry_run:
        kept = Artifact.objects.exclude(pk__in=expired.values("pk")).values("content_id")
        lonely = ArtifactContent.objects.exclude(pk__in=kept)
        return Expired(expired.count(), sum(lonely.values_list("stored_bytes", flat=True)))
    deleted = _delete(expired.values_list("pk", flat=True))
    # Whoever deletes a user deletes that user's artifacts, but knows nothing of files.
    orphans = ArtifactContent.objects.filter(artifacts__isnull=True).values_list("pk", flat=True)
    return Expired(deleted.artifacts, deleted.stored_bytes + sum(_delete_orphan(pk) for pk in list(orphans)))


def _readable(artifact_id: UUID | str, session_id: UUID, owner_id: int, now: datetime | None) -> Artifact:
    try:
        wanted = artifact_id if isinstance(artifact_id, UUID) else UUID(artifact_id)
    except ValueError:
        raise ArtifactNotFound(f"{artifact_id!r} is not an artifact id") from None
    readable = Artifact.objects.readable(session_id=session_id, owner_id=owner_id, now=now or datetime.now(UTC))
    artifact = readable.select_related("content").filter(pk=wanted).first()
    if artifact is None:
        raise ArtifactNotFound(f"there is no artifact {artifact_id} in this session, or it has expired")
    return artifact


def _delete(ids: Iterable[UUID]) -> Expired:
    """Delete artifacts one by one: a failure leaves the rest for the next time."""
    count = freed = 0
    for pk in list(ids):
        with transaction.atomic():
            artifact = Artifact.objects.filter(pk=pk).first()
            if artifact is None:
                continue
            # Content before artifact, as in `artifact_save`: two orders would wait for each other.
            ArtifactContent.objects.select_for_update().get(pk=artifact.content_id)
            count += 1
            artifact.delete()
            freed += _delete_orphan(artifact.content_id)
    return Expired(count, freed)


@transaction.atomic
def _delete_orphan(content_hash: str) -> int:
    """Delete content and file if no artifact has them any more; return the bytes freed."""
    content = ArtifactContent.objects.select_for_update().filter(pk=content_hash).first()
    if content is None or content.artifacts.exists():
        return 0
    content.delete()
    with _faults_as_os_errors():
        _storage().delete(_file_name(content_hash))
    return content.stored_bytes


def _locked_content(content_hash: str, size_bytes: int, stored_bytes: int) -> ArtifactContent:
    """Return the content's row, locked until the end of the transaction."""
    while True:
        sizes = {"size_bytes": size_bytes, "stored_bytes": stored_bytes}
        ArtifactContent.objects.get_or_create(content_hash=content_hash, defaults=sizes)
        row = ArtifactContent.objects.select_for_update().filter(pk=content_hash).first()
        if row is not None:
            return row
        # Somebody deleted it between the two: make it anew.


@_faults_as_os_errors()
def _ensure_file(content_hash: str, compressed: bytes) -> None:
    """Write the file unless it is there, whole."""
    storage, name = _storage(), _file_name(content_hash)
    if storage.exists(name):
        if storage.size(name) == len(compressed):
            return
        # The rest of a write that was cut off.
        storage.delete(name)
    saved_as = storage.save(name, ContentFile(compressed))
    if saved_as != name:
        storage.delete(saved_as)
        raise OSError(f"the storage would not write {name}")


def _file_name(content_hash: str) -> str:
    return f"{content_hash[:2]}/{content_hash}.json.gz"


def _storage() -> Storage:
    return storages[STORAGE_ALIAS]
