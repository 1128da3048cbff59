"""ClinVar through E-utilities: search, summaries, whole records."""

from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse, UpstreamUnavailable

Json = Any
HOST = "eutils.ncbi.nlm.nih.gov"


async def search(api: Api, term: str, limit: int, offset: int = 0) -> Json:
    """Return the `esearchresult` of a term."""
    parameters = {"db": "clinvar", "term": term, "retmode": "json", "retmax": limit, "retstart": offset or None}
    result = (await api.get("/esearch.fcgi", parameters)).get("esearchresult", {})
    if "idlist" not in result:
        raise UpstreamUnavailable(HOST, str(result.get("ERROR") or "the search gave no list of ids"))
    return result


async def summaries(api: Api, ids: Sequence[str]) -> tuple[list[Json], list[str]]:
    """Return the summaries in the order of `ids`, and the ids that have none."""
    if not ids:
        return [], []
    answer = await api.get("/esummary.fcgi", {"db": "clinvar", "id": ids, "retmode": "json"})
    result = answer.get("result") or {}
    if not result and not answer.get("esummaryresult"):
        raise UpstreamBadResponse(HOST, "the summary answer holds no result")
    found = [result[uid] for uid in ids if uid in result and "error" not in result[uid]]
    known = {record["uid"] for record in found}
    return found, [uid for uid in ids if uid not in known]


async def record(api: Api, variation_id: str) -> ElementTree.Element | None:
    """Return the `VariationArchive` element of a variant, or None when there is none."""
    parameters = {"db": "clinvar", "rettype": "vcv", "is_variationid": "true", "id": variation_id}
    text = await api.get_text("/efetch.fcgi", parameters, starts_with="<")
    # Expat fetches nothing from outside and bounds entity expansion, and the answer's size is bounded
    # by the transport; a document that declares entities of its own is refused all the same.
    if "<!ENTITY" in text:
        raise UpstreamBadResponse(HOST, "the record declares XML entities")
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise UpstreamBadResponse(HOST, f"the record is not well-formed XML: {error}") from error
    failure = root if root.tag == "ERROR" else root.find(".//ERROR")
    if failure is not None:
        raise UpstreamBadResponse(HOST, (failure.text or "an error without words").strip())
    return root.find("VariationArchive")
