"""One drug, its names and numbers: forms, InChIKey, first approvals, phase, mechanism, brand and code names."""

import re
from dataclasses import dataclass, field

from chat.providers.planner import compose, wording
from chat.providers.planner.parts import literature, trials
from chat.providers.planner.parts.drugs import shown
from chat.providers.planner.parts.molecules import Molecule, drug_call, read_molecule
from chat.providers.planner.replay import Recipe, ask
from chat.providers.planner.results import Call, Json, Result, call, list_at, records_at, text_at
from chat.providers.planner.shapes import Question
from mcp_server.identifiers import find_in_text

ARTICLES = 5
NAMES_SHOWN = 12
CODES_FOLLOWED = 2


@dataclass
class Found:
    """What the recipe has come to know; what was not asked stays empty."""

    question: Question
    resolved: Result
    chemical: Result
    molecule: Molecule | None
    record: Result | None = None
    curated: Result | None = None
    articles: Result | None = None
    papers: Result | None = None
    trials: list[tuple[str, Result]] = field(default_factory=list)

    @property
    def asked(self) -> str:
        """The drug's name as the user wrote it."""
        return self.question.drugs[0]

    @property
    def row(self) -> dict[str, Json]:
        """MyChem's compound of this name, or nothing."""
        rows = [row for row in self.chemical.rows() if text_at(row, "matched_by") in ("id", "name", "synonym")]
        return next(iter(rows), {})

    @property
    def name(self) -> str:
        """The generic name in lower case."""
        known = self.molecule.generic_name if self.molecule else text_at(self.row, "name").lower()
        return known or self.asked.lower()

    @property
    def chembl_id(self) -> str:
        """The parent's ChEMBL id, or an empty string."""
        ids = [str(id) for id in list_at(self.row, "chembl_ids")]
        return self.molecule.chembl_id if self.molecule else next(iter(ids), "")

    @property
    def codes(self) -> list[str]:
        """The development codes among the names that MyChem has."""
        names = [str(name) for name in list_at(self.row, "synonyms")]
        return list(dict.fromkeys(name for name in names if wording.DRUG_CODE.fullmatch(name)))


def recipe(question: Question) -> Recipe[str]:
    """Resolve the drug with ChEMBL and MyChem, then read what the question asks for."""
    name = question.drugs[0]
    resolved, chemical = yield from ask(
        f"Resolve “{name}” to a drug.",
        drug_call(name),
        call("myvariant__chem_resolve", "the compound called {}", name, query=name.lower()),
    )
    found = Found(question, resolved, chemical, read_molecule(name, resolved))
    yield from _look_up(found)
    return compose.document(
        compose.opening(*_summary(found)),
        _papers(found),
        _trials(found),
        compose.section("Limits, and what to check next", compose.bullets(_limits(found))),
    )


def _look_up(found: Found) -> Recipe[None]:
    """Read record, mechanisms, papers and trials, as far as the question asks for them."""
    id, tasks = found.chembl_id, found.question.tasks
    calls: dict[str, Call] = {}
    if id:
        calls["record"] = call("chembl__get_molecule", "the ChEMBL record of {}", found.name, chembl_id=id)
    if id and "mechanism" in tasks:
        calls["curated"] = call("chembl__get_drug_mechanisms", "mechanisms of {}", found.name, chembl_id=id)
    if "literature" in tasks:
        calls["articles"] = literature.search_call(found.name, ARTICLES)
    names = [found.name, *found.codes[:CODES_FOLLOWED]] if "trials" in tasks else []
    asked = [trials.trials_call(name, found.question.disease) for name in names]
    results = yield from ask(f"Read the records of {found.name}.", *calls.values(), *asked)
    for key, result in zip(calls, results, strict=False):
        setattr(found, key, result)
    found.trials = list(zip(names, results[len(calls) :], strict=True))
    pmids = literature.found_pmids(found.articles) if found.articles else []
    wanted = [literature.articles_call(pmids, f"articles on {found.name}")] if pmids else []
    results = yield from ask("Read the articles found.", *wanted)
    found.papers = next(iter(results), None)


def _summary(found: Found) -> list[str]:
    if not found.molecule and not found.row:
        reasons = [f"{each.call.platform}: {compose.said(each)}" for each in (found.resolved, found.chemical)]
        return [f"**{compose.plain(found.asked)}**: {compose.listed(reasons)}."]
    lead = found.molecule.reading if found.molecule else _read_by_mychem(found)
    facts = {
        "Forms": _forms(found),
        "InChIKey": _inchikey(found),
        "First approvals": _approvals(found),
        "Mechanism": _mechanism(found),
        "Development codes": compose.listed(list(map(compose.plain, found.codes))),
        "Other names": compose.listed(_names(found), NAMES_SHOWN),
    }
    return [f"**{lead}**.", *(f"**{name}**: {text}." for name, text in facts.items() if text)]


def _read_by_mychem(found: Found) -> str:
    drugbank = [str(id) for id in list_at(found.row, "drugbank_ids")]
    numbers = [compose.link("chembl", found.chembl_id), *(f"DrugBank {id}" for id in drugbank[:1])]
    listed = compose.listed([number for number in numbers if number])
    return f"{shown(text_at(found.row, 'name'))}{f' ({listed})' if listed else ''} in MyChem"


def _forms(found: Found) -> str:
    """Return the other forms of the drug that MyChem files, where ChEMBL's are not told already."""
    if found.molecule and len(found.molecule.forms) > 1:
        return ""
    forms = [
        f"{shown(text_at(row, 'name'))} {compose.link('chembl', str(id))}"
        for row in found.chemical.rows()
        if text_at(row, "matched_by") == "form"
        for id in list_at(row, "chembl_ids")
    ]
    return compose.listed(forms)


def _inchikey(found: Found) -> str:
    """Return the standard InChIKey of the parent, by ChEMBL or else by MyChem."""
    key = found.record.text("molecule_structures.standard_inchi_key") if found.record else ""
    if key:
        return f"`{key}` (ChEMBL)"
    keys = [str(each) for each in list_at(found.row, "inchikeys")]
    return f"`{keys[0]}` (MyChem)" if len(keys) == 1 else ""


def _approvals(found: Found) -> str:
    told = [
        f"{compose.plain(text_at(row, 'agency'))} {compose.plain(text_at(row, 'date'))}"
        for row in records_at(found.row, "approvals")
    ]
    if told:
        return f"{compose.listed(told)} (DrugCentral by MyChem, {compose.as_of([found.chemical])})"
    year = found.record.text("first_approval") if found.record else ""
    return f"{year}, anywhere (ChEMBL)" if year else ""


def _mechanism(found: Found) -> str:
    """Return each curated mechanism with its target and the form whose record says so."""
    if found.curated is None:
        return ""
    told = []
    for row in records_at(found.curated.data, "mechanisms"):
        words, target = compose.plain(text_at(row, "mechanism_of_action")), text_at(row, "target_chembl_id")
        on = f" on {compose.target_link(target)}" if target else ""
        told.append(f"{words}{on} ({compose.link('chembl', text_at(row, 'molecule_chembl_id'))})")
    return "; ".join(told) or compose.said(found.curated) or "none in ChEMBL"


def _names(found: Found) -> list[str]:
    """Return brand and other names of both sources, without chemical names, which tell nothing to a reader."""
    names = [str(name) for name in list_at(found.record.data, "molecule_synonyms")] if found.record else []
    names += [str(name) for name in list_at(found.row, "synonyms")]
    plain = {name.casefold(): compose.plain(name) for name in reversed(names) if re.fullmatch(r"[\w .'-]{2,30}", name)}
    known = {found.name.casefold(), *(code.casefold() for code in found.codes)}
    return [plain[key] for key in dict.fromkeys(name.casefold() for name in names) if key in plain and key not in known]


def _papers(found: Found) -> str:
    """Return the papers, with the trial numbers that their abstracts name."""
    if not found.papers or not found.papers.has_data:
        nothing = compose.said(found.articles) if found.articles and not found.articles.is_failed else ""
        return compose.section("Literature", f"PubMed: {nothing}." if nothing else "")
    lines = []
    for row in records_at(found.papers.data, "articles"):
        text = f"{text_at(row, 'abstract')} {row.get('databanks') or ''}"
        numbers = list(dict.fromkeys(each.value for each in find_in_text(text) if each.kind == "nct"))
        if numbers:
            links = compose.listed([compose.link("nct", number) for number in numbers])
            lines.append(f"{compose.link('pmid', text_at(row, 'pmid'))} names the trials {links}.")
    note = literature.searched_note(found.articles) if found.articles else ""
    return compose.section("Literature", literature.cited_list(found.papers), compose.bullets(lines), note)


def _trials(found: Found) -> str:
    """Return the trials under each name, the furthest first: sponsors file a drug under its code, too."""
    if not found.trials:
        return ""
    listed = [(shown(name), result) for name, result in found.trials]
    return trials.section(listed, found.question.disease, ())


def _limits(found: Found) -> list[str]:
    items = ["Parent and salts are records of their own: a mechanism may stand at the salt, an approval at either."]
    if found.codes and "trials" in found.question.tasks:
        items.append(
            f"Trials are filed under the generic name and under {compose.listed(found.codes[:CODES_FOLLOWED])}."
        )
    return items
