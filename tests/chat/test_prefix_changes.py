"""What a session is told when it goes on under another prefix."""

from dataclasses import replace

from chat.context import Prefix, build_prefix
from chat.prefix_changes import PrefixChange, changes, notices
from chat.providers.base import AssistantEntry, ToolDefinition, UserEntry

GENE = ToolDefinition("ensembl__lookup_gene", "Find a gene.", {"type": "object"})
DRUG = ToolDefinition("chembl__resolve_drug", "Find a drug.", {"type": "object"})
TRIAL = ToolDefinition("clinicaltrials__get_study", "Find a trial.", {"type": "object"})
OPAQUE = AssistantEntry("HER2 is ERBB2.", raw=({"type": "text", "text": "HER2 is ERBB2."},))


def prefix(*tools: ToolDefinition, model: str = "m", effort: str = "", **scope: str) -> Prefix:
    return build_prefix(tools, model=model, effort=effort, scope=scope)


def change_of(before: Prefix, now: Prefix) -> PrefixChange:
    return changes(before.parts, now.parts)


def test_the_same_prefix_has_no_change() -> None:
    assert change_of(prefix(GENE, DRUG), prefix(DRUG, GENE)) == PrefixChange()


def test_tools_are_named_by_what_happened_to_them() -> None:
    now = prefix(replace(GENE, description="Find a gene by symbol."), TRIAL)

    change = change_of(prefix(GENE, DRUG), now)

    assert change == PrefixChange(("tools",), (TRIAL.name,), (DRUG.name,), (GENE.name,))


def test_a_tool_that_is_loaded_now_and_was_found_before_has_changed() -> None:
    assert change_of(prefix(GENE), prefix(replace(GENE, deferred=True))).changed == (GENE.name,)


def test_every_part_that_differs_is_named() -> None:
    now = prefix(GENE, model="n", effort="low", account="b", form="2")

    assert change_of(prefix(GENE, account="a"), now).parts == ("model", "effort", "account", "form")


def test_other_tools_are_told_with_their_names() -> None:
    change = PrefixChange(("tools",), added=("a", "b"), removed=("c",))

    (notice,) = notices(change, ())

    assert notice.code == "catalog_changed"
    assert notice.message.endswith("since the last question of this session: 2 added and 1 removed.")
    assert notice.detail == {"added": ["a", "b"], "removed": ["c"], "changed": []}


def test_a_long_list_of_tools_is_told_in_part() -> None:
    names = tuple(f"tool_{number:03}" for number in range(60))

    (notice,) = notices(PrefixChange(("tools",), changed=names), ())

    assert notice.detail["changed"] == [*names[:40], "… and 20 more"]


def test_notes_that_can_not_be_passed_on_are_told_with_the_reason() -> None:
    (notice,) = notices(PrefixChange(("prompt", "model", "account")), (UserEntry("What is HER2?"), OPAQUE))

    assert notice.code == "context_degraded"
    assert notice.message.startswith(
        "Since the last question BURP's instructions, the model and the account at the model's service changed."
    )
    assert notice.detail == {"changed": ["prompt", "model", "account"]}


def test_where_there_are_no_notes_nothing_is_lost() -> None:
    assert [*notices(PrefixChange(("model",)), (UserEntry("What is HER2?"), AssistantEntry("ERBB2.")))] == []
