"""Rules about everything beside messages and tools."""

from collections.abc import Iterator

from tests.strict_chat.asked import Asked, Breach

KNOWN = frozenset(
    [
        "model",
        "messages",
        "tools",
        "tool_choice",
        "parallel_tool_calls",
        "max_tokens",
        "reasoning_effort",
        "stream",
        "stream_options",
        "temperature",
        "top_p",
        "seed",
        "stop",
    ]
)


def required(asked: Asked) -> Iterator[Breach]:
    """Model and messages must be there."""
    for name in ("model", "messages"):
        if not asked.body.get(name):
            yield Breach(f"'{name}' is required")
    if not isinstance(asked.body["messages"], list):
        yield Breach("Expected 'messages' to be an array")


def known(asked: Asked) -> Iterator[Breach]:
    """Only parameters that every server knows: one that is passed over does not do what it says."""
    for name in sorted(asked.body.keys() - KNOWN):
        yield Breach(f"This stand-in refuses the parameter '{name}', which not every server knows.")


def streamed(asked: Asked) -> Iterator[Breach]:
    """This stand-in only streams; options of the stream need one."""
    if asked.body.get("stream") is not True:
        yield Breach("Stream options can only be defined when `stream=True`.")


def output_limit(asked: Asked) -> Iterator[Breach]:
    """There is a limit of at least one token: without one a local model may go on for ever."""
    if type(asked.body.get("max_tokens")) is not int or asked.body["max_tokens"] < 1:
        yield Breach(f"max_tokens must be at least 1, got {asked.body.get('max_tokens')}.", "BadRequestError")


def effort(asked: Asked) -> Iterator[Breach]:
    """Only the levels of effort that a server knows."""
    given = asked.body.get("reasoning_effort")
    if given is not None and given not in asked.rules.efforts:
        yield Breach(f'invalid reasoning value: \'{given}\' (must be "high", "medium", "low", or "none")')


def window(asked: Asked) -> Iterator[Breach]:
    """The prompt fits, and the output limit beside it."""
    window, prompt, output = asked.rules.context_window, asked.prompt_tokens, asked.body["max_tokens"]
    if prompt > window:
        message = f"request ({prompt} tokens) exceeds the available context size ({window} tokens), try increasing it"
        yield Breach(message, "exceed_context_size_error")
    if prompt + output > window:
        yield Breach(
            f"This model's maximum context length is {window} tokens. However, you requested {prompt + output} tokens "
            f"({prompt} in the messages, {output} in the completion).",
            "BadRequestError",
        )
