"""The texts of literature searches: checked before they are sent, and held against the hits.

A text joins words, quoted phrases, entity ids and relations by AND, OR, NOT and parentheses. The service
takes any text and finds nothing for a wrong one, so what can be seen to be wrong is refused here.
"""

import re
from collections.abc import Iterator

from mcp_server.envelope import InvalidArguments
from mcp_server.platforms.pubtator3.base import ENTITY

RELATION_TYPES = (
    "treat", "cause", "cotreat", "convert", "compare", "interact", "associate", "positive_correlate",
    "negative_correlate", "prevent", "inhibit", "stimulate", "drug_interact",
)  # fmt: skip
OPERATORS = ("AND", "OR", "NOT")
EXAMPLE = '@GENE_BRAF AND (melanoma OR "colorectal cancer") NOT review'
RELATION_EXAMPLE = "relations:treat|@CHEMICAL_trametinib|@DISEASE_Melanoma"
_TOKEN = re.compile(r'"[^"]*"|[()]|[^\s()"]+')
_RELATION = re.compile(
    rf"relations:(ANY|{'|'.join(RELATION_TYPES)})\|{ENTITY.pattern}\|({ENTITY.pattern}|GENE|DISEASE|CHEMICAL|VARIANT)"
)
_QUOTES = str.maketrans({"\u201c": '"', "\u201d": '"', "\u201e": '"', "\u00a0": " ", "\uff1a": ":"})


def text_form(text: str) -> str:
    """Return a query with plain quotation marks and single blanks."""
    return " ".join(text.translate(_QUOTES).split())


def explicit(text: str) -> str:
    """Return the query with AND between ids, phrases, groups and what stands beside them; words alone stay free text.

    Side by side the service may read them as alternatives, and a longer query would find more.
    """
    tokens = tokens_of(text)
    joined = tokens[:1]
    for before, token in zip(tokens, tokens[1:], strict=False):
        is_operand = before not in (*OPERATORS, "(") and token not in (*OPERATORS, ")")
        if is_operand and not (_is_word(before) and _is_word(token)):
            joined.append("AND")
        joined.append(token)
    return text if joined == tokens else " ".join(joined).replace("( ", "(").replace(" )", ")")


def _is_word(token: str) -> bool:
    return token not in ("(", ")", *OPERATORS) and not token.startswith(("@", '"', "relations:"))


def tokens_of(text: str) -> list[str]:
    """Return the words, phrases, ids, operators and parentheses of a query."""
    return _TOKEN.findall(text)


def check(text: str) -> None:
    """Refuse a query whose form is wrong, and say what is."""
    if text.count('"') % 2:
        raise InvalidArguments("text", "a quotation mark is not closed", EXAMPLE)
    tokens = tokens_of(text)
    _check_parentheses(tokens)
    for before, token in zip(["(", *tokens], [*tokens, ")"], strict=True):
        if token in ("AND", "OR", ")") and (before in OPERATORS or before == "("):
            raise InvalidArguments("text", f"something is missing between {before!r} and {token!r}", EXAMPLE)
        if before == "NOT" and token == "NOT":
            raise InvalidArguments("text", "NOT stands twice", EXAMPLE)
        _check_term(token)
    for sign, first, second in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if sign == "NOT" and _is_word(first) and _is_word(second):
            raise InvalidArguments("text", f'NOT reaches {first!r} only: write NOT "{first} {second} ..."', EXAMPLE)
    if tokens[0] == "NOT":
        raise InvalidArguments("text", "a search needs something to look for before NOT", EXAMPLE)


def _check_parentheses(tokens: list[str]) -> None:
    depth = 0
    for token in tokens:
        depth += {"(": 1, ")": -1}.get(token, 0)
        if depth < 0:
            raise InvalidArguments("text", "a parenthesis is closed that was not opened", EXAMPLE)
    if depth:
        raise InvalidArguments("text", "a parenthesis is not closed", EXAMPLE)


def _check_term(token: str) -> None:
    if token.startswith("@") and not ENTITY.fullmatch(token):
        kinds = "GENE, DISEASE, CHEMICAL, VARIANT, SPECIES or CELLLINE"
        raise InvalidArguments("text", f"{token} is no entity id: @, then {kinds}, then _ and a name", "@GENE_BRAF")
    if token.startswith("relations:") and not _RELATION.fullmatch(token):
        types = ", ".join(("ANY", *RELATION_TYPES))
        message = f"{token} is no relation: relations:TYPE|@ENTITY|@ENTITY or |DISEASE, with a type of {types}"
        raise InvalidArguments("text", message, RELATION_EXAMPLE)


def entities_in(text: str) -> list[str]:
    """Return the entity ids of a query, also those inside relations."""
    return list(dict.fromkeys(found[0] for found in ENTITY.finditer(text)))


def excluded(text: str) -> list[str]:
    """Return the terms that no hit may mention; of a query with OR at its top nothing can be said."""
    found: list[str] = []
    top = list(_parts(tokens_of(text)))
    if ["OR"] in top:
        return found
    for before, part in zip(top, top[1:], strict=False):
        inner = [token for token in part if token not in ("(", ")", "OR")]
        if before == ["NOT"] and not set(inner) & {"AND", "NOT"} and _is_alternatives(part):
            found += inner
    return found


def _parts(tokens: list[str]) -> Iterator[list[str]]:
    """Yield the tokens and the whole groups that stand at the top."""
    part: list[str] = []
    depth = 0
    for token in tokens:
        depth += {"(": 1, ")": -1}.get(token, 0)
        part.append(token)
        if depth == 0:
            yield part
            part = []


def _is_alternatives(part: list[str]) -> bool:
    """Tell whether each term of a group excludes a hit by itself: two words side by side do not."""
    terms = [token for token in part if token not in ("(", ")")]
    return all(token == "OR" for token in terms[1::2])


def mentions(term: str, title: str, marked: str, plain: str) -> bool:
    """Tell whether a hit mentions a term: an entity in the marked snippet, words in title or plain snippet."""
    if term.startswith("@"):
        return term in re.sub(r"</?m>", "", marked).split()
    if term.startswith("relations:"):
        return False
    words = re.escape(term.strip('"'))
    return bool(re.search(rf"(?<!\w){words}(?!\w)", f"{title}\n{plain}", re.IGNORECASE))


def snippet_of(marked: str) -> str:
    """Return a marked snippet as plain text: `@GENE_BRCA1 @GENE_672 @@@<m>BRCA1</m>@@@` → `BRCA1`."""
    bare = re.sub(r"</?m>", "", marked)
    named = re.sub(r"(?:@[A-Z]+_\S+\s+)+@@@(.*?)(?:@@@|$)", r"\1", bare, flags=re.DOTALL)
    return " ".join(named.replace("@@@", "").split())
