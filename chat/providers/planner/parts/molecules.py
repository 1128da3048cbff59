"""A drug by name, brand or code: which ChEMBL molecule, with its forms, phase and withdrawal."""

from dataclasses import dataclass

from chat.providers.planner import compose
from chat.providers.planner.parts.drugs import shown
from chat.providers.planner.parts.stages import sourced_words
from chat.providers.planner.parts.stop import AnswerNow
from chat.providers.planner.results import Call, Result, call, records_at, text_at


@dataclass(frozen=True)
class Molecule:
    """A parent molecule and its forms."""

    asked: str
    chembl_id: str
    name: str
    matched_as: str
    phase: str
    withdrawn: str
    forms: tuple[tuple[str, str], ...]

    @property
    def generic_name(self) -> str:
        """The generic name in lower case, as other databases look it up."""
        return self.name.lower() or self.asked.lower()

    @property
    def link(self) -> str:
        """The linked ChEMBL id."""
        return compose.link("chembl", self.chembl_id)

    @property
    def reading(self) -> str:
        """How the name was read, with forms, phase and withdrawal."""
        name = shown(self.name)
        read = name if name.casefold() == self.asked.casefold() else f"“{compose.plain(self.asked)}” is read as {name}"
        forms = [f"{shown(form)} {compose.link('chembl', id)}" for id, form in self.forms if id != self.chembl_id]
        also = f"; further forms: {compose.listed(forms, 4)}" if forms else ""
        phase = f"; {self.phase}" if self.phase else ""
        return f"{read} ({self.link}){phase}{f', **{self.withdrawn}**' if self.withdrawn else ''}{also}"


def drug_call(name: str) -> Call:
    """Return the call that resolves a drug name or a ChEMBL id."""
    return call("chembl__resolve_drug", "the drug called {}", name, drug_name=name)


def read_molecule(asked: str, result: Result) -> Molecule | None:
    """Return the drug, or None if there is none; several that carry the name are asked back."""
    found = result.rows("molecules")
    matched_as = result.text("matched_as")
    if matched_as == "text" or len(found) > 1:
        raise AnswerNow(_which_drug(asked, result))
    if not found:
        return None
    first = found[0]
    return Molecule(
        asked=asked,
        chembl_id=text_at(first, "parent_chembl_id"),
        name=text_at(first, "pref_name"),
        matched_as=matched_as,
        phase=_phase(first.get("max_phase_over_forms")),
        withdrawn=_withdrawal(first) if first.get("withdrawn_flag") is True else "",
        forms=tuple(
            (text_at(form, "molecule_chembl_id"), text_at(form, "pref_name")) for form in records_at(first, "forms")
        ),
    )


def _phase(value: object) -> str:
    """Return ChEMBL's highest phase over the forms in words."""
    phase = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
    return sourced_words("", phase)


def _withdrawal(molecule: dict[str, object]) -> str:
    rows = records_at(molecule, "withdrawals")
    facts = [
        ", ".join(
            compose.plain(text_at(row, name))
            for name in ("warning_year", "warning_country", "warning_class")
            if text_at(row, name)
        )
        for row in rows
    ]
    known = [fact for fact in facts if fact]
    return f"withdrawn ({'; '.join(known)})" if known else "withdrawn from a market"


def _which_drug(asked: str, result: Result) -> str:
    rows = [
        f"{shown(text_at(row, 'pref_name')) or 'without a name'} "
        f"{compose.link('chembl', text_at(row, 'parent_chembl_id') or text_at(row, 'molecule_chembl_id'))}"
        for row in result.rows("molecules")
    ]
    close = result.text("matched_as") == "text"
    head = "No drug has exactly this name in ChEMBL; the nearest are" if close else "Several drugs carry this name"
    return compose.document(
        f"Which drug do you mean by “{compose.plain(asked)}”? {head}:",
        compose.bullets(rows),
        "Ask again with the generic name or the ChEMBL id.",
    )
