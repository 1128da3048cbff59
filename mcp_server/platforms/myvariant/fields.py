"""Which annotation fields the records of MyVariant have."""

from typing import Annotated, Any

from mcp_server.args import Limit, Offset, look_up_form
from mcp_server.envelope import Answer, InvalidArguments, empty, rows
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamBadResponse
from mcp_server.platforms.myvariant.base import HOST, FieldsAssembly, platform
from mcp_server.tool import Arg, Cite

Json = Any

Words = Annotated[str | None, Arg("Part of a field's name.", "revel", normalise=look_up_form)]
Prefix = Annotated[str | None, Arg("Beginning of a field's name: a block.", "gnomad_exome", normalise=look_up_form)]


@platform.tool(
    example={"search": "revel"},
    cites=Cite("myvariant_field", "[]", "field", url="https://docs.myvariant.info/en/latest/doc/data.html"),
    asks=(
        "which annotation fields are available",
        "name of the CADD field",
        "what data blocks does MyVariant have",
    ),
)
async def list_fields(
    api: Api,
    search: Words = None,
    prefix: Prefix = None,
    assembly: FieldsAssembly = "hg38",
    limit: Limit = 50,
    offset: Offset = 0,
) -> Answer:
    """Which annotation fields MyVariant's records have: field names with type, found by a word or by block. To read the
    values of a variant use variant_get with blocks.

    Rows: field, type, is_searchable, notes.
    """
    if not search and not prefix:
        raise InvalidArguments("search", "give a word or a prefix; there are thousands of fields", "revel")
    found = await api.get("/metadata/fields", {"assembly": assembly, "search": search, "prefix": prefix})
    if not isinstance(found, dict) or not all(isinstance(facts, dict) for facts in found.values()):
        raise UpstreamBadResponse(HOST, "not a list of fields")
    # Not every release of the service heeds both parameters.
    names = [name for name in sorted(found) if _fits(name, search, prefix)]
    if not names:
        return empty(f"No field on {assembly} fits.", data=[])
    shown = [_field(name, found[name]) for name in names[offset : offset + limit]]
    end = offset + len(shown)
    note = "" if shown else f"There are only {len(names)}; offset {offset} lies behind the last."
    return rows(shown, total=len(names), next={"offset": end} if shown and end < len(names) else None, note=note)


def _fits(name: str, search: str | None, prefix: str | None) -> bool:
    plain = name.lower()
    return (search or "").lower() in plain and plain.startswith((prefix or "").lower())


def _field(name: str, facts: Json) -> dict[str, Json]:
    return {
        "field": name,
        "type": facts.get("type"),
        "is_searchable": facts.get("index", True) is not False,
        **({"notes": facts["notes"]} if facts.get("notes") else {}),
    }
