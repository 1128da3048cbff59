"""Untrusted text, without the characters that would make it read as what it is not."""

import re
from typing import Any

# Control characters, marks of direction, the byte order mark.
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")


def visible(text: str) -> str:
    """Drop control and bidirectional characters."""
    return _UNSEEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def all_visible(data: Any) -> Any:
    """Do so in every text of plain JSON data, names of fields too."""
    if isinstance(data, str):
        return visible(data)
    if isinstance(data, dict):
        return {visible(str(name)): all_visible(value) for name, value in data.items()}
    if isinstance(data, list | tuple):
        return [all_visible(item) for item in data]
    return data
