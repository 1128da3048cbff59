"""What a query says before any ranking: identifiers, databases, and the words that are left. Pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mcp_server.renamed import SUCCESSORS
from tools_catalog.kinds import Named, kinds_in, without_identifiers
from tools_catalog.vocabulary import Phrases, Vocabulary
from tools_catalog.words import QUERY_MAX_CHARACTERS, pieces, tokens

_QUERY_WORD = re.compile(r"[^\s,;()\"']+")


@dataclass(frozen=True)
class Asked:
    """A query, read: `kinds` are its identifiers, `platforms` the databases that it names.

    `words` is the text to compare words with, `meaning` the one to embed. `is_bare` says that little more than an
    identifier or the name of a database stands there, `is_only_named` that nothing more does.
    """

    kinds: tuple[Named, ...]
    platforms: frozenset[str]
    words: str
    meaning: str
    length: int
    is_bare: bool
    is_only_named: bool = False

    @property
    def has_identifier(self) -> bool:
        """Whether an identifier itself stands in the query, not only the name of its kind."""
        return any(kind.text for kind in self.kinds)


class Reader:
    """Reads queries over databases of these titles and keys."""

    def __init__(self, vocabulary: Vocabulary, platforms: Mapping[str, str], filter_words: int) -> None:
        self._vocabulary = vocabulary
        self._titles = frozenset(platforms)
        self._filter_words = filter_words
        own = [(form, title) for title, key in platforms.items() for form in (title, key.replace("_", " "))]
        aliases = [(alias, title) for alias, title in vocabulary.platforms if title in platforms]
        self._platforms = Phrases([*own, *aliases])

    def read(self, query: str) -> Asked:
        """Read a query; any text will do."""
        query = query[:QUERY_MAX_CHARACTERS]
        kinds = kinds_in(query, self._vocabulary)
        length = len(query.split())
        named = self._named(query) if length <= self._filter_words else {}
        # Two names side by side are what is mapped or compared, not where to look.
        platforms = frozenset(named) if len(named) == 1 else frozenset()
        words = query
        for title in platforms:
            words = re.sub(re.escape(title), " ", words, flags=re.IGNORECASE)
        rest = without_identifiers(words, kinds)
        left = [word for word in tokens(rest) if not platforms or word not in named[min(platforms)]]
        is_bare = len(left) <= 1
        is_only_named = bool(platforms) and all(word in self._vocabulary.generic for word in left)
        meaning = self._with_kind_names(query, kinds) if is_bare else rest
        # Where nothing else stands there, the identifier may yet be a word of some tool.
        words = rest if tokens(rest) else words
        return Asked(tuple(kinds), platforms, words, meaning, length, is_bare, is_only_named)

    def _named(self, query: str) -> dict[str, frozenset[str]]:
        """Return the databases that a query names, each with the words that do."""
        words = pieces(query)
        named = list(self._platforms.found(words))
        # A name inside a longer one is not meant: `UniProt` in "UniProt accession", `PMC` in "Europe PMC".
        spans = [(start, end) for _, start, end in (*self._vocabulary.kind_words.found(words), *named)]
        return {
            title: frozenset(words[start:end])
            for title, start, end in named
            # "accession to Ensembl" asks for a way there, which may begin elsewhere.
            if not (start and words[start - 1] == "to")
            and not any(low <= start and end <= high and high - low > end - start for low, high in spans)
        }

    def _with_kind_names(self, query: str, kinds: Sequence[Named]) -> str:
        """Put the name of its kind in the place of each identifier: no model knows the identifier itself."""
        for kind in kinds:
            for text in kind.texts:
                query = query.replace(text, self._vocabulary.kinds[kind.kind].words[0])
        return query


def successors(query: str) -> dict[str, str]:
    """Return the tools that took the place of former ones that a query names, with the former names."""
    words = (word.rstrip(".?!:") for word in _QUERY_WORD.findall(query[:QUERY_MAX_CHARACTERS]))
    return {SUCCESSORS[word]: word for word in words if word in SUCCESSORS}
