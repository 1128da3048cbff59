"""ClinVar, MedGen and dbSNP through E-utilities: search, summaries, links, whole records."""

from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse, UpstreamRefused, UpstreamUnavailable

Json = Any
HOST = "eutils.ncbi.nlm.nih.gov"
# The length of the address bounds a batch.
SUMMARIES_MAX = 200


async def search(api: Api, term: str, limit: int, offset: int = 0, db: str = "clinvar") -> Json:
    """Return the `esearchresult` of a term."""
    parameters = {"db": db, "term": term, "retmode": "json", "retmax": limit, "retstart": offset or None}
    result = (await api.get("/esearch.fcgi", parameters)).get("esearchresult", {})
    if "idlist" not in result:
        raise UpstreamUnavailable(HOST, str(result.get("ERROR") or "the search gave no list of ids"))
    return result


def unknown_words(found: Json, optional: Sequence[str] = ()) -> list[str]:
    """Return the words and fields that a search does not know; refuse it when it ignored one and hit all the same.

    `optional` are alternatives of which others remain.
    """
    errors = found.get("errorlist") or {}
    unknown = [*(errors.get("phrasesnotfound") or []), *(errors.get("fieldsnotfound") or [])]
    decisive = [words for words in unknown if not any(phrase.lower() in words.lower() for phrase in optional)]
    if decisive and int(found["count"]):
        # The search then ignored a filter: its hits answer another question.
        raise UpstreamRefused(HOST, f"ClinVar does not know {', '.join(decisive)}", body=found)
    return unknown


async def summaries(api: Api, ids: Sequence[str], db: str = "clinvar") -> tuple[list[Json], list[str]]:
    """Return the summaries in the order of `ids`, and the ids that have none."""
    found: list[Json] = []
    for first in range(0, len(ids), SUMMARIES_MAX):
        batch = ids[first : first + SUMMARIES_MAX]
        answer = await api.get("/esummary.fcgi", {"db": db, "id": batch, "retmode": "json"})
        result = answer.get("result") or {}
        if not result and not answer.get("esummaryresult"):
            raise UpstreamBadResponse(HOST, "the summary answer holds no result")
        found += [result[uid] for uid in batch if uid in result and "error" not in result[uid]]
    known = {str(record["uid"]) for record in found}
    return found, [uid for uid in ids if uid not in known]


async def links(api: Api, source: str, target: str, uid: str, linkname: str | None = None) -> dict[str, list[str]]:
    """Return the ids in `target` that NCBI links to a record of `source`, each with the names of its links."""
    parameters = {"dbfrom": source, "db": target, "id": uid, "linkname": linkname, "retmode": "json"}
    answer = await api.get("/elink.fcgi", parameters)
    sets = answer.get("linksets")
    if not isinstance(sets, list):
        raise UpstreamBadResponse(HOST, str(answer.get("ERROR") or answer.get("error") or "no sets of links"))
    found: dict[str, list[str]] = {}
    for one in sets:
        if [str(asked) for asked in one.get("ids") or [uid]] != [uid]:
            raise UpstreamBadResponse(HOST, f"asked for links of {uid}, it answered {one['ids']}")
        # Without links there is no set of them at all.
        for links_ in one.get("linksetdbs") or []:
            for identifier in links_.get("links") or []:
                found.setdefault(str(identifier), []).append(links_.get("linkname", ""))
    return found


async def record(api: Api, variation_id: str) -> ElementTree.Element | None:
    """Return the `VariationArchive` element of a variant, or None when there is none."""
    parameters = {"db": "clinvar", "rettype": "vcv", "is_variationid": "true", "id": variation_id}
    archive = (await _xml(api, parameters)).find("VariationArchive")
    if archive is not None and archive.get("VariationID", variation_id) != variation_id:
        raise UpstreamBadResponse(HOST, f"asked for variant {variation_id}, it answered {archive.get('VariationID')}")
    return archive


async def condition_record(api: Api, accession: str) -> ElementTree.Element | None:
    """Return the `ClinVarSet` element of an RCV accession, or None when there is none."""
    return (await _xml(api, {"db": "clinvar", "rettype": "clinvarset", "id": accession})).find("ClinVarSet")


async def _xml(api: Api, parameters: dict[str, Json]) -> ElementTree.Element:
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
    if root.tag != "ClinVarResult-Set":
        raise UpstreamBadResponse(HOST, f"a document of the kind {root.tag!r} where a record was promised")
    return root
