"""What of a transcript may go back to the service that made it, as it made it: the same rules for every provider.

A message goes back raw while provider, model and context version are those of the request. If the service refuses that
all the same, the next message starts afresh: all before it goes out as projection, then and ever after.
"""

import hashlib

from chat.providers.base import AssistantEntry, ModelNotice, ModelRequest

STARTED_AFRESH = ModelNotice(
    "context_degraded",
    "The model's service did not take back its own notes on earlier answers: they are passed on as text.",
)


def is_of_context(entry: AssistantEntry, provider: str, request: ModelRequest) -> bool:
    """Whether a message was made by this provider under the very prefix of the request."""
    made_by = (entry.provider, entry.model, entry.context_version)
    return made_by == (provider, request.model, request.context_version)


def fingerprint(*settings: str) -> str:
    """Return what tells accounts and addresses apart in a `replay_scope`, and gives none of them away."""
    return hashlib.sha256(" ".join(settings).encode()).hexdigest()[:12]


def last_start(provider: str, request: ModelRequest) -> int:
    """Return the position of the last message of this context that started afresh; 0 where none did."""
    starts = [
        position
        for position, entry in enumerate(request.entries)
        if isinstance(entry, AssistantEntry) and entry.starts_afresh and is_of_context(entry, provider, request)
    ]
    return starts[-1] if starts else 0
