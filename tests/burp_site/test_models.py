"""The models of `burp.toml` say of each model what the strict server of its service knows of it."""

import pytest
from django.conf import settings

from chat.config import ModelRow
from evals.strict_messages.models import MODELS
from tests.strict_generate.models import MODELS as GOOGLE_MODELS
from tests.strict_responses.models import MODELS as OPENAI_MODELS

ROWS: dict[str, ModelRow] = {row.model: row for row in settings.BURP.chat.models if row.provider == "anthropic"}


def test_every_model_that_still_serves_has_a_row() -> None:
    assert ROWS.keys() == MODELS.keys()
    assert all(row.key == row.model for row in ROWS.values())


@pytest.mark.parametrize("model", sorted(MODELS))
def test_a_row_promises_nothing_that_the_service_refuses(model: str) -> None:
    row, rules = ROWS[model], MODELS[model]

    assert set(row.efforts) <= rules.efforts
    assert set(row.thinking) == rules.thinking
    assert row.forced_tool_choice == rules.forces_tools
    assert row.min_cacheable_tokens == rules.min_cacheable_tokens
    assert (row.context_window, row.max_output_tokens) == (rules.context_window, rules.max_output)
    assert row.deferred_tools == (model != "claude-haiku-4-5")


@pytest.mark.parametrize("row", [row for row in settings.BURP.chat.models if row.provider == "openai"])
def test_a_row_of_openai_promises_nothing_that_the_service_refuses(row: ModelRow) -> None:
    rules = OPENAI_MODELS[row.model]

    assert set(row.efforts) <= rules.efforts
    assert row.deferred_tools == rules.tool_search
    assert row.min_cacheable_tokens == rules.min_cacheable_tokens
    assert (row.context_window, row.max_output_tokens) == (rules.context_window, rules.max_output)


def test_every_model_of_google_that_the_strict_server_knows_has_a_row() -> None:
    rows = [row for row in settings.BURP.chat.models if row.provider == "google"]

    assert {row.model for row in rows} == GOOGLE_MODELS.keys()
    assert all(row.key == row.model for row in rows)


@pytest.mark.parametrize("row", [row for row in settings.BURP.chat.models if row.provider == "google"])
def test_a_row_of_google_promises_nothing_that_the_service_refuses(row: ModelRow) -> None:
    rules = GOOGLE_MODELS[row.model]

    assert row.thinking == (("level",) if rules.levels else ("budget",))
    assert {effort.upper() for effort in row.efforts} <= (rules.levels or {"LOW", "MEDIUM", "HIGH"})
    assert row.min_cacheable_tokens == rules.min_cacheable_tokens
    assert (row.context_window, row.max_output_tokens) == (rules.context_window, rules.max_output)
    assert (row.deferred_tools, row.forced_tool_choice) == (False, True)
