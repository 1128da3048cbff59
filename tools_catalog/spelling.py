"""Put right the words of a query that no tool knows, where one known word is close. Pure."""

from collections import Counter, defaultdict
from collections.abc import Iterable

SHORTEST = 5
LONG = 9
CANDIDATES = 12


class Spelling:
    """The words that are known, found by what three letters in a row they share."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = sorted({word for word in words if len(word) >= SHORTEST - 1 and word.isalpha()})
        self._by_part: dict[str, list[int]] = defaultdict(list)
        for number, word in enumerate(self._words):
            for part in _parts(word):
                self._by_part[part].append(number)

    def nearest(self, word: str) -> str:
        """Return the known word that is meant, or an empty string: one slip, or two in a long word."""
        if len(word) < SHORTEST or not word.isalpha():
            return ""
        shared: Counter[int] = Counter()
        for part in _parts(word):
            shared.update(self._by_part.get(part, ()))
        slips_allowed = 2 if len(word) >= LONG else 1
        close = [
            (slips, self._words[number])
            for number, _ in sorted(shared.items(), key=lambda item: (-item[1], item[0]))[:CANDIDATES]
            if abs(len(self._words[number]) - len(word)) <= slips_allowed
            and (slips := distance(word, self._words[number])) <= slips_allowed
        ]
        return min(close)[1] if close else ""


def distance(left: str, right: str) -> int:
    """Return how many slips lie between two words: a letter more, less, another, or two in the wrong order."""
    before: list[int] = []
    last = list(range(len(right) + 1))
    for i, letter in enumerate(left, 1):
        row = [i]
        for j, other in enumerate(right, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == right[j - 2] and left[i - 2] == other:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, last = last, row
    return last[-1]


def _parts(word: str) -> set[str]:
    marked = f"^{word}$"
    return {marked[start : start + 3] for start in range(len(marked) - 2)}
