"""How ChEMBL is asked, and what every answer of it is checked for.

REST/JSON at https://www.ebi.ac.uk/chembl/api/data, no key. An unknown parameter is silently ignored,
so every row is checked for what was asked for. Most numbers arrive as text. A 404 with an empty body
means "no such record", one with a page means a routing fault. All kinds of records share one number
space: an id that has no record may be one of another kind, or retired.
"""

from collections.abc import Callable, Iterable
from typing import Annotated, Any, Literal

from mcp_server.envelope import Answer, Citation, InvalidArguments, empty, unknown_id
from mcp_server.http.client import Api, Parameters
from mcp_server.http.errors import UpstreamBadResponse, UpstreamNotFound
from mcp_server.http.rate_limit import Rate
from mcp_server.tool import Arg, Platform, Source

Json = Any

HOST = "www.ebi.ac.uk"
platform = Platform(
    "chembl",
    title="ChEMBL",
    base_url=f"https://{HOST}/chembl/api/data",
    docs="https://chembl.gitbook.io/chembl-interface-documentation/web-services",
    licence="CC BY-SA 3.0",
    rate=Rate(4),
    source=Source(
        provider="ChEMBL, EMBL-EBI",
        homepage="https://www.ebi.ac.uk/chembl",
        attribution="Data from ChEMBL, named with its release, CC BY-SA 3.0.",
        cite="Zdrazil B et al. Nucleic Acids Res. 2024;52(D1):D1180. https://doi.org/10.1093/nar/gkad1004",
        limits="No published quota; pages of at most 1,000 rows.",
        share_alike=True,
    ),
)


@platform.release
async def release(api: Api) -> str:
    """Read the name and the date of the release."""
    status = await api.get("/status.json")
    return f"{status['chembl_db_version']} ({status['chembl_release_date']})"


PAGE_ROWS = 1000
REFERENCES_SHOWN = 5
# What ChEMBL calls the kinds of its records, and their pages.
ENTITY_TYPES = {"molecule": "COMPOUND", "target": "TARGET", "assay": "ASSAY", "document": "DOCUMENT"}
PAGES = {
    "COMPOUND": "compound", "TARGET": "target", "ASSAY": "assay", "DOCUMENT": "document",
    "CELL": "cell_line", "TISSUE": "tissue",
}  # fmt: skip

ChemblTargetId = Annotated[str, Arg("ChEMBL id of a target.", "CHEMBL1824", r"^CHEMBL\d+$", normalise=str.upper)]
ChemblAssayId = Annotated[str, Arg("ChEMBL id of an assay.", "CHEMBL615159", r"^CHEMBL\d+$", normalise=str.upper)]
AssayType = Annotated[
    Literal["B", "F", "A", "T", "P", "U"],
    Arg("Kind of assay: B binding, F functional, A ADME, T toxicity, P physicochemical, U unclassified."),
]
StandardType = Annotated[str, Arg("Kind of measurement as ChEMBL spells it: IC50, Ki, Kd, EC50, Potency …", "IC50")]
MinPhase = Annotated[
    float,
    Arg("Lowest clinical phase to keep: 4 approved, 3, 2, 1, 0.5 early phase 1.", 4, minimum=-1, maximum=4),
]
Organism = Annotated[str, Arg("Species by its scientific name.", "Homo sapiens")]


def number(value: Json) -> float | None:
    """Read a number that may be text; what is none becomes None, never 0."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def number_or_text(value: Json) -> Json:
    """Read text that holds a number as one; leave anything else as it is."""
    found = number(value) if isinstance(value, str) else None
    return value if found is None else found


def kept(record: Json, *names: str) -> dict[str, Json]:
    """Return some fields of a record, without those that say nothing."""
    return {name: record[name] for name in names if record.get(name) not in (None, "", [])}


def cite(entity_type: str, chembl_id: str, label: str | None = "") -> Citation:
    """Cite a record on the page of its kind."""
    return Citation("chembl", chembl_id, label or "", f"https://{HOST}/chembl/explore/{PAGES[entity_type]}/{chembl_id}")


def cite_molecule(molecule: Json) -> Citation:
    """Cite a molecule."""
    return Citation("chembl", molecule["molecule_chembl_id"], molecule.get("pref_name") or "")


def cite_target(target_id: str, label: str | None = "") -> Citation:
    """Cite a target."""
    return cite("TARGET", target_id, label)


async def record(api: Api, path: str, parameters: Parameters | None = None) -> Json:
    """Return one record, or None if ChEMBL does not know the id."""
    try:
        return await api.get(path, parameters)
    except UpstreamNotFound as error:
        if error.body:
            raise UpstreamBadResponse(error.host, f"a page instead of a record: {error.message}", status=404) from error
        return None


def page_of(answer: Json, key: str, asked: str) -> tuple[list[Json], int]:
    """Return the rows of a collection's page and the service's count."""
    if not isinstance(answer, dict) or not isinstance(answer.get(key), list):
        raise UpstreamBadResponse(HOST, f"no {key!r} in the answer of {asked}")
    total = (answer.get("page_meta") or {}).get("total_count")
    return answer[key], len(answer[key]) if total is None else total


async def collection(api: Api, resource: str, key: str, parameters: Parameters) -> tuple[list[Json], int]:
    """Return the rows of a collection and the service's count."""
    answer = await api.get(f"/{resource}.json", {**parameters, "limit": parameters.get("limit", PAGE_ROWS)})
    return page_of(answer, key, resource)


def check(found: Iterable[Json], field: str, wanted: Json) -> None:
    """Refuse rows of another record: ChEMBL answers an unknown filter with the whole table."""
    check_all(found, field, wanted, lambda value: bool(value == wanted))


def check_all(found: Iterable[Json], field: str, wanted: Json, fits: Callable[[Json], bool]) -> None:
    """Refuse rows whose field does not fit what was asked for."""
    for row in found:
        if not fits(row.get(field)):
            raise UpstreamBadResponse(HOST, f"asked for {field} {wanted}, got a row of {row.get(field)}")


def contains(wanted: str) -> Callable[[Json], bool]:
    """Return a test for text that holds `wanted` in any case."""
    return lambda value: wanted.lower() in str(value or "").lower()


def at_least(least: float) -> Callable[[Json], bool]:
    """Return a test for numbers, as text or not, of at least `least`."""

    def fits(value: Json) -> bool:
        found = number(value)
        return found is not None and found >= least

    return fits


def at_most(most: float) -> Callable[[Json], bool]:
    """Return a test for numbers, as text or not, of at most `most`."""

    def fits(value: Json) -> bool:
        found = number(value)
        return found is not None and found <= most

    return fits


def next_page(offset: int, returned: int, total: int) -> dict[str, Json] | None:
    """Return the arguments that go on, if there is more."""
    return {"offset": offset + returned} if returned and offset + returned < total else None


def one_of(**arguments: Json) -> str:
    """Return the name of the one argument that was given; none or several are refused."""
    given = [name for name, value in arguments.items() if value]
    if len(given) != 1:
        names = " or ".join(arguments)
        raise InvalidArguments(given[0] if given else next(iter(arguments)), f"give exactly one of {names}")
    return given[0]


async def why_unknown(api: Api, chembl_id: str, kind: str) -> str:
    """Say why ChEMBL has no record of this kind, or return nothing where it has one."""
    entry = await record(api, f"/chembl_id_lookup/{chembl_id}.json")
    if entry is None:
        return f"ChEMBL has no {kind} {chembl_id}."
    check([entry], "chembl_id", chembl_id)
    if entry.get("entity_type") != ENTITY_TYPES[kind]:
        return f"{chembl_id} is no {kind}: ChEMBL gave it to a record of type {entry.get('entity_type')}."
    if entry.get("status") not in (None, "ACTIVE"):
        return f"ChEMBL retired the {kind} {chembl_id}; its last release was {entry.get('last_active')}."
    return ""


async def unknown(api: Api, chembl_id: str, kind: str) -> Answer:
    """Answer that there is no such record, and why."""
    reason = await why_unknown(api, chembl_id, kind)
    return unknown_id(chembl_id, reason or f"ChEMBL lists the {kind} {chembl_id} but has no record of it.")


async def nothing(api: Api, chembl_id: str, kind: str, note: str, data: Json = None) -> Answer:
    """Tell a record without rows from one that does not exist."""
    reason = await why_unknown(api, chembl_id, kind)
    return unknown_id(chembl_id, reason) if reason else empty(note, data)
