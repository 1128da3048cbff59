"""A reader who is signed in, with a session whose model plays a script."""

from collections.abc import AsyncIterator
from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async
from django.test import AsyncClient

from chat import services, turns
from chat.models import Session
from tests.chat.scripted_model import KEY, scripted_model
from tools_catalog.runtime import close_tool_servers
from usage.models import User


@pytest.fixture
async def reader(transactional_db: None) -> AsyncIterator[User]:
    """Somebody who may ask; turns of the test end with it."""
    with scripted_model():
        yield await User.objects.acreate(username=f"reader-{uuid4().hex[:8]}")
        await turns.shutdown()
        turns._stopping = False
        await close_tool_servers()


@pytest.fixture
async def browser(reader: User) -> AsyncClient:
    """The reader's browser."""
    client = AsyncClient()
    await client.aforce_login(reader)
    return client


@pytest.fixture
async def stranger_browser(reader: User) -> AsyncClient:
    """Somebody else's browser."""
    client = AsyncClient()
    await client.aforce_login(await User.objects.acreate(username=f"stranger-{uuid4().hex[:8]}"))
    return client


@pytest.fixture
async def session(reader: User) -> Session:
    """An empty session of the reader over the offline snapshot."""
    return await sync_to_async(services.session_create)(owner_id=reader.pk, model=KEY, upstreams="snapshot")
