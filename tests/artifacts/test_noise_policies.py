"""No tool's noise policy takes away what the tool promises; what is read stays small, tool by tool."""

import json
import re
import statistics
from collections.abc import Iterable
from functools import cache
from typing import Any

import jq as jq_binding
import pytest

from artifacts.config import ArtifactLimits
from artifacts.jq import JqEngine
from artifacts.pipeline import reduce
from artifacts.preview import shapes
from tests.artifacts.ceilings import CEILINGS, Read, measured
from tests.recorded_results import Policy, of_records, of_samples, policies

Json = Any
WITH_POLICY = sorted(name for name, policy in policies().items() if policy.noise)
LIMITS = ArtifactLimits()
# Parts of answers that no record of the repository has.
NOT_RECORDED: set[tuple[str, str]] = {
    ("cbioportal__get_cancer_study", ".sequencedSampleCount"),
    ("ensembl__get_id_history", ".possible_replacement[].stable_id"),
    ("ensembl__get_variant", ".MAF"),
    ("ensembl__get_variant", ".minor_allele"),
    ("ensembl__get_variant", ".clinical_significance[]"),
    ("myvariant__chem_resolve", ".[].pubchem_cids[]"),
    ("myvariant__variant_get", ".variants[].record.cadd.phred"),
    ("pubchem__get_pathways_of_compound", ".pathways[].externalid"),
    ("pubchem__get_toxicity", ".rows[].route"),
    ("pubchem__get_toxicity", ".rows[].effect"),
    ("pubchem__get_vendors_and_sources", ".sources[].SourceRecordURL"),
    ("uniprot__get_gene_centric_set", ".[].relatedProteins[].entryType"),
    ("uniprot__get_population_variants", ".variants[].alternativeSequence"),
    ("uniprot__get_population_variants", ".variants[].clinicalSignificances"),
    ("uniprot__get_population_variants", ".variants[].frequency"),
    ("uniprot__get_population_variants", ".variants[].polyphenScore"),
    ("uniprot__get_population_variants", ".variants[].siftScore"),
    ("uniprot__get_uniparc_entry", ".crossReferences[].organism.taxonId"),
    ("uniprot__search_proteomes", ".[].proteomeCompletenessReport"),
    ("uniprot__search_taxonomy", ".[].statistics.reviewedProteinCount"),
    ("uniprot__search_vocabulary", ".[].id"),
    ("uniprot__search_vocabulary", ".[].statistics.reviewedProteinCount"),
}
EVERYTHING_IS_TOO_LARGE = ArtifactLimits(inline_max_tokens=0)


@cache
def results_of(tool: str) -> list[Json]:
    """Return the recorded data of a tool."""
    return [one.data for one in (*of_records(), *of_samples()) if one.tool == tool]


def at(path: str, value: Json) -> list[Json]:
    """Return what stands at a jq path, wherever the path exists."""
    tolerant = re.sub(r"(\.[A-Za-z_]\w*|\[\])", r"\1?", path)
    found: list[Json] = jq_binding.compile(f"[{tolerant} | select(. != null)]").input_value(value).first()
    return found


def kept_paths(policy: Policy) -> Iterable[str]:
    """Return the paths that a policy must leave alone: what the tool promises, and what it cites."""
    return dict.fromkeys((*policy.keep, *policy.cited))


@pytest.mark.parametrize("tool", WITH_POLICY)
def test_a_tool_with_a_policy_says_what_it_must_keep(tool: str) -> None:
    assert policies()[tool].keep


@pytest.mark.parametrize("tool", [name for name in WITH_POLICY if "__" in name])
def test_no_policy_touches_what_the_tool_promises(tool: str) -> None:
    policy = policies()[tool]
    results = results_of(tool)
    assert results, "no record of this tool: nothing shows that its policy is right"
    seen: set[str] = set()
    for value in results:
        (reduced,) = jq_binding.compile(policy.noise).input_value(value).all()
        for path in kept_paths(policy):
            before = at(path, value)
            assert at(path, reduced) == before, f"{path} was changed by {policy.noise}"
            seen |= {path} if before else set()
    assert seen, "the keep-list names nothing that any record has"


def test_a_keep_list_is_not_a_wish_list() -> None:
    """Nearly all that keep-lists name stands in some record: a misspelt path would protect nothing."""
    unseen = set()
    for tool in (name for name in WITH_POLICY if "__" in name):
        there = {shape.path.replace("?", "") for value in results_of(tool) for shape in shapes(value)}
        unseen |= {(tool, path) for path in policies()[tool].keep if path not in there}
    assert unseen <= NOT_RECORDED


@pytest.mark.parametrize("tool", WITH_POLICY)
def test_a_policy_runs_in_the_engine_and_never_fails_on_a_record(tool: str, jq: JqEngine) -> None:
    for value in results_of(tool)[:3]:
        policy = policies()[tool]
        result = reduce(value, noise=policy.noise, limits=EVERYTHING_IS_TOO_LARGE, store=lambda _: "a", jq=jq)
        assert "left out" not in result.warning


@pytest.fixture(scope="module")
def read(jq: JqEngine) -> list[Read]:
    """Give what a model reads of every recorded result."""
    return [*measured((*of_records(), *of_samples()), jq)]


def test_no_tool_reads_longer_than_its_ceiling(jq: JqEngine) -> None:
    largest: dict[str, int] = {}
    for one in measured(of_records(), jq):
        largest[one.tool] = max(one.after, largest.get(one.tool, 0))
    ceilings = json.loads(CEILINGS.read_text(encoding="utf-8"))
    grown = {tool: (size, ceilings.get(tool)) for tool, size in largest.items() if size > ceilings.get(tool, 0)}
    assert grown == {}, "shorten it, or raise the ceiling on purpose: `python -m tests.artifacts.ceilings`"
    assert set(ceilings) == set(largest)


def test_recorded_results_are_read_in_few_tokens(read: list[Read]) -> None:
    after = sorted(one.after for one in read)
    assert statistics.median(after) <= 600
    assert after[int(len(after) * 0.95)] <= 3_000
    assert after[-1] <= 8_000


def test_what_exceeds_the_limit_shrinks_to_a_fifth_at_the_median(read: list[Read]) -> None:
    saved = [1 - one.after / one.before for one in read if one.how != "inline"]
    assert len(saved) >= 10
    assert statistics.median(saved) >= 0.8
