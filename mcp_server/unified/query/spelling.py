"""Close names for what was probably misspelt, and how a value is written so that it reads back."""

import difflib
import re
from collections.abc import Iterable

from mcp_server.unified.query.fields import FIELDS, PLURALS, PREFIXES, Field, meant, names
from mcp_server.unified.query.vocabulary import word_key

SUGGESTIONS_MAX = 3
OPERATORS = {"and", "AND", "or", "OR", "not", "NOT", "&&", "||"}
_SAFE_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_./*+@%-]*")
_SAFE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_./*+@%:>=?\[\];-]*")


def is_safe(text: str, *, colons: bool = False) -> bool:
    """Say whether a value reads back without quotes."""
    pattern = _SAFE_NAME if colons else _SAFE_WORD
    return pattern.fullmatch(text) is not None and ".." not in text and text not in OPERATORS


def quoted(text: str) -> str:
    """Return the text in quotes."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def written(text: str, *, colons: bool = False) -> str:
    """Return the text, in quotes where it needs them."""
    return text if is_safe(text, colons=colons) else quoted(text)


def close_words(word: str, allowed: Iterable[str], cutoff: float = 0.6) -> tuple[str, ...]:
    """Return the allowed words closest to a misspelt one, the closest first."""
    by_key = {word_key(one): one for one in allowed}
    found = difflib.get_close_matches(word_key(word), by_key, SUGGESTIONS_MAX, cutoff)
    longer = [key for key in by_key if len(word) >= 3 and word_key(word) in key]
    return tuple(by_key[key] for key in dict.fromkeys([*found, *longer]))[:SUGGESTIONS_MAX]


def close_fields(name: str) -> tuple[str, ...]:
    """Return the fields closest to an unknown name, the closest first."""
    prefix, _, bare = name.lower().rpartition(".")
    several = meant(bare) if not prefix else ()
    if several:
        return tuple(dict.fromkeys(one.key for one in several))
    domain = PREFIXES.get(prefix) or next((PREFIXES[word] for word in close_words(prefix, PREFIXES)), "")
    candidates = _names_in(domain) if domain else _names_in("")
    found = difflib.get_close_matches(bare, candidates, SUGGESTIONS_MAX, 0.6)
    elsewhere = _elsewhere(bare, domain) if domain else []
    keys = [candidates[match] for match in found] + elsewhere
    return tuple(dict.fromkeys(keys))[:SUGGESTIONS_MAX]


def _names_in(domain: str) -> dict[str, str]:
    """Map each name in a domain, or each bare name, to the field as it is printed."""
    chosen: list[Field] = [one for one in FIELDS if one.domain == domain] if domain else list(reversed(FIELDS))
    return {name: one.key for one in chosen for name in names(one)}


def _elsewhere(bare: str, domain: str) -> list[str]:
    return [one.key for one in FIELDS if bare in names(one) and one.domain != domain and PLURALS.get(one.domain)]
