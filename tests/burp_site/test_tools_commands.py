"""`manage.py tools` and `manage.py contracts` over the real child process."""

import io
import json
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from tools_catalog.models import ContractCheck

STUDY = ("clinicaltrials__get_study", "nct_id=NCT01808573")


def said(*arguments: str) -> str:
    """Run `tools` and return what it prints."""
    out = io.StringIO()
    call_command("tools", *arguments, stdout=out)
    return out.getvalue()


def test_the_tools_of_a_platform_are_listed() -> None:
    lines = said("list", "--platform", "clinicaltrials").splitlines()
    assert lines[0] == "ClinicalTrials.gov"
    assert any(line.startswith("  clinicaltrials__search_studies") for line in lines)
    assert not any("pubmed__" in line for line in lines if line.startswith("  p"))


def test_tools_are_found_by_words() -> None:
    assert "clinicaltrials__get_study_adverse_events" in said("list", "--search", "adverse events of a trial")


def test_an_unknown_platform_is_told() -> None:
    with pytest.raises(CommandError, match="no such tool"):
        said("list", "--platform", "nowhere")


def test_a_tool_is_called_and_its_result_is_readable() -> None:
    text = said("call", *STUDY, "--upstreams", "snapshot")
    assert text.startswith("outcome data")
    assert '"nctId": "NCT01808573"' in text
    assert "https://clinicaltrials.gov/study/NCT01808573" in text
    assert "from the offline snapshot" in text


def test_a_result_is_json_when_asked_for() -> None:
    result = json.loads(said("call", *STUDY, "--upstreams", "snapshot", "--json"))
    assert result["outcome"] == "data" and result["_meta"]["burp/snapshot"]["origin"] in ("recorded", "curated")


def test_a_failed_call_is_shown_and_fails_the_command() -> None:
    out = io.StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("tools", "call", STUDY[0], "nct_id=NCT00000000", "--upstreams", "snapshot", stdout=out)
    assert ended.value.code == 1
    assert "not_in_snapshot" in out.getvalue() and "near: [" in out.getvalue()


@pytest.mark.parametrize(
    ("arguments", "said_so"),
    [
        (["clinicaltrials__get_stdy"], "clinicaltrials__get_study"),
        (["clinicaltrials__get_study", "nct=1"], "nct_id"),
    ],
)
def test_a_wrong_name_is_answered_with_the_right_ones(arguments: list[str], said_so: str) -> None:
    with pytest.raises(CommandError, match=said_so):
        said("call", *arguments, "--upstreams", "snapshot")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("given", [False, True], ids=["no file asked for", "a file asked for"])
def test_the_contracts_command_keeps_when_a_database_was_checked_and_how_that_went(tmp_path: Path, given: bool) -> None:
    samples = tmp_path / "recorded" / "clinvar" / "samples"
    samples.mkdir(parents=True)
    (samples / "nothing_at_all.json").write_text("{}", encoding="utf-8")
    row = "nothing_at_all.json\tGET\thttps://nowhere.example/none\trecorded\t\n"
    (samples / "MANIFEST.tsv").write_text(f"file\tmethod\turl\tkind\tnotes\n{row}", encoding="utf-8")
    report = tmp_path / "report.json"
    more = [f"--json={report}"] if given else []

    with pytest.raises(SystemExit):
        call_command("contracts", "check", "--samples", str(tmp_path / "recorded"), *more)

    assert report.exists() == given
    check = ContractCheck.objects.get()
    assert (check.platform_key, check.kind, check.verdicts) == ("clinvar", "replay", {"mismatch": 1})
    assert timezone.now() - check.checked_at < timedelta(minutes=2)


def test_the_contracts_command_passes_its_arguments_and_its_end_on(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        call_command("contracts", "check", "--samples", str(tmp_path / "nowhere"))
    assert ended.value.code == 2
    assert "is no folder" in capfd.readouterr().err
