"""Rules about thought signatures: where they have to be, and that they come back on the part that brought them."""

from collections.abc import Iterator

from tests.strict_generate.asked import Asked, Breach, Object

# What the service documents for calls that it did not make itself.
UNSIGNED = frozenset({"context_engineering_is_the_way_to_go", "skip_thought_signature_validator"})


def signed(asked: Asked) -> Iterator[Breach]:
    """In the running turn, the first call of each step is signed."""
    if not asked.rules.checks_signatures:
        return
    start = max((i for i, content in enumerate(asked.contents) if _begins_a_turn(content)), default=0)
    for position, content in enumerate(asked.contents[start:], start):
        first = next((part for part in content["parts"] if "functionCall" in part), None)
        if first is not None and not first.get("thoughtSignature"):
            name = first["functionCall"]["name"]
            yield Breach(
                f"Function call is missing a thought_signature in functionCall parts: function call "
                f"`default_api:{name}`, position {position + 1}."
            )


def untouched(asked: Asked) -> Iterator[Breach]:
    """What is signed was signed by this service, for this model and this very part; also in turns that are over."""
    for path, part, content in asked.parts():
        signature = part.get("thoughtSignature")
        if not signature or ("functionCall" in part and signature in UNSIGNED):
            continue
        if content["role"] != "model":
            yield Breach(f"This stand-in refuses a thought signature of the user's: {path}.")
        elif not asked.memory.signer.fits(part, asked.model):
            yield Breach(f"Corrupted thought signature: {path}.")


def _begins_a_turn(content: Object) -> bool:
    return content["role"] == "user" and not any("functionResponse" in part for part in content["parts"])
