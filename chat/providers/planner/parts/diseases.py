"""A disease in the user's words: which Open Targets records fit, and which one an answer uses."""

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
        if not self.others:
            return f"“{compose.plain(self.asked)}” is read as {self.link}"
        others = [f"{compose.plain(name)} ({compose.open_targets_link('disease', id)})" for id, name in self.others]
        return (
            f"“{compose.plain(self.asked)}” is read as {self.link}{self.why}; it also fits {compose.listed(others, 3)}"
        )


def disease_call(words: str) -> Call:
    """Return the call that looks the words up."""
    about = f"the disease “{words}”"
    return call("opentargets__search_entities", about, query=words, entity_types=["disease"], limit=SEARCHED)


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
    named = {text_at(row, "id") for row in rows if text_at(row, "match") in ("name", "synonym")}
    fitting = [hit for hit in hits if hit[0] in named or _core(hit[1]) == _core(words)]
    scores = _scores(gene_diseases) if gene_diseases else {}
    linked = [hit for hit in fitting if hit[0] in scores]
    chosen, why = (fitting or hits)[0], ""
    if linked:
        chosen = max(linked, key=lambda hit: scores[hit[0]])
        if len(fitting) > 1:
            why = f", because Open Targets associates {symbol} with it (score {scores[chosen[0]]:.2f})"
    others = tuple(hit for hit in fitting if hit != chosen)
    return Disease(words, *chosen, why=why, others=others)


_HEADS = {"cancer": "cancer", "carcinoma": "cancer", "neoplasm": "cancer", "tumor": "cancer", "tumour": "cancer"}


def _core(name: str) -> tuple[str, ...]:
    """Return the words of a name, with the words for a malignant growth made equal."""
    return tuple(_HEADS.get(word, word) for word in name.casefold().replace("-", " ").split())


def _scores(gene_diseases: Result) -> dict[str, float]:
    rows = gene_diseases.rows("rows")
    scored = [(text_at(row, "disease.id"), row.get("score")) for row in rows]
    return {id: float(score) for id, score in scored if id and isinstance(score, int | float)}
