"""The remarks on a query: how it was read, and what became of its parts."""

from mcp_server.unified.query.errors import Notice
from mcp_server.unified.query.fields import Field

N_JOINED = "N_JOINED"
N_NOT_APPLIED = "N_NOT_APPLIED"
N_ALIAS = "N_ALIAS"
N_RELAXED = "N_RELAXED"
N_POST_FILTERED = "N_POST_FILTERED"
N_NO_HITS = "N_NO_HITS"
N_ASSEMBLY = "N_ASSEMBLY"
N_BARE_NUMBER = "N_BARE_NUMBER"
N_UNION = "N_UNION"
N_SUGGESTION = "N_SUGGESTION"
N_DEFAULT_STATUS = "N_DEFAULT_STATUS"


def joined(field: Field, text: str, position: int, length: int) -> Notice:
    """Say that several words were read as one value."""
    message = f"{text!r} was read as one value of {field.key}; for words of their own write AND between"
    return Notice(N_JOINED, message, position, length)


def not_applied(text: str, reason: str, position: int | None, length: int | None) -> Notice:
    """Say that a part of the query had no effect."""
    return Notice(N_NOT_APPLIED, f"{text} was not applied: {reason}", position, length)


def alias(written: str, symbol: str) -> Notice:
    """Say that a name was taken for another one."""
    return Notice(N_ALIAS, f"{written} was read as {symbol}")


def relaxed(domain: str, fields: tuple[str, ...]) -> Notice:
    """Say that a search found nothing until some of its conditions were left out."""
    left_out = " and ".join(fields)
    return Notice(N_RELAXED, f"no {domain} matches all conditions; these were found without {left_out}")


def post_filtered(domain: str, text: str, position: int | None, length: int | None) -> Notice:
    """Say that a condition is applied to the rows, since the source can't be asked for it."""
    message = f"{text} is taken out of the {domain} rows after the search"
    return Notice(N_POST_FILTERED, message, position, length)


def no_hits(suggestions: tuple[str, ...]) -> Notice:
    """Say that nothing was found, and what could be tried."""
    return Notice(N_NO_HITS, "nothing was found in any domain", suggestions=suggestions)


def assembly(text: str, position: int, length: int) -> Notice:
    """Say that a coordinate without an assembly is looked up in both."""
    message = f"{text} names no assembly: hg19 and hg38 are both tried; add AND variants.assembly:hg38 to choose"
    return Notice(N_ASSEMBLY, message, position, length)


def bare_number(number: str, position: int, length: int) -> Notice:
    """Say that a number is searched as a word."""
    message = f"{number} is searched as a word; for the article write pmid:{number}"
    return Notice(N_BARE_NUMBER, message, position, length, (f"pmid:{number}",))


def union(what: str, values: tuple[str, ...], position: int, length: int) -> Notice:
    """Say that what can't hold at once is searched one after the other."""
    message = f"a variant has one {what}: variants of {' and of '.join(values)} are searched apart and put together"
    return Notice(N_UNION, message, position, length)


def suggestion(text: str, position: int, length: int) -> Notice:
    """Say how plain words could be written to search more than articles and trials."""
    message = f"plain words search articles and trials only; write {text} to search by what they mean"
    return Notice(N_SUGGESTION, message, position, length, (text,))


def default_status(text: str) -> Notice:
    """Say that only open trials are searched since nothing else was asked for."""
    return Notice(N_DEFAULT_STATUS, f"only open trials are searched ({text}); recruiting_status=ANY searches all")
