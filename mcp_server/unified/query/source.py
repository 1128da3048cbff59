"""The text of a query in plain characters, with the way back to the text as it was given."""

import unicodedata

# What NFKC leaves as it is, though people mean the plain sign.
_PLAIN = {
    **dict.fromkeys("“”„‟«»″", '"'),
    **dict.fromkeys("‘’‚‛′", "'"),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
    "≥": ">=",
    "≤": "<=",
    "\ufffd": " ",
}


class Source:
    """A query: `text` as given, `plain` after normalisation; every place of `plain` knows its place in `text`."""

    def __init__(self, text: str) -> None:
        self.text = text
        plain: list[str] = []
        places: list[int] = []
        for start, cluster in _clusters(text):
            for letter in _plain(cluster):
                plain.append(letter)
                places.append(start)
        self.plain = "".join(plain)
        self._places = [*places, len(text)]

    def position(self, index: int) -> int:
        """Return the place in the text as given of a place in `plain`."""
        return self._places[min(max(index, 0), len(self.plain))]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return position and length in the text as given of `plain[start:end]`."""
        first = self.position(start)
        return first, max(self.position(end) - first, 0)


def _clusters(text: str) -> list[tuple[int, str]]:
    """Split into letters with the marks that belong to them, so that composing them keeps the places."""
    clusters: list[tuple[int, str]] = []
    for index, letter in enumerate(text):
        if clusters and unicodedata.combining(letter):
            start, before = clusters[-1]
            clusters[-1] = (start, before + letter)
        else:
            clusters.append((index, letter))
    return clusters


def _plain(cluster: str) -> str:
    if cluster in _PLAIN:
        return _PLAIN[cluster]
    composed = unicodedata.normalize("NFKC", cluster)
    return "".join(_one(letter) for letter in composed)


def _one(letter: str) -> str:
    category = unicodedata.category(letter)
    if category == "Cf":  # invisible: soft hyphen, zero-width blank, direction marks
        return ""
    if letter.isspace() or category in ("Cc", "Cs"):
        return " "
    return _PLAIN.get(letter, letter)
