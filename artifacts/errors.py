"""What can go wrong with stored results and filters on them.

ArtifactError (a ValueError: its text says what to change)
├── ArtifactNotFound     no such artifact in this session, or expired
├── ArtifactTooLarge     more than is ever stored
├── QuotaExceeded        more than one person may store
├── FilterRefused        jq's own message: syntax, or a type that does not fit
└── FilterTooExpensive   over its time, memory or output limit
"""


class ArtifactError(ValueError):
    """A stored result, or a filter on it, can't be used."""


class ArtifactNotFound(ArtifactError):
    """There is no such artifact in this session."""


class ArtifactTooLarge(ArtifactError):
    """A result over the size that is ever stored."""


class QuotaExceeded(ArtifactError):
    """One session's results are more than its owner may store."""


class FilterRefused(ArtifactError):
    """The filter is wrong, in jq's own words."""


class FilterTooExpensive(ArtifactError):
    """The filter took more time, memory or output than is allowed."""
