"""How cBioPortal is asked: the platform, its arguments, and what every answer must be."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Annotated, Any, Literal, TypeVar
from urllib.parse import quote

from mcp_server.args import AMINO_ACIDS, look_up_form
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse, UpstreamError, UpstreamUnavailable
from mcp_server.http.rate_limit import Rate
from mcp_server.http.together import together
from mcp_server.tool import Arg, Platform, Source

Json = Any
Key = TypeVar("Key")
Found = TypeVar("Found")

HOST = "www.cbioportal.org"
SITE = f"https://{HOST}"
HOTSPOTS_HOST = "www.cancerhotspots.org"
STUDIES_MAX = 20
# The portal has been overloaded for days: no more than this many of a call's requests run side by side.
AT_ONCE = 4
COUNTED = "samples"
STUDY_BY_STUDY = "One study at a time: patients may be in several studies, so studies are never added up."
# How the portal's files write "missing".
MISSING = frozenset({"", "NA", "N/A", "NAN", "[NOT AVAILABLE]", "NOT AVAILABLE"})

platform = Platform(
    "cbioportal",
    title="cBioPortal",
    base_url=f"{SITE}/api",
    docs="https://docs.cbioportal.org/web-api-and-clients/",
    licence="ODbL 1.0 (cBioPortal unless a study says otherwise; Cancer Hotspots)",
    rate=Rate(4),
    hosts=(HOTSPOTS_HOST,),
    keep_s=24 * 3600.0,
    source=Source(
        provider="cBioPortal for Cancer Genomics; Cancer Hotspots, Memorial Sloan Kettering Cancer Center",
        homepage=SITE,
        attribution="Data from cBioPortal and Cancer Hotspots, ODbL 1.0; name the original study.",
        cite="Cerami E et al. Cancer Discov. 2012;2:401. https://doi.org/10.1158/2159-8290.CD-12-0095",
        limits="No published quota; overload is answered with 429. Some studies restrict commercial use.",
        share_alike=True,
    ),
)


@platform.release
async def release(api: Api) -> str:
    """Read the versions of the portal and of its database."""
    info = await api.get("/info")
    return f"portal {info['portalVersion']}, database {info['dbVersion']}"


_THREE_LETTERS = re.compile("|".join(name.capitalize() for name in AMINO_ACIDS))


def change_form(text: str) -> str:
    """Return a protein change as the portal writes it, one letter a residue: `p.(Val600Glu)` → `V600E`."""
    plain = re.sub(r"^p\.", "", look_up_form(text), flags=re.IGNORECASE).strip("()")
    if re.match(r"[A-Z][a-z]{2}\d", plain):
        return _THREE_LETTERS.sub(lambda found: AMINO_ACIDS[found[0].lower()], plain)
    return plain.upper() if re.fullmatch(r"[a-z]\d+[a-z]?", plain) else plain


GeneName = Annotated[
    str,
    Arg(
        "Gene symbol, former symbol or alias such as HER2, or Entrez number.",
        "BRAF",
        r"^[^\s/,;?#]{1,40}$",
        normalise=look_up_form,
    ),
]
StudyId = Annotated[
    str, Arg("cBioPortal study id: see search_cancer_studies.", "msk_chord_2024", r"^[a-z0-9_]+$", normalise=str.lower)
]
StudyIds = Annotated[
    list[str],
    Arg(
        "cBioPortal study ids; without them the 32 studies of the TCGA PanCancer Atlas.",
        ["msk_chord_2024"],
        r"^[a-z0-9_]+$",
        max_items=STUDIES_MAX,
        normalise=str.lower,
    ),
]
CancerProteinChange = Annotated[
    str,
    Arg(
        "Protein change (V600E, E746_A750del, X327_splice), or a residue for all changes at it (V600).",
        "V600E",
        r"^[A-Z*][A-Za-z0-9_*=>?-]*\d[A-Za-z0-9_*=>?-]*$",
        normalise=change_form,
    ),
]
Alteration = Literal["mutation", "cna", "structural_variant"]


def listed(answer: Json, what: str, host: str = HOST) -> list[dict[str, Json]]:
    """Return the records of a list; any other shape is a bad response."""
    if not isinstance(answer, list) or not all(isinstance(row, dict) for row in answer):
        raise UpstreamBadResponse(host, f"no list of records in the answer of {what}")
    return answer


def record_of(answer: Json, field: str, asked: str) -> dict[str, Json]:
    """Return a single record that is the one asked for."""
    if not isinstance(answer, dict) or str(answer.get(field)) != asked:
        found = answer.get(field) if isinstance(answer, dict) else type(answer).__name__
        raise UpstreamBadResponse(HOST, f"asked for {asked}, got {found}")
    return answer


def says_unknown(error: UpstreamError, what: str) -> bool:
    """Tell the portal's own "Gene not found: X" from a 404 of its front door."""
    said = error.body.get("message") if isinstance(error.body, dict) else None
    return isinstance(said, str) and said.startswith(f"{what} not found")


def segment(text: str) -> str:
    """Return a text as one part of a path."""
    return quote(text, safe="")


def is_missing(value: Json) -> bool:
    """Tell whether a value stands for nothing."""
    return value is None or (isinstance(value, str) and value.strip().upper() in MISSING)


def known(record: Mapping[str, Json], *names: str) -> dict[str, Json]:
    """Return some fields of a record, without those that say nothing."""
    return {name: record[name] for name in names if not is_missing(record.get(name))}


def fraction(altered: int, profiled: int, where: str) -> dict[str, Json]:
    """Return altered over profiled with the percentage; more altered than profiled samples can't be."""
    if altered > profiled:
        raise UpstreamBadResponse(HOST, f"{where}: {altered} altered of {profiled} profiled samples is above 100 %")
    percent = round(100 * altered / profiled, 2) if profiled else None
    return {"altered_samples": altered, "profiled_samples": profiled, "percent": percent}


async def settled(
    ask: Callable[[Key], Awaitable[Found]], keys: Iterable[Key], at_once: int = AT_ONCE
) -> dict[Key, Found | UpstreamError]:
    """Ask for each key, a few side by side; a failure stands in the place of its result."""
    gate = asyncio.Semaphore(at_once)

    async def one(key: Key) -> tuple[Key, Found | UpstreamError]:
        async with gate:
            try:
                return key, await ask(key)
            except UpstreamError as error:
                return key, error

    return dict(await together(one(key) for key in keys))


def split(
    results: Mapping[str, Found | UpstreamError], what: str = "study_id"
) -> tuple[dict[str, Found], list[dict[str, Json]]]:
    """Return what came, and what failed in words; when nothing came, raise the first failure."""
    good = {key: found for key, found in results.items() if not isinstance(found, UpstreamError)}
    bad = {key: error for key, error in results.items() if isinstance(error, UpstreamError)}
    if bad and not good:
        raise next(iter(bad.values()))
    return good, [{what: key, "source": error.host, "message": str(error)} for key, error in bad.items()]


def failure_note(failed: Iterable[Mapping[str, Json]], what: str = "study_id") -> str:
    """Return the sentence that says what is missing from an answer."""
    names = ", ".join(str(one[what]) for one in failed)
    return f"Not answered, so missing here: {names}." if names else ""


def refuse_if_missing(found: Iterable[Json], failed: Iterable[Mapping[str, Json]]) -> None:
    """Fail where nothing was found and something did not answer: that is no finding."""
    if not any(True for _ in found) and (note := failure_note(failed)):
        raise UpstreamUnavailable(HOST, note)


def next_page(offset: int, returned: int, total: int) -> dict[str, Json] | None:
    """Return the arguments that go on, if there is more."""
    return {"offset": offset + returned} if returned and offset + returned < total else None


def sentences(*parts: str) -> str:
    """Join the sentences that are there."""
    return " ".join(part for part in parts if part)


def study_url(study_id: str) -> str:
    """Return a study's page."""
    return f"{SITE}/study/summary?id={study_id}"


def gene_url(study_id: str, symbol: str) -> str:
    """Return the page of a gene in a study."""
    return f"{SITE}/results/mutations?cancer_study_list={study_id}&gene_list={segment(symbol)}"
