"""A word of a fixed choice as people write it: in any case, with blanks or dashes, under its other name.

Public and pure: the tools accept such words, and the loop must not refuse them before.
"""

import re
from collections.abc import Iterable

_SEPARATORS = re.compile(r"[\s_-]+")
# Two names of one thing, whichever of them a database uses.
_OTHER_NAMES = {"hg38": "grch38", "grch38": "hg38", "hg19": "grch37", "grch37": "hg19"}


def choice_of(text: str, choices: Iterable[str]) -> str:
    """Return the one choice that is meant, or an empty string."""
    by_form: dict[str, list[str]] = {}
    for choice in choices:
        by_form.setdefault(_form(choice), []).append(choice)
    form = _form(text)
    meant = by_form.get(form) or by_form.get(_OTHER_NAMES.get(form, ""), [])
    return meant[0] if len(meant) == 1 else ""


def _form(text: str) -> str:
    return _SEPARATORS.sub("_", text.strip()).casefold()
