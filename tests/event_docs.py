"""Write docs/events.md and docs/events.schema.json from the events' declarations: `python -m tests.event_docs`.

Refuses to write a schema that breaks what the present one promises under the same version.
"""

import json
import sys
from collections.abc import Iterable
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any

from chat.event_schema import broken_promises, schema
from chat.events import EVENT_TYPES, EVENTS_VERSION, NOTICES, Event
from mcp_server.codes import TURN_OFFERS, TURN_SENTENCES, TurnOffer

DOCS = Path(__file__).parents[1] / "docs"
PAGE, SCHEMA = DOCS / "events.md", DOCS / "events.schema.json"
OFFERS = {
    TurnOffer.CONTINUE: "Ask the session to go on; nothing that was found is lost.",
    TurnOffer.ASK_AGAIN: "Ask the same question again.",
    TurnOffer.OTHER_MODEL: "Ask the same question of another model.",
    TurnOffer.NEW_SESSION: "Begin a new session.",
}
HEAD = f"""# Events of a turn

The one stream that the pages, the API, the terminal and the evaluations read. Over the API it comes as
`text/event-stream`: `id` is the event's `seq`, `event` its `type`, `data` the event as JSON; a reader that was cut off
goes on with `Last-Event-ID`. `manage.py ask --json` prints one event a line.

A turn begins with `turn_started` and ends with `turn_end`, whatever happens in between. `seq` only grows; it may leave
numbers out, for pieces of one text are joined when they are stored. Whoever reads late gets the same events as whoever
was there all along.

**Version {EVENTS_VERSION}**, told in `turn_started`. Fields, types and words may be added at any time: leave out what
you do not know. The version is raised when a field or a type goes, or changes its meaning or its form; the generator
refuses to do that under the same number. The schema is [events.schema.json](events.schema.json), also at
`/api/events/schema`.

This page and the schema are written by `python -m tests.event_docs`; a test compares them with the code.
"""


def document() -> str:
    """Return the page."""
    parts = [HEAD, "## Fields of every event\n", _table(fields(Event))]
    for name, kind in EVENT_TYPES.items():
        own = [field for field in fields(kind) if field.name not in {shared.name for shared in fields(Event)}]
        parts += [f"## `{name}`\n", f"{' '.join((kind.__doc__ or '').split())}\n", _table(own)]
    parts += ["## Codes of notices\n", _words(NOTICES.items())]
    outcomes = ((outcome.value, sentence) for outcome, sentence in TURN_SENTENCES.items())
    offers = {outcome.value: ", ".join(f"`{offer}`" for offer in TURN_OFFERS[outcome]) for outcome in TURN_OFFERS}
    parts += ["## Outcomes of a turn\n", "| outcome | sentence | offers |\n|---|---|---|"]
    parts[-1] += "".join(f"\n| `{name}` | {sentence} | {offers[name]} |" for name, sentence in outcomes) + "\n"
    parts += ["## Offers\n", _words((offer.value, meaning) for offer, meaning in OFFERS.items())]
    return "\n".join(parts)


def schema_text() -> str:
    """Return the schema as it is written."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


def _table(declared: Iterable[Field[Any]]) -> str:
    rows = [f"| `{field.name}` | {_form(field)} | {_default(field)} | {_meaning(field)} |" for field in declared]
    return "\n".join(["| field | form | default | meaning |", "|---|---|---|---|", *rows]) + "\n"


FORMS = {
    str(str): "text",
    str(int): "whole number",
    str(float): "number",
    str(bool): "true or false",
    str(int | None): "whole number or null",
    str(list[str]): "list of texts",
    str(list[dict[str, Any]]): "list of objects",
    str(dict[str, Any]): "object",
    str(dict[str, int]): "object of whole numbers",
}


def _form(field: Field[Any]) -> str:
    return FORMS[str(field.type)]


def _default(field: Field[Any]) -> str:
    if field.default_factory is not MISSING:
        return f"`{json.dumps(field.default_factory())}`"
    return "" if field.default is MISSING else f"`{json.dumps(field.default)}`"


def _meaning(field: Field[Any]) -> str:
    words = field.metadata["schema"].get("enum", ())
    return field.metadata["help"] + (f" One of {', '.join(f'`{word}`' for word in words)}." if words else "")


def _words(rows: Iterable[tuple[str, str]]) -> str:
    return "| word | meaning |\n|---|---|" + "".join(f"\n| `{word}` | {meaning} |" for word, meaning in rows) + "\n"


def main() -> None:
    """Write both, unless a promise would be broken."""
    if SCHEMA.exists():
        before = json.loads(SCHEMA.read_text(encoding="utf-8"))
        if before["version"] == EVENTS_VERSION and (broken := broken_promises(before, schema())):
            sys.exit(f"raise EVENTS_VERSION: {'; '.join(broken)}")
    PAGE.write_text(document(), encoding="utf-8")
    SCHEMA.write_text(schema_text(), encoding="utf-8")


if __name__ == "__main__":
    main()
