"""Results that were too large to be read whole: what of them a recipe reads, and how it asks for that.

The transcript then holds the envelope with an artifact id instead of its data; `inspect_artifact` reads
the stored data with a jq filter that keeps its shape, reduced to what recipes use.
"""

import json
from dataclasses import replace
from typing import Any

from chat.providers.base import ToolResult
from chat.providers.planner.results import Call, Result, body_of, call, failed, read_result
from mcp_server.codes import ToolCode

Json = Any
INSPECT = "inspect_artifact"
# The answer of a filter is capped: lists are cut, and the cut is counted.
ROWS_KEPT = 200
_MECHANISM = "{mechanismOfAction, actionType, targets: [(.targets // [])[:8][] | {approvedSymbol}]}"
_DRUG = (
    "{id, maxClinicalStage, drug: (.drug | if . == null then null else {id, name, drugType, parentMolecule, "
    f"mechanismsOfAction: {{rows: [(.mechanismsOfAction.rows? // [])[:12][] | {_MECHANISM}]}}}} end)}}"
)
_TARGET = "{score, target: (.target | {id, approvedSymbol})}"


def _rows(owner: str, name: str, row: str) -> str:
    return f"{{{owner}, {name}: [(.{name} // [])[:{ROWS_KEPT}][] | {row}]}}"


_FILTERS = {
    "opentargets__get_target_drugs": _rows("target", "rows", _DRUG),
    "opentargets__get_disease_drugs": _rows("disease", "rows", _DRUG),
    "opentargets__get_disease_associated_targets": _rows("disease", "rows", _TARGET),
    "reactome__get_pathway_participants": _rows("stId", "participants", "{identifier, database, geneName}"),
    "clinvar__get_variant_record": "del(.hgvs)",
}
_ANY = f'if type == "array" then .[:{ROWS_KEPT}] else . end'


def artifact_id(result: ToolResult) -> str:
    """Return the id of the artifact that holds a result's data, or an empty string if the data is here."""
    envelope = _json(body_of(result))
    return str(envelope.get("artifact_id") or "") if isinstance(envelope, dict) and "data" not in envelope else ""


def inspect_call(wanted: Call, stored: str) -> Call:
    """Return the call that reads what a recipe needs of a stored result."""
    jq_filter = _FILTERS.get(wanted.tool, _ANY)
    return call(INSPECT, f"the stored result: {wanted.about}", artifact_id=stored, filters=[jq_filter])


def inspected(wanted: Call, reference: ToolResult, looked: ToolResult) -> Result:
    """Return the result of `wanted`: its envelope from the reference, its data from the look into the artifact."""
    answer = read_result(wanted, looked)
    if not answer.has_data:
        return replace(answer, fetched_at=read_result(wanted, reference).fetched_at)
    data = _json(answer.data) if isinstance(answer.data, str) else answer.data
    if data is None:
        return failed(wanted, ToolCode.UPSTREAM_BAD_RESPONSE, "the stored result could not be read")
    result = read_result(wanted, reference)
    kept = next((len(part) for part in _lists(data)), None)
    returned = min(kept, result.returned) if kept is not None and result.returned is not None else result.returned
    return replace(result, data=data, returned=returned)


def _lists(data: Json) -> list[list[Json]]:
    if isinstance(data, list):
        return [data]
    return [part for part in data.values() if isinstance(part, list)] if isinstance(data, dict) else []


def _json(text: Json) -> Json:
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return None
