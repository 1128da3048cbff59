"""Cut texts into the word pieces that a BERT model without case was trained on. Pure."""

import unicodedata
from collections.abc import Iterator, Mapping

UNKNOWN, START, END, PADDING = "[UNK]", "[CLS]", "[SEP]", "[PAD]"
WORD_MAX_CHARACTERS = 100
_IDEOGRAPHS = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2FA1F))


class WordPieces:
    """A vocabulary of word pieces; continuing pieces start with `##`."""

    def __init__(self, pieces: Mapping[str, int]) -> None:
        self._pieces = pieces
        self.padding = pieces[PADDING]

    @classmethod
    def read(cls, vocabulary: str) -> "WordPieces":
        """Read the text of a `vocab.txt`: one piece a line, numbered from 0."""
        return cls({piece: number for number, piece in enumerate(vocabulary.splitlines())})

    def encode(self, text: str, longest: int) -> list[int]:
        """Return the numbers of a text's pieces between the marks of start and end, at most `longest`."""
        numbers = [self._pieces[START]]
        for word in _words(text):
            numbers += self._numbers(word)
            if len(numbers) >= longest:
                break
        return [*numbers[: longest - 1], self._pieces[END]]

    def _numbers(self, word: str) -> list[int]:
        """Cut a word into the longest known pieces from the left; one that can't be cut is unknown as a whole."""
        if len(word) > WORD_MAX_CHARACTERS:
            return [self._pieces[UNKNOWN]]
        numbers, start = [], 0
        while start < len(word):
            mark = "##" if start else ""
            for end in range(len(word), start, -1):
                number = self._pieces.get(mark + word[start:end])
                if number is not None:
                    numbers.append(number)
                    start = end
                    break
            else:
                return [self._pieces[UNKNOWN]]
        return numbers


def _words(text: str) -> Iterator[str]:
    """Yield words and marks of punctuation, in lower case and without accents."""
    word = ""
    for letter in unicodedata.normalize("NFD", "".join(map(_cleaned, text)).lower()):
        if letter.isspace() or _stands_alone(letter):
            if word:
                yield word
            word = ""
            if not letter.isspace():
                yield letter
        elif unicodedata.category(letter) != "Mn":
            word += letter
    if word:
        yield word


def _cleaned(letter: str) -> str:
    if letter in "\t\n\r":
        return " "
    is_control = unicodedata.category(letter).startswith("C") or letter in "\0\ufffd"
    return "" if is_control else letter


def _stands_alone(letter: str) -> bool:
    code = ord(letter)
    if code < 128:
        return not letter.isalnum() and code > 32
    return unicodedata.category(letter).startswith("P") or any(low <= code <= high for low, high in _IDEOGRAPHS)
