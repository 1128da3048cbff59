"""Pathways of a gene: which hold its protein, who else takes part, and which drugs act on these members."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from chat.providers.planner import compose
from chat.providers.planner.parts.drugs import Drug, join_forms, shown, target_drugs_call
from chat.providers.planner.parts.genes import Gene, gene_call, proteins_in, read_gene, resolve_protein
from chat.providers.planner.recognise import Question
from chat.providers.planner.replay import Recipe, ask
from chat.providers.planner.results import Json, Result, call, records_at, text_at

PATHWAYS_SHOWN = 12
PATHWAYS_OPENED = 2
MEMBERS_ASKED = 50
MEMBERS_FOLLOWED = 8
DRUGS_SHOWN = 6
MEMBERS_SHOWN = 12
SUMMARY_MAX_CHARS = 350
APPROVED = ("APPROVAL", "PHASE_4")


@dataclass(frozen=True)
class Member:
    """A protein that takes part in an opened pathway; `turn` is its place among those of the pathway."""

    gene: str
    accession: str
    turn: int = 0
    ensembl_id: str = ""


@dataclass
class Found:
    """What the recipe has come to know."""

    gene: Gene
    accession: str
    mapped: Result
    opened: list[tuple[Result, Result]]
    members: list[Member]
    followed: list[Member]
    lists: list[tuple[Member, Result]]
    drugs: list[Drug]


def recipe(question: Question) -> Recipe[str]:
    """From the gene to its protein, to its pathways, to their members, to drugs on the members."""
    (gene_result,) = yield from ask(f"Resolve “{question.gene}” to a gene.", gene_call(question.gene))
    gene = read_gene(question.gene, gene_result)
    protein, looked = yield from resolve_protein(gene)
    if protein is None:
        reason = next((compose.said(result) for result in looked if not result.has_data), "no entry of this gene")
        return f"{gene.reading}. Its pathways cannot be looked up without its UniProt accession: {reason}."
    about = f"pathways that hold {protein.accession}"
    wanted = call("reactome__map_identifier_to_pathways", about, identifier=protein.accession)
    (mapped,) = yield from ask(f"Ask Reactome for the pathways of {protein.accession}.", wanted)
    opened = yield from _open(gene, mapped)
    members = _members(opened)
    followed, lists = yield from _drugs_of(gene, members)
    drugs = join_forms((member.gene, result) for member, result in lists)
    return _answer(Found(gene, protein.accession, mapped, opened, members, followed, lists, drugs))


def _open(gene: Gene, mapped: Result) -> Recipe[list[tuple[Result, Result]]]:
    """Open the pathways that are about the gene by their name, else the first ones."""
    rows = [row for row in mapped.rows() if text_at(row, "stId")]
    rows.sort(key=lambda row: gene.symbol.casefold() not in text_at(row, "displayName").casefold())
    ids = [text_at(row, "stId") for row in rows[:PATHWAYS_OPENED]]
    records = [call("reactome__get_pathway", "the pathway {}", id, reactome_id=id) for id in ids]
    parts = [call("reactome__get_pathway_participants", "members of {}", id, reactome_id=id) for id in ids]
    results = yield from ask(f"Open {compose.listed(ids)} and list who takes part.", *records, *parts)
    return list(zip(results[: len(ids)], results[len(ids) :], strict=True))


def _members(opened: Sequence[tuple[Result, Result]]) -> list[Member]:
    """Return the proteins of the opened pathways, each once."""
    known: dict[str, Member] = {}
    for _, parts in opened:
        for turn, row in enumerate(parts.rows("participants")):
            # A name may carry a modification or a fragment behind the symbol.
            symbol, accession = text_at(row, "geneName").partition(" ")[0], text_at(row, "identifier")
            if text_at(row, "database") == "uniprot" and symbol:
                known.setdefault(accession, Member(symbol, accession, turn))
    return list(known.values())


def _drugs_of(gene: Gene, members: Sequence[Member]) -> Recipe[tuple[list[Member], list[tuple[Member, Result]]]]:
    """Ask for the drugs of the gene itself, then of the members whose Ensembl ids UniProt gives."""
    symbols = [member.gene for member in members if member.gene != gene.symbol][:MEMBERS_ASKED]
    located: dict[str, str] = {gene.symbol: gene.ensembl_id}
    if symbols:
        about = f"Ensembl ids of {compose.counted(len(symbols), 'member')}"
        wanted = call("uniprot__search_proteins", about, gene_symbols=symbols, limit=MEMBERS_ASKED)
        (search,) = yield from ask("Ask UniProt for the Ensembl ids of the members.", wanted)
        located |= {protein.gene: protein.ensembl[0] for protein in proteins_in(search) if protein.ensembl}
    own = next((member for member in members if member.gene == gene.symbol), Member(gene.symbol, ""))
    rest = [member for member in members if member.gene != gene.symbol and member.gene in located]
    # From each pathway in turn, so that none is left out.
    rest.sort(key=lambda member: member.turn)
    followed = [replace(each, ensembl_id=located[each.gene]) for each in [own, *rest][:MEMBERS_FOLLOWED]]
    names = compose.listed([member.gene for member in followed])
    calls = [target_drugs_call(member.gene, member.ensembl_id) for member in followed]
    results = yield from ask(f"Look for drugs that act on {names}.", *calls)
    return followed, list(zip(followed, results, strict=True))


def _answer(found: Found) -> str:
    return compose.document(
        _summary(found),
        compose.section("How the question was read", _reading(found)),
        _pathway_section(found),
        _member_section(found),
        _drug_section(found),
        compose.section("Limits, and what to check next", compose.bullets(_limits(found))),
    )


def _summary(found: Found) -> str:
    gene, mapped = found.gene, found.mapped
    if not mapped.has_data:
        return f"Pathways of {gene.symbol} ({compose.link('uniprot', found.accession)}): {compose.said(mapped)}."
    names = [_named(row) for row in _ordered(found)]
    parts = [
        f"**Reactome files {gene.symbol}** ({compose.link('uniprot', found.accession)}) **under "
        f"{compose.of_total(mapped, 'pathway')}**, among them {compose.listed(names, 3)}."
    ]
    approved = [drug for drug in found.drugs if any(form.stage in APPROVED for form in drug.forms)]
    if approved:
        drugs = [f"{shown(drug.name)} {drug.ids} on {compose.listed(drug.targets)}" for drug in approved]
        parts.append(f"Approved drugs on the members that were followed: {compose.listed(drugs, DRUGS_SHOWN)}.")
    else:
        read = [member.gene for member, result in found.lists if not result.is_failed]
        drugs = [f"{shown(drug.name)} ({drug.stage or 'no stage recorded'})" for drug in found.drugs]
        on_record = f"; on record: {compose.listed(drugs, DRUGS_SHOWN)}" if drugs else ""
        if read:
            parts.append(f"No approved drug is on record in what was read, for {compose.listed(read)}{on_record}.")
        unread = [member.gene for member, result in found.lists if result.is_failed]
        if unread:
            parts.append(f"Not known, because the look-up failed: drugs on {compose.listed(unread)}.")
    return " ".join(part for part in parts if part)


def _named(row: Json) -> str:
    return f"{compose.plain(text_at(row, 'displayName'))} ({compose.link('reactome', text_at(row, 'stId'))})"


def _ordered(found: Found) -> list[dict[str, Json]]:
    """Return the pathways, those that name the gene first."""
    rows = [row for row in found.mapped.rows() if text_at(row, "stId")]
    return sorted(rows, key=lambda row: found.gene.symbol.casefold() not in text_at(row, "displayName").casefold())


def _reading(found: Found) -> str:
    gene = found.gene
    return compose.bullets(
        [f"{gene.reading}, protein {compose.link('uniprot', found.accession)}: {compose.plain(gene.name)}."]
    )


def _pathway_section(found: Found) -> str:
    rows = _ordered(found)
    if not rows:
        return ""
    rest = len(rows) - PATHWAYS_SHOWN
    more = f" {compose.counted(rest, 'further pathway')} are not shown." if rest > 0 else ""
    note = f"Lowest-level pathways, {compose.as_of([found.mapped])}.{more}"
    return compose.section("Pathways", compose.bullets(map(_named, rows[:PATHWAYS_SHOWN])), note)


def _member_section(found: Found) -> str:
    blocks = [_opened(record, parts) for record, parts in found.opened if record.has_data or parts.has_data]
    return compose.section("Members of the opened pathways", compose.bullets(blocks)) if blocks else ""


def _opened(record: Result, parts: Result) -> str:
    """Return what is known of one opened pathway: name, summary, papers, members."""
    id = record.text("stId") or parts.text("stId")
    name = compose.plain(record.text("displayName"))
    rows = records_at(record.data, "literatureReference")
    papers = [compose.link("pmid", text_at(row, "pubMedIdentifier")) for row in rows]
    read = f" ({compose.listed([paper for paper in papers if paper], 3)})" if any(papers) else ""
    members = [
        f"{compose.plain(text_at(row, 'geneName'))} {compose.link('uniprot', text_at(row, 'identifier'))}"
        for row in parts.rows("participants")
        if text_at(row, "database") == "uniprot"
    ]
    texts = [f"**{name}** ({compose.link('reactome', id)})" if name else compose.link("reactome", id)]
    summary = compose.plain(record.text("summation"), SUMMARY_MAX_CHARS)
    if summary or read:
        texts.append(f"{summary}{read}")
    if members:
        counted = compose.of_total(parts, "participant")
        texts.append(f"Looked at {counted}, of these proteins: {compose.listed(members, MEMBERS_SHOWN)}")
    elif not parts.has_data:
        texts.append(f"Members: {compose.said(parts)}")
    return ". ".join(text.rstrip(".") for text in texts) + "."


def _drug_section(found: Found) -> str:
    rows = [
        [shown(drug.name), drug.ids, compose.listed(drug.targets), _mechanisms(drug), drug.stage or "not recorded"]
        for drug in sorted(found.drugs, key=lambda drug: -(drug.best.rank if drug.best else -1))
    ]
    nothing = [member.gene for member, result in found.lists if result.is_empty]
    note = f"Open Targets lists nothing for {compose.listed(nothing)}." if nothing else ""
    head = ("Drug", "ChEMBL records", "On", "Mechanism", "Highest stage")
    counted = [
        f"{member.gene} {compose.of_total(result, 'record')}" for member, result in found.lists if result.has_data
    ]
    looked = (
        f"Looked at: {compose.listed(counted)}, {compose.as_of(r for _, r in found.lists if r.has_data)}."
        if counted
        else ""
    )
    return compose.section("Drugs on members", compose.table(head, rows) if rows else "", looked, note)


def _mechanisms(drug: Drug) -> str:
    return compose.plain("; ".join(mechanism.text for mechanism in drug.mechanisms[:2])) or "not recorded"


def _limits(found: Found) -> list[str]:
    rest = len({member.gene for member in found.members} - {member.gene for member in found.followed})
    items = [f"{compose.counted(len(found.opened), 'pathway')} of {len(found.mapped.rows())} opened."]
    if rest:
        items.append(f"Drugs were not asked for on {compose.counted(rest, 'further member')} of the opened pathways.")
    items.append("That a drug acts on a member does not mean that it acts on the pathway's outcome.")
    return items
