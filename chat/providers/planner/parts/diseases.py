"""A disease in the user's words: which Open Targets records fit, and which one an answer uses."""

import re
from dataclasses import dataclass

from chat.providers.planner import compose
from chat.providers.planner.results import Call, Result, call, text_at

SEARCHED = 10
# How many of a gene's diseases decide between two records that both fit the words.
GENE_DISEASES = 5


@dataclass(frozen=True)
class Disease:
    """A disease record. `why` completes "this answer uses it because …" where there was a choice."""

    asked: str
    id: str
    name: str
    why: str = ""
    others: tuple[tuple[str, str], ...] = ()

    @property
    def link(self) -> str:
        """The name with the linked identifier."""
        return f"{compose.plain(self.name)} ({compose.open_targets_link('disease', self.id)})"

    @property
    def reading(self) -> str:
        """How the words were read, and what else they could have meant."""
        read = f"“{compose.plain(self.asked)}” is read as {self.link}{self.why}"
        others = [f"{compose.plain(name)} ({compose.open_targets_link('disease', id)})" for id, name in self.others]
        return f"{read}; it also fits {compose.listed(others, 3)}" if others else read

    @property
    def records(self) -> tuple[tuple[str, str], ...]:
        """The ids and names of all records that fit the words, this one first."""
        return ((self.id, self.name), *self.others)


# British spellings; databases file diseases under the American ones.
_SPELLINGS = ((r"(?i)([hrn])aem", r"\1em"), (r"(?i)aemi", "emi"), (r"(?i)\boed", "ed"), (r"(?i)tumour", "tumor"))


def look_up_words(words: str) -> str:
    """Return the words as databases file them: "non-small-cell lung cancer" is their "non-small cell lung cancer"."""
    plain = re.sub("[\u2010-\u2015\u2212]", "-", words)
    for british, american in _SPELLINGS:
        plain = re.sub(british, american, plain)
    return re.sub(r"(?i)\b(non-|)small[- ]cell\b", r"\1small cell", re.sub(r"(?i)\bnon small\b", "non-small", plain))


def disease_call(words: str) -> Call:
    """Return the call that looks the words up."""
    about = f"the disease “{words}”"
    query = look_up_words(words)
    return call("opentargets__search_entities", about, query=query, entity_types=["disease"], limit=SEARCHED)


def gene_diseases_call(symbol: str, ensembl_id: str) -> Call:
    """Return the call for the diseases that are most strongly associated with a gene."""
    about = f"the diseases most associated with {symbol}"
    return call("opentargets__get_target_associated_diseases", about, ensembl_id=ensembl_id, limit=GENE_DISEASES)


def choose_disease(words: str, search: Result, gene_diseases: Result | None = None, symbol: str = "") -> Disease | None:
    """Return the record to use, or None if the search brought none.

    A record that the gene is strongly associated with wins; then one whose name is what was asked; then
    the first.
    """
    rows = [row for row in search.rows("hits") if text_at(row, "id") and text_at(row, "name")]
    hits = [(text_at(row, "id"), text_at(row, "name")) for row in rows]
    if not hits:
        return None
    matches = {text_at(row, "id"): text_at(row, "match") for row in rows}
    fits = {id for id, name in hits if matches[id] in ("name", "synonym") or _core(name) == _core(words)}
    fitting = sorted((hit for hit in hits if hit[0] in fits), key=lambda hit: matches[hit[0]] != "name")
    scores = _scores(gene_diseases) if gene_diseases else {}
    linked = [hit for hit in fitting if hit[0] in scores]
    chosen, why = (fitting or hits)[0], ""
    if linked:
        chosen = max(linked, key=lambda hit: scores[hit[0]])
        if len(fitting) > 1:
            why = f", because Open Targets associates {symbol} with it (score {scores[chosen[0]]:.2f})"
    others = tuple(hit for hit in fitting if hit != chosen)
    return Disease(words, *chosen, why=why, others=others)


_HEAD = re.compile(r"(?:cancer|carcinoma|neoplasm|tumou?r)s?")


def _core(name: str) -> tuple[str, ...]:
    """Return the words of a name, with the words for a malignant growth made equal."""
    words = re.findall(r"[a-z0-9]+", look_up_words(name).casefold())
    return tuple("cancer" if _HEAD.fullmatch(word) else word for word in words)


def is_kind_of(name: str, words: str) -> bool:
    """Whether a disease's name holds all of the words, in any order."""
    return bool(words) and set(_core(words)) <= set(_core(name))


def _scores(gene_diseases: Result) -> dict[str, float]:
    rows = gene_diseases.rows("rows")
    scored = [(text_at(row, "disease.id"), row.get("score")) for row in rows]
    return {id: float(score) for id, score in scored if id and isinstance(score, int | float)}
