"""What the tools of Ensembl share: the platform, arguments, hosts by assembly, checks of what came back."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

from mcp_server.args import region_form
from mcp_server.envelope import Answer, Citation, InvalidArguments, rows
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse, UpstreamNotFound, UpstreamRefused
from mcp_server.http.rate_limit import Rate, quota_pause_s
from mcp_server.tool import Arg, Cite, Platform, Source

Json = Any


platform = Platform(
    "ensembl",
    title="Ensembl",
    base_url="https://rest.ensembl.org",
    docs="https://rest.ensembl.org/documentation",
    licence="EMBL-EBI terms of use, no restriction",
    rate=Rate(10, group="ensembl"),
    hosts=("grch37.rest.ensembl.org",),
    pause_s=quota_pause_s,
    source=Source(
        provider="Ensembl, EMBL-EBI",
        homepage="https://www.ensembl.org",
        attribution="Data from Ensembl.",
        cite="Dyer SC et al. Nucleic Acids Res. 2025;53(D1):D948. https://doi.org/10.1093/nar/gkae1071",
        limits="15 requests a second and 55,000 an hour from one address; Retry-After is to be heeded.",
    ),
)


@platform.release
async def release(api: Api) -> str:
    """Read the number of the data release."""
    return str((await api.get("/info/data"))["releases"][0])


GRCH37 = "https://grch37.rest.ensembl.org"
HUMAN = "homo_sapiens"
GENE = Cite("ensembl", "", "id", "display_name")
_EVERYDAY_SPECIES = {
    "human": HUMAN,
    "mouse": "mus_musculus",
    "rat": "rattus_norvegicus",
    "zebrafish": "danio_rerio",
    "chicken": "gallus_gallus",
    "dog": "canis_lupus_familiaris",
    "pig": "sus_scrofa",
    "cow": "bos_taurus",
    "fly": "drosophila_melanogaster",
    "worm": "caenorhabditis_elegans",
    "yeast": "saccharomyces_cerevisiae",
}


def species_form(text: str) -> str:
    """Return a species as Ensembl names it: `Mus musculus` and `mouse` → `mus_musculus`."""
    name = text.lower().replace(" ", "_")
    return _EVERYDAY_SPECIES.get(name, name)


GENE_PATTERN = r"(ENS[A-Z]*G\d{11}|FBgn\d{7}|WBGene\d{8})"
_FOREIGN_PREFIXES = {"FBGN": "FBgn", "WBGENE": "WBGene"}


def stable_id_form(text: str) -> str:
    """Return a stable id in upper case, but for those of flies and worms, which have their own spelling."""
    found = re.match(r"[A-Z]+", text.upper())
    prefix = found[0] if found else ""
    return _FOREIGN_PREFIXES.get(prefix, prefix) + text.upper()[len(prefix) :]


Species = Annotated[
    str,
    Arg("Species as Ensembl names it.", "mus_musculus", r"^[a-z0-9_]+$", normalise=species_form),
]
Assembly = Annotated[
    Literal["GRCh38", "GRCh37"] | None,
    Arg("Genome assembly of the coordinates; required for genomic HGVS names and positions."),
]
RegionAssembly = Annotated[
    Literal["GRCh38", "GRCh37"] | None,
    Arg("Human genome assembly of the region; required for human, left out for other species."),
]
AnswerAssembly = Annotated[
    Literal["GRCh38", "GRCh37"],
    Arg("Human genome assembly that the answer refers to; other species have one assembly only."),
]
Region = Annotated[
    str,
    Arg(
        "Chromosome, first and last position, 1-based and inclusive; :-1 at the end for the reverse strand.",
        "7:140753336-140753436",
        r"^[A-Za-z0-9_.]+:\d+-\d+(:-1)?$",
        normalise=region_form,
    ),
]
VersionedId = Annotated[
    str,
    Arg(
        "Ensembl id, with or without a version suffix.",
        "ENSG00000141736",
        r"^ENS[A-Z]*[GTPE]\d{11}(\.\d+)?$",
        normalise=str.upper,
    ),
]


def on(api: Api, assembly: str | None, species: str = HUMAN) -> Api:
    """Return the caller of the host that serves an assembly."""
    if assembly != "GRCh37":
        return api
    if species != HUMAN:
        raise InvalidArguments("assembly", f"GRCh37 is an assembly of the human genome, not of {species}", "GRCh38")
    return replace(api, base_url=GRCH37)


def on_region(api: Api, assembly: str | None, species: str) -> Api:
    """Return the caller for a region: a human position means nothing without its assembly."""
    if species == HUMAN and assembly is None:
        raise InvalidArguments("assembly", "a position means nothing without its genome assembly", "GRCh38")
    if species != HUMAN and assembly is not None:
        raise InvalidArguments("assembly", f"{assembly} is an assembly of the human genome, not of {species}")
    return on(api, assembly, species)


def is_human(ensembl_id: str) -> bool:
    """Whether an id is one of human: it has no letters of a species."""
    return re.match(r"ENS[GTPE]\d", ensembl_id) is not None


def on_id(api: Api, assembly: str | None, ensembl_id: str) -> Api:
    """Return the caller for an id: only human records have two assemblies."""
    return on(api, assembly, HUMAN if is_human(ensembl_id) else f"the species of {ensembl_id}")


def bounds(region: str, longest: int, argument: str = "region") -> tuple[str, int, int]:
    """Return name, start and end of a region, or refuse one that is reversed or too long."""
    name, span, *_ = region.split(":")
    start, end = (int(number) for number in span.split("-"))
    if start < 1 or end < start:
        raise InvalidArguments(argument, f"{region!r} must start at 1 or later and not end before it starts")
    if end - start + 1 > longest:
        raise InvalidArguments(
            argument, f"{region!r} is {end - start + 1:,} bases long; at most {longest:,} are allowed"
        )
    return name, start, end


def region_words(name: str, start: int, end: int) -> tuple[str, ...]:
    """Return the words with which Ensembl says that it has no such region."""
    return (f"slice found for {name}", f"{name}:{start}-{end}", f"{name}:{start}..{end}")


async def known(
    api: Api,
    path: str,
    asked: str | Sequence[str],
    parameters: dict[str, Json] | None = None,
    base: str | None = None,
    body: Json = None,
) -> Json:
    """Return the JSON at `path`, or None when Ensembl says that it does not know `asked`.

    Every refusal is a 400; only its text tells "unknown" (it names what was asked) from a fault
    in the request or the service.
    """
    try:
        if body is not None:
            return await api.post(path, body, parameters, base=base)
        return await api.get(path, parameters, base=base)
    except (UpstreamRefused, UpstreamNotFound) as error:
        names = [asked] if isinstance(asked, str) else asked
        if any(name.lower() in error.message.lower() for name in names):
            return None
        raise


def matched(api: Api, what: str, asked: Json, got: Json) -> None:
    """Refuse an answer about another record than the one that was asked for."""
    if got is not None and str(got) != str(asked):
        raise UpstreamBadResponse(api.base_url.partition("//")[2], f"asked for {what} {asked}, it answered {got}")


def matched_assembly(api: Api, found: Iterable[Json], assembly: str | None) -> None:
    """Refuse coordinates of another assembly than the one that was asked for."""
    if assembly:
        for row in found:
            matched(api, "assembly", assembly, row.get("assembly_name"))


def page(
    items: Sequence[Json],
    limit: int,
    offset: int = 0,
    *,
    wrap: Json = None,
    under: str = "",
    note: str = "",
    citations: Sequence[Citation] = (),
) -> Answer:
    """Answer with a part of a whole list, and how to go on; `wrap` goes around it, the list `under` a name."""
    shown = list(items[offset : offset + limit])
    end = offset + len(shown)
    data = {**wrap, under: shown} if wrap is not None else None
    if items and not shown:
        note = f"There are only {len(items)}; offset {offset} lies behind the last. {note}".strip()
    following = {"offset": end} if shown and end < len(items) else None
    return rows(shown, total=len(items), next=following, note=note, data=data, citations=citations)


def kept(record: Json, fields: Iterable[str]) -> Json:
    """Return the named fields that are there and not empty."""
    return {name: record[name] for name in fields if record.get(name) not in (None, [], "")}


def filled(record: Json, without: Iterable[str] = ()) -> Json:
    """Return all fields that are not empty, but for those `without`."""
    dropped = set(without)
    return {name: value for name, value in record.items() if name not in dropped and value not in (None, [], "")}
