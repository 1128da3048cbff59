"""What operators decide about databases, and what is known of tools and of the processes that run them."""

from django.conf import settings
from django.db import models


class PlatformSwitch(models.Model):
    """A database that an operator has switched off. A row that is on again keeps its history in the admin's log."""

    platform_key = models.CharField(max_length=64, unique=True, help_text="The prefix of its tools, such as `chembl`.")
    is_off = models.BooleanField("switched off", default=True)
    reason = models.CharField(max_length=300, blank=True, help_text="In one sentence: users and the model read it.")
    changed_at = models.DateTimeField(auto_now=True)
    changed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+", editable=False
    )

    class Meta:
        ordering = ["platform_key"]
        verbose_name_plural = "platform switches"

    def __str__(self) -> str:
        return f"{self.platform_key}: {'off' if self.is_off else 'on'}"


class ToolHour(models.Model):
    """How a tool's calls of one hour went: numbers only. The columns count calls by how long they took."""

    tool = models.CharField(max_length=128)
    hour = models.DateTimeField()
    calls = models.PositiveIntegerField(default=0)
    failures = models.PositiveIntegerField(default=0)
    milliseconds = models.PositiveBigIntegerField(default=0, help_text="Of all calls together.")
    within_100_ms = models.PositiveIntegerField(default=0)
    within_300_ms = models.PositiveIntegerField(default=0)
    within_1_s = models.PositiveIntegerField(default=0)
    within_3_s = models.PositiveIntegerField(default=0)
    within_10_s = models.PositiveIntegerField(default=0)
    within_30_s = models.PositiveIntegerField(default=0)
    longer = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["-hour", "tool"]
        constraints = [models.UniqueConstraint(fields=["tool", "hour"], name="one_row_a_tool_and_hour")]
        indexes = [models.Index(fields=["hour"], name="tool_hours_by_hour")]

    def __str__(self) -> str:
        return f"{self.tool} {self.hour:%Y-%m-%d %H}: {self.calls}"


class ContractCheck(models.Model):
    """How a database's tools did in the last contract check, live or against recorded responses."""

    platform_key = models.CharField(max_length=64)
    kind = models.CharField(max_length=20, help_text="`live` or `replay`.")
    checked_at = models.DateTimeField()
    verdicts = models.JSONField(default=dict, help_text="How many samples or calls came to each verdict.")

    class Meta:
        ordering = ["platform_key", "kind"]
        constraints = [models.UniqueConstraint(fields=["platform_key", "kind"], name="last_check_of_a_platform")]

    def __str__(self) -> str:
        return f"{self.platform_key} {self.kind}, {self.checked_at:%Y-%m-%d}"


class ServerState(models.Model):
    """What one process last said of one tool server of its own."""

    process = models.CharField(max_length=64, help_text="Host and id of the process that keeps it.")
    upstreams = models.CharField(max_length=20)
    word = models.CharField("state", max_length=20)
    generation = models.PositiveIntegerField(default=0, help_text="How often it was started.")
    pid = models.PositiveIntegerField(null=True, blank=True)
    tools = models.PositiveIntegerField(default=0)
    last_error = models.TextField(blank=True)
    since = models.DateTimeField(help_text="When it came into this state.")
    seen_at = models.DateTimeField()

    class Meta:
        ordering = ["process", "upstreams"]
        constraints = [models.UniqueConstraint(fields=["process", "upstreams"], name="one_state_a_tool_server")]

    def __str__(self) -> str:
        return f"{self.process} {self.upstreams}: {self.word}"


class TrialHour(models.Model):
    """How many tools a person tried out on the tool pages in one hour."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    hour = models.DateTimeField()
    calls = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "hour"], name="one_row_a_person_and_hour")]

    def __str__(self) -> str:
        return f"{self.hour:%Y-%m-%d %H}: {self.calls}"


class Alarm(models.Model):
    """Something that costs money or quality until an operator looks at it. Delete it when it is dealt with."""

    code = models.CharField(max_length=40)
    subject = models.CharField(max_length=200)
    text = models.TextField()
    count = models.PositiveIntegerField(default=1)
    first_at = models.DateTimeField()
    last_at = models.DateTimeField()

    class Meta:
        ordering = ["-last_at"]
        constraints = [models.UniqueConstraint(fields=["code", "subject"], name="one_alarm_a_subject")]

    def __str__(self) -> str:
        return f"{self.code} ({self.subject})"


class ToolVector(models.Model):
    """What an embedder made of one tool's texts, kept so that only what is new or changed is embedded."""

    key = models.CharField(max_length=64, unique=True, help_text="Hash of the texts, the schema and the embedder.")
    subject = models.CharField(max_length=128, help_text="The tool's name.")
    embedder = models.CharField(max_length=200)
    dimension = models.PositiveIntegerField(help_text="How many numbers a vector has.")
    data = models.BinaryField(help_text="The vectors one after the other, as little-endian 32-bit floats.")
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["subject", "embedder"]

    def __str__(self) -> str:
        return f"{self.subject} ({self.embedder})"
