"""Queries made up by Hypothesis: any text, pieces of the language thrown together, and queries by its grammar."""

from hypothesis import strategies as st

from mcp_server.unified.query.fields import FIELDS, PLURALS, Field, names

_PIECES = [
    "AND", "and", "OR", "or", "NOT", "not", "-", "!", "&&", "||", "(", ")", "|", ",", '"', "'", ":", "..", ">=", "<",
    "=", "gene:", "gene", "disease:", "trials.phase:", "trial.fase:", "variants.frequency:", "date:", "near:", "since:",
    "BRAF", "V600E", "melanoma", "lung cancer", "0.01", "2023", "2023-05", "last30d", "1/2", "2..4", "open",
    "41.4993,-81.6944,50mi", "NM_004333.4:c.1799T>A", "chr7:g.140453136A>T", "MONDO:0005105", "rs113488022", "PMID:1",
    "p.(Val600Glu)", "“", "’", "\u00a0", "：", "é", "e\u0301", "\u200b", "\\", "ﬁ", "²", " ", "  ",
]  # fmt: skip

anything = st.text(max_size=120)
pieces = st.lists(st.sampled_from(_PIECES) | st.text(max_size=4), max_size=25).flatmap(
    lambda parts: st.sampled_from(["", " "]).map(lambda blank: blank.join(parts))
)

_WORD = st.text("abcdefghijklmnopqrstuvwxyzABCXYZ0123456789", min_size=2, max_size=9).filter(
    lambda word: word.lower() not in ("and", "or", "not")
)
_PHRASE = st.lists(_WORD, min_size=1, max_size=3).map(" ".join)
_QUOTED = (
    st.text("abc XY09()|:,.\\\"'-é", min_size=1, max_size=12)
    .filter(str.strip)
    .map(lambda text: '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"')
)
_DAY = st.dates().map(str) | st.integers(1000, 9998).map(str) | st.sampled_from(["2023-05", "today", "last6m"])
_FRACTION = st.floats(0, 1).map(lambda number: f"{number:.6f}")
_SIGN = st.sampled_from([">=", "<=", ">", "<"])
_PHASE = st.sampled_from(["0", "1", "2", "3", "4", "II", "PHASE2", "early1", "na", "1/2", "2/3"])
_CHANGE = st.sampled_from(
    ["V600E", "p.Val600Glu", "V600", "E746_A750del", "L747fs", "rs113488022", "c.1799T>A", "chr7:g.140453136A>T",
     "NM_004333.4:c.1799T>A", "NC_000007.13:g.140453136A>T", '"BRAF V600E"', "VCV000013961", "CYP2C19*2",
     '"NM_004333.4(BRAF):c.1799T>A (p.Val600Glu)"', "chr7:g.140453136A>T@hg38"]
)  # fmt: skip
_IDS = {
    "pmid": "38768446", "pmcid": "PMC9984800", "doi": "10.1056/NEJMoa1103782", "nct": "NCT01808573",
    "rsid": "rs113488022", "gene_id": "673", "drug_id": "CHEMBL941", "mondo": "MONDO:0005105", "doid": "DOID:14323",
    "omim": "155600", "mesh": "D008545", "efo": "EFO_0000756", "orphanet": "558", "umls": "C0025202",
    "reactome": "R-HSA-5633007", "uniprot": "P15056", "clinpgx": "PA449053",
}  # fmt: skip


def value_of(field: Field) -> st.SearchStrategy[str]:
    """Return values that a field accepts, as people write them."""
    if field.type == "text":
        return _QUOTED | _WORD
    if field.type == "date":
        return _DAY | st.tuples(_SIGN, _DAY).map("".join) | _DAY.map(lambda day: f"{day}..")
    if field.type == "number":
        low, high = field.limits or (0, 1)
        number = _FRACTION if high == 1 else st.integers(int(low), int(high)).map(str)
        return st.tuples(_SIGN, number).map("".join) | number.map(lambda one: f"..{one}")
    if field.type == "variant":
        return _CHANGE if not field.allowed else st.just(field.example.partition(":")[2])
    by_type = {
        "gene": _WORD,
        "phase": _PHASE | st.sampled_from(["2..3", ">=2", "<3"]),
        "status": st.sampled_from(["open", "closed", "any", "recruiting", "not-yet-recruiting", "COMPLETED"]),
        "place": st.sampled_from(["41.4993,-81.6944,50mi", "48.85,2.35,80km", '"Cleveland, OH"', "Paris"]),
        "boolean": st.sampled_from(["true", "no", "1"]),
        "region": st.just("7:140453100-140453200"),
        "age": st.sampled_from(["18", ">=65", "18..40", "child", "older"]),
        "identifier": st.just(_IDS.get(field.id_kind, "")),
        "enum": st.sampled_from(field.allowed or ("",)),
    }
    return by_type[field.type]


def _written(field: Field, name: str, values: list[str]) -> str:
    written = name if not field.domain else f"{PLURALS[field.domain]}.{name}"
    return f"{written}:{values[0]}" if len(values) == 1 else f"{written}:({' OR '.join(values)})"


def clause_of(field: Field) -> st.SearchStrategy[str]:
    """Return clauses of a field, by any of its names, with one value or a list."""
    usable = [name for name in names(field) if name not in ("since", "until")]
    several = 1 if field.name == "sort" else 3
    return st.tuples(st.sampled_from(usable), st.lists(value_of(field), min_size=1, max_size=several, unique=True)).map(
        lambda pair: _written(field, *pair)
    )


_CLAUSE = st.sampled_from(FIELDS).flatmap(clause_of)
_TEXT = _PHRASE | _QUOTED | st.lists(_WORD, min_size=2, max_size=3).map("|".join)


def _joined(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    operator = st.sampled_from([" AND ", " and ", " OR ", " || ", " && ", " ", " NOT ", " AND -"])
    pair = st.tuples(inner, operator, inner).map("".join)
    return pair.map(lambda text: f"({text})") | inner.map(lambda text: f"NOT ({text})") | pair


by_grammar = st.recursive(_CLAUSE | _TEXT, _joined, max_leaves=6)
