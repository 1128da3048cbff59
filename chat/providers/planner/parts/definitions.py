"""Which variants make a star allele: CPIC's name of the allele, its function, and the place of each variant."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from chat.providers.planner import compose
from chat.providers.planner.replay import Recipe, ask
from chat.providers.planner.results import Call, Json, Result, call, records_at, text_at

ALLELES_LISTED = 200
DEFINED_MAX = 8
SIBLINGS_MAX = 5


@dataclass(frozen=True)
class Variant:
    """One variant of a definition: its state in the allele and its place on the chromosome."""

    rsid: str
    state: str
    place: str

    @property
    def told(self) -> str:
        """The rsID and the place with the change, as far as CPIC gives them."""
        return ", ".join(filter(None, (compose.link("rsid", self.rsid), self.place))) or f"state {self.state}"


@dataclass(frozen=True)
class Definition:
    """One allele: `name` is CPIC's, `asked` the user's."""

    gene: str
    asked: str
    name: str
    function: str
    variants: tuple[Variant, ...]
    result: Result | None

    @property
    def label(self) -> str:
        """The allele with its gene, as literal text, in CPIC's spelling."""
        return f"`{self.gene}{self.name}`" if self.name == self.asked else f"{self.gene} `{self.name}`"

    @property
    def told(self) -> str:
        """What the allele is, in one line."""
        function = f", {compose.plain(self.function)}" if self.function else ""
        if self.variants:
            listed = "; ".join(variant.told for variant in self.variants)
            return f"**{self.label}**{function}: {listed}."
        return f"**{self.label}**{function}: {_nothing(self.result)}."


def _nothing(result: Result | None) -> str:
    if result is None:
        return "its definition was not asked for"
    return compose.said(result) or compose.plain(result.note) or "CPIC lists no place for it"


def alleles_call(gene: str) -> Call:
    """Return the call for the alleles of a gene that CPIC names."""
    tool = "clinpgx__search_star_alleles"
    return call(tool, "star alleles of {}", gene, gene_symbol=gene, limit=ALLELES_LISTED)


def frequencies_call(gene: str) -> Call:
    """Return the call for the frequencies of a gene's alleles."""
    return call("clinpgx__get_allele_frequencies", "allele frequencies of {}", gene, gene_symbol=gene)


def define(gene: str, listed: Result, asked: Sequence[str]) -> Recipe[list[Definition]]:
    """Return the definitions of alleles, and of what else is named like one that has several variants."""
    names = {allele: named(listed, allele) for allele in asked[:DEFINED_MAX]}
    found = yield from _ask(gene, listed, names)
    several = [each.asked for each in found if len(each.variants) > 1 and re.fullmatch(r"\*\d+[A-Z]", each.asked)]
    more = {name: name for allele in several for name in _siblings(listed, allele) if name not in names}
    further = yield from _ask(gene, listed, dict(list(more.items())[:SIBLINGS_MAX]))
    return [*found, *further]


def _ask(gene: str, listed: Result, names: dict[str, str]) -> Recipe[list[Definition]]:
    tool, topic = "clinpgx__get_allele_definition", "the definition of {}"
    calls = [call(tool, topic, f"{gene}{name}", gene_symbol=gene, allele=name) for name in names.values()]
    results = yield from ask(f"Which variants define {compose.listed([f'{gene}{name}' for name in names])}?", *calls)
    functions = {text_at(row, "name"): text_at(row, "clinicalfunctionalstatus") for row in listed.rows("alleles")}
    return [
        Definition(gene, allele, name, functions.get(name, ""), _variants(result), result)
        for (allele, name), result in zip(names.items(), results, strict=True)
    ]


def named(listed: Result, allele: str) -> str:
    """Return CPIC's name of an allele: some genes have it in brackets behind the change ("c.1905+1G>A (*2A)")."""
    names = [text_at(row, "name") for row in listed.rows("alleles")]
    exact = next((name for name in names if name.upper() == allele.upper()), "")
    bracketed = next((name for name in names if name.upper().endswith(f"({allele.upper()})")), "")
    return exact or bracketed or allele


def _siblings(listed: Result, allele: str) -> list[str]:
    """Return the alleles that differ from one in its letter only: of *3A these are *3B, *3C …."""
    number = re.match(r"\*\d+", allele)
    names = [text_at(row, "name") for row in listed.rows("alleles")]
    pattern = re.compile(rf"{re.escape(number[0])}[A-Z]") if number else re.compile(r"(?!)")
    return [name for name in names if pattern.fullmatch(name) and name != allele]


def of_function(listed: Result, words: str) -> list[str]:
    """Return the names of the alleles with a function, in CPIC's order."""
    return [
        text_at(row, "name")
        for row in listed.rows("alleles")
        if words.casefold() in text_at(row, "clinicalfunctionalstatus").casefold()
    ]


def _variants(result: Result) -> tuple[Variant, ...]:
    chromosome = _chromosome(result.text("chromosequenceid"))
    assembly = result.text("assembly")
    return tuple(
        Variant(text_at(row, "dbsnpid"), text_at(row, "variantallele"), _place(row, assembly, chromosome))
        for row in records_at(result.data, "locations")
    )


def _chromosome(sequence_id: str) -> str:
    """Return the chromosome of a RefSeq accession: NC_000010.11 is chromosome 10, 23 and 24 are X and Y."""
    number = re.match(r"NC_0+(\d+)\.", sequence_id)
    return {"23": "X", "24": "Y"}.get(number[1], number[1]) if number else ""


def _place(row: Json, assembly: str, chromosome: str) -> str:
    """Return the change on the chromosome: of several at one place the one whose result is the allele's state."""
    changes = re.findall(r"g\.(\d+)([ACGT]+)>([ACGT]+)", text_at(row, "chromosomelocation"))
    state = text_at(row, "variantallele")
    chosen = next((change for change in changes if change[2] == state), changes[0] if len(changes) == 1 else None)
    if chosen and chromosome:
        return f"{assembly} {chromosome}:{chosen[0]} {chosen[1]}>{chosen[2]}".strip()
    position = text_at(row, "position")
    return f"{assembly} {chromosome}:{position}, state {compose.plain(state)}" if position and chromosome else ""
