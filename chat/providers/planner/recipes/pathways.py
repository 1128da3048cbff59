"""Pathways of a gene: which hold its protein, who else takes part, and which drugs act on these members."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from chat.providers.planner import compose
from chat.providers.planner.parts.drugs import Drug, drug_link, join_forms, shown, target_drugs_call
from chat.providers.planner.parts.genes import Gene, Protein, gene_call, proteins_in, read_gene, resolve_protein
from chat.providers.planner.replay import Recipe, ask
from chat.providers.planner.results import Json, Result, call, records_at, text_at
from chat.providers.planner.shapes import Question

PATHWAYS_SHOWN = 12
PATHWAYS_OPENED = 2
MEMBERS_ASKED = 50
MEMBERS_FOLLOWED = 20
DRUGS_SHOWN = 8
MEMBERS_SHOWN = 12
SUMMARY_MAX_CHARS = 350


@dataclass(frozen=True)
class Member:
    """A protein that takes part in an opened pathway; `turn` is its place among those of the pathway."""

    gene: str
    accession: str
    turn: int = 0
    ensembl_id: str = ""
    is_target: bool = False


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
    proteins: dict[str, Protein] = {}
    if symbols:
        about = f"Ensembl and ChEMBL ids of {compose.counted(len(symbols), 'member')}"
        wanted = call("uniprot__search_proteins", about, gene_symbols=symbols, limit=MEMBERS_ASKED)
        (search,) = yield from ask("Ask UniProt for the Ensembl and ChEMBL ids of the members.", wanted)
        proteins = {protein.gene: protein for protein in proteins_in(search) if protein.ensembl}
    own = next((member for member in members if member.gene == gene.symbol), Member(gene.symbol, ""))
    rest = [
        replace(member, ensembl_id=proteins[member.gene].ensembl[0], is_target=bool(proteins[member.gene].chembl))
        for member in members
        if member.gene != gene.symbol and member.gene in proteins
    ]
    # Those that ChEMBL knows as targets first, and from each pathway in turn, so that none is left out.
    rest.sort(key=lambda member: (not member.is_target, member.turn))
    followed = [replace(own, ensembl_id=gene.ensembl_id), *rest][:MEMBERS_FOLLOWED]
    names = compose.listed([member.gene for member in followed], MEMBERS_SHOWN)
    calls = [target_drugs_call(member.gene, member.ensembl_id) for member in followed]
    results = yield from ask(f"Look for drugs that act on {names}.", *calls)
    return followed, list(zip(followed, results, strict=True))


def _answer(found: Found) -> str:
    return compose.document(
        _summary(found),
        _drug_section(found),
        _member_section(found),
        _pathway_section(found),
        compose.section("How the question was read", _reading(found)),
        compose.section("Limits, and what to check next", compose.bullets(_limits(found))),
    )


def _summary(found: Found) -> str:
    gene, mapped = found.gene, found.mapped
    if not mapped.has_data:
        return f"Pathways of {gene.symbol} ({compose.link('uniprot', found.accession)}): {compose.said(mapped)}."
    names = [_named(row) for row in _ordered(found)]
    return compose.opening(
        f"**Reactome files {gene.symbol}** ({compose.link('uniprot', found.accession)}) **under "
        f"{compose.of_total(mapped, 'pathway')}**.",
        f"**Among them**: {compose.listed(names, 3)}.",
        *_drugs_in_short(found),
    )


def _drugs_in_short(found: Found) -> list[str]:
    """Say which approved drugs act on the members, and for which members that is not known."""
    read = [member.gene for member, result in found.lists if not result.is_failed]
    approved = [drug for drug in found.drugs if drug.is_approved]
    parts = []
    if approved:
        drugs = [f"{shown(drug.name)} ({compose.listed(drug.targets)})" for drug in approved]
        count = compose.counted(len(approved), "approved drug")
        parts.append(
            f"**{count} {'acts' if len(approved) == 1 else 'act'} on the {len(read)} members that were looked up**: "
            f"{compose.listed(drugs, DRUGS_SHOWN)}."
        )
    elif read:
        furthest = sorted(found.drugs, key=lambda drug: -drug.level)
        drugs = [f"{shown(drug.name)} ({drug.stage or 'no stage recorded'})" for drug in furthest]
        on_record = f"; on record: {compose.listed(drugs, DRUGS_SHOWN)}" if drugs else ""
        names = compose.listed(read, MEMBERS_SHOWN)
        parts.append(f"No approved drug is on record in what was read, for {names}{on_record}.")
    unread = [member.gene for member, result in found.lists if result.is_failed]
    if unread:
        parts.append(f"Not known, because the look-up failed: drugs on {compose.listed(unread, MEMBERS_SHOWN)}.")
    return parts


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
    """Return a table of the members with their approved drugs and other candidates, then what has none."""
    rows = [
        [
            member.gene,
            compose.fitting([_linked(drug) for drug in on if drug.is_approved]) or "none in what was read",
            _candidates([drug for drug in on if not drug.is_approved]),
            compose.of_total(result, "record"),
        ]
        for member, result in found.lists
        if (on := [drug for drug in found.drugs if member.gene in drug.targets])
    ]
    rows.sort(key=lambda row: row[1].startswith("none"))
    head = ("Member", "Approved drugs", "Other candidates, furthest first", "Looked at")
    nothing = [member.gene for member, result in found.lists if result.is_empty]
    unread = [f"{member.gene} ({compose.said(result)})" for member, result in found.lists if result.is_failed]
    notes = []
    if nothing:
        notes.append(f"No drug on record in Open Targets: {compose.listed(nothing)}.")
    if unread:
        notes.append(f"Not known: {compose.listed(unread)}.")
    if rows:
        when = compose.as_of(result for _, result in found.lists if result.has_data)
        notes.append(f"Approved means approved for some disease, by the stage in Open Targets, {when}.")
    return compose.section("Drugs on members", compose.table(head, rows) if rows else "", " ".join(notes))


def _linked(drug: Drug) -> str:
    return f"{shown(drug.name)} {drug_link(drug.best.chembl_id if drug.best else drug.chembl_id)}"


def _candidates(drugs: Sequence[Drug]) -> str:
    ordered = sorted(drugs, key=lambda drug: -drug.level)
    texts = [f"{shown(drug.name)} {drug_link(drug.chembl_id)} ({_plain_stage(drug)})" for drug in ordered]
    return compose.fitting(texts) or "none in what was read"


def _plain_stage(drug: Drug) -> str:
    """Return the stage without its source, which is Open Targets for all."""
    return drug.stage.partition(" (")[0] or "no stage recorded"


def _limits(found: Found) -> list[str]:
    rest = len({member.gene for member in found.members} - {member.gene for member in found.followed})
    count = compose.counted(len(found.opened), "pathway")
    items = [f"{count} of {len(found.mapped.rows())} opened, those with {found.gene.symbol} in their name first."]
    if rest:
        items.append(f"Not asked: drugs on {compose.counted(rest, 'further member')} of the opened pathways.")
    items.append("That a drug acts on a member does not mean that it acts on the pathway's outcome.")
    return items
