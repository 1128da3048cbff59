"""The simulated prompt cache counts as the real one does."""

from typing import Any

import pytest

from evals.loopback.tokens import BYTES_PER_TOKEN
from evals.strict_messages import ModelRules, Reply, StrictMessages, Text
from evals.strict_messages.models import MODELS
from evals.strict_messages.prompt_cache import CacheUse, PromptBlock, PromptCache
from tests.strict_messages.conftest import Client, valid_body

Json = Any


def blocks(number: int, marks: dict[int, str], tokens: int = 100) -> list[PromptBlock]:
    """Return numbered blocks of equal size, marked at some positions."""
    return [PromptBlock(n, tokens, marks.get(n, "")) for n in range(number)]


def use(cache: PromptCache, prompt: list[PromptBlock], now: float = 0.0, minimum: int = 100) -> CacheUse:
    return cache.use(prompt, minimum_tokens=minimum, now=now)


def test_a_mark_writes_and_the_next_request_reads_and_writes_the_rest() -> None:
    cache = PromptCache()

    first = use(cache, blocks(3, {1: "1h", 2: "5m"}))
    second = use(cache, blocks(5, {1: "1h", 2: "5m", 4: "5m"}))

    assert first == CacheUse(uncached=0, read=0, write_5m=100, write_1h=200)
    assert second == CacheUse(uncached=0, read=300, write_5m=200, write_1h=0)


def test_what_follows_the_last_mark_is_not_cached() -> None:
    assert use(PromptCache(), blocks(3, {0: "5m"})) == CacheUse(uncached=200, read=0, write_5m=100, write_1h=0)


def test_a_lookup_goes_back_twenty_blocks_and_no_further() -> None:
    near, far = PromptCache(), PromptCache()
    use(near, blocks(2, {1: "5m"}))
    use(far, blocks(2, {1: "5m"}))

    assert use(near, blocks(21, {20: "5m"})).read == 200
    assert use(far, blocks(22, {21: "5m"})).read == 0


def test_a_second_mark_on_the_old_end_bridges_a_large_step() -> None:
    cache = PromptCache()
    use(cache, blocks(2, {1: "5m"}))

    assert use(cache, blocks(40, {1: "5m", 39: "5m"})) == CacheUse(uncached=0, read=200, write_5m=3800, write_1h=0)


def test_a_prompt_below_the_minimum_is_not_cached() -> None:
    cache = PromptCache()
    prompt = blocks(2, {1: "5m"})

    assert use(cache, prompt, minimum=201) == CacheUse(uncached=200, read=0, write_5m=0, write_1h=0)
    assert use(cache, prompt, minimum=200) == CacheUse(uncached=0, read=0, write_5m=200, write_1h=0)


def test_an_entry_lives_from_its_last_use() -> None:
    cache = PromptCache()
    prompt = blocks(2, {1: "5m"})
    use(cache, prompt, now=0)

    assert use(cache, prompt, now=299).read == 200
    assert use(cache, prompt, now=598).read == 200
    assert use(cache, prompt, now=898).read == 0


def test_an_entry_found_by_looking_back_is_refreshed_for_the_time_it_was_written_for() -> None:
    cache = PromptCache()
    use(cache, blocks(2, {1: "1h"}), now=0)

    assert use(cache, blocks(4, {3: "5m"}), now=3599).read == 200
    assert use(cache, blocks(2, {1: "5m"}), now=7198).read == 200
    assert use(cache, blocks(4, {3: "5m"}), now=7199).read == 200


def test_an_hour_outlives_five_minutes() -> None:
    cache = PromptCache()
    prompt = blocks(4, {1: "1h", 3: "5m"})
    use(cache, prompt, now=0)

    assert use(cache, prompt, now=301) == CacheUse(uncached=0, read=200, write_5m=200, write_1h=0)
    assert use(cache, prompt, now=3902) == CacheUse(uncached=0, read=0, write_5m=200, write_1h=200)


def test_a_change_voids_all_that_follows_it() -> None:
    cache = PromptCache()
    use(cache, blocks(3, {0: "5m", 2: "5m"}))
    changed = [*blocks(1, {0: "5m"}), PromptBlock("other", 100), PromptBlock(2, 100, "5m")]

    assert use(cache, changed) == CacheUse(uncached=0, read=100, write_5m=200, write_1h=0)


def test_other_thinking_settings_void_the_messages_but_not_the_prefix(
    client: Client, strict_messages: StrictMessages
) -> None:
    body = valid_body()
    body["system"] = [{"type": "text", "text": "x" * 3000, "cache_control": {"type": "ephemeral", "ttl": "1h"}}]
    body["messages"][2]["content"][0]["cache_control"] = {"type": "ephemeral"}
    strict_messages.script(*(Reply(Text("Yes.")) for _ in range(3)))

    client.reply(body)
    client.reply(body)
    client.reply(body | {"output_config": {"effort": "low"}})

    first, same, other = (request.usage for request in strict_messages.requests)
    prefix = first["cache_creation"]["ephemeral_1h_input_tokens"]
    messages = first["cache_creation"]["ephemeral_5m_input_tokens"]
    assert prefix > 1000
    assert messages > 0
    assert (same["cache_read_input_tokens"], same["input_tokens"]) == (prefix + messages, 0)
    assert (other["cache_read_input_tokens"], other["cache_creation_input_tokens"]) == (prefix, messages)


@pytest.mark.parametrize(("model", "rules"), MODELS.items(), ids=MODELS.keys())
def test_each_model_has_its_smallest_prefix(
    client: Client, strict_messages: StrictMessages, model: str, rules: ModelRules
) -> None:
    def cached(tokens: int) -> int:
        characters = tokens * BYTES_PER_TOKEN
        body = {"model": model, "max_tokens": 100, "stream": True, "messages": [{"role": "user", "content": [{}]}]}
        block = {"type": "text", "text": "x" * (characters - len('{"text":"","type":"text"}'))}
        body["messages"][0]["content"] = [block | {"cache_control": {"type": "ephemeral"}}]
        strict_messages.script(Reply(Text("Yes.")))
        client.reply(body)
        return int(strict_messages.requests[-1].usage["cache_creation_input_tokens"])

    smallest = rules.min_cacheable_tokens
    assert (cached(smallest - 1), cached(smallest)) == (0, smallest)


def test_the_automatic_mark_stands_on_the_last_block_that_can_carry_one(
    client: Client, strict_messages: StrictMessages
) -> None:
    body = valid_body() | {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
    body["messages"][0]["content"] = "x" * 3000
    strict_messages.script(*(Reply(Text("Yes.")) for _ in range(2)))

    client.reply(body)
    client.reply(body)

    first, second = (request.usage for request in strict_messages.requests)
    assert first["cache_creation"]["ephemeral_1h_input_tokens"] == second["cache_read_input_tokens"] > 1000
    assert (first["input_tokens"], second["input_tokens"]) == (0, 0)


def test_another_organisation_has_a_cache_of_its_own(client: Client, strict_messages: StrictMessages) -> None:
    strict_messages.accept_key("other-key")
    strict_messages.script(*(Reply(Text("Yes.")) for _ in range(2)))
    body = valid_body() | {"cache_control": {"type": "ephemeral"}}
    body["messages"][0]["content"] = "x" * 3000

    client.reply(body)
    client.post(body, {"authorization": "Bearer other-key", "anthropic-version": "2026-10-21"})

    first, other = (request.usage for request in strict_messages.requests)
    assert other["cache_creation_input_tokens"] == first["cache_creation_input_tokens"]


def test_a_deferred_tool_counts_only_where_it_is_loaded(client: Client, strict_messages: StrictMessages) -> None:
    body = valid_body()
    without = body | {"tools": body["tools"][:1]}
    strict_messages.script(*(Reply(Text("Yes.")) for _ in range(3)))
    client.reply(body)
    client.reply(without)
    reference = {"type": "tool_reference", "tool_name": body["tools"][1]["name"]}
    body["messages"][2]["content"][0]["content"] = [reference]
    client.reply(body)

    deferred, absent, loaded = (request.usage["input_tokens"] for request in strict_messages.requests)
    assert deferred == absent
    assert loaded > deferred + 20
