"""Any JSON value, for properties that must hold for all of them."""

from hypothesis import strategies as st

SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=80)
)
JSON_VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=20), inner, max_size=6),
    max_leaves=40,
)
# Lists of records as databases give them, with keys that are words of jq among them and values that come back.
KEYS = st.sampled_from(["id", "label", "if", "and", "status", "end", "name", "score", "a b", "or", "then", "$x", "é"])
RECORDS = st.lists(
    st.dictionaries(KEYS, SCALARS | st.sampled_from(["OPEN", "CLOSED", 'q"\\(1)', "`"]), max_size=6), max_size=12
)
DOCUMENTS = JSON_VALUES | RECORDS | st.dictionaries(KEYS, RECORDS | JSON_VALUES, max_size=4)
