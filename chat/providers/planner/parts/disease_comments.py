"""Diseases as UniProt's curators file them: found by words, and listed by protein."""

import re
from dataclasses import dataclass

from chat.providers.planner import compose
from chat.providers.planner.parts.diseases import look_up_words
from chat.providers.planner.results import Call, Json, Result, call, records_at, text_at

PAGE = "https://www.uniprot.org/diseases/{id}"


@dataclass(frozen=True)
class FiledDisease:
    """A disease of UniProt's list."""

    id: str
    name: str
    acronym: str = ""
    mim: str = ""

    @property
    def link(self) -> str:
        """The name, with its acronym and the linked number."""
        acronym = f", {compose.plain(self.acronym)}" if self.acronym else ""
        mim = f", {compose.link('omim', self.mim, f'OMIM {self.mim}')}" if self.mim else ""
        return f"{compose.plain(self.name)}{acronym} ({self.page}{mim})"

    @property
    def page(self) -> str:
        """The linked number."""
        return compose.link("uniprot_disease", self.id, url=PAGE.format(id=self.id))


def search_call(words: str) -> Call:
    """Return the call that looks words up in UniProt's list of diseases."""
    return call("uniprot__search_diseases", "the disease “{}”", words, query=look_up_words(words))


def proteins_call(name: str) -> Call:
    """Return the call for the proteins whose disease comment names a disease of the list."""
    return call("uniprot__search_proteins", "proteins of {}", name, disease=name)


def involvement_call(accession: str) -> Call:
    """Return the call for the diseases of a protein."""
    return call("uniprot__get_disease_involvement", "the diseases of {}", accession, accession=accession)


def found_diseases(search: Result) -> list[FiledDisease]:
    """Return the diseases of a search, in its order."""
    return [
        FiledDisease(text_at(row, "id"), text_at(row, "name"), text_at(row, "acronym"))
        for row in search.rows()
        if text_at(row, "id") and text_at(row, "name")
    ]


def involved(result: Result) -> list[FiledDisease]:
    """Return the diseases that a protein's entry names."""
    return [
        FiledDisease(text_at(row, "diseaseAccession"), text_at(row, "diseaseId"), text_at(row, "acronym"), _mim(row))
        for row in records_at(result.data, "diseases")
        if text_at(row, "diseaseAccession")
    ]


def _mim(row: Json) -> str:
    is_mim = text_at(row, "diseaseCrossReference.database") == "MIM"
    return text_at(row, "diseaseCrossReference.id") if is_mim else ""


def fitting(words: str, diseases: list[FiledDisease], types: tuple[str, ...] = ()) -> list[FiledDisease]:
    """Return the diseases whose name or acronym holds all of the words, of numbered forms those that were asked for."""
    wanted = _stems(look_up_words(words))
    named = [each for each in diseases if wanted and wanted <= _stems(f"{each.name} {each.acronym}")]
    numbered = [each for each in named if set(types) & set(re.findall(r"[A-Za-z0-9]+", each.name))]
    return numbered or named


def _stems(text: str) -> set[str]:
    """Return the words of a text without the endings that come and go: "gangliosidoses", "-osis"."""
    words = re.findall(r"[a-z0-9]+", text.casefold())
    return {re.sub(r"(?:es|is|s)$", "", word) if len(word) > 3 else word for word in words}
