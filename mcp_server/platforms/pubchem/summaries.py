"""One page about a compound, joined from its record and its page."""

from typing import Any

from mcp_server.args import PubchemCid
from mcp_server.envelope import Answer
from mcp_server.http.client import Api
from mcp_server.http.together import together
from mcp_server.platforms.pubchem.base import (
    COMPOUND,
    COMPUTED,
    known,
    listed_ids,
    matched,
    no_compound,
    plain_number,
    platform,
    properties_of,
)
from mcp_server.platforms.pubchem.views import section_of, statements

Json = Any

NAMES_MAX = 20
CLASSES = {
    "atc": "ATC Code",
    "fda_classes": "FDA Pharmacological Classification",
    "mesh_classes": "MeSH Pharmacological Classification",
}


@platform.tool(
    example={"cid": "5291"},
    cites=COMPOUND,
    noise="del(.properties.ConnectivitySMILES)",
    keep=(
        ".CID",
        ".Title",
        ".properties.MolecularWeight",
        ".properties.SMILES",
        ".synonyms[]",
        ".atc[].text",
    ),
    asks=(
        "what is this chemical",
        "description of a compound",
        "overview of a CID",
        "compound page with class and ATC code",
    ),
)
async def get_compound_summary(api: Api, cid: PubchemCid) -> Answer:
    """One page on a chemical compound by CID: names, formula and computed properties, short descriptions with sources,
    ATC code, FDA and MeSH drug classes. A medicine's stage and targets: opentargets__get_drug_info.

    CID, Title, properties, synonyms (first 20), descriptions: [{text, source, url}], atc, fda_classes, mesh_classes.
    """
    number = plain_number(cid)
    compounds = await properties_of(api, [number], COMPUTED)
    if not compounds:
        return no_compound(cid)
    names, described, *classes = await together(
        (
            known(api, f"/compound/cid/{number}/synonyms/JSON"),
            known(api, f"/compound/cid/{number}/description/JSON"),
            *(section_of(api, number, heading) for heading in CLASSES.values()),
        )
    )
    synonyms = listed_ids(names, "Synonym") if names else []
    data: dict[str, Json] = {
        "CID": cid,
        "Title": compounds[0].get("Title"),
        "properties": {name: value for name, value in compounds[0].items() if name not in ("CID", "Title")},
        "synonyms": synonyms[:NAMES_MAX],
        "descriptions": _descriptions(described or {}, number),
    }
    for name, record in zip(CLASSES, classes, strict=True):
        data[name] = [{"text": row["text"], "sources": row["sources"]} for row in statements(record)] if record else []
    more = len(synonyms) - NAMES_MAX
    note = f"{more} more names: get_compound_synonyms." if more > 0 else ""
    return Answer(data, note=note)


def _descriptions(answer: Json, number: str) -> list[Json]:
    found = []
    for row in (answer.get("InformationList") or {}).get("Information") or []:
        matched("compound", number, row.get("CID"))
        if row.get("Description"):
            found.append(
                {
                    "text": row["Description"],
                    "source": row.get("DescriptionSourceName"),
                    "url": row.get("DescriptionURL"),
                }
            )
    return found
