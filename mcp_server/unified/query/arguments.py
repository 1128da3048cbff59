"""The arguments beside the query as clauses, which hold together with it."""

import re
from collections.abc import Sequence
from dataclasses import replace

from mcp_server.unified.query.errors import E_BAD_PLACE, E_BAD_VALUE, E_CONFLICT, Json, QueryError, QueryErrors
from mcp_server.unified.query.fields import BY_KEY, KEYWORD, PREFIXES, SHARED, Field
from mcp_server.unified.query.parser import parse
from mcp_server.unified.query.plan import DOMAINS, Request
from mcp_server.unified.query.problems import ValueProblem, bad_value
from mcp_server.unified.query.spelling import close_words
from mcp_server.unified.query.tree import Clause, Raw, Value
from mcp_server.unified.query.trial_values import DISTANCE_MI, point
from mcp_server.unified.query.values import COMPARED, read_values

PAGE_SIZE_MAX = 100
_GENE, _DISEASE, _VARIANT, _DRUG = SHARED[:4]
_LISTS: tuple[tuple[str, Field], ...] = (
    ("genes", _GENE),
    ("diseases", _DISEASE),
    ("conditions", _DISEASE),
    ("drugs", _DRUG),
    ("chemicals", _DRUG),
    ("variants", _VARIANT),
    ("keywords", KEYWORD),
)
_COMPARISON = re.compile(r"(>=|<=|>|<|=)?\s*(.*)", re.DOTALL)


class Arguments:
    """Reads a request: `clauses` are its conditions, `errors` what is wrong with them."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.errors: list[QueryError] = []
        self.domain = self._domain("domain", request.domain) if request.domain else None
        self.domains = tuple(self._domain("domains", name) for name in _listed(request.domains))
        self._same_domain()
        self._paging()
        self.clauses = tuple(self._clauses())

    def fail(self, argument: str, message: str, hint: str = "", close: tuple[str, ...] = (), code: str = "") -> None:
        """Note what is wrong with an argument."""
        self.errors.append(QueryError(code or E_BAD_VALUE, message, hint=hint, suggestions=close, argument=argument))

    def _domain(self, argument: str, name: str) -> str:
        domain = PREFIXES.get(str(name).strip().lower())
        if domain is None:
            hint = f"one of {', '.join(DOMAINS)}"
            self.fail(argument, f"there is no domain {name!r}", hint, close_words(str(name), DOMAINS))
        return domain or ""

    def _same_domain(self) -> None:
        if self.domain and self.domains and self.domain not in self.domains:
            message = f"domain {self.domain} is none of the domains {', '.join(self.domains)}"
            self.fail("domains", message, "give one of the two", code=E_CONFLICT)

    def _paging(self) -> None:
        page, page_size = self.request.page, self.request.page_size
        if page is not None and page < 1:
            self.fail("page", f"there is no page {page}", "the first page is 1")
        if page_size is not None and not 1 <= page_size <= PAGE_SIZE_MAX:
            self.fail("page_size", f"a page of {page_size} rows", f"1 to {PAGE_SIZE_MAX}")

    def _clauses(self) -> list[Clause]:
        found: list[Clause] = []
        for argument, field in _LISTS:
            for text in _listed(getattr(self.request, argument)):
                found += self._clause(argument, field, str(text))
        if self.request.phase not in (None, ""):
            phases = "|".join(str(phase) for phase in _listed(self.request.phase))
            found += self._clause("phase", BY_KEY["trials.phase"], phases)
        if self.request.recruiting_status:
            found += self._clause("recruiting_status", BY_KEY["trials.status"], self.request.recruiting_status)
        return found + self._near()

    def _clause(self, argument: str, field: Field, text: str) -> list[Clause]:
        """Read one item of an argument; `a|b` is any of the two."""
        values: list[Value] = []
        for item in text.split("|"):
            try:
                raw = raw_of(field, item)
                if not raw.text and not raw.is_range:
                    raise bad_value("the value is blank", f"write {field.example}")
                values += read_values(field, raw, None)
            except ValueProblem as problem:
                self.fail(argument, problem.message, problem.hint, problem.suggestions, problem.code)
                return []
        return [Clause(field, (), argument=argument).holding(tuple(values))]

    def _near(self) -> list[Clause]:
        lat, long, distance = self.request.lat, self.request.long, self.request.distance
        if lat is None and long is None and distance is None:
            return []
        if lat is None or long is None:
            missing = "lat" if lat is None else "long"
            self.fail(missing, "lat and long go together", "give both, or near:Cleveland", code=E_BAD_PLACE)
            return []
        try:
            place = point(float(lat), float(long), DISTANCE_MI if distance is None else float(distance))
        except ValueProblem as problem:
            wrong = next((name for name in ("latitude", "longitude") if name in problem.message), "distance")
            argument = {"latitude": "lat", "longitude": "long"}.get(wrong, "distance")
            self.fail(argument, problem.message, problem.hint, code=problem.code)
            return []
        return [Clause(BY_KEY["trials.near"], (Value(place.written, place),), argument="lat")]


def _listed(given: Json) -> Sequence[Json]:
    """Return a list of what may be one value."""
    if given is None:
        return ()
    return given if isinstance(given, list | tuple) else (given,)


def raw_of(field: Field, text: str) -> Raw:
    """Take a value that was given alone to its parts: operator, bounds, quotes."""
    text = " ".join(text.split())
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return Raw(text[1:-1].strip(), 0, len(text), is_quoted=True)
    if field.is_loose:
        return Raw(text, 0, len(text), is_quoted=not _reads_back(field, text))
    if field.type not in COMPARED:
        return Raw(text, 0, len(text), is_quoted=True)
    found = _COMPARISON.fullmatch(text)
    assert found is not None
    raw = Raw(found[2], 0, len(text), operator=found[1] or "")
    if ".." in raw.text and not raw.operator:
        low, _, high = raw.text.partition("..")
        return replace(raw, low=low.strip(), high=high.strip())
    return raw


def _reads_back(field: Field, text: str) -> bool:
    """Say whether words written behind their field are read as these words, and not as something of the language."""
    try:
        tree = parse(f"{field.key}:{text}").tree
    except QueryErrors:
        return False
    if not isinstance(tree, Clause) or len(tree.values) != 1:
        return False
    return bool(tree.field == field and tree.values[0].data == text and not tree.values[0].is_quoted)
