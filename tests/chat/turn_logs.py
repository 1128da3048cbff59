"""Event logs of turns, as `chat.turns` stores them: what tests of the pages fold and show."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

Json = Any
TURN_ID = "11111111-1111-4111-8111-111111111111"
SESSION_ID = "22222222-2222-4222-8222-222222222222"
START = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
HEADLINE = (
    "Which kinase inhibitors in clinical trials target proteins linked to HER2-positive breast cancer, "
    "and what pharmacogenomic variants affect their dosing?"
)


@dataclass
class TurnLog:
    """Writes events one after the other; each method returns the log."""

    question: str = HEADLINE
    turn_id: str = TURN_ID
    events: list[dict[str, Json]] = field(default_factory=list)
    seconds: float = 0.0

    def __post_init__(self) -> None:
        self.add(
            "turn_started",
            session_id=SESSION_ID,
            turn_id=self.turn_id,
            question=self.question,
            provider="planner",
            model="recipes",
            model_label="Recipe planner (no language model)",
            upstreams="snapshot",
        )

    def add(self, kind: str, after_s: float = 0.5, /, **data: Json) -> "TurnLog":
        """Append an event `after_s` later."""
        self.seconds += after_s if self.events else 0.0
        at = (START + timedelta(seconds=self.seconds)).isoformat(timespec="milliseconds")
        self.events.append({"type": kind, "seq": len(self.events) + 1, "at": at, **data})
        return self

    def reasoning(self, step: int, text: str) -> "TurnLog":
        """Let the model think."""
        return self.add("reasoning", step=step, text=text)

    def text(self, step: int, text: str) -> "TurnLog":
        """Let the model write."""
        return self.add("text", step=step, text=text)

    def start(self, call_id: str, tool: str, platform: str, step: int = 1, **arguments: Json) -> "TurnLog":
        """Send a tool call."""
        title = tool.partition("__")[2].replace("_", " ").capitalize()
        return self.add(
            "tool_start", step=step, call_id=call_id, tool=tool, title=title, platform=platform, arguments=arguments
        )

    def progress(self, call_id: str, message: str) -> "TurnLog":
        """Tell why a call takes long."""
        return self.add("tool_progress", call_id=call_id, message=message)

    def done(self, call_id: str, tool: str, step: int = 1, **data: Json) -> "TurnLog":
        """End a tool call."""
        facts = {
            "ok": True,
            "outcome": "data",
            "seconds": 0.5,
            "fetched_at": "2026-11-30T12:00:00Z",
            "bytes_before": 48_213,
            "bytes_after": 5_120,
        }
        return self.add("tool_end", step=step, call_id=call_id, tool=tool, **facts | data)

    def usage(self, step: int, cost_pico_usd: int = 0, turn_cost_pico_usd: int = 0) -> "TurnLog":
        """Settle a model call."""
        return self.add(
            "usage",
            step=step,
            tokens={"input": 1000, "output": 200},
            cost_pico_usd=cost_pico_usd,
            turn_cost_pico_usd=turn_cost_pico_usd,
        )

    def end(self, outcome: str = "completed", message: str = "", **data: Json) -> "TurnLog":
        """End the turn."""
        calls = sum(event["type"] == "tool_start" for event in self.events)
        facts = {"seconds": self.seconds + 0.5, "tool_calls": calls, "grounding": {}}
        return self.add("turn_end", outcome=outcome, message=message, **facts | data)


def citation(kind: str, identifier: str, label: str = "", url: str = "") -> dict[str, Json]:
    """Return a citation as a tool gives it."""
    return {"kind": kind, "identifier": identifier, "label": label, "url": url}


def mention(kind: str, identifier: str, *call_ids: str, url: str = "", label: str = "") -> dict[str, Json]:
    """Return an identifier as grounding describes it."""
    return {"kind": kind, "identifier": identifier, "url": url, "label": label, "call_ids": list(call_ids)}


def looked_up() -> TurnLog:
    """Return a turn in the middle: two steps, seven calls, three of them still running."""
    return (
        TurnLog()
        .reasoning(1, "Resolve HER2 to ERBB2, ")
        .reasoning(1, "then the disease.")
        .text(1, "First the gene and the disease.")
        .start("c1", "ensembl__lookup_gene", "Ensembl", gene_symbol="ERBB2")
        .start("c2", "opentargets__search_diseases", "Open Targets", query="HER2-positive breast carcinoma")
        .done("c1", "ensembl__lookup_gene", returned=1, total=1, citations=[citation("ensembl", "ENSG00000141736.14")])
        .done("c2", "opentargets__search_diseases", returned=10, total=42)
        .usage(1)
        .start("c3", "chembl__search_mechanisms", "ChEMBL", 2, target_chembl_id="CHEMBL1824")
        .start("c4", "chembl__search_molecules", "ChEMBL", 2, drug_name="nosuchinib")
        .start("c5", "clinicaltrials__search_studies", "ClinicalTrials.gov", 2, condition="breast cancer")
        .start("c6", "clinpgx__get_annotations", "ClinPGx", 2, drug_name="lapatinib")
        .start("c7", "pubmed__search_articles", "PubMed", 2, query="lapatinib hepatotoxicity")
        .done("c3", "chembl__search_mechanisms", 2, citations=[citation("chembl", "CHEMBL554", "lapatinib")])
        .done("c4", "chembl__search_molecules", 2, outcome="empty", returned=0, total=0)
        .progress("c5", "ClinicalTrials.gov asks to wait: trying again in 2 s")
    )


def answered() -> TurnLog:
    """Return a finished turn whose answer names two records in evidence and one out of nowhere."""
    log = looked_up()
    log.done("c5", "clinicaltrials__search_studies", 2, returned=25, total=502, pipeline="stored", artifact_id="a1")
    log.done(
        "c6",
        "clinpgx__get_annotations",
        2,
        ok=False,
        outcome="failed",
        error_code="upstream_unavailable",
        requests=[{"method": "GET", "url": "https://api.clinpgx.org/v1/x", "status": 503, "attempts": 4}],
    )
    log.done("c7", "pubmed__search_articles", 2, outcome="unknown_id", note="Did you mean something else?")
    log.usage(2, turn_cost_pico_usd=12_345_678_901)
    log.text(3, "Lapatinib (CHEMBL554) binds ERBB2 (ENSG00000141736).\n\n")
    log.text(3, "It was studied before (PMID: 99999999).")
    grounding = {
        "grounded": [
            mention("chembl", "CHEMBL554", "c3", label="lapatinib"),
            mention("ensembl", "ENSG00000141736", "c1"),
        ],
        "not_in_evidence": [mention("pmid", "99999999")],
    }
    return log.end(message="The answer is complete.", grounding=grounding, turn_cost_pico_usd=12_345_678_901)
