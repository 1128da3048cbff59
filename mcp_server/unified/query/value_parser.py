"""The values behind a field's colon, and words without a field: what belongs to one value and what does not."""

from collections.abc import Callable
from dataclasses import replace

from mcp_server.unified.query.errors import E_BAD_OPERATOR, E_EMPTY_VALUE, E_TOO_COMPLEX, E_UNBALANCED_PAREN
from mcp_server.unified.query.fields import Field
from mcp_server.unified.query.scanner import Scanner, Token
from mcp_server.unified.query.tree import Raw
from mcp_server.unified.query.values import COMPARED

VALUES_MAX = 20
OPERATORS = (">=", "<=", ">", "<", "=")
_BOUNDED = {"since": ">=", "until": "<="}
# Fields whose values may hold a colon with a field's name before it: `mondo: MONDO:0005105`.
_WITH_COLONS = ("identifier", "variant", "region")
Fail = Callable[[str, str, int, int, str], None]


class ValueParser:
    """Reads values at the place where the scanner stands."""

    def __init__(self, scanner: Scanner, fail: Callable[..., None]) -> None:
        self.scanner = scanner
        self.fail = fail

    def read(self, field: Field, token: Token) -> list[Raw]:
        """Return the values of a clause, of which any may hold; none if there was a mistake."""
        colon_end = self.scanner.index
        following = self.scanner.peek()
        raws = self._list(field) if following.kind == "(" else self._alternatives(field, colon_end)
        bound = _BOUNDED.get(token.text.lower().rpartition(".")[2])
        return [self._bounded(raw, bound) for raw in raws] if bound else raws

    def _bounded(self, raw: Raw, operator: str) -> Raw:
        """Give a value of `since:` or `until:` its operator."""
        if raw.is_range or raw.operator not in ("", "=", operator):
            self.fail(E_BAD_OPERATOR, f"{operator} is meant already", raw.start, raw.end, "write since:2015")
        return replace(raw, operator=operator, low=None, high=None)

    def _alternatives(self, field: Field, colon_end: int) -> list[Raw]:
        """Read `a`, `a|b|c`; bare words behind a phrase field belong to it."""
        raws: list[Raw] = []
        while True:
            raw = self._one(field, colon_end, in_list=False)
            if raw is None:
                return []
            raws.append(raw if raw.is_quoted or raw.operator or not field.is_phrase else self._joined(field, raw))
            if not self._too_many(raws) and self.scanner.peek().kind == "|":
                self.scanner.take()
                colon_end = self.scanner.index
                continue
            return raws

    def _too_many(self, raws: list[Raw]) -> bool:
        if len(raws) == VALUES_MAX + 1:
            message = f"more than {VALUES_MAX} values in one list"
            self.fail(E_TOO_COMPLEX, message, raws[-1].start, raws[-1].end, "search in several steps")
        return False

    def _joined(self, field: Field, raw: Raw, *, in_list: bool = False) -> Raw:
        """Add the bare words that follow to the value."""
        words = [raw.text]
        end = raw.end
        while self._continues(field, words[-1], in_list=in_list):
            start = self.scanner.index
            words.append(self.scanner.word(in_list=in_list and field.type != "place"))
            end = start + len(words[-1])
        if len(words) == 1:
            return raw
        return replace(raw, text=" ".join(words), end=end, is_joined=True)

    def _continues(self, field: Field, before: str, *, in_list: bool) -> bool:
        following = self.scanner.peek()
        if field.type == "place" and before.endswith(",") and following.text == "-":
            return True  # the minus of a longitude
        separated = in_list and field.type != "place" and following.text.startswith(",")
        return following.kind == "WORD" and not separated

    def _list(self, field: Field) -> list[Raw]:
        """Read `(a OR b, c | d)`."""
        opening = self.scanner.take()
        raws: list[Raw] = []
        before = self.scanner.index
        while True:
            raw = self._one(field, before, in_list=True)
            if raw is None:
                self._pass_list()
                return []
            plain = raw.is_quoted or raw.operator or not field.is_phrase
            raws.append(raw if plain else self._joined(field, raw, in_list=True))
            self._too_many(raws)
            kind = self._separator(opening)
            if kind != "next":
                return raws if kind == "end" else []
            before = self.scanner.index

    def _separator(self, opening: Token) -> str:
        """Read what stands between two values of a list: "next", "end", or "mistake"."""
        token = self.scanner.peek()
        if self.scanner.plain.startswith(",", token.start):
            self.scanner.index = token.start + 1
            return "next"
        if token.kind in ("OR", "|"):
            self.scanner.take()
            return "next"
        if token.kind == ")":
            self.scanner.take()
            return "end"
        if token.kind == "END":
            message = "this list is opened and never closed"
            self.fail(E_UNBALANCED_PAREN, message, opening.start, opening.end, "close it with )")
            return "mistake"
        message = "between the values of a list stand OR, a comma or |"
        self.fail(E_BAD_OPERATOR, message, token.start, max(token.end, token.start + 1), "write (a OR b)")
        self._pass_list()
        return "mistake"

    def _pass_list(self) -> None:
        """Go on behind a list that could not be read."""
        depth = 0
        while (token := self.scanner.peek()).kind != "END":
            self.scanner.take()
            depth += {"(": 1, ")": -1}.get(token.kind, 0)
            if depth < 0:
                return

    def _one(self, field: Field, before: int, *, in_list: bool) -> Raw | None:
        """Read one value: a comparison, a range, quoted text or a word."""
        scanner = self.scanner
        scanner.skip_blanks()
        start = scanner.index
        operator = next((sign for sign in OPERATORS if scanner.plain.startswith(sign, start)), "")
        scanner.index += len(operator)
        if operator and scanner.plain[scanner.index : scanner.index + 1] in tuple("<>="):
            self.fail(E_BAD_OPERATOR, "two operators follow each other", start, scanner.index + 1, "keep one")
            self.scanner.word(in_list=in_list)
            return None
        scanner.skip_blanks()
        if self._is_empty(field, start, scanner.index, before, in_list=in_list):
            scanner.index = max(start + len(operator), before)
            at = before if not operator else start
            self.fail(E_EMPTY_VALUE, "here a value is missing", at, scanner.index, f"write {field.example}")
            return None
        if scanner.plain[scanner.index] in "\"'":
            return self._quoted(field, start, operator)
        text = scanner.word(in_list=in_list and field.type != "place")
        raw = Raw(text, start, scanner.index, operator=operator)
        return self._range(raw) if field.type in COMPARED and ".." in text and not operator else raw

    def _is_empty(self, field: Field, start: int, index: int, before: int, *, in_list: bool) -> bool:
        """Say whether no value stands at `index`."""
        following = self.scanner.peek()
        if following.kind in ("END", ")", "|", "(", "AND", "OR") or following.text in ("not", "NOT"):
            return True
        if in_list and self.scanner.plain.startswith(",", index):
            return True
        is_apart = index > before
        return following.kind == "FIELD" and is_apart and field.type not in _WITH_COLONS

    def _quoted(self, field: Field, start: int, operator: str) -> Raw | None:
        text = self.scanner.quoted()
        raw = Raw(text, start, self.scanner.index, is_quoted=True, operator=operator)
        if field.type in COMPARED and self.scanner.plain.startswith("..", self.scanner.index):
            self.scanner.index += 2
            return self._high(raw, text)
        if not text.strip():
            self.fail(E_EMPTY_VALUE, "nothing stands between the quotes", start, raw.end, f"write {field.example}")
            return None
        return raw

    def _range(self, raw: Raw) -> Raw:
        low, _, high = raw.text.partition("..")
        if high or self.scanner.plain[self.scanner.index : self.scanner.index + 1] != '"':
            return replace(raw, low=low, high=high)
        return self._high(raw, low)

    def _high(self, raw: Raw, low: str) -> Raw:
        """Read the upper bound of a range, which may be quoted or missing."""
        sign = self.scanner.plain[self.scanner.index : self.scanner.index + 1]
        high = self.scanner.quoted() if sign and sign in "\"'" else self.scanner.word()
        return replace(raw, low=low, high=high, end=self.scanner.index)

    def free(self) -> list[Raw]:
        """Read words without a field: `a b c`, `"a b"`, `a|b`."""
        raws: list[Raw] = []
        while True:
            token = self.scanner.take()
            is_quoted, is_name = token.kind == "QUOTED", token.kind == "NAME"
            raw = Raw(token.text, token.start, token.end, is_quoted=is_quoted, is_name=is_name)
            if not raw.text.strip():
                self.fail(E_EMPTY_VALUE, "nothing stands between the quotes", token.start, token.end)
                return []
            if not is_quoted and raw.text.startswith(":"):
                message = "before a colon stands the name of a field"
                self.fail(E_BAD_OPERATOR, message, token.start, token.end, "write gene:BRAF, or put it in quotes")
                return []
            raws.append(raw if is_quoted or is_name else self._joined_free(raw))
            self._too_many(raws)
            following = self.scanner.peek()
            if following.kind != "|":
                return raws
            bar = self.scanner.take()
            if self.scanner.peek().kind not in ("WORD", "QUOTED", "NAME"):
                self.fail(E_BAD_OPERATOR, "| joins nothing", bar.start, bar.end, "write a|b")
                return []

    def _joined_free(self, raw: Raw) -> Raw:
        words = [raw.text]
        end = raw.end
        while self.scanner.peek().kind == "WORD":
            token = self.scanner.take()
            words.append(token.text)
            end = token.end
        return replace(raw, text=" ".join(words), end=end)
