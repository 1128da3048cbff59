"""Users, tokens and one-time links."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError
from django.utils import timezone

from usage.models import ApiToken, OneTimeLink, User
from usage.services import (
    local_user_get_or_create,
    one_time_link_create,
    one_time_link_redeem,
    token_authenticate,
    token_issue,
    token_revoke,
)

pytestmark = pytest.mark.postgres


def test_the_local_user_is_made_once_and_has_no_password(db: None) -> None:
    first, second = local_user_get_or_create(), local_user_get_or_create()

    assert first == second
    assert (first.username, first.has_usable_password(), first.is_staff) == ("researcher", False, False)


def test_an_email_address_is_unique_in_any_spelling_but_optional(db: None) -> None:
    for name in ("a", "b"):
        User.objects.create_user(name)
    User.objects.create_user("c", email="Ada@lab.example")

    with pytest.raises(IntegrityError):
        User.objects.create_user("d", email="ada@LAB.example")


def test_a_token_opens_until_it_is_revoked(user: User) -> None:
    token = token_issue(user=user, label="notebook")

    assert token_authenticate(token.secret) == user
    assert ApiToken.objects.get().last_used_at is not None
    assert token_revoke(prefix=token.prefix) == 1
    assert token_authenticate(token.secret) is None


def test_a_token_of_a_user_who_left_opens_nothing(user: User) -> None:
    token = token_issue(user=user)
    user.is_active = False
    user.save()

    assert token_authenticate(token.secret) is None


def test_no_secret_is_stored_or_shown(user: User) -> None:
    token, link = token_issue(user=user), one_time_link_create(user=user)

    stored = f"{ApiToken.objects.values().get()} {OneTimeLink.objects.values().get()} {ApiToken.objects.get()}"
    assert token.secret not in stored
    assert link not in stored
    assert token.secret not in repr(token)


def test_a_link_works_once(user: User) -> None:
    secret = one_time_link_create(user=user)

    assert one_time_link_redeem(secret=secret) == user
    assert one_time_link_redeem(secret=secret) is None


def test_a_link_works_for_a_short_time_only(user: User) -> None:
    secret = one_time_link_create(user=user)
    OneTimeLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))

    assert one_time_link_redeem(secret=secret) is None


def test_a_guessed_link_opens_nothing(user: User) -> None:
    one_time_link_create(user=user)

    assert one_time_link_redeem(secret="") is None


def test_making_a_link_forgets_those_that_ran_out(user: User) -> None:
    one_time_link_create(user=user)
    OneTimeLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))

    one_time_link_create(user=user)

    assert OneTimeLink.objects.count() == 1


def test_the_command_issues_and_revokes(user: User) -> None:
    out, err = StringIO(), StringIO()
    call_command("api_token", "issue", "ada", stdout=out, stderr=err)
    secret = out.getvalue().strip()
    assert token_authenticate(secret) == user
    assert ApiToken.objects.get().prefix in err.getvalue()

    call_command("api_token", "revoke", ApiToken.objects.get().prefix, stdout=out)

    assert token_authenticate(secret) is None


@pytest.mark.parametrize("arguments", [("issue", "nobody"), ("revoke", "burp_nothing")])
def test_the_command_names_what_it_can_not_find(db: None, arguments: tuple[str, str]) -> None:
    with pytest.raises(CommandError, match=arguments[1]):
        call_command("api_token", *arguments)
