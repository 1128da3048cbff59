"""Large results of a session: stored for its owner, and worth their preview even where nothing can be stored."""

from uuid import uuid4

import pytest
from django.db import DatabaseError

from artifacts import store
from artifacts.config import ArtifactLimits
from chat.adapters import SessionShrinker, session_inspect
from usage.models import User

pytestmark = pytest.mark.django_db(transaction=True)
LIMITS = ArtifactLimits(inline_max_tokens=200)
ROWS = [{"id": f"CHEMBL{number}", "phase": number % 4} for number in range(300)]


async def test_what_was_stored_is_looked_into_by_its_owner_in_its_session_only() -> None:
    ada, eve = [await User.objects.acreate(username=name) for name in ("ada", "eve")]
    session_id = uuid4()
    shrunk = await SessionShrinker(session_id=session_id, owner_id=ada.pk, limits=LIMITS).shrink(
        ROWS, tool="chembl__search", noise=None
    )
    inspect = session_inspect(session_id=session_id, owner_id=ada.pk, limits=LIMITS)
    assert shrunk.how == "stored" and await inspect(shrunk.artifact_id, ["length", ".[299].id"]) == (
        '# length\n300\n# .[299].id\n"CHEMBL299"'
    )
    for session, owner in ((uuid4(), ada), (session_id, eve)):
        with pytest.raises(ValueError, match="no artifact"):
            await session_inspect(session_id=session, owner_id=owner.pk, limits=LIMITS)(shrunk.artifact_id, ["."])


async def test_a_database_that_fails_costs_the_artifact_and_not_the_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    def locked(**facts: object) -> None:
        raise DatabaseError("database is locked")

    monkeypatch.setattr(store, "artifact_save", locked)
    shrunk = await SessionShrinker(session_id=uuid4(), owner_id=1, limits=LIMITS).shrink(ROWS, tool="x", noise=None)
    assert (shrunk.how, shrunk.artifact_id) == ("stored", "")
    assert "could not be stored: the database failed: database is locked" in shrunk.warning
    assert ".phase number, 0 to 3" in shrunk.text
