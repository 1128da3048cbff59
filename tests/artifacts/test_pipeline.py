"""Inline, reduced or stored."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from artifacts.config import ArtifactLimits
from artifacts.errors import ArtifactTooLarge
from artifacts.jq import JqEngine
from artifacts.pipeline import HOPELESS_BYTES_A_TOKEN, Inline, Reduced, Stored, compact, reduce
from artifacts.tokens import tokens

LIMITS = ArtifactLimits(inline_max_tokens=1_000, jq_timeout_s=1.0)
ROWS = {"molecules": [{"id": f"CHEMBL{n}", "xrefs": ["x" * 50] * 5} for n in range(20)]}
NOISE = "del(.molecules[].xrefs)"


class Shelf:
    """Stores in memory and remembers what."""

    def __init__(self) -> None:
        self.kept: list[bytes] = []

    def __call__(self, content: bytes) -> str:
        self.kept.append(content)
        return f"artifact-{len(self.kept)}"


def test_what_is_small_is_passed_on_as_it_is(jq: JqEngine) -> None:
    shelf = Shelf()
    value = {"a": "ä", "b": [1, 2.5, None]}
    result = reduce(value, noise=NOISE, limits=LIMITS, store=shelf, jq=jq)
    assert result == Inline(text='{"a":"ä","b":[1,2.5,null]}', bytes_before=27, bytes_after=27)
    assert (result.how, shelf.kept) == ("inline", [])


def test_the_limit_is_exact(jq: JqEngine) -> None:
    fitting, over = "x" + " x" * 997, "x" + " x" * 998
    assert reduce(fitting, noise=None, limits=LIMITS, store=Shelf(), jq=jq).how == "inline"
    assert reduce(over, noise=None, limits=LIMITS, store=Shelf(), jq=jq).how == "stored"


def test_noise_is_left_out_and_the_whole_is_kept(jq: JqEngine) -> None:
    shelf = Shelf()
    result = reduce(ROWS, noise=NOISE, limits=LIMITS, store=shelf, jq=jq)
    expected = json.dumps({"molecules": [{"id": f"CHEMBL{n}"} for n in range(20)]}, separators=(",", ":"))
    whole = len(compact(ROWS))
    left_out = f"{whole - len(expected):,} of {whole:,} bytes"
    assert result == Reduced(
        text=expected,
        bytes_before=whole,
        bytes_after=len(expected),
        artifact_id="artifact-1",
        warning=f"left out as noise: {left_out}; the whole is artifact artifact-1",
    )
    assert (result.how, shelf.kept) == ("reduced", [compact(ROWS)])


def test_what_stays_too_large_is_stored_and_previewed_without_the_noise(jq: JqEngine) -> None:
    shelf = Shelf()
    value = {"molecules": ROWS["molecules"] * 20}
    result = reduce(value, noise=NOISE, limits=LIMITS, store=shelf, jq=jq)
    assert isinstance(result, Stored) and result.how == "stored"
    assert (result.artifact_id, result.warning) == ("artifact-1", "")
    assert result.bytes_before == len(compact(value)) and result.bytes_after == len(result.text.encode())
    assert ".molecules array, 400 items" in result.text and "xrefs" not in result.text
    assert shelf.kept == [compact(value)]


@pytest.mark.parametrize(
    ("noise", "reason"),
    [
        ("del(.molecules[", "failed and was left out: jq: error: syntax error"),
        (".molecules.id", "failed and was left out: Cannot index array"),
        ("def f: f; f", "it ran over 1 s"),
        ("empty", "did not give one smaller value"),
        (".missing", "did not give one smaller value"),
        (".molecules[]", "did not give one smaller value"),
        (". + {more: .}", "did not give one smaller value"),
    ],
)
def test_a_policy_that_fails_costs_only_its_effect(jq: JqEngine, noise: str, reason: str) -> None:
    result = reduce(ROWS, noise=noise, limits=LIMITS, store=Shelf(), jq=jq)
    assert result.how == "stored" and reason in result.warning
    assert "  .xrefs array, 5 items" in result.text


@pytest.mark.parametrize("problem", [OSError("disk full"), ArtifactTooLarge("50 bytes are more than the 40")])
def test_what_can_not_be_stored_is_still_previewed(jq: JqEngine, problem: Exception) -> None:
    def store(content: bytes) -> str:
        raise problem

    result = reduce(ROWS, noise=None, limits=LIMITS, store=store, jq=jq)
    assert (result.how, result.artifact_id) == ("stored", "")
    assert result.warning == f"the whole could not be stored: {problem}"
    assert result.text.startswith("JSON of ")


def test_what_no_policy_can_save_is_not_given_to_it_but_previewed_without_its_noise(jq: JqEngine) -> None:
    value = {"molecules": ROWS["molecules"] * 60}
    limits = ArtifactLimits(inline_max_tokens=1_000, jq_timeout_s=2.0)
    assert len(compact(value)) > limits.inline_max_tokens * HOPELESS_BYTES_A_TOKEN
    result = reduce(
        value, noise=f"if (.molecules | length) > 500 then error else {NOISE} end", limits=limits, store=Shelf(), jq=jq
    )
    assert (result.how, result.warning) == ("stored", "")
    assert ".molecules array, 1,200 items" in result.text and "xrefs" not in result.text


@pytest.mark.parametrize("rows", [1, 20, 400])
def test_a_value_that_nobody_has_read_gives_the_same(jq: JqEngine, rows: int) -> None:
    value = {"molecules": (ROWS["molecules"] * 20)[:rows]}
    read, unread = Shelf(), Shelf()
    expected = reduce(value, noise=NOISE, limits=LIMITS, store=read, jq=jq)
    assert reduce(compact(value), noise=NOISE, limits=LIMITS, store=unread, jq=jq) == expected
    assert read.kept == unread.kept


def test_what_can_not_be_described_is_still_stored(jq: JqEngine) -> None:
    shelf = Shelf()
    result = reduce(b"[" * 5_000 + b"]" * 5_000, noise=None, limits=LIMITS, store=shelf, jq=jq)
    assert (result.how, result.artifact_id) == ("stored", "artifact-1")
    assert "can't be described" in result.text and "`keys`" in result.text


@pytest.mark.case("C058")
def test_no_result_is_larger_than_the_limits_allow(jq: JqEngine) -> None:
    for size in (900, 1_100, 120_000, 1_700_000):
        rows: Any = [{"n": number, "text": "x" * 80} for number in range(size // 100)]
        result = reduce(rows, noise=None, limits=LIMITS, store=Shelf(), jq=jq)
        assert tokens(result.text) <= max(LIMITS.inline_max_tokens, LIMITS.preview_max_tokens)


def test_numbers_keep_their_digits_through_a_policy(jq: JqEngine) -> None:
    value = {"id": 12345678901234567890, "noise": "x" * 20_000}
    assert reduce(value, noise="del(.noise)", limits=LIMITS, store=Shelf(), jq=jq).text == '{"id":12345678901234567890}'


@given(st.text(max_size=50))
def test_compact_json_is_always_writable(text: str) -> None:
    broken = text + "\ud800"
    assert json.loads(compact({"x": text})) == {"x": text}
    assert json.loads(compact({"x": broken}))["x"].endswith("?")
