"""Let people in: API tokens, one-time links, the user of a local installation.

A secret is shown once, to whoever asked for it; what is stored is its SHA-256. The secrets are random
and long, so a slow hash would protect nothing.
"""

import hashlib
import secrets
from dataclasses import dataclass, field
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from usage.models import ApiToken, OneTimeLink, User

LOCAL_USERNAME = "researcher"
SECRET_BYTES = 32
TOKEN_START = "burp_"
PREFIX_CHARS = 12
LINK_LIFETIME = timedelta(minutes=15)
LAST_USED_EVERY = timedelta(minutes=1)


@dataclass(frozen=True)
class IssuedToken:
    """A new token. `secret` is shown now and never again."""

    prefix: str
    secret: str = field(repr=False)


@transaction.atomic
def local_user_get_or_create() -> User:
    """Return the one user of a local installation, who has no password."""
    user, is_new = User.objects.get_or_create(username=LOCAL_USERNAME)
    if is_new:
        user.set_unusable_password()
        user.save(update_fields=["password"])
    return user


def user_id_of(username: str) -> int | None:
    """Return the key of an active user, or None when there is none of this name."""
    return User.objects.filter(username=username, is_active=True).values_list("pk", flat=True).first()


@transaction.atomic
def token_issue(*, user: User, label: str = "") -> IssuedToken:
    """Make a new API token for `user`."""
    secret = TOKEN_START + secrets.token_urlsafe(SECRET_BYTES)
    prefix = secret[:PREFIX_CHARS]
    ApiToken.objects.create(
        user=user, label=label, prefix=prefix, secret_sha256=_sha256(secret), created_at=timezone.now()
    )
    return IssuedToken(prefix, secret)


def token_revoke(*, prefix: str) -> int:
    """Make the tokens that begin so useless at once, and return how many they were."""
    return ApiToken.objects.filter(prefix=prefix, revoked_at=None).update(revoked_at=timezone.now())


def token_authenticate(secret: str) -> User | None:
    """Return whom the token belongs to, or None when it doesn't open anything."""
    token = ApiToken.objects.usable().select_related("user").filter(secret_sha256=_sha256(secret)).first()
    if token is None:
        return None
    now = timezone.now()
    if token.last_used_at is None or now - token.last_used_at > LAST_USED_EVERY:
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
    return token.user


@transaction.atomic
def one_time_link_create(*, user: User, lifetime: timedelta = LINK_LIFETIME) -> str:
    """Return the secret of a link that signs `user` in once, within `lifetime`; forget dead links."""
    now = timezone.now()
    OneTimeLink.objects.filter(expires_at__lt=now).delete()
    secret = secrets.token_urlsafe(SECRET_BYTES)
    OneTimeLink.objects.create(user=user, secret_sha256=_sha256(secret), created_at=now, expires_at=now + lifetime)
    return secret


@transaction.atomic
def one_time_link_redeem(*, secret: str) -> User | None:
    """Use the link up and return whom it signs in, or None when it is unknown, used or too old.

    The update is the test: of two that redeem together, one changes the row.
    """
    now = timezone.now()
    link = OneTimeLink.objects.redeemable(now).select_related("user").filter(secret_sha256=_sha256(secret)).first()
    if link is None or not OneTimeLink.objects.filter(pk=link.pk, used_at=None).update(used_at=now):
        return None
    return link.user


def _sha256(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
