"""Star alleles by their definition: which variants make them, where these lie, and what the gene is known for."""

from dataclasses import dataclass

from chat.providers.planner import compose
from chat.providers.planner.parts import alleles, annotations, definitions, disease_comments
from chat.providers.planner.parts.definitions import Definition
from chat.providers.planner.parts.genes import Gene, gene_call, protein_search_call, read_gene
from chat.providers.planner.replay import Recipe, ask
from chat.providers.planner.results import Result, text_at
from chat.providers.planner.shapes import Question

GENES_READ = 3
NO_FUNCTION = "no function"
DRUGS_SHOWN = 10
DISEASES_SHOWN = 12


@dataclass(frozen=True)
class Found:
    """What was looked up of one gene."""

    gene: Gene
    named: bool
    defined: list[Definition]
    star: Result
    frequencies: Result | None
    proteins: Result
    graded: Result
    diseases: Result | None


def recipe(question: Question) -> Recipe[str]:
    """Define the alleles of each gene that the question names; of a gene without one, those without function."""
    blocks = []
    for name in question.genes[:GENES_READ]:
        found = yield from _look_up(question, name)
        blocks.append(_block(found))
    limits = ["A genotype is more than one variant: alleles are called from all positions of their definition."]
    return compose.document(*blocks, compose.section("Limits, and what to check next", compose.bullets(limits)))


def _look_up(question: Question, name: str) -> Recipe[Found]:
    asked = [allele.partition("*") for allele in question.alleles]
    wanted = [f"*{allele}" for gene, _, allele in asked if gene.upper() == name.upper()]
    (gene_result,) = yield from ask(f"Resolve “{name}” to a gene.", gene_call(name))
    gene = read_gene(name, gene_result)
    calls = [
        definitions.alleles_call(gene.symbol),
        protein_search_call(gene.symbol),
        annotations.annotations_call(gene=gene.symbol),
        *([] if wanted else [definitions.frequencies_call(gene.symbol)]),
    ]
    star, proteins, graded, *rest = yield from ask(f"Ask what is known of {gene.symbol} and its alleles.", *calls)
    defined = yield from definitions.define(gene.symbol, star, wanted or definitions.of_function(star, NO_FUNCTION))
    accession = next((text_at(row, "primaryAccession") for row in proteins.rows()), "")
    ask_diseases = accession and "conditions" in question.tasks
    calls = [disease_comments.involvement_call(accession)] if ask_diseases else []
    diseases = yield from ask(f"Which diseases does {accession} have?", *calls)
    return Found(
        gene, bool(wanted), defined, star, next(iter(rest), None), proteins, graded, next(iter(diseases), None)
    )


def _block(found: Found) -> str:
    symbol = found.gene.symbol
    items = [each.told for each in found.defined]
    lead = f"{found.gene.reading}: {compose.plain(found.gene.name)}{_protein(found)}."
    none_named = "" if found.named else "No allele of it is named in the question: these are the ones without function."
    nothing = f"Alleles: {compose.said(found.star) or 'none of this function'}."
    return compose.document(
        lead,
        none_named,
        compose.bullets(items) if items else nothing,
        _sharing(found.defined),
        f"Definitions by CPIC, {compose.as_of([each.result for each in found.defined if each.result])}."
        if items
        else "",
        _drugs(found),
        _diseases(found),
        alleles.section(found.gene, found.star, found.frequencies) if found.frequencies else "",
        "" if found.star.has_data else f"Functions of {symbol} alleles: {compose.said(found.star)}.",
    )


def _protein(found: Found) -> str:
    row = next(iter(found.proteins.rows()), None)
    if row is None:
        return f"; UniProt: {compose.said(found.proteins)}" if found.proteins.is_failed else ""
    return f"; protein {compose.link('uniprot', text_at(row, 'primaryAccession'))}"


def _sharing(defined: list[Definition]) -> str:
    """Say which allele one of several variants defines alone."""
    lines = []
    for each in defined:
        for variant in each.variants if len(each.variants) > 1 else ():
            alone = [
                other.label
                for other in defined
                if [(one.rsid, one.state) for one in other.variants] == [(variant.rsid, variant.state)]
            ]
            if alone and variant.rsid:
                lines.append(f"{compose.link('rsid', variant.rsid)} alone defines {compose.listed(alone)}.")
    return " ".join(dict.fromkeys(lines))


def _drugs(found: Found) -> str:
    """Name the drugs that ClinPGx has the strongest evidence on, by level."""
    read = annotations.read_annotations(found.graded)
    if not read:
        return "" if found.graded.is_failed else f"Drugs in ClinPGx: {compose.said(found.graded)}."
    strongest = read[0].level
    drugs = list(dict.fromkeys(drug for each in read if each.level == strongest for drug in each.drugs))
    links = compose.listed([each.link for each in read if each.level == strongest], 3)
    names = compose.listed([compose.plain(drug) for drug in drugs], DRUGS_SHOWN)
    return f"Drugs for which it matters, at ClinPGx level {strongest}: {names} ({links})."


def _diseases(found: Found) -> str:
    if found.diseases is None:
        return ""
    names = [each.link for each in disease_comments.involved(found.diseases)]
    told = compose.listed(names, DISEASES_SHOWN) or compose.said(found.diseases) or "none in the entry"
    return f"Diseases of {found.gene.symbol} in UniProt: {told}."
