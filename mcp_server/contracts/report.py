"""Reports of both checks: a table for people, JSON for programs, Markdown for pages."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from mcp_server.contracts.live import Drift
from mcp_server.contracts.replay import Finding

Json = Any
VERDICTS = ("parsed", "refused", "reason", "mismatch")
DRIFT_VERDICTS = ("same", "drift", "failed", "unreachable")
HOW_FIELDS_ARE_FOUND = (
    "A field is missing when the tool asked a JSON record for it and no record of the tool's samples had it; "
    "new when no call asked for it although its record was looked into. The answers of one call are looked at "
    "together. XML and plain text are not watched."
)
WAYS = (
    "exact: the tool's own request was the recorded one; address: same address, other parameters; "
    "fed: given to the tool's first request."
)
FIELDS_SHOWN = 12


def sample_report(findings: Sequence[Finding], skipped: Sequence[str]) -> dict[str, Json]:
    """Return the whole report of recorded responses as plain data."""
    return {
        "kind": "recorded responses",
        "checked_at": _now(),
        "ways": WAYS,
        "fields": HOW_FIELDS_ARE_FOUND,
        "skipped_platforms": list(skipped),
        "platforms": {name: _counts(group) for name, group in _grouped(findings, "platform").items()},
        "tools": {name: _tool_facts(group) for name, group in _grouped(findings, "tool").items() if name},
        "samples": [asdict(finding) for finding in findings],
    }


def _tool_facts(findings: Sequence[Finding]) -> dict[str, Json]:
    read = [finding for finding in findings if finding.verdict == "parsed" and finding.watched]
    missing = set.intersection(*(set(finding.missing) for finding in read)) if read else set()
    new = set.intersection(*(set(finding.new) for finding in read)) if read else set()
    return {
        **_counts(findings),
        "ways": dict(Counter(finding.way for finding in findings)),
        "missing": sorted(missing),
        "new": sorted(new),
    }


def _counts(findings: Iterable[Finding]) -> dict[str, int]:
    counted = Counter(finding.verdict for finding in findings)
    return {verdict: counted[verdict] for verdict in VERDICTS}


def _grouped(findings: Iterable[Finding], by: str) -> dict[str, list[Finding]]:
    groups: dict[str, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(getattr(finding, by), []).append(finding)
    return dict(sorted(groups.items()))


def sample_table(report: Mapping[str, Json]) -> str:
    """Return the report as a table, with every sample that does not parse below it."""
    lines = [f"{'tool':46}{'parsed':>7}{'refused':>8}{'other':>6}  missing / new fields"]
    for name, facts in report["tools"].items():
        counts = f"{facts['parsed']:>7}{facts['refused']:>8}{facts['mismatch']:>6}"
        lines.append(f"{name:46}{counts}  {len(facts['missing'])} / {len(facts['new'])}")
    lines += ["", f"{'platform':46}" + "".join(f"{verdict:>10}" for verdict in VERDICTS)]
    for name, counted in report["platforms"].items():
        lines.append(f"{name:46}" + "".join(f"{counted[verdict]:>10}" for verdict in VERDICTS))
    lines += [f"{name}: skipped, there are no tools for it" for name in report["skipped_platforms"]]
    wrong = [sample for sample in report["samples"] if sample["verdict"] == "mismatch"]
    lines += [f"MISMATCH {one['platform']}/{one['file']} ({one['tool'] or '-'}): {one['reason']}" for one in wrong]
    total = sum(sum(counted.values()) for counted in report["platforms"].values())
    lines.append(f"{total} samples, {len(wrong)} neither parsed nor explained")
    return "\n".join(lines)


def sample_markdown(report: Mapping[str, Json]) -> str:
    """Return the report as Markdown."""
    rows = [[name, *(counted[verdict] for verdict in VERDICTS)] for name, counted in report["platforms"].items()]
    parts = ["# Recorded responses and the tools", f"Checked at {report['checked_at']}. {report['ways']}"]
    parts.append(_table(["platform", *VERDICTS], rows))
    tools = [
        [name, facts["parsed"], facts["refused"], facts["mismatch"], _few(facts["missing"]), _few(facts["new"])]
        for name, facts in report["tools"].items()
    ]
    parts += ["## Tools", report["fields"]]
    parts.append(_table(["tool", "parsed", "refused", "mismatch", "missing", "new"], tools))
    for title, verdict in (("Mismatches", "mismatch"), ("Not parsed, for a reason", "reason")):
        named = [
            [f"{one['platform']}/{one['file']}", one["tool"], one["reason"]]
            for one in report["samples"]
            if one["verdict"] == verdict
        ]
        parts += [f"## {title}", _table(["sample", "tool", "reason"], named) if named else "None."]
    if report["skipped_platforms"]:
        parts += ["## Skipped", f"No tools for: {', '.join(report['skipped_platforms'])}."]
    return "\n\n".join(parts) + "\n"


def drift_report(drifts: Sequence[Drift]) -> dict[str, Json]:
    """Return the whole report of the live services as plain data."""
    counted = Counter(drift.verdict for drift in drifts)
    return {
        "kind": "live services",
        "checked_at": _now(),
        "fields": HOW_FIELDS_ARE_FOUND,
        "counts": {verdict: counted[verdict] for verdict in DRIFT_VERDICTS},
        "tools": [asdict(drift) for drift in drifts],
    }


def drift_table(report: Mapping[str, Json]) -> str:
    """Return the report as a table."""
    lines = [f"{'tool':46}{'verdict':>12}{'example':>12}{'nonsense':>12}{'gone':>6}{'new':>6}"]
    for one in report["tools"]:
        nonsense = one["nonsense"]["outcome"] if one["nonsense"] else "-"
        said = f"{one['verdict']:>12}{one['good']['outcome']:>12}{nonsense:>12}"
        lines.append(f"{one['tool']:46}{said}{len(one['gone']):>6}{len(one['new']):>6}")
        lines += [f"    {note}" for note in one["notes"]]
    lines.append(", ".join(f"{count} {verdict}" for verdict, count in report["counts"].items()))
    return "\n".join(lines)


def drift_markdown(report: Mapping[str, Json]) -> str:
    """Return the report as Markdown."""
    counts = ", ".join(f"{count} {verdict}" for verdict, count in report["counts"].items())
    rows = [
        [
            one["tool"],
            one["verdict"],
            one["good"]["outcome"],
            one["nonsense"]["outcome"] if one["nonsense"] else "none to ask",
            _few(one["gone"]),
            _few(one["new"]),
            "; ".join(one["notes"]),
        ]
        for one in report["tools"]
    ]
    head = ["tool", "verdict", "example", "nonsense", "gone", "new", "notes"]
    return f"# Drift of the services\n\nChecked at {report['checked_at']}: {counts}.\n\n{_table(head, rows)}\n"


def _table(head: Sequence[str], rows: Iterable[Sequence[Json]]) -> str:
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    lines += [f"| {' | '.join(_cell(value) for value in row)} |" for row in rows]
    return "\n".join(lines)


def _cell(value: Json) -> str:
    return " ".join(str(value).split()).replace("|", "\\|")


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - FIELDS_SHOWN} more" if len(names) > FIELDS_SHOWN else ""
    return ", ".join(f"`{name}`" for name in names[:FIELDS_SHOWN]) + more


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
