"""What the tools of MyVariant and its sisters share: the platform, arguments, queries, reading of fields.

A field holds an object when there is one value and a list when there are several, at every level;
`values` reads both. Clauses of a query are joined by explicit AND and OR in parentheses, because the
service reads a blank as OR in some queries and as AND in others.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal

from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse, UpstreamNotFound
from mcp_server.http.rate_limit import Rate
from mcp_server.tool import Arg, Platform, Source

Json = Any

HOST = "myvariant.info"
GENES = "https://mygene.info/v3"
CHEMICALS = "https://mychem.info/v1"
DISEASES = "https://mydisease.info/v1"

platform = Platform(
    "myvariant",
    title="MyVariant.info",
    base_url="https://myvariant.info/v1",
    docs="https://docs.myvariant.info",
    licence="each source's own, named in the _license fields; CADD, COSMIC and dbNSFP for non-commercial use",
    rate=Rate(8),
    hosts=("mygene.info", "mychem.info", "mydisease.info"),
    contact_parameter="email",
    source=Source(
        provider="BioThings (MyVariant, MyGene, MyChem, MyDisease), Scripps Research",
        homepage="https://myvariant.info",
        attribution="Data from MyVariant.info and its sister services; name the source of each block as well.",
        cite="Xin J et al. Genome Biol. 2016;17:91. https://doi.org/10.1186/s13059-016-0953-9",
        limits="No published quota; at most 1,000 ids a call and 10,000 rows a search; a contact address is asked for.",
    ),
)


@platform.release
async def release(api: Api) -> str:
    """Read the build of the variant index on hg38."""
    found = await api.get("/metadata", {"assembly": "hg38"})
    build = found.get("build_version") if isinstance(found, dict) else None
    if not build:
        raise UpstreamBadResponse(HOST, "the metadata name no build")
    return str(build)


AssemblyName = Literal["hg38", "hg19"]
Assembly = Annotated[
    AssemblyName | None,
    Arg("Genome assembly, hg38 when left out; ids and regions without one are looked up in both."),
]
Assemblies = Annotated[AssemblyName | None, Arg("Genome assembly to look in; both when left out.")]
FieldsAssembly = Annotated[AssemblyName, Arg("Genome assembly; the two have different fields.")]
BOTH: tuple[AssemblyName, ...] = ("hg38", "hg19")
WINDOW = 10_000


def as_list(value: Json) -> list[Json]:
    """Return what may be nothing, one value or a list as a list."""
    return [] if value is None else value if isinstance(value, list) else [value]


def values(record: Json, path: str) -> list[Json]:
    """Return all values at a dotted path, through every list on the way; `cadd.phred` and `clinvar.rcv.accession`."""
    found = [record]
    for name in path.split("."):
        found = [
            value
            for part in found
            for item in as_list(part)
            if isinstance(item, dict)
            for value in as_list(item.get(name))
        ]
    return found


def texts(record: Json, *paths: str) -> list[str]:
    """Return the texts and numbers at some paths, each once, in order; a dot or an empty text is no value."""
    found = [value for path in paths for value in values(record, path) if isinstance(value, str | int | float)]
    return list(dict.fromkeys(str(value) for value in found if str(value).strip() not in ("", ".")))


def first_text(record: Json, *paths: str) -> str | None:
    """Return the first text at some paths."""
    return next(iter(texts(record, *paths)), None)


def numbers(record: Json, path: str) -> list[float]:
    """Return the numbers at a path; scores come as a number, a list with one a transcript, or as texts."""
    found = []
    for value in values(record, path):
        if isinstance(value, bool):
            continue
        try:
            found.append(float(value))
        except (TypeError, ValueError):
            continue
    return found


def highest(record: Json, path: str) -> float | None:
    """Return the highest number at a path, or None where there is none."""
    return max(numbers(record, path), default=None)


def quoted(text: str) -> str:
    """Return a text as one exact term of a query."""
    inside = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{inside}"'


def either(clauses: Iterable[str]) -> str:
    """Return clauses of which one must hold."""
    return f"({' OR '.join(clauses)})"


def is_any(fields: Sequence[str], terms: Iterable[str]) -> str:
    """Return the clause that one of some fields holds one of some texts exactly."""
    return either(f"{field}:{quoted(term)}" for term in terms for field in fields)


async def search(
    api: Api, parameters: Mapping[str, Json], *, base: str | None = None, host: str = HOST
) -> tuple[list[Json], int]:
    """Run a search; return its hits and the service's own count."""
    return hits_of(await api.get("/query", parameters, base=base), host)


def hits_of(found: Json, host: str) -> tuple[list[Json], int]:
    """Return the hits and their total; anything else than a result of a search is a bad response."""
    hits = found.get("hits") if isinstance(found, dict) else None
    total = found.get("total") if isinstance(found, dict) else None
    if not isinstance(hits, list) or not isinstance(total, int) or not all(isinstance(hit, dict) for hit in hits):
        said = found.get("error") if isinstance(found, dict) else ""
        raise UpstreamBadResponse(host, f"not a result of a search{f': {said}' if said else ''}")
    if any("_id" not in hit for hit in hits):
        raise UpstreamBadResponse(host, "a hit without its id")
    return hits, total


async def known(api: Api, path: str, parameters: Mapping[str, Json]) -> Json:
    """Return the JSON at `path`, or None where the service itself says that it does not know the id."""
    try:
        return await api.get(path, parameters)
    except UpstreamNotFound as error:
        if isinstance(error.body, dict) and error.body.get("success") is False:
            return None
        raise


def filled(record: Mapping[str, Json]) -> dict[str, Json]:
    """Return the fields that say something."""
    return {name: value for name, value in record.items() if value not in (None, [], "", {})}
