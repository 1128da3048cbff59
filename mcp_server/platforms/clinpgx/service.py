"""How ClinPGx and CPIC are asked, and how their answers are read.

ClinPGx is REST/JSON at https://api.clinpgx.org/v1, two requests a second, no paging: lists are sorted
and cut here, names must match exactly, and "nothing found" is a 404 whose body says so. Routes and class
names were renamed in 2026: the route asked, never the class name, tells what a record is. CPIC is
PostgREST at https://api.cpicpgx.org/v1; without `order` its rows come in no order.
"""

import html
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any

from mcp_server.args import gene_symbol_form, look_up_form
from mcp_server.envelope import Citation, InvalidArguments
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse, UpstreamNotFound
from mcp_server.http.rate_limit import Rate
from mcp_server.tool import Arg, Platform, Source

Json = Any

PAGE = "https://www.clinpgx.org"
HOST = "api.clinpgx.org"
CPIC_HOST = "api.cpicpgx.org"
CPIC = f"https://{CPIC_HOST}/v1"
EXACT_NAMES = "ClinPGx matches the generic drug name and the approved gene symbol exactly: resolve the name first."
# ClinPGx curates human genes only.
SPECIES = "Homo sapiens"

platform = Platform(
    "clinpgx",
    title="ClinPGx",
    base_url=f"https://{HOST}/v1",
    docs=f"https://{HOST}",
    licence="CC BY-SA 4.0 (ClinPGx), CC0 1.0 (CPIC)",
    rate=Rate(1.8),
    hosts=(CPIC_HOST,),
    source=Source(
        provider="ClinPGx (formerly PharmGKB), Stanford University; CPIC",
        homepage="https://www.clinpgx.org",
        attribution="Data from ClinPGx, CC BY-SA 4.0; CPIC tables, CC0.",
        cite="Whirl-Carrillo M et al. Clin Pharmacol Ther. 2021;110:563. https://doi.org/10.1002/cpt.2350",
        limits="2 requests a second; heavy users are asked to write first.",
        share_alike=True,
    ),
)

ACCESSION = re.compile(r"PA\d+", re.IGNORECASE)
RSID = re.compile(r"rs\d+", re.IGNORECASE)
EntityQuery = Annotated[
    str,
    Arg(
        "Gene symbol, generic drug name, rsID, star allele or PA accession; the exact name.",
        "CYP2C19",
        normalise=look_up_form,
    ),
]


def errors_of(error: UpstreamNotFound) -> list[Json] | None:
    """Return ClinPGx's own error list, or None if the 404 is not of its making."""
    if isinstance(error.body, dict) and error.body.get("status") == "fail":
        found = (error.body.get("data") or {}).get("errors")
        return found if isinstance(found, list) else None
    return None


async def search(api: Api, path: str, criteria: Mapping[str, Json], former_path: str = "") -> list[Json]:
    """Return the records that match; a 404 that speaks of no unknown id means none.

    `former_path` is asked once where the route itself is missing: routes were renamed in 2026.
    """
    try:
        answer = await api.get(path, criteria)
    except UpstreamNotFound as error:
        errors = errors_of(error)
        if errors is not None and not any(item.get("code") for item in errors):
            return []
        if errors is None and former_path:
            return await search(api, former_path, criteria)
        raise
    found = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(found, list):
        raise UpstreamBadResponse(HOST, f"no list of records in the answer of {path}")
    # The same record can stand in a list twice.
    return list({str(item["id"]): item for item in found}.values())


async def record(api: Api, path: str, view: str = "min", former_path: str = "") -> Json:
    """Return one record by accession, or None if ClinPGx does not know it."""
    try:
        answer = await api.get(path, {"view": view})
    except UpstreamNotFound as error:
        if errors_of(error) is not None:
            return None
        if former_path:
            return await record(api, former_path, view)
        raise
    found = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(found, dict):
        raise UpstreamBadResponse(HOST, f"no record in the answer of {path}")
    asked = path.rpartition("/")[2]
    if asked not in (str(found.get("id")), found.get("accessionId")):
        raise UpstreamBadResponse(HOST, f"asked for {asked}, got {found.get('id')}")
    return found


async def report(api: Api, path: str, parameters: Mapping[str, Json] | None = None) -> list[Json]:
    """Return the rows of a report: a bare list, a wrapped one, or no content at all."""
    try:
        response = await api.fetch("GET", path, parameters)
    except UpstreamNotFound as error:
        errors = errors_of(error)
        if errors is not None and not any(item.get("code") for item in errors):
            return []
        raise
    if response.status == 204 or not response.content.strip():
        return []
    try:
        answer = json.loads(response.content)
    except ValueError:
        answer = None
    found = answer.get("data") if isinstance(answer, dict) else answer
    if not isinstance(found, list):
        raise UpstreamBadResponse(HOST, f"no list of rows in the answer of {path}")
    return found


async def cpic_rows(api: Api, view: str, filters: Mapping[str, Json]) -> list[Json]:
    """Return the rows of a CPIC table or view."""
    found = await api.get(f"/{view}", filters, base=CPIC)
    if not isinstance(found, list):
        raise UpstreamBadResponse(CPIC_HOST, f"no list of rows in the answer of {view}")
    return found


def check_gene(found: Iterable[Json], gene: str) -> None:
    """Refuse rows of another gene."""
    for row in found:
        if row.get("genesymbol", gene) != gene:
            raise UpstreamBadResponse(CPIC_HOST, f"asked for {gene}, got a row of {row['genesymbol']}")


def needs_gene_or_drug(gene_symbol: str | None, drug_name: str | None) -> None:
    """Refuse a call that names neither."""
    if not gene_symbol and not drug_name:
        raise InvalidArguments("gene_symbol", "give a gene symbol, a drug name, or both", "CYP2C19")


def next_page(offset: int, returned: int, total: int) -> dict[str, Json] | None:
    """Return the arguments that go on, if there is more."""
    return {"offset": offset + returned} if returned and offset + returned < total else None


def joined(*names: str | None) -> str:
    """Return the names that were given, as one phrase."""
    return " and ".join(name for name in names if name)


def kept(found: Json, *names: str) -> dict[str, Json]:
    """Return some fields of a record, without those that say nothing."""
    return {name: found[name] for name in names if found.get(name) not in (None, "", [])}


def short(records: Iterable[Json] | None) -> list[Json]:
    """Return accession, symbol and name of related records."""
    return [kept(item, "id", "symbol", "name") for item in records or []]


def plain(markup: Json) -> str:
    """Return the text of ClinPGx's HTML, one line a paragraph or table row."""
    source = markup.get("html") if isinstance(markup, dict) else markup
    text = re.sub(r"</(p|li|tr|h\d|div)>|<br\s*/?>", "\n", source or "")
    text = re.sub(r"</t[dh]>", " | ", text)
    text = html.unescape(re.sub(r"<[^>]+>", "", text))
    return "\n".join(line for line in (" ".join(part.split()).strip(" |") for part in text.splitlines()) if line)


def external_ids(found: Json) -> list[Json]:
    """Return ids in other databases: those of genes and those of chemicals stand in different lists."""
    links = [*(found.get("crossReferences") or []), *(found.get("linkOuts") or [])]
    return [kept(link, "resource", "resourceId", "name") for link in links]


def papers(found: Json) -> list[Json]:
    """Return the papers of a record with their PubMed number where there is one."""
    listed = found.get("literature") or []
    return [_paper(paper) for paper in (listed if isinstance(listed, list) else [listed])]


def _paper(paper: Json) -> Json:
    links = paper.get("crossReferences") or []
    numbers = [str(link["resourceId"]) for link in links if link.get("resource") == "PubMed"]
    return {**kept(paper, "id", "title"), **({"pmid": numbers[0]} if numbers else {})}


def cited_papers(found: Iterable[Json]) -> list[Citation]:
    """Cite papers that have a PubMed number."""
    return [Citation("pmid", paper["pmid"], paper.get("title", "")) for paper in found if "pmid" in paper]


async def find_gene(api: Api, query: str) -> list[Json]:
    """Find a gene by its approved symbol."""
    return await search(api, "/data/gene", {"symbol": gene_symbol_form(query), "view": "min"})


async def find_chemical(api: Api, query: str) -> list[Json]:
    """Find a drug by its generic name, lower case first."""
    found = await search(api, "/data/chemical", {"name": query.lower(), "view": "min"})
    return found or await search(api, "/data/chemical", {"name": query.capitalize(), "view": "min"})


async def find_variant(api: Api, query: str) -> list[Json]:
    """Find a variant by its rsID."""
    return await search(api, "/data/variant/", {"symbol": query.lower(), "view": "min"})


async def find_haplotype(api: Api, query: str) -> list[Json]:
    """Find a star allele."""
    return await search(api, "/data/haplotype", {"symbol": query.upper(), "view": "min"})


async def find_disease(api: Api, query: str) -> list[Json]:
    """Find a disease by its name as written, then with a capital at each word, as most are stored."""
    found = await search(api, "/data/disease", {"name": query, "view": "min"})
    if found or query == query.title():
        return found
    return await search(api, "/data/disease", {"name": query.title(), "view": "min"})


FINDERS: dict[str, Callable[[Api, str], Any]] = {
    "gene": find_gene,
    "chemical": find_chemical,
    "variant": find_variant,
    "haplotype": find_haplotype,
    "disease": find_disease,
}


def kinds_of(query: str, kind: str) -> Sequence[str]:
    """Return the kinds of record that a name may have, in the order to try them."""
    if kind != "auto":
        return (kind,)
    if RSID.fullmatch(query):
        return ("variant",)
    return ("haplotype",) if "*" in query else ("gene", "chemical")


def cite(kind: str, found: Json) -> Citation:
    """Cite a record on the page of its kind."""
    label = found.get("symbol") or found.get("name") or ""
    return Citation("clinpgx", str(found["id"]), label, f"{PAGE}/{kind}/{found['id']}")


def without_wildcards(text: str) -> str:
    """Return text that PostgREST's pattern match takes literally."""
    return re.sub(r"[*%_]", " ", text).strip()
