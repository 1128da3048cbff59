"""Drugs as the databases list them by target: salts joined with their parent, each with its best stage."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from chat.providers.planner import compose, wording
from chat.providers.planner.parts import stages
from chat.providers.planner.results import Call, Json, Result, call, records_at, text_at

LISTED = 200
SALTS_SHOWN = 3


@dataclass(frozen=True)
class Mechanism:
    """How a drug acts, and on which genes. `form` is the ChEMBL record that says so; without one it is Open Targets."""

    text: str
    action: str
    genes: tuple[str, ...]
    form: str = ""


@dataclass(frozen=True)
class Form:
    """One record of a drug: the parent or a salt."""

    chembl_id: str
    name: str
    stage: str = ""
    phase: float | None = None

    @property
    def level(self) -> float:
        """How far the form got by either source; -1 where that is not recorded."""
        return stages.level_of(self.stage, self.phase)


@dataclass
class Drug:
    """A parent with its forms, over all targets that were looked at."""

    chembl_id: str
    name: str
    forms: list[Form] = field(default_factory=list)
    drug_type: str = ""
    mechanisms: list[Mechanism] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)
    joined_by_name: bool = False
    withdrawn: bool = False

    @property
    def best(self) -> Form | None:
        """The form that got furthest, if any stage is recorded."""
        known = [form for form in self.forms if form.level >= 0]
        return max(known, key=lambda form: form.level) if known else None

    @property
    def level(self) -> float:
        """How far the drug got; -1 where no stage is recorded."""
        return self.best.level if self.best else stages.UNKNOWN

    @property
    def is_approved(self) -> bool:
        """Whether any form is approved, for whatever disease."""
        return self.level >= stages.APPROVED_LEVEL

    @property
    def is_confirmed(self) -> bool:
        """Whether both sources have it as approved, be it for different forms."""
        stages_said = {form.stage for form in self.forms}
        return "APPROVAL" in stages_said and any((form.phase or 0) >= 4 for form in self.forms)

    @property
    def stage(self) -> str:
        """The highest stage in words, with its source and, for a salt, its form; empty if not recorded."""
        return self._stage(with_link=False)

    @property
    def linked_stage(self) -> str:
        """The highest stage with a link to the record that has it."""
        return self._stage(with_link=True)

    def _stage(self, *, with_link: bool) -> str:
        best = self.best
        if best is None:
            return "**withdrawn** from a market" if self.withdrawn else ""
        form = added(self.name, best.name) if best.chembl_id != self.chembl_id else ""
        words = stages.sourced_words(best.stage, best.phase, best.chembl_id if with_link else "", form)
        if self.withdrawn:
            return f"{words}, **withdrawn** from a market"
        one_withdrawn = best.stage != stages.WITHDRAWN and any(each.stage == stages.WITHDRAWN for each in self.forms)
        return f"{words}{', a form withdrawn' if one_withdrawn else ''}"

    @property
    def ids(self) -> str:
        """The linked ids: the parent's, then the other forms' with what they add to its name."""
        rest = [form for form in self.forms if form.chembl_id != self.chembl_id]
        salts = [f"{added(self.name, form.name)} {drug_link(form.chembl_id)}" for form in rest]
        more = f" and {len(salts) - SALTS_SHOWN} more" if len(salts) > SALTS_SHOWN else ""
        return f"{'; '.join([drug_link(self.chembl_id), *salts[:SALTS_SHOWN]])}{more}"


def shown(name: str) -> str:
    """Return a drug's name as people write it: lower case, but codes as they are."""
    return compose.plain(name if any(character.isdigit() for character in name) else name.lower())


def drug_link(chembl_id: str) -> str:
    """Return the link to a drug's record."""
    return compose.open_targets_link("drug", chembl_id)


def added(parent: str, name: str) -> str:
    """Return what a form's name adds to its parent's: "ditosylate"."""
    return shown(name.removeprefix(parent).strip() or name)


def parent_name(name: str) -> str:
    """Return a name without the salt or hydrate behind it."""
    first, _, rest = name.partition(" ")
    return first if rest and set(rest.upper().split()) <= wording.SALTS else name


def target_drugs_call(symbol: str, ensembl_id: str) -> Call:
    """Return the call for the drugs and candidates that act on a target."""
    topic = "drugs and candidates acting on {}"
    return call("opentargets__get_target_drugs", topic, symbol, ensembl_id=ensembl_id, limit=LISTED)


def join_forms(lists: Iterable[tuple[str, Result]]) -> list[Drug]:
    """Return the drugs of several targets' lists, each parent once, in the order of the lists."""
    records = [(symbol, row) for symbol, result in lists for row in _rows(result)]
    names = {text_at(row, "drug.name"): text_at(row, "drug.id") for _, row in records}
    drugs: dict[str, Drug] = {}
    for symbol, row in records:
        form = Form(text_at(row, "drug.id"), text_at(row, "drug.name"), text_at(row, "maxClinicalStage"))
        parent, parent_name, by_name = _parent(row, names)
        drug = drugs.setdefault(parent, Drug(parent, parent_name))
        drug.joined_by_name = drug.joined_by_name or by_name
        _take_in(drug, form, symbol, row)
    return list(drugs.values())


def _rows(result: Result) -> list[dict[str, Json]]:
    return [row for row in result.rows("rows") if text_at(row, "drug.id") and text_at(row, "drug.name")]


def _parent(row: Json, names: dict[str, str]) -> tuple[str, str, bool]:
    """Return the parent's id and name, and whether it was found by name only."""
    id, name = text_at(row, "drug.id"), text_at(row, "drug.name")
    recorded = text_at(row, "drug.parentMolecule.id")
    if recorded:
        return recorded, text_at(row, "drug.parentMolecule.name") or name, False
    parent = parent_name(name)
    if parent != name and parent in names:
        return names[parent], parent, True
    return id, name, False


def _take_in(drug: Drug, form: Form, symbol: str, row: Json) -> None:
    """Add a row to its parent."""
    known = [each.chembl_id for each in drug.forms]
    if form.chembl_id not in known:
        drug.forms.append(form)
    elif form.level > drug.forms[known.index(form.chembl_id)].level:
        drug.forms[known.index(form.chembl_id)] = form
    if symbol not in drug.targets:
        drug.targets.append(symbol)
    drug.drug_type = drug.drug_type or text_at(row, "drug.drugType")
    for mechanism in records_at(row, "drug.mechanismsOfAction.rows"):
        genes = tuple(text_at(target, "approvedSymbol") for target in records_at(mechanism, "targets"))
        action = text_at(mechanism, "actionType")
        text = text_at(mechanism, "mechanismOfAction") or " ".join(
            [*filter(None, genes), action.lower()] if action else []
        )
        read = Mechanism(text, action, genes)
        if read.text and read not in drug.mechanisms:
            drug.mechanisms.append(read)
