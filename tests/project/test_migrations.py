"""The tables are those of the models."""

import pytest
from django.core.management import call_command


@pytest.mark.django_db
def test_no_migration_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("makemigrations", "--check", "--dry-run", verbosity=1)
    assert capsys.readouterr().out == "No changes detected\n"
