"""The words of a text in the one form that tools and queries share. Any text will do, and nothing raises. Pure.

Greek letters become their names; hyphenated and camel-case words count whole and in pieces; plurals, British
spelling and common endings fall away.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

QUERY_MAX_CHARACTERS = 1_000
_WORD = re.compile(r"[^\W_]+(?:['’.:/-][^\W_]+)*")
_PIECE = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{2,}(?![a-z])")
_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−"), "-")
_AMERICAN = (
    ("aem", "em"),
    ("aetio", "etio"),
    ("oedem", "edem"),
    ("oestr", "estr"),
    ("paed", "ped"),
    ("tumour", "tumor"),
    ("colour", "color"),
    ("behaviour", "behavior"),
    ("centre", "center"),
    ("fibre", "fiber"),
    ("litre", "liter"),
    ("sulph", "sulf"),
    ("isation", "ization"),
    ("ise", "ize"),
    ("ising", "izing"),
    ("iser", "izer"),
    ("yse", "yze"),
    ("ogue", "og"),
    ("elling", "eling"),
    ("elled", "eled"),
)
# Endings, what stays in their place, and how many letters must stand before.
_ENDINGS = (
    ("ization", "iz", 3),
    ("izing", "iz", 3),
    ("ized", "iz", 3),
    ("izer", "iz", 3),
    ("ize", "iz", 3),
    ("ation", "at", 3),
    ("ating", "at", 3),
    ("ated", "at", 3),
    ("ate", "at", 3),
    ("ment", "", 5),
    ("ing", "", 4),
    ("ion", "", 4),
    ("ed", "", 4),
    ("ly", "", 4),
    ("e", "", 4),
)
# Words that stand in every question and tell nothing about the tool.
_STOP = frozenset(
    _PIECE.findall(
        "a an and any are as at be been by can could did do does for from get give got had has have how i if "
        "in into is it its just let list look many me much my need of on or our out please really actually s "
        "show so some t tell than that the their them there these they this to us use want was we were what "
        "when where which who whom whose why will with would you your"
    )
)


def tokens(text: str) -> list[str]:
    """Return the searchable words of a text, in order."""
    return [form for form, _ in spelt_tokens(text)]


def spelt_tokens(text: str) -> list[tuple[str, str]]:
    """Return the searchable words of a text, each with the spelling that it had there."""
    return [pair for word in _WORD.findall(plain(text)) for pair in _forms(word)]


def pieces(text: str) -> list[str]:
    """Return the words of a text without their hyphens, stop words too: the form in which phrases are compared."""
    return [stem(piece.lower()) for piece in _PIECE.findall(plain(text))]


def plain(text: str) -> str:
    """Return a text with Greek letters by name, plain hyphens, and no more of it than any search needs."""
    shown = unicodedata.normalize("NFKC", text[: 50 * QUERY_MAX_CHARACTERS]).translate(_DASHES)
    return "".join(_greek_name(letter) or letter for letter in shown)


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Make the forms of a word one: plural and singular, British and American, verb and noun."""
    if not (word.isascii() and word.isalpha() and len(word) > 3):
        return "id" if word == "ids" else word
    for british, american in _AMERICAN:
        word = word.replace(british, american)
    if word.endswith("ies"):
        word = word[:-3] + "y"
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending, instead, before in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= before:
            word = word[: -len(ending)] + instead
            break
    is_doubled = len(word) > 3 and word[-1] == word[-2] and word[-1] in "bdgmnprt"
    return word[:-1] if is_doubled else word


def _greek_name(letter: str) -> str:
    if not ("\u0370" <= letter <= "\u03ff" or "\u1f00" <= letter <= "\u1fff"):
        return ""
    base = unicodedata.normalize("NFD", letter)[0]
    name = unicodedata.name(base, "").removeprefix("GREEK SMALL LETTER ").removeprefix("GREEK CAPITAL LETTER ")
    return {"LAMDA": "lambda", "FINAL SIGMA": "sigma"}.get(name, name.lower()) if name.isalpha() or " " in name else ""


def _forms(word: str) -> Iterator[tuple[str, str]]:
    """Yield a word in its forms: whole and in pieces, without what is no help."""
    parts = _PIECE.findall(word)
    if len(parts) > 1:
        yield stem("".join(parts).lower()), word
    for piece in parts:
        humps = _CAMEL.findall(piece)
        # `geneSymbol` and `ClinicalTrials` have two words; `ChEMBL` and `UniProt` are names.
        if len(humps) > 1 and "".join(humps) == piece and (piece[0].islower() or min(map(len, humps)) >= 4):
            yield from ((stem(hump.lower()), hump) for hump in humps)
        lower = piece.lower()
        if lower not in _STOP and (len(lower) > 1 or len(parts) > 1 or lower.isdigit()):
            yield stem(lower), piece
