"""People and the secrets that let them in. Of a secret only its SHA-256 is stored."""

from datetime import datetime

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models.functions import Lower


class User(AbstractUser):
    """Somebody who asks questions. An e-mail address is optional, and unique in any spelling when given."""

    class Meta(AbstractUser.Meta):
        constraints = [
            models.UniqueConstraint(
                Lower("email"),
                condition=~models.Q(email=""),
                name="usage_user_email_unique",
                violation_error_message="This e-mail address belongs to somebody else.",
            ),
        ]


class ApiTokenQuerySet(models.QuerySet["ApiToken"]):
    """Tokens by what they are good for."""

    def usable(self) -> "ApiTokenQuerySet":
        """Return the tokens that still open the API."""
        return self.filter(revoked_at=None, user__is_active=True)


class ApiToken(models.Model):
    """A long-lived secret for the API, shown once when issued and recognised by its first characters."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    label = models.CharField(max_length=80, blank=True)
    prefix = models.CharField(max_length=16, db_index=True)
    secret_sha256 = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    objects = ApiTokenQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.prefix}… of {self.user}"


class OneTimeLinkQuerySet(models.QuerySet["OneTimeLink"]):
    """Links by whether they still work."""

    def redeemable(self, at: datetime) -> "OneTimeLinkQuerySet":
        """Return the links that would sign somebody in at `at`."""
        return self.filter(used_at=None, expires_at__gt=at, user__is_active=True)


class OneTimeLink(models.Model):
    """A sign-in link that works once and not for long."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="one_time_links")
    secret_sha256 = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    objects = OneTimeLinkQuerySet.as_manager()

    def __str__(self) -> str:
        return f"link of {self.user}, until {self.expires_at:%Y-%m-%d %H:%M}"
