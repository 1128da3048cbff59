"""Filters run in processes that can do no harm."""

import json
import os
import resource
import threading
import time
from pathlib import Path

import pytest

from artifacts import jq_worker
from artifacts.config import ArtifactLimits
from artifacts.errors import FilterRefused, FilterTooExpensive
from artifacts.jq import Cut, JqEngine, JqOutput

DOCUMENT = (
    b'{"results":[{"id":1,"phase":3},{"id":2,"phase":1}],'
    b'"big":12345678901234567890,"p":1.50,"x":"\xc3\xa4\xf0\x9f\xa7\xac"}'
)


def run(
    jq: JqEngine, program: str, document: bytes = DOCUMENT, *, timeout_s: float = 2.0, limit: int = 10_000
) -> JqOutput:
    return jq.run(program, document, timeout_s=timeout_s, output_max_bytes=limit)


@pytest.mark.parametrize(
    ("program", "results"),
    [
        ("[.results[] | select(.phase >= 3) | {id}]", ('[{"id":1}]',)),
        (".results[].id", ("1", "2")),
        ("empty", ()),
        (".missing", ("null",)),
        (".results | length # how many", ("2",)),
        ("def twice: . * 2; .results[0].id | twice", ("2",)),
        (".x", ('"ä🧬"',)),
        ('"a\\nb"', ('"a\\nb"',)),
        (".big, .p", ("12345678901234567890", "1.50")),
        ("{p, big}", ('{"p":1.50,"big":12345678901234567890}',)),
    ],
)
def test_results_are_the_json_that_jq_writes(jq: JqEngine, program: str, results: tuple[str, ...]) -> None:
    assert run(jq, program) == JqOutput(results)


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (".results[", "syntax error, unexpected end of file"),
        (".results.id", 'Cannot index array with string ("id")'),
        (".missing[]", "Cannot iterate over null"),
        ("nonsense", "nonsense/0 is not defined"),
        (".a) | (.b", "syntax error"),
        ('error("own words")', "own words"),
        (".\0", "NUL character"),
        ("." + " " * 8_000, "over 8,000 characters"),
    ],
)
def test_what_is_wrong_is_said_in_jqs_own_words(jq: JqEngine, program: str, message: str) -> None:
    with pytest.raises(FilterRefused) as refused:
        run(jq, program)
    assert message in str(refused.value)
    assert "tojson" not in str(refused.value)


def test_output_over_the_limit_is_cut_between_results(jq: JqEngine) -> None:
    assert run(jq, "range(100)", limit=5) == JqOutput(("0", "1", "2"), Cut("number", None, 1, more=97))
    assert run(jq, ".results", limit=10) == JqOutput((), Cut("array", 2, 39))
    assert run(jq, '"ä"', limit=4).cut is None
    assert run(jq, '"ä"', limit=3).cut == Cut("string", None, 4)


def test_an_array_over_the_limit_is_shown_from_its_beginning(jq: JqEngine) -> None:
    assert run(jq, "[range(100)], 1", limit=9) == JqOutput(("[0,1,2,3]",), Cut("array", 100, 291, shown=4, more=2))
    document = b"[12345678901234567890,1.50,0]"
    assert run(jq, ".", document, limit=27).results == ("[12345678901234567890,1.50]",)


def test_what_is_left_out_is_counted_as_far_as_that_is_cheap(jq: JqEngine) -> None:
    cut = run(jq, "range(infinite)", limit=5).cut
    assert cut is not None and not cut.is_all and cut.more > 1_000
    stuck = run(jq, "(1, 2, 3), last(range(infinite))", limit=3, timeout_s=1.5)
    assert (stuck.results, stuck.cut) == (("1", "2"), Cut("number", None, 1, more=1, is_all=False))
    failing = run(jq, "1, 2, 3, error", limit=1)
    assert failing.cut == Cut("number", None, 1, more=2, is_all=False)
    assert run(jq, ".p").results == ("1.50",)


@pytest.mark.case("C066")
@pytest.mark.parametrize(
    "program",
    [
        "[range(10000000)]",
        "[0] | until(length >= 64000000; . + .)",
        "def f: [f]; f",
        "def f: f; f",
        "last(range(infinite))",
        "last(repeat(.))",
        '"x" * 1000000000',
        "[.. | tostring] | until(false; . + .)",
        "[range(30)] | [combinations(10)]",
        "reduce range(1000000000) as $i (0; . + $i)",
    ],
)
def test_filters_that_eat_time_or_memory_are_ended_and_leave_no_harm(jq: JqEngine, program: str) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.monotonic()
    with pytest.raises(FilterTooExpensive, match="too expensive"):
        run(jq, program, timeout_s=1.0)
    assert time.monotonic() - started < 4.0
    assert run(jq, ".results | length").results == ("2",)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000


@pytest.mark.case("C066")
@pytest.mark.parametrize("program", ["repeat(.)", "range(infinite)", ".. | tostring | range(1e9)"])
def test_endless_results_stop_at_the_output_limit(jq: JqEngine, program: str) -> None:
    assert run(jq, program, limit=1000).cut is not None


@pytest.mark.case("C067")
@pytest.mark.parametrize(
    "program",
    [
        "env",
        "$ENV",
        "$ENV.ANTHROPIC_API_KEY",
        "{env}",
        "env | keys",
        'getpath(["x"]) | env',
        "env.PATH",
        "input_filename",
        "$__loc__",
        "get_search_list",
        '"\\(env)"',
        "[env, $ENV] | tojson",
        "input",
        "[inputs]",
        '"x" | halt_error',
        "debug",
        "stderr",
    ],
)
def test_no_filter_sees_the_environment(jq: JqEngine, program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "marker-9c2e")
    fresh = JqEngine(300, workers=1)
    try:
        said = str(run(fresh, program).results)
    except FilterRefused as refused:
        said = str(refused)
    finally:
        fresh.close()
    assert "marker-9c2e" not in said
    assert "/bin" not in said and "PATH" not in said


@pytest.mark.case("C067")
@pytest.mark.parametrize(
    "program",
    [
        'include "x";.',
        'include "x"; .',
        'import "secret" as $s {search: "FOLDER"}; $s',
        'include "module" {search: "FOLDER"}; leak',
        '# comment\n import "FOLDER/secret" as $s; $s',
        'module {}; import "secret" as $s {search: "FOLDER"}; $s',
    ],
)
def test_no_filter_reads_a_file(jq: JqEngine, program: str, tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_text('"marker-9c2e"')
    (tmp_path / "module.jq").write_text('def leak: "marker-9c2e";')
    with pytest.raises(FilterRefused, match="modules are not available"):
        run(jq, program.replace("FOLDER", str(tmp_path)))


@pytest.mark.case("C067")
def test_the_worker_could_not_open_a_file_even_if_it_were_asked_to(
    jq: JqEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secret.json").write_text('"marker-9c2e"')
    monkeypatch.setattr("artifacts.jq._MODULES", __import__("re").compile("(?!)"))
    with pytest.raises(FilterRefused, match="Too many open files"):
        run(jq, f'import "secret" as $s {{search: "{tmp_path}"}}; $s')


def test_a_field_may_be_called_like_a_statement(jq: JqEngine) -> None:
    assert run(jq, ".include, .import", b'{"include":1,"import":2}').results == ("1", "2")


def test_a_catastrophic_pattern_is_ended(jq: JqEngine) -> None:
    with pytest.raises((FilterRefused, FilterTooExpensive)):
        run(jq, '("a" * 60 + "!") | test("^(a|a)*$")', timeout_s=1.0)
    assert run(jq, ".p").results == ("1.50",)


def test_a_large_document_is_filtered(jq: JqEngine) -> None:
    rows = [{"id": number, "phase": number % 5, "name": "x" * 100} for number in range(80_000)]
    document = json.dumps({"results": rows}).encode()
    output = run(jq, "[.results[] | select(.phase >= 3) | {id}] | length", document, timeout_s=5.0)
    assert len(document) > 9_000_000 and output.results == ("32000",)


@pytest.mark.case("C066")
def test_a_document_as_large_as_is_ever_stored_fits_into_the_memory(jq: JqEngine) -> None:
    row = json.dumps({"id": "NCT00000000", "phase": 3, "refs": [{"pmid": 1}] * 3, "text": "x" * 200}).encode()
    document = b"[" + b",".join([row] * (ArtifactLimits().stored_max_bytes // (len(row) + 1))) + b"]"
    assert len(document) > 39_900_000
    assert run(jq, "length", document, timeout_s=20.0).results == (str(document.count(b"NCT")),)
    assert ".[] object" in jq.preview(document, max_tokens=600, timeout_s=20.0)


def test_compiled_programs_are_kept(jq: JqEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    binding = __import__("jq")
    compiled: list[str] = []
    compile_one = binding.compile

    def counting(program: str) -> object:
        compiled.append(program)
        return compile_one(program)

    class Sink:
        """Takes answers."""

        def write(self, data: bytes) -> None: ...

        def flush(self) -> None: ...

    monkeypatch.setattr(binding, "compile", counting)
    filters = jq_worker.Filters(binding)
    for number in range(jq_worker.COMPILED_MAX + 1):
        for _ in range(2):
            filters.answer({"program": f".id + {number}", "output_max_bytes": 99}, b'{"id":1}', Sink())
    assert len(compiled) == 2 * (jq_worker.COMPILED_MAX + 1)
    filters.answer({"program": ".id + 0", "output_max_bytes": 99}, b'{"id":1}', Sink())
    assert len(compiled) == 2 * (jq_worker.COMPILED_MAX + 2)


@pytest.mark.case("C066")
@pytest.mark.parametrize(
    "program", ['"x" * 7516192768', '[range(7) | "x" * 1073741824] | add', '"x" | until(length > 7516192768; . + .)']
)
def test_a_text_of_seven_gigabytes_is_never_made(jq: JqEngine, program: str) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises((FilterRefused, FilterTooExpensive)):
        run(jq, program, timeout_s=2.0)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000
    assert run(jq, ".p").results == ("1.50",)


def test_a_document_that_is_no_json_is_refused(jq: JqEngine) -> None:
    with pytest.raises(FilterRefused, match="Invalid numeric literal"):
        run(jq, ".", b"not json")


def test_many_threads_share_the_workers(jq: JqEngine) -> None:
    found: list[tuple[str, ...]] = []

    def work(number: int) -> None:
        found.append(run(jq, f".results[0].id + {number}").results)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(5)
    assert sorted(found) == sorted((str(number + 1),) for number in range(20))


def test_a_runaway_filter_does_not_hold_up_the_others(jq: JqEngine) -> None:
    runaway = threading.Thread(target=lambda: pytest.raises(FilterTooExpensive, run, jq, "def f: f; f", timeout_s=1.5))
    runaway.start()
    started = time.monotonic()
    assert run(jq, ".p").results == ("1.50",)
    assert time.monotonic() - started < 1.0
    runaway.join(5)


def test_closing_ends_the_workers() -> None:
    engine = JqEngine(300, workers=2)
    engine.start()
    run(engine, ".")
    (pid,) = {worker._process.pid for worker in engine._live}
    assert Path(f"/proc/{pid}").exists()
    engine.close()
    engine.close()
    assert not Path(f"/proc/{pid}").exists()


def test_a_worker_that_was_killed_is_replaced(jq: JqEngine) -> None:
    run(jq, ".")
    for worker in list(jq._live):
        os.kill(worker._process.pid, 9)
    outcomes = []
    for _ in range(4):
        try:
            outcomes.append(run(jq, ".p").results)
        except FilterTooExpensive:
            outcomes.append(())
    assert outcomes[-1] == ("1.50",)
