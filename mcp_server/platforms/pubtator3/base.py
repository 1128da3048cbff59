"""What the tools of PubTator3 share: the platform, checked answers, entity ids and names, pages of records.

Ids are case-sensitive and can't be guessed (`@CHEMICAL_trametinib`, but `@CHEMICAL_Dacarbazine`), and an id
that does not exist is no error: it just finds nothing. So where nothing is found, the id is looked up.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any, Literal
from urllib.parse import quote

from mcp_server.args import look_up_form
from mcp_server.envelope import Answer, Citation, InvalidArguments, rows, unknown_id
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse, UpstreamRefused, UpstreamUnavailable
from mcp_server.http.rate_limit import Rate
from mcp_server.tool import Arg, Platform, Source

Json = Any

HOST = "www.ncbi.nlm.nih.gov"
RESEARCH = f"https://{HOST}/research"
LITVAR = f"{RESEARCH}/litvar2-api"
LITSENSE = f"{RESEARCH}/litsense2-api/api"
EUTILS = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils"
MACHINE = "Machine-extracted by text mining: read the article before relying on it."
# How many names the look-up brings when a name or an id is in doubt.
NEAR = 10

platform = Platform(
    "pubtator3",
    title="PubTator3",
    base_url=f"{RESEARCH}/pubtator3-api",
    docs=f"{RESEARCH}/pubtator3/api",
    licence="https://www.ncbi.nlm.nih.gov/home/about/policies/",
    # PubTator3 counts for itself, and a key raises nothing.
    rate=Rate(2.5, group="ncbi"),
    hosts=("eutils.ncbi.nlm.nih.gov",),
    key_parameter="api_key",
    source=Source(
        provider="PubTator3, LitVar2 and LitSense2, NCBI, U.S. National Library of Medicine",
        homepage=f"{RESEARCH}/pubtator3/",
        attribution="Annotations by PubTator3 (NCBI), machine-extracted; abstracts may be under copyright.",
        cite="Wei CH et al. Nucleic Acids Res. 2024;52(W1):W540. https://doi.org/10.1093/nar/gkae235",
        limits="3 requests a second; heavy users are asked to write to NCBI first. Updated weekly, with pauses.",
    ),
)

Concept = Literal["gene", "disease", "chemical", "variant", "species", "cellline"]
ENTITY = re.compile(r"@(GENE|DISEASE|CHEMICAL|VARIANT|SPECIES|CELLLINE)_[^\s()\"|]+")
# Ids by number are understood in a search, but no list of relations spells them so.
_BY_NUMBER = re.compile(r"@(GENE_\d+|(DISEASE|CHEMICAL)_(MESH|OMIM):\w+)")
_ABOUT_PREFIX = re.compile(r"Matched on (\w+) <m>(.*)</m>", re.DOTALL)

EntityText = Annotated[
    str,
    Arg(
        "PubTator3 id, or the exact name of a gene, disease, chemical or variant.", "@GENE_BRAF", normalise=look_up_form
    ),
]
Offset = Annotated[int, Arg("How many rows to skip: `next` of an earlier result gives it.", minimum=0, maximum=9999)]


@contextmanager
def weekly_update_told() -> Iterator[None]:
    """Tell the weekly update, which comes as a 400, from a request that was wrong."""
    try:
        yield
    except UpstreamRefused as error:
        if "updating the database" not in error.message.lower():
            raise
        raise UpstreamUnavailable(error.host, error.message, status=error.status, body=error.body) from error


async def asked(api: Api, path: str, parameters: Mapping[str, Json] | None = None, *, base: str | None = None) -> Json:
    """Return the JSON at `path`."""
    with weekly_update_told():
        return await api.get(path, parameters, base=base)


async def asked_list(
    api: Api, path: str, parameters: Mapping[str, Json] | None = None, *, base: str | None = None
) -> list[dict[str, Json]]:
    """Return the list of objects at `path`; anything else is a bad response."""
    found = await asked(api, path, parameters, base=base)
    if not isinstance(found, list) or not all(isinstance(row, dict) for row in found):
        raise UpstreamBadResponse(HOST, f"expected a list of objects, got {str(found)[:200]!r}")
    return found


def detail_of(error: UpstreamRefused) -> str:
    """Return the sentence in which the service says why it refused, or an empty text."""
    detail = error.body.get("detail") if isinstance(error.body, dict) else None
    return detail if isinstance(detail, str) else ""


@dataclass(frozen=True)
class Match:
    """One entity that the look-up offers, and by which of its names it was found."""

    id: str
    type: str
    name: str
    db: str
    db_id: str
    description: str
    matched_on: str
    matched_text: str

    @classmethod
    def of(cls, row: Json) -> "Match":
        """Read a row of the look-up; rows of older shape have no database."""
        said = str(row.get("match") or "")
        found = _ABOUT_PREFIX.fullmatch(said)
        return cls(
            str(row["_id"]), str(row.get("biotype") or ""), str(row.get("name") or ""), str(row.get("db") or ""),
            str(row.get("db_id") or ""), str(row.get("description") or ""),
            found[1] if found else re.sub("</?m>", "", said), found[2] if found else "",
        )  # fmt: skip

    def is_called(self, name: str) -> bool:
        """Tell whether the name, or the synonym that was found, is exactly this one."""
        return name.lower() in (self.name.lower(), self.matched_text.lower())


async def lookup(api: Api, query: str, concept: str | None = None, limit: int = NEAR) -> list[Match]:
    """Return what the look-up offers for a name, best first, checked to be of the wanted kind."""
    parameters = {"query": query, "concept": concept.upper() if concept else None, "limit": limit}
    found = await asked_list(api, "/entity/autocomplete/", parameters)
    if any("_id" not in row for row in found):
        raise UpstreamBadResponse(HOST, "an entity without its id")
    matches = [Match.of(row) for row in found]
    if concept and (odd := [match.id for match in matches if match.type.lower() != concept]):
        raise UpstreamBadResponse(HOST, f"asked for kind {concept}, it also sent {odd[0]}")
    return matches


async def entity_id(api: Api, argument: str, text: str) -> str:
    """Return the id of an entity that is given by id or by its exact name; refuse a name in doubt with its offers."""
    if text.startswith("@"):
        if _BY_NUMBER.fullmatch(text) or not ENTITY.fullmatch(text):
            raise InvalidArguments(
                argument, f"{text} is not spelt as the lists spell ids; look the name up with find_entity", "@GENE_BRAF"
            )
        return text
    matches = await lookup(api, text)
    named = [match for match in matches if match.name.lower() == text.lower()]
    exact = named or [match for match in matches if match.is_called(text)]
    if len(exact) == 1:
        return exact[0].id
    offers = ", ".join(match.id for match in exact or matches) or "none"
    why = "names several entities" if exact else "is not the exact name of an entity"
    raise InvalidArguments(argument, f"{text!r} {why}; ids that may be meant: {offers}", "@GENE_BRAF")


async def unknown_entity(api: Api, entity: str) -> Answer | None:
    """Return the answer for an id that does not exist; None where it does, or where the look-up can't tell."""
    kind, _, rest = entity.removeprefix("@").partition("_")
    if kind == "VARIANT" or _BY_NUMBER.fullmatch(entity):
        # The look-up lists variants by their own names, not by those in ids.
        return None
    matches = await lookup(api, rest.replace("_", " "), kind.lower())
    ids = [match.id for match in matches]
    if entity in ids:
        return None
    near = next((each for each in ids if each.lower() == entity.lower()), None)
    offers = f" Near ids: {', '.join(ids)}." if ids else ""
    return unknown_id(entity, f"PubTator3 does not list the id {entity}; ids are case-sensitive.{offers}", near)


def type_of(entity: str) -> str:
    """Return the kind that an id names: `@GENE_BRAF` → `gene`."""
    return entity.removeprefix("@").partition("_")[0].lower()


def page(
    items: Sequence[Json], limit: int, offset: int, data: Mapping[str, Json], name: str, note: str = "",
    citations: Sequence[Citation] = (),
) -> Answer:  # fmt: skip
    """Answer with a part of a whole list, which stands under `name` in `data`, and how to go on."""
    shown = list(items[offset : offset + limit])
    end = offset + len(shown)
    if items and not shown:
        note = f"There are only {len(items)}; offset {offset} lies behind the last. {note}".strip()
    following = {"offset": end} if shown and end < len(items) else None
    return rows(shown, total=len(items), next=following, note=note, data={**data, name: shown}, citations=citations)


def litvar_page(litvar_id: str) -> str:
    """Return the address of a variant's page in LitVar."""
    return f"{RESEARCH}/litvar2/docsum?variant={quote(litvar_id, safe='')}"


def search_page(text: str) -> str:
    """Return the address of the page that shows what PubTator3 finds for a query."""
    return f"{RESEARCH}/pubtator3/docsum?text={quote(text, safe='')}"


def entity_citation(entity: str, name: str, db: str, db_id: str) -> Citation:
    """Cite an entity by the record in its own database, or by what PubTator3 shows of it."""
    if db == "ncbi_gene":
        return Citation("ncbi_gene", db_id, name, f"https://{HOST}/gene/{db_id}")
    if db == "ncbi_mesh":
        return Citation("mesh", db_id, name, f"https://meshb.nlm.nih.gov/record/ui?ui={db_id}")
    if db == "litvar":
        return Citation("litvar", f"litvar@{db_id}", name, litvar_page(f"litvar@{db_id}"))
    if db == "ncbi_taxonomy":
        return Citation("taxonomy", db_id, name, f"https://{HOST}/datasets/taxonomy/{db_id}/")
    if db == "cvcl":
        return Citation("cellosaurus", f"CVCL_{db_id}", name, f"https://www.cellosaurus.org/CVCL_{db_id}")
    return Citation("pubtator3", entity, name, search_page(entity))
