"""A small index that reads queries as MyVariant does, but for one thing: a blank between clauses means OR.

So a query that leaves the joining of its clauses to the service finds too much here.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from mcp_server.http.messages import Request, Response

Json = Any
Test = Any
_TOKEN = re.compile(
    r"""\s*(?:(?P<sign>[()])|(?P<word>AND|OR|NOT)(?=[\s(])|(?P<every>\*:\*)
    |(?P<name>[\w.]+):(?:"(?P<exact>(?:[^"\\]|\\.)*)"|(?P<open>[\[{])(?P<low>\S+)\ TO\ (?P<high>\S+?)(?P<close>[\]}])
    |(?P<pattern>(?:[^\s()\\]|\\.)+)))""",
    re.VERBOSE,
)
# Fields that are split into words; the others hold a text as one term.
_TEXTS = ("clinical_significance", "review_status", "conditions.name", "conditions.synonyms")


@dataclass
class VariantIndex:
    """Answers searches over `records`, which are those of one assembly."""

    records: Sequence[Json]
    queries: list[str] = field(default_factory=list)

    async def send(self, request: Request) -> Response:
        """Run the query of a request."""
        asked = parse_qs(urlsplit(request.url).query)
        self.queries.append(asked["q"][0])
        found = self.found(asked["q"][0])
        start, size = int(asked["from"][0]), int(asked["size"][0])
        answer = {"took": 1, "total": len(found), "hits": found[start : start + size]}
        return Response(200, {"content-type": "application/json"}, json.dumps(answer).encode())

    async def aclose(self) -> None:
        """Hold nothing."""

    def found(self, query: str) -> list[Json]:
        """Return the records that a query finds."""
        test = _Parser(query).parsed()
        return [record for record in self.records if test(record)]


class _Parser:
    def __init__(self, query: str) -> None:
        self._tokens = []
        at = 0
        while at < len(query.rstrip()):
            found = _TOKEN.match(query, at)
            assert found, f"not readable at {at}: {query[at : at + 40]!r} in {query!r}"
            self._tokens.append(found)
            at = found.end()
        self._at = 0

    def parsed(self) -> Test:
        """Return the test that a record must pass."""
        test = self._any_of()
        assert self._at == len(self._tokens), "a closing parenthesis too many"
        return test

    def _peek(self) -> str:
        if self._at >= len(self._tokens):
            return ""
        token = self._tokens[self._at]
        return token["sign"] or token["word"] or "clause"

    def _any_of(self) -> Test:
        tests = [self._all_of()]
        while self._peek() not in ("", ")"):
            if self._peek() == "OR":
                self._at += 1
            tests.append(self._all_of())
        return lambda record: any(test(record) for test in tests)

    def _all_of(self) -> Test:
        tests = [self._one()]
        while self._peek() == "AND":
            self._at += 1
            tests.append(self._one())
        return lambda record: all(test(record) for test in tests)

    def _one(self) -> Test:
        kind = self._peek()
        token = self._tokens[self._at]
        self._at += 1
        if kind == "NOT":
            inner = self._one()
            return lambda record: not inner(record)
        if kind == "(":
            inner = self._any_of()
            assert self._peek() == ")", "a parenthesis that is not closed"
            self._at += 1
            return inner
        return _clause(token)


def _clause(token: re.Match[str]) -> Test:
    if token["every"]:
        return lambda record: True
    name = token["name"]
    if name == "_exists_":
        return lambda record: bool(_values(record, token["pattern"]))
    if token["open"]:
        return lambda record: any(_in_range(float(value), token) for value in _values(record, name))
    if token["exact"] is not None:
        wanted = re.sub(r"\\(.)", r"\1", token["exact"]).lower()
        if name.endswith(_TEXTS):
            return lambda record: any(_holds(str(value), wanted) for value in _values(record, name))
        return lambda record: wanted in (str(value).lower() for value in _values(record, name))
    pattern = _regex(token["pattern"])
    return lambda record: any(re.fullmatch(pattern, str(value).lower()) for value in _values(record, name))


def _regex(pattern: str) -> str:
    parts = re.findall(r"\\.|.", pattern.lower())
    return "".join({"*": ".*", "?": "."}.get(part) or re.escape(part.removeprefix("\\")) for part in parts)


def _holds(text: str, phrase: str) -> bool:
    words, wanted = re.findall(r"[\w']+", text.lower()), re.findall(r"[\w']+", phrase)
    return any(words[at : at + len(wanted)] == wanted for at in range(len(words)))


def _in_range(value: float, token: re.Match[str]) -> bool:
    low, high = token["low"], token["high"]
    is_above = low == "*" or (value > float(low) if token["open"] == "{" else value >= float(low))
    is_below = high == "*" or (value < float(high) if token["close"] == "}" else value <= float(high))
    return is_above and is_below


def _values(record: Json, path: str) -> list[Json]:
    found = [record]
    for name in path.split("."):
        nested = [part.get(name) for part in found if isinstance(part, dict)]
        found = [item for part in nested for item in (part if isinstance(part, list) else [part]) if item is not None]
    return found
