"""The health page."""

import pytest
from django.test import AsyncClient, Client


@pytest.mark.django_db
def test_answers_ok_while_the_database_answers(client: Client) -> None:
    response = client.get("/healthz")

    assert (response.status_code, response.json()) == (200, {"status": "ok", "database": "ok"})


@pytest.mark.django_db(transaction=True)
async def test_answers_on_the_event_loop_too(async_client: AsyncClient) -> None:
    response = await async_client.get("/healthz")

    assert response.status_code == 200
