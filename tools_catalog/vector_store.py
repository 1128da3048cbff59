"""The database as the place where vectors are kept."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

import numpy as np
from asgiref.sync import sync_to_async
from django.db import transaction
from django.utils import timezone

from tools_catalog.meaning import Vectors
from tools_catalog.models import ToolVector
from tools_catalog.vectors import Subject

# Rows of former texts stay for a while: a site may go back to its former version.
KEPT_FOR = timedelta(days=30)
_NUMBERS = np.dtype("<f4")


class DatabaseVectors:
    """Vectors in `ToolVector`: read in one query, written in short transactions."""

    async def load(self, keys: Sequence[str]) -> dict[str, Vectors]:
        """Return the vectors of the keys that are there."""
        return await sync_to_async(_loaded)(frozenset(keys))

    async def save(self, embedder: str, made: Mapping[Subject, Vectors]) -> None:
        """Keep vectors; those of the same texts are replaced, former ones of these subjects go after a while."""
        await sync_to_async(_saved)(embedder, made)


def _loaded(keys: frozenset[str]) -> dict[str, Vectors]:
    rows = ToolVector.objects.filter(key__in=keys).values_list("key", "dimension", "data")
    return {key: np.frombuffer(bytes(data), dtype=_NUMBERS).reshape(-1, dimension) for key, dimension, data in rows}


@transaction.atomic
def _saved(embedder: str, made: Mapping[Subject, Vectors]) -> None:
    rows = [
        ToolVector(
            key=subject.key,
            subject=subject.name[:128],
            embedder=embedder[:200],
            dimension=vectors.shape[1],
            data=np.ascontiguousarray(vectors, dtype=_NUMBERS).tobytes(),
        )
        for subject, vectors in made.items()
    ]
    names = [row.subject for row in rows]
    ToolVector.objects.filter(subject__in=names, made_at__lt=timezone.now() - KEPT_FOR).delete()
    ToolVector.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["key"],
        update_fields=["subject", "embedder", "dimension", "data"],
    )
