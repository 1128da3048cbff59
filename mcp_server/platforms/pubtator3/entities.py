"""Names of genes, diseases, chemicals, variants, species and cell lines, brought to ids."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from mcp_server.args import look_up_form
from mcp_server.codes import ResultOutcome
from mcp_server.envelope import Answer, empty
from mcp_server.http.client import Api
from mcp_server.platforms.pubtator3.base import Concept, Match, entity_citation, lookup, platform
from mcp_server.tool import Arg

Json = Any


@platform.tool(
    example={"query": "BRCA1", "limit": 3},
    asks=(
        "PubTator id of a gene or disease",
        "normalise an entity name for the literature",
        "@GENE, @DISEASE id",
    ),
)
async def find_entity(
    api: Api,
    query: Annotated[
        str,
        Arg("Name, symbol or variant, at most 256 characters.", "BRCA1", r"^.{1,256}$", normalise=look_up_form),
    ],
    concept: Annotated[Concept | None, Arg("Only entities of this kind.", "gene")] = None,
    limit: Annotated[int, Arg("How many to bring at most.", minimum=1, maximum=20)] = 5,
) -> Answer:
    """Look a name up for the literature tools: PubTator3 ids (@GENE_..., @DISEASE_..., @CHEMICAL_..., @VARIANT_...)
    with NCBI Gene, MeSH or LitVar id. The ids are for search_literature and find_relations; for Ensembl, EFO or ChEMBL
    ids use opentargets__search_entities.

    Rows: id, type, name, db, db_id, description (species), matched_on and matched_text (which of its names fits).
    """
    matches = await lookup(api, query, concept, limit)
    if not matches:
        kind = f"{concept} " if concept else ""
        return empty(f"PubTator3 lists no {kind}entity for {query!r}.", [])
    # The service does not say how many more there are.
    shown, is_cut = matches[:limit], len(matches) >= limit
    return Answer(
        [_row(match) for match in shown],
        ResultOutcome.DATA,
        total=None if is_cut else len(shown),
        returned=len(shown),
        note=" ".join(_notes(shown, is_cut)),
        citations=[entity_citation(match.id, match.name, match.db, match.db_id) for match in shown],
    )


def _notes(shown: Sequence[Match], is_cut: bool) -> Iterator[str]:
    if any(match.type == "gene" for match in shown):
        yield "PubTator3 does not say of which species a gene's db_id is; ensembl__lookup_gene has the human gene."
    if is_cut:
        yield "There may be more; raise `limit`."


def _row(match: Match) -> Json:
    names = ("id", "type", "name", "db", "db_id", "description", "matched_on", "matched_text")
    return {name: value for name in names if (value := getattr(match, name))}
