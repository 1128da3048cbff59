"""A turn in the terminal: what happens, line by line, then the answer with its grounding and cost.

On a terminal with colour and links; on a pipe as plain lines.
"""

import textwrap
from typing import Any

from rich.console import Console
from rich.markdown import Markdown
from rich.text import Text as Styled

from chat.estimates import Estimate
from chat.events import (
    Event,
    Notice,
    Reasoning,
    Text,
    ToolEnd,
    ToolProgress,
    ToolStart,
    ToolStored,
    TurnEnd,
    TurnStarted,
    Usage,
)
from mcp_server.codes import ResultOutcome, TurnOutcome
from usage.money import format_usd, format_usd_rough

Json = Any
ARGUMENTS_MAX_CHARS = 72
SHORTEST_WAIT_S = 0.1
MARKS = {
    ResultOutcome.DATA.value: ("✓", "green"),
    ResultOutcome.EMPTY.value: ("∅", "yellow"),
    ResultOutcome.UNKNOWN_ID.value: ("?", "yellow"),
    ResultOutcome.FAILED.value: ("✗", "red"),
}
WORDS = {
    ResultOutcome.DATA.value: "",
    ResultOutcome.EMPTY.value: "nothing found",
    ResultOutcome.UNKNOWN_ID.value: "identifier not known",
}


class TurnPrinter:
    """Prints the events of one turn as they come."""

    def __init__(self, console: Console | None = None) -> None:
        self.console = console or Console(highlight=False)
        self._plain = not self.console.is_terminal
        self._starts: dict[str, ToolStart] = {}
        self._texts: dict[int, str] = {}
        self._reasoning = ""
        self._budget_pico_usd = 0

    def show(self, event: Event) -> None:
        """Print one event."""
        if isinstance(event, Reasoning):
            self._reasoning += event.text
            return
        if isinstance(event, Text):
            self._texts[event.step] = self._texts.get(event.step, "") + event.text
            return
        self._show_thoughts()
        printers: dict[type[Event], Any] = {
            TurnStarted: self._started,
            ToolStart: self._tool_started,
            ToolProgress: self._tool_progress,
            ToolEnd: self._tool_ended,
            ToolStored: self._tool_stored,
            Usage: self._used,
            Notice: self._notice,
            TurnEnd: self._ended,
        }
        if type(event) in printers:
            printers[type(event)](event)

    def _print(self, text: str, style: str = "") -> None:
        self.console.print(Styled(text, style=style), soft_wrap=True)

    def _show_thoughts(self) -> None:
        """Print the reasoning that came before something happened."""
        thoughts, self._reasoning = " ".join(self._reasoning.split()), ""
        if thoughts:
            self._print(f"  {thoughts}", "dim italic")

    def _started(self, event: TurnStarted) -> None:
        where = "offline snapshot" if event.upstreams == "snapshot" else "live databases"
        self._print(f"Q  {event.question}", "bold")
        model = f"{event.model_label}, {event.effort} effort" if event.effort else event.model_label
        self._print(f"   {model} · {where}", "dim")
        if event.estimate_high_pico_usd:
            self._budget_pico_usd = event.budget_pico_usd
            span = Estimate(event.estimate_low_pico_usd, event.estimate_high_pico_usd)
            self._print(f"   {span}, at most {format_usd_rough(event.budget_pico_usd)}", "dim")

    def _used(self, event: Usage) -> None:
        """Tell what the turn has cost so far, while a free one says nothing."""
        if not event.turn_cost_pico_usd:
            return
        read = sum(count for tier, count in event.tokens.items() if tier != "output")
        cached = f" ({100 * event.tokens.get('cache_read', 0) // read} % from cache)" if read else ""
        tokens = f"{read:,} tokens read{cached}, {event.tokens.get('output', 0):,} written"
        about = "about " if event.estimated else ""
        self._print(f"   {about}{self._cost(event.turn_cost_pico_usd)} so far: step {event.step}, {tokens}", "dim")

    def _cost(self, pico_usd: int) -> str:
        limit = f" of {format_usd_rough(self._budget_pico_usd)}" if self._budget_pico_usd else ""
        return f"{format_usd(pico_usd)}{limit}"

    def _tool_started(self, event: ToolStart) -> None:
        self._starts[event.call_id] = event

    def _tool_progress(self, event: ToolProgress) -> None:
        start = self._starts.get(event.call_id)
        self._print(f"   … {start.platform if start else event.call_id}: {event.message}", "yellow")

    def _tool_ended(self, event: ToolEnd) -> None:
        start = self._starts.get(event.call_id)
        platform = start.platform if start else ""
        verb = event.tool.partition("__")[2] or event.tool
        arguments = short_arguments(start.arguments if start else {})
        mark, colour = MARKS[event.outcome]
        size = f"{event.bytes_before / 1000:.1f} kB" if event.ok else ""
        if event.repeats:
            size = "asked before"
        shrunk = f" → {event.bytes_after / 1000:.1f} kB ({event.pipeline})" if event.pipeline != "inline" else ""
        said = WORDS.get(event.outcome) if event.ok else f"{event.error_code}: {event.message}"
        count = f"{event.returned} of {event.total}" if event.total is not None and event.returned is not None else ""
        facts = " · ".join(part for part in (f"{event.seconds:.2f} s", f"{size}{shrunk}", count, said or "") if part)
        line = Styled(f" {mark} ", style=colour)
        line.append(f"{platform:<18} ", style="bold").append(f"{verb} ").append(f"{arguments}  ", style="cyan")
        line.append(facts, style="dim")
        self.console.print(line, soft_wrap=True)

    def _tool_stored(self, event: ToolStored) -> None:
        size = f"{event.bytes_before / 1000:.1f} kB → {event.bytes_after / 1000:.1f} kB"
        self._print(f"   … {event.tool}: stored beside its step's other results, {size}", "dim")

    def _notice(self, event: Notice) -> None:
        self._print(f" ! {event.message}", "yellow")

    def _ended(self, event: TurnEnd) -> None:
        # What the model began before it declined is no answer.
        is_refused = event.outcome == TurnOutcome.REFUSED
        answer = self._texts[max(self._texts)].strip() if self._texts and not is_refused else ""
        if answer:
            self.console.print()
            if self._plain:
                # A pipe gets the answer's own lines, unbroken, so that tables and links stay whole.
                self.console.file.write(f"{answer}\n")
            else:
                self.console.print(Markdown(answer))
            self.console.print()
        grounded, missing = event.grounding.get("grounded", []), event.grounding.get("not_in_evidence", [])
        names = ", ".join(mention["identifier"] for mention in missing)
        checked = f"{len(grounded)} of {len(grounded) + len(missing)} identifiers are in the evidence"
        self._print(
            f"Grounding  {checked}{f'; not in evidence: {names}' if names else ''}", "red" if names else "green"
        )
        waits = ((event.waited_s, "the model's service"), (event.databases_waited_s, "databases"))
        waited = "".join(f", {s:.1f} s of it waiting for {whom}" for s, whom in waits if s >= SHORTEST_WAIT_S)
        cost = self._cost(event.turn_cost_pico_usd)
        self._print(f"Calls      {event.tool_calls} tool calls in {event.seconds:.1f} s{waited}, {cost}")
        style = "green" if event.outcome == "completed" else "red"
        detail = f" ({event.detail})" if event.detail else ""
        detail += f" That is on {event.resets_at[:16].replace('T', ' ')} UTC." if event.resets_at else ""
        self._print(f"Outcome    {event.outcome}: {event.message}{detail}", style)


def short_arguments(arguments: dict[str, Json]) -> str:
    """Return a call's arguments on one short line, the values without their names where there is one."""
    if len(arguments) == 1:
        text = _value(next(iter(arguments.values())))
    else:
        text = ", ".join(f"{name}={_value(value)}" for name, value in arguments.items())
    return textwrap.shorten(text, ARGUMENTS_MAX_CHARS, placeholder="…")


def _value(value: Json) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
