"""What the service keeps for the owner of a key: nothing of it is known to another key."""

from evals.strict_messages.conversation import Memory
from evals.strict_messages.diagnostics import SentPrompts
from evals.strict_messages.prompt_cache import PromptCache
from evals.strict_messages.signing import Signer


class Organisation:
    """Signatures, prompt cache and sent prompts of one account."""

    def __init__(self, signing_key: str) -> None:
        self.memory = Memory(Signer(signing_key))
        self.cache = PromptCache()
        self.sent = SentPrompts()
