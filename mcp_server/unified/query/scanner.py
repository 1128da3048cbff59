"""The signs and words of a query, one after the other, as their neighbours make them read."""

import re
from dataclasses import dataclass

from mcp_server.unified.query.errors import E_UNTERMINATED_QUOTE, QueryError
from mcp_server.unified.query.fields import Field, resolve
from mcp_server.unified.query.source import Source

_LOOKS_LIKE_A_FIELD = re.compile(r"[A-Za-z][A-Za-z_.-]*")
_WORD_END = re.compile(r'[\s()"|]')
# A name with a colon of its own; tried before a colon is taken for the end of a field's name.
_HGVS = re.compile(
    r"(?:chr[0-9XYM]{1,2}|(?:N[CGMPRTW]|X[MPR])_\d+(?:\.\d+)?|ENS[TPG]\d{11}(?:\.\d+)?|LRG_\d+(?:[tp]\d+)?"
    r"|[A-Z][A-Z0-9-]{1,14})(?:\([A-Za-z0-9-]+\))?:[cgpnmr]\.(?=\S)",
    re.IGNORECASE,
)
_OPERATORS = {"AND": "AND", "and": "AND", "&&": "AND", "OR": "OR", "or": "OR", "||": "OR", "NOT": "NOT", "not": "NOT"}


@dataclass(frozen=True)
class Token:
    """One sign or word: `kind` is one of ( ) | AND OR NOT FIELD QUOTED WORD NAME END; `start`, `end` in plain text.

    A NAME is a variant's name that holds a colon. `field` is missing where a FIELD is not known.
    """

    kind: str
    start: int
    end: int
    text: str = ""
    field: Field | None = None


class Scanner:
    """Reads a plain text from left to right; where it stands is `index`."""

    def __init__(self, source: Source, errors: list[QueryError]) -> None:
        self.source = source
        self.plain = source.plain
        self.index = 0
        self.errors = errors

    @property
    def behind(self) -> int:
        """Return where what was read last ends, without the blanks behind it."""
        return len(self.plain[: self.index].rstrip(" "))

    def skip_blanks(self) -> None:
        """Go to the next letter that is not blank."""
        while self.index < len(self.plain) and self.plain[self.index] == " ":
            self.index += 1

    def peek(self) -> Token:
        """Return the next token without going on."""
        self.skip_blanks()
        start = self.index
        sign = self.plain[start : start + 1]
        if not sign:
            return Token("END", start, start)
        two = self.plain[start : start + 2]
        if two in ("&&", "||"):
            return Token(_OPERATORS[two], start, start + 2, two)
        if sign in "()|":
            return Token(sign, start, start + 1, sign)
        if sign in "-!" and re.fullmatch(r"[^\s)|]", self.plain[start + 1 : start + 2]):
            return Token("NOT", start, start + 1, sign)
        if sign in "\"'":
            return self._quoted_token(start)
        return self._word_token(start)

    def take(self) -> Token:
        """Return the next token and go on behind it."""
        token = self.peek()
        if token.kind == "QUOTED":
            self.index = token.start
            text = self.quoted()
            return Token("QUOTED", token.start, self.index, text)
        self.index = token.end
        return token

    def quoted(self) -> str:
        """Read the quoted text that starts here; one that does not end is a mistake and reads to the end."""
        start, sign = self.index, self.plain[self.index]
        text, end = _unquoted(self.plain, start + 1, sign)
        if end > len(self.plain):
            position, _ = self.source.span(start, start + 1)
            message = f"the quotation mark {sign} is opened and never closed"
            self.errors.append(
                QueryError(E_UNTERMINATED_QUOTE, message, position, 1, f"close it: {self.plain[start:].strip()}{sign}")
            )
            end = len(self.plain)
        self.index = end
        return text

    def word(self, *, in_list: bool = False) -> str:
        """Read the word that starts here, up to a blank or a sign; it may be empty."""
        start = self.index
        end = self._name_end(start, in_list) or self._word_end(start, in_list)
        self.index = end
        return self.plain[start:end]

    def _word_end(self, start: int, in_list: bool) -> int:
        found = _WORD_END.search(self.plain, start)
        end = found.start() if found else len(self.plain)
        comma = self.plain.find(",", start, end) if in_list else -1
        return comma if comma >= 0 else end

    def _name_end(self, start: int, in_list: bool) -> int:
        """Return where a variant's name with a colon ends, or 0 if none starts here."""
        found = _HGVS.match(self.plain, start)
        if found is None or resolve(self.plain[start : self.plain.index(":", start)]):
            return 0
        depth, end = 0, found.end()
        while end < len(self.plain):
            sign = self.plain[end]
            depth += {"(": 1, ")": -1}.get(sign, 0)
            if sign in ' "|' or depth < 0 or (in_list and sign == ","):
                break
            end += 1
        return end if depth <= 0 else 0

    def _quoted_token(self, start: int) -> Token:
        _, end = _unquoted(self.plain, start + 1, self.plain[start])
        return Token("QUOTED", start, min(end, len(self.plain)))

    def _word_token(self, start: int) -> Token:
        if end := self._name_end(start, in_list=False):
            return Token("NAME", start, end, self.plain[start:end])
        end = self._word_end(start, in_list=False)
        word = self.plain[start:end]
        if word in _OPERATORS and not self._colon_follows(end):
            return Token(_OPERATORS[word], start, end, word)
        head, colon, _ = word.partition(":")
        if colon and head and (resolve(head) or _LOOKS_LIKE_A_FIELD.fullmatch(head)):
            return Token("FIELD", start, start + len(head) + 1, head, resolve(head))
        if not colon and _LOOKS_LIKE_A_FIELD.fullmatch(word) and (behind := self._colon_follows(end)):
            return Token("FIELD", start, behind, word, resolve(word))
        return Token("WORD", start, end, word)

    def _colon_follows(self, end: int) -> int:
        """Return the place behind a colon that blanks separate from a name, or 0."""
        found = re.compile(r" +:").match(self.plain, end)
        return found.end() if found else 0


def _unquoted(plain: str, start: int, sign: str) -> tuple[str, int]:
    """Return the text between quotation marks and the place behind it; beyond the end if it never closes."""
    letters: list[str] = []
    index = start
    while index < len(plain):
        letter = plain[index]
        if letter == "\\" and plain[index + 1 : index + 2] in (sign, "\\") and index + 1 < len(plain):
            letters.append(plain[index + 1])
            index += 2
            continue
        if letter == sign:
            return "".join(letters), index + 1
        letters.append(letter)
        index += 1
    return "".join(letters), len(plain) + 1
