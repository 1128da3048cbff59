"""A database that an operator switches off, over real turns: its tools leave, model and reader are told why."""

from typing import Any

import pytest
from asgiref.sync import sync_to_async

from chat.system_tools import SEARCH
from tests.chat.provider_sessions import harnesses as harnesses
from tests.chat.provider_sessions import new_session, play
from tests.chat.provider_sessions import tool_servers as tool_servers
from tests.chat.providers.contract.harness import Harness
from tests.chat.providers.contract.script import Answer, Call, Say
from tools_catalog.runtime import get_tool_servers
from tools_catalog.services import platform_switch
from tools_catalog.switches import Switches

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.asyncio(loop_scope="module")]
Json = Any
REASON = "its data are being repaired until Monday"
SAID = f"ClinVar is switched off by the operator: {REASON}"
VARIANT = Call("clinvar__resolve_variant", {"variant": "BRAF V600E"})
FIND = Call(SEARCH, {"query": "clinvar variants of a gene"})


async def switch(*, is_off: bool) -> None:
    await sync_to_async(platform_switch)(platform_key="clinvar", is_off=is_off, reason=f"  {REASON}\n")


def notices(events: list[dict[str, Json]]) -> dict[str, dict[str, Json]]:
    return {event["code"]: event for event in events if event["type"] == "notice"}


def ends(events: list[dict[str, Json]]) -> dict[str, dict[str, Json]]:
    return {event["tool"]: event for event in events if event["type"] == "tool_end"}


async def test_between_two_questions_its_tools_leave_and_all_are_told_why(harnesses: list[Harness]) -> None:
    for harness in harnesses:
        await switch(is_off=False)
        session = await new_session()
        harness.script(Answer(FIND, VARIANT), Answer(Say("Pathogenic.")))
        before = await play(session, harness, "What is BRAF V600E?")
        assert (ends(before)[VARIANT.name]["ok"], notices(before)) == (True, {})

        await switch(is_off=True)
        harness.script(Answer(FIND, VARIANT), Answer(Say("ClinVar was not asked.")))
        events = await play(session, harness, "Really?")

        told = notices(events)
        assert told["platform_off"]["message"].startswith(f"{SAID}. Its ")
        assert "clinvar__resolve_variant" in told["catalog_changed"]["detail"]["removed"]
        refused = ends(events)[VARIANT.name]
        assert (refused["ok"], refused["error_code"], refused["message"]) == (False, "platform_off", SAID)
        request = harness.requests[-1]
        assert SAID in harness.system(request)
        assert not any(name.startswith("clinvar__") for name in harness.offered(request))
        assert '"clinvar__search_variants"' not in str(request.json.get("tools"))
        assert set(harness.statuses) == {200}

        await switch(is_off=False)
        harness.script(Answer(VARIANT), Answer(Say("Pathogenic.")))
        after = await play(session, harness, "And now?")
        assert ends(after)[VARIANT.name]["ok"]
        assert "clinvar__resolve_variant" in notices(after)["catalog_changed"]["detail"]["added"]


async def test_a_new_session_is_told_too(harnesses: list[Harness]) -> None:
    await switch(is_off=True)
    harnesses[0].script(Answer(Say("Not asked.")))
    events = await play(await new_session(), harnesses[0], "What is BRAF V600E?")
    assert [*notices(events)] == ["platform_off"]


async def test_the_search_names_the_database_that_would_have_had_a_tool(harnesses: list[Harness]) -> None:
    # A service whose format takes text in the answer of a search.
    harness = next(one for one in harnesses if "deferral" not in one.abilities)
    await switch(is_off=True)
    harness.script(Answer(FIND), Answer(Say("Not asked.")))
    await play(await new_session(), harness, "Which variants?")
    assert SAID in harness.said(harness.requests[-1])[-1]


async def test_the_server_does_not_ask_it_either_also_for_a_search_over_all(harnesses: list[Harness]) -> None:
    process, _ = await get_tool_servers().get("snapshot")
    off = {"clinvar": REASON}
    alone = await process.call(VARIANT.name, VARIANT.arguments, timeout_s=20, platforms_off=off)
    assert alone.envelope["error"]["code"] == "platform_off"
    assert alone.envelope["error"]["message"] == SAID
    query = {"query": "variants.gene:BRAF", "domain": "variant"}
    for platforms_off in ({"myvariant": REASON}, {}):
        over_all = await process.call("search", query, timeout_s=20, platforms_off=platforms_off)
        asked = [one["url"] for one in over_all.meta["burp/requests"] if "myvariant.info" in one["url"]]
        assert ("MyVariant.info is switched off by the operator" in str(over_all.envelope)) == bool(platforms_off)
        assert bool(asked) != bool(platforms_off)


async def test_a_running_turn_hears_of_it_after_a_moment() -> None:
    lasting, brief = Switches(known_s=60), Switches(known_s=0)
    assert (await lasting.off(), await brief.off()) == ({}, {})
    await switch(is_off=True)
    assert (await lasting.off(), await brief.off()) == ({}, {"clinvar": REASON})
    assert await lasting.off(at_once=True) == {"clinvar": REASON}
