"""What ClinPGx has on a drug or gene: graded annotations, each with its variant, level and kind of effect."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from chat.providers.planner import compose
from chat.providers.planner.parts.diseases import is_kind_of
from chat.providers.planner.results import Call, Json, Result, call, list_at, records_at, text_at

SHOWN = 10
SHOWN_EACH = 4
NAMES_SHOWN = 8
LEVELS = ("1A", "1B", "2A", "2B", "3", "4")


@dataclass(frozen=True)
class Annotation:
    """One clinical annotation."""

    id: str
    variant: str
    genes: tuple[str, ...]
    drugs: tuple[str, ...]
    level: str
    kinds: tuple[str, ...]
    phenotypes: tuple[str, ...]
    url: str = ""

    @property
    def link(self) -> str:
        """The link to the annotation's page."""
        return compose.link("clinpgx_annotation", self.id, f"annotation {self.id}", self.url)

    @property
    def about_dosing(self) -> bool:
        """Whether it says that the variant changes the dose."""
        return any("dos" in kind.casefold() for kind in self.kinds)

    def row(self) -> list[str]:
        """Return its table row."""
        return [
            compose.plain(compose.fitting(self.drugs)),
            allele_text(self.variant) or "not recorded",
            f"level {self.level}" if self.level else "no level given",
            compose.plain(", ".join(self.kinds)) or "not recorded",
            compose.plain(compose.fitting(self.phenotypes)) or "not recorded",
            self.link,
        ]


@dataclass(frozen=True)
class Words:
    """What a question is about: annotations on other drugs, diseases and variants are only counted."""

    disease: str = ""
    drugs: tuple[str, ...] = ()
    variants: tuple[str, ...] = ()

    def rank(self, each: Annotation) -> int:
        """Return 0 for an annotation on the question's variant or drug, 1 for its disease, 2 for others."""
        drugs = {name.casefold() for name in each.drugs}
        if drugs & {name.casefold() for name in self.drugs} or any(name in each.variant for name in self.variants):
            return 0
        return 1 if any(is_kind_of(name, self.disease) for name in each.phenotypes) else 2


HEAD = ("Drug", "Variant", "Evidence", "Effect on", "Phenotype", "Record")


def allele_text(name: str) -> str:
    """Return variant names so that no star in them becomes markup."""
    return f"`{name.replace('`', '')}`" if "*" in name else compose.plain(name)


def alike(found: Sequence[Annotation]) -> list[list[Annotation]]:
    """Group annotations on the same drugs with the same effect and phenotypes, in their order."""
    groups: dict[tuple[tuple[str, ...], ...], list[Annotation]] = {}
    for each in found:
        groups.setdefault((each.drugs, each.kinds, each.phenotypes), []).append(each)
    return list(groups.values())


def in_short(group: Sequence[Annotation], *, with_kinds: bool = True) -> str:
    """Return variants with linked levels, effect, drug and phenotype of annotations that are alike, in one clause."""
    variants = []
    for each in group:
        genes = "" if "*" in each.variant else compose.plain(compose.listed(each.genes, 2))
        level = compose.link("clinpgx_annotation", each.id, f"level {each.level or 'not given'}", each.url)
        variants.append(f"{allele_text(each.variant)} ({', '.join(filter(None, (genes, level)))})")
    first = group[0]
    kinds = compose.plain(compose.listed([kind.lower() for kind in first.kinds])) if with_kinds else ""
    phenotypes = compose.plain(compose.listed(first.phenotypes, 2).lower())
    on = ": ".join(filter(None, (kinds, phenotypes)))
    return (
        f"{compose.listed(variants, 4)} for {compose.plain(compose.listed(first.drugs, 3))}{f' ({on})' if on else ''}"
    )


def annotations_call(drug: str = "", gene: str = "") -> Call:
    """Return the call for the clinical annotations of a drug, a gene, or both."""
    subject = " and ".join(name for name in (gene, drug) if name)
    tool = "clinpgx__search_clinical_annotations"
    return call(tool, "clinical annotations on {}", subject, gene_symbol=gene or None, drug_name=drug or None)


def read_annotations(result: Result) -> list[Annotation]:
    """Return the annotations, strongest evidence first."""
    found = [_annotation(row) for row in result.rows()]
    return sorted((each for each in found if each.id), key=lambda each: _rank(each.level))


def _rank(level: str) -> int:
    return LEVELS.index(level) if level in LEVELS else len(LEVELS)


def _annotation(row: Json) -> Annotation:
    return Annotation(
        id=text_at(row, "id"),
        variant=text_at(row, "location.displayName"),
        genes=tuple(text_at(gene, "symbol") for gene in records_at(row, "location.genes")),
        drugs=tuple(text_at(chemical, "name") for chemical in records_at(row, "relatedChemicals")),
        level=text_at(row, "levelOfEvidence.term"),
        kinds=tuple(str(kind) for kind in list_at(row, "types")),
        phenotypes=_phenotypes(row),
        url=text_at(row, "url"),
    )


def _phenotypes(row: Json) -> tuple[str, ...]:
    """Return the phenotypes as listed, else from the record's name, `variant; drug; phenotype (level …)`."""
    listed = tuple(text_at(disease, "name") for disease in records_at(row, "relatedDiseases"))
    named = text_at(row, "name").partition(" (level ")[0].split("; ")[2:]
    return listed or tuple(named)


def by_outcome(asked: Sequence[tuple[str, Result]]) -> tuple[list[str], list[str], list[str]]:
    """Split drugs by what ClinPGx said: with annotations, nothing found, not known because the call failed."""
    having = [name for name, result in asked if result.has_data]
    nothing = [name for name, result in asked if result.is_empty or result.is_unknown]
    failed = [f"{name} ({compose.said(result)})" for name, result in asked if result.is_failed]
    return having, nothing, failed


def section(
    asked: Sequence[tuple[str, Result]],
    not_asked: Sequence[str] = (),
    about: Words | None = None,
    *,
    dosing_first: bool = False,
) -> str:
    """Return the section on annotations: what there is, what there is not, what is not known, what was not asked."""
    _, nothing, failed = by_outcome(asked)
    graded = {each.id: each for _, result in asked for each in read_annotations(result)}
    ranked = sorted(graded.values(), key=lambda each: (about.rank(each) if about else 0, _rank(each.level)))
    fitting = [each for each in ranked if about is None or about.rank(each) < 2]
    shown = _shown(fitting, dosing_first=dosing_first)
    notes = _counted(graded.values(), fitting, shown)
    if nothing:
        notes.append(f"Nothing found in ClinPGx: {compose.listed(nothing)}. That is a finding, not a gap.")
    if failed:
        notes.append(f"Not known: {compose.listed(failed)}.")
    if not_asked:
        notes.append(f"Not asked: {compose.listed(not_asked, NAMES_SHOWN)}.")
    when = compose.as_of(result for _, result in asked if result.has_data)
    if when:
        notes.append(f"ClinPGx {when}.")
    table = compose.table(HEAD, [each.row() for each in shown]) if shown else ""
    return compose.section("Pharmacogenomics in ClinPGx", table, " ".join(notes))


def _shown(fitting: Sequence[Annotation], *, dosing_first: bool) -> list[Annotation]:
    """Return those to show: all on dosing where that is the question, then some of each drug."""
    dosing = [each for each in fitting if dosing_first and each.about_dosing]
    of_drug: dict[tuple[str, ...], int] = {}
    rest = []
    for each in fitting:
        of_drug[each.drugs] = of_drug.get(each.drugs, 0) + 1
        if each not in dosing and (not dosing_first or of_drug[each.drugs] <= SHOWN_EACH):
            rest.append(each)
    return [*dosing, *rest][: max(SHOWN, len(dosing))]


def _counted(graded: Collection[Annotation], fitting: Sequence[Annotation], shown: Sequence[Annotation]) -> list[str]:
    """Say how many annotations are shown of how many, and how many are about dosing."""
    notes = []
    dosing = sum(each.about_dosing for each in graded)
    if len(fitting) > len(shown):
        notes.append(f"Shown are {len(shown)} of {len(fitting)}, by drug and by strength of evidence.")
    others = len(graded) - len(fitting)
    if others:
        count = compose.counted(others, "further annotation")
        notes.append(f"{count} on other drugs, diseases and variants {'is' if others == 1 else 'are'} not shown.")
    if graded and not dosing:
        notes.append(f"None of {'these' if len(graded) <= SHOWN else 'all these'} is a dosing annotation.")
    elif dosing:
        notes.append(
            f"{dosing} of {compose.counted(len(graded), 'annotation')} {'is' if dosing == 1 else 'are'} on dosing."
        )
    return notes
