"""How the calls of tools are counted and shown: real calls, real tables, numbers only."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone

from mcp_server.codes import ToolCode
from tools_catalog import selectors
from tools_catalog.call_counts import BOUNDS, LONGER, CallCount
from tools_catalog.contract_reports import checked_at, kind_of, verdicts
from tools_catalog.models import ToolHour
from tools_catalog.services import contract_checks_store, tool_calls_book, trial_begin
from tools_catalog.timings import Timings, is_fault
from usage.models import User

TOOL = "ensembl__lookup_gene"


@pytest.mark.django_db(transaction=True)
async def test_calls_add_up_over_hours_and_processes_and_old_hours_are_forgotten() -> None:
    now = timezone.now()
    await ToolHour.objects.acreate(tool=TOOL, hour=now - timedelta(days=31), calls=9)
    await ToolHour.objects.acreate(tool=TOOL, hour=now - timedelta(hours=30), calls=5)
    for hours_ago in (0, 1):
        for _ in range(2):
            timings = Timings(clock=lambda ago=hours_ago: now - timedelta(hours=ago))  # type: ignore[misc]
            for seconds in (0.05, 0.2, 2.0, 45.0):
                timings.note(TOOL, seconds, failed=seconds == 45.0)
            await timings.store()
            await timings.store()

    day = (await sync_to_async(selectors.days)())[TOOL]
    assert (day.calls, day.failures, day.failed_share) == (16, 4, 0.25)
    assert (day.within(0.5), day.within(0.75), day.within(0.95)) == ("300 ms", "3 s", "over 30 s")
    assert day.mean_s == pytest.approx((0.05 + 0.2 + 2 + 45) / 4)
    assert await ToolHour.objects.acount() == 3
    assert await sync_to_async(selectors.days)(["other__tool"]) == {}


def test_every_duration_has_its_column() -> None:
    count = CallCount(TOOL, datetime.now(UTC))
    for bound_ms in BOUNDS.values():
        count.add(bound_ms / 1000, failed=False)
        count.add(bound_ms / 1000 + 0.001, failed=False)
    assert count.columns == {**dict.fromkeys(BOUNDS, 2), "within_100_ms": 1, LONGER: 1}
    fields = {field.name for field in ToolHour._meta.get_fields()}
    assert fields >= {*BOUNDS, LONGER}


@pytest.mark.parametrize(
    ("outcome", "code", "fault"),
    [
        ("data", "", False),
        ("empty", "", False),
        ("unknown_id", "", False),
        ("failed", ToolCode.TOOL_INVALID_ARGUMENTS, False),
        ("failed", ToolCode.PLATFORM_OFF, False),
        ("failed", ToolCode.UPSTREAM_UNAVAILABLE, True),
        ("failed", ToolCode.TOOL_TIMEOUT, True),
    ],
)
def test_only_what_the_tool_or_its_database_did_is_a_fault(outcome: str, code: str, fault: bool) -> None:
    assert is_fault(outcome, code) == fault


@pytest.mark.django_db
def test_nothing_of_a_call_is_stored_but_numbers() -> None:
    count = CallCount(TOOL, timezone.now())
    count.add(0.1, failed=False)
    tool_calls_book([count])
    kinds = {field.get_internal_type() for field in ToolHour._meta.get_fields() if field.name not in ("tool", "hour")}
    assert all("Integer" in kind or kind == "BigAutoField" for kind in kinds)


REPLAY = {
    "kind": "recorded responses",
    "checked_at": "2026-11-30T12:00:00+00:00",
    "platforms": {"clinvar": {"parsed": 40, "refused": 2, "reason": 0, "mismatch": 0}},
}
LIVE = {
    "kind": "live services",
    "checked_at": "2026-11-30T13:00:00+00:00",
    "tools": [
        {"tool": "clinvar__get_refsnp", "verdict": "same"},
        {"tool": "clinvar__resolve_variant", "verdict": "drift"},
        {"tool": "chembl__resolve_drug", "verdict": "same"},
    ],
}


@pytest.mark.django_db
def test_the_last_check_of_each_kind_is_kept_for_each_database() -> None:
    for report in (REPLAY, LIVE, json.loads(json.dumps(REPLAY).replace("T12", "T14"))):
        contract_checks_store(kind=kind_of(report), checked_at=checked_at(report), platforms=verdicts(report))
    checks = {key: [(one.kind, one.verdicts) for one in found] for key, found in selectors.last_checks().items()}
    assert checks == {
        "chembl": [("live", {"same": 1})],
        "clinvar": [("live", {"same": 1, "drift": 1}), ("replay", {"parsed": 40, "refused": 2})],
    }
    assert selectors.last_checks()["clinvar"][1].checked_at.hour == 14


@pytest.mark.django_db
def test_a_person_has_so_many_trials_an_hour() -> None:
    ada, grace = (User.objects.create(username=name) for name in ("ada", "grace"))
    assert [trial_begin(user_id=ada.pk, most=2) for _ in range(4)] == [True, True, False, False]
    assert trial_begin(user_id=grace.pk, most=2)
    assert not trial_begin(user_id=grace.pk, most=0)
