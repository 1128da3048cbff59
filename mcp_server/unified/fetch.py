"""`fetch`: open one record by the id that `search` gave, in the form that fetch clients expect."""

import time
from collections.abc import Mapping
from typing import Any

from mcp_server.codes import ResultOutcome
from mcp_server.envelope import Envelope, InvalidArguments
from mcp_server.unified.answering import cited, failure, fetched_at
from mcp_server.unified.calls import Calls, SourceFailed
from mcp_server.unified.domains.base import Document, LegFailed, notice
from mcp_server.unified.execute import WHOLE_S
from mcp_server.unified.opening import AT_LENGTH, kind_of
from mcp_server.unified.query.plan import DOMAINS
from mcp_server.unified.tool import Desk, own_form

Json = Any
EXAMPLES = "PMID38768446, DOI:10.1101/…, NCT02296125, rs113488022, GENE:673, CHEMBL941, MONDO:0005105"


async def fetch(desk: Desk, arguments: Mapping[str, Json]) -> Envelope:
    """Open a record. What is no id, what nobody has, and what could not be asked are told apart."""
    identifier = str(arguments["id"]).strip()
    domain = _domain(arguments.get("domain"))
    found = kind_of(identifier, domain)
    if found is None:
        raise InvalidArguments("id", _no_id(identifier, domain), "PMID38768446")
    of_domain, opened = found
    is_full = arguments.get("detail") == "full"
    calls = Calls(desk).by(time.monotonic() + WHOLE_S)
    desk.progress(f"opening {identifier}")
    try:
        document = await opened(calls, is_full)
    except SourceFailed as failed:
        return failure(calls, [failed.wire(of_domain)])
    except LegFailed as failed:
        return failure(calls, [each.wire(of_domain) for each in failed.failures])
    if document is None:
        message = f"No database has {identifier}. Check the id, or look it up with search."
        content = {"error": {"code": "E_NOT_FOUND", "message": message, "id": identifier, "domain": of_domain}}
        return own_form(content, desk, outcome=ResultOutcome.UNKNOWN_ID)
    if is_full and of_domain not in AT_LENGTH:
        words = f"detail full was not applied: it is for articles and trials, and {identifier} is whole as it is."
        document.notices.append(notice("N_NOT_APPLIED", words))
    return _answer(document, of_domain, calls)


def _no_id(identifier: str, domain: str | None) -> str:
    """Say why nothing is called so, and what to write instead."""
    if domain == "variant":
        return (
            f"{identifier!r} is no variant that can be opened; write rs113488022, chr7:g.140753336A>T@hg38, BRAF V600E"
        )
    hint = "; a bare number needs its domain, for example article" if identifier.isdigit() else ""
    hint = hint or ("" if domain else "; a name needs its domain, for example gene or drug")
    return f"{identifier!r} is no id that can be opened; ids look like {EXAMPLES}{hint}"


def _domain(name: Json) -> str | None:
    if name is None:
        return None
    word = str(name).strip().lower()
    singular = next((domain for domain in DOMAINS if word in (domain, f"{domain}s")), None)
    if singular is None:
        raise InvalidArguments("domain", f"{name!r} is none of {', '.join(DOMAINS)}", "article")
    return singular


def _answer(document: Document, domain: str, calls: Calls) -> Envelope:
    errors = [failed.wire(domain) for failed in document.errors]
    missing = ", ".join(dict.fromkeys(str(error["source"]) for error in errors))
    partial = [notice("N_PARTIAL", f"These sources brought no answer: {missing}.")] if errors else []
    meta = {
        "status": "partial" if errors else "complete",
        "domain": domain,
        "sources": list(document.sources),
        "errors": errors,
        "notices": [*partial, *document.notices],
        "fetched_at": fetched_at(calls),
    }
    return own_form({**document.wire(), "_meta": meta}, calls.desk, citations=cited(calls.citations))
