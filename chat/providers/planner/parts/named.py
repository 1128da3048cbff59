"""Identifiers that only the question has: an answer repeats one if a result holds it, else it says whose it is.

Grounding counts every identifier of an answer; one that no database answered for would look like a claim.
"""

import json
from collections.abc import Iterable

from chat.providers.planner.results import Result
from mcp_server.identifiers import find_in_text


def is_identifier(words: str) -> bool:
    """Whether words hold an identifier of a database."""
    return any(True for _ in find_in_text(words))


def subject(kind: str, words: str) -> tuple[str, str]:
    """Return topic and subject for a call about something the question names, without repeating an identifier."""
    return (f"the {kind} that the question names", "") if is_identifier(words) else (f"the {kind} {{}}", words)


def shown(kind: str, words: str, results: Iterable[Result | None]) -> str:
    """Return the words, or "the variant that the question names" where they are an identifier that nobody answered."""
    if not is_identifier(words):
        return words
    held = (json.dumps(result.data, ensure_ascii=False) for result in results if result is not None and result.has_data)
    return words if any(words in text for text in held) else f"The {kind} that the question names"
