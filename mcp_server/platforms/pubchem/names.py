"""From names and structures to compounds, and from a compound to its names and ids elsewhere."""

import re
from typing import Annotated, Any, Literal
from urllib.parse import quote

from mcp_server.args import Offset, PubchemCid, look_up_form
from mcp_server.envelope import Answer, InvalidArguments, empty, rows
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamRefused
from mcp_server.platforms.pubchem.base import (
    IDENTITY,
    RowLimit,
    ask,
    fault_code,
    known,
    listed_ids,
    nothing_about,
    page,
    platform,
    properties_of,
)
from mcp_server.platforms.pubchem.views import section_of, statements
from mcp_server.tool import Arg, Cite

Json = Any

COMPOUNDS_MAX = 5
AUTOCOMPLETE = "https://pubchem.ncbi.nlm.nih.gov/rest/autocomplete"
INCHIKEY = re.compile(r"[A-Z]{14}-[A-Z]{10}-[A-Z]")
# Bonds and stereo marks, which no name has.
SMILES = re.compile(r"(?=.*[=#@])[A-Za-z0-9@+\-\[\]()=#$/\\%.:*]+")


@platform.tool(
    core=True,
    example={"name": "aspirin"},
    cites=Cite("pubchem", ".[]", ".CID", ".Title"),
    asks=(
        "CAS number to compound",
        "PubChem CID of a chemical",
        "name to SMILES",
        "InChIKey lookup",
        "which chemical is this",
    ),
)
async def resolve_compound(
    api: Api,
    name: Annotated[
        str, Arg("Drug or chemical name, CAS number, InChIKey, InChI or SMILES.", "aspirin", normalise=look_up_form)
    ],
    form: Annotated[
        Literal["auto", "name", "smiles", "inchi", "inchikey"], Arg("What `name` is; auto recognises it.")
    ] = "auto",
) -> Answer:
    """Any chemical's name, CAS number, SMILES, InChI or InChIKey to PubChem CIDs with formula, SMILES, InChIKey. For a
    misspelt name use autocomplete; a medicine's ChEMBL id: chembl__resolve_drug; ids in many databases:
    myvariant__chem_resolve.

    Rows: CID, Title, MolecularFormula, MolecularWeight, SMILES, ConnectivitySMILES, InChIKey, IUPACName.
    """
    kind = recognised(name) if form == "auto" else form
    answer = await _cids(api, kind, name)
    if answer is None:
        return empty(f"PubChem has no compound called {name!r}. Biologics such as antibodies have none.")
    cids = listed_ids(answer, "CID")
    if not cids:
        return empty(f"PubChem has no compound called {name!r}.")
    compounds = await properties_of(api, cids[:COMPOUNDS_MAX], IDENTITY)
    more = f"{len(cids)} compounds have this name; the first {len(compounds)} are shown."
    return rows(compounds, total=len(cids), note=more if len(cids) > len(compounds) else "")


def recognised(name: str) -> str:
    """Return what kind of name a text is."""
    if INCHIKEY.fullmatch(name.upper()):
        return "inchikey"
    if name.startswith("InChI="):
        return "inchi"
    return "smiles" if SMILES.fullmatch(name) else "name"


async def _cids(api: Api, kind: str, name: str) -> Json:
    if kind == "inchikey":
        return await known(api, f"/compound/inchikey/{name.upper()}/cids/JSON")
    # PUG REST takes a slash in the path for the end of the name.
    if kind == "name" and "/" not in name:
        return await known(api, f"/compound/name/{quote(name, safe='')}/cids/JSON")
    try:
        return await known(api, f"/compound/{kind}/cids/JSON", {kind: name})
    except UpstreamRefused as error:
        if fault_code(error) == "PUGREST.BadRequest" and kind != "name":
            raise InvalidArguments("name", f"PubChem cannot read {name!r} as {kind}", "CC(=O)O") from error
        raise


@platform.tool(
    example={"text": "aspirn", "limit": 5},
    asks=(
        "misspelt chemical name",
        "suggest a compound name",
        "spelling of a drug",
        "complete an unfinished name",
    ),
)
async def autocomplete(
    api: Api,
    text: Annotated[str, Arg("Beginning of a name, or a misspelt one; at least 3 letters.", "aspirn", r"^.{3,}")],
    dictionary: Annotated[
        Literal["compound", "gene", "taxonomy", "assay"], Arg("What the name is a name of.")
    ] = "compound",
    limit: Annotated[int, Arg("How many names at most.", minimum=1, maximum=50)] = 10,
) -> Answer:
    """Spelling help: PubChem's nearest names for a misspelt or unfinished compound, gene, organism or assay name. Gives
    names, no ids; go on with resolve_compound.

    Rows: names, best first; the list is filled up with similar words.
    """
    answer = await ask(api, f"/{dictionary}/{quote(text, safe='')}/json", base=AUTOCOMPLETE, limit=limit)
    names = (answer.get("dictionary_terms") or {}).get(dictionary) or []
    return rows(names, note="" if names else f"PubChem knows no {dictionary} name like {text!r}.")


@platform.tool(
    example={"cid": "2244"},
    cites=Cite("pubchem", ".", ".CID"),
    asks=(
        "other names of a chemical",
        "IUPAC name, trade names, CAS number of a CID",
        "also known as",
        "how is the substance also called",
    ),
)
async def get_compound_synonyms(
    api: Api,
    cid: PubchemCid,
    limit: Annotated[int, Arg("How many names to return at most.", minimum=1, maximum=500)] = 30,
    offset: Offset = 0,
) -> Answer:
    """Names, trade names, CAS and registry numbers of a compound by CID, the most used ones first. For ids sorted by
    database use get_external_ids.

    CID, synonyms: [name].
    """
    answer = await known(api, f"/compound/cid/{cid}/synonyms/JSON")
    names = [] if answer is None else listed_ids(answer, "Synonym")
    if not names:
        return await nothing_about(
            api, cid, f"PubChem lists no names for compound {cid}.", {"CID": cid, "synonyms": []}
        )
    return page(names, limit, offset, wrap={"CID": cid}, under="synonyms")


@platform.tool(
    example={"cid": "4"},
    cites=Cite("pubchem", ".", ".CID", ".Title"),
    asks=(
        "ChEBI, KEGG or HMDB id of a compound",
        "DrugBank id from a CID",
        "registry numbers",
        "database cross-references of a chemical",
    ),
)
async def get_external_ids(
    api: Api,
    cid: PubchemCid,
    kind: Annotated[
        Literal["RegistryID", "RN", "PubMedID", "MMDBID", "ProteinGI", "TaxonomyID", "GeneID", "PatentID", "SourceName"]
        | None,
        Arg("Only cross-references of this kind, as a list; without it the curated ids by database.", "RegistryID"),
    ] = None,
    limit: RowLimit = 100,
    offset: Offset = 0,
) -> Answer:
    """Ids of a compound in other databases by CID: CAS, UNII, ChEBI, ChEMBL, DrugBank, KEGG, HMDB, Wikidata; with
    `kind` one long list (RegistryID, GeneID …). From a name: myvariant__chem_resolve. Papers: get_literature; patents:
    get_patents.

    CID, Title, ids: {database: [id]}; with kind: CID, kind, ids: [id].
    """
    if kind is not None:
        answer = await known(api, f"/compound/cid/{cid}/xrefs/{kind}/JSON")
        ids = [] if answer is None else listed_ids(answer, kind)
        wrap = {"CID": cid, "kind": kind}
        if not ids:
            return await nothing_about(api, cid, f"PubChem lists no {kind} of compound {cid}.", {**wrap, "ids": []})
        # The order of the list changes from request to request.
        return page(sorted(ids), limit, offset, wrap=wrap, under="ids")
    record = await section_of(api, cid, "Other Identifiers")
    if record is None:
        note = f"PubChem lists no other identifiers of compound {cid}."
        return await nothing_about(api, cid, note, {"CID": cid, "ids": {}})
    ids_of: dict[str, list[str]] = {}
    for row in statements(record):
        for text in row["text"].split("\n"):
            known_ids = ids_of.setdefault(row["heading"], [])
            if text and text not in known_ids:
                known_ids.append(text)
    found = [{"database": name, "ids": ids} for name, ids in ids_of.items()]
    shown = found[offset : offset + limit]
    data: dict[str, Json] = {"CID": cid, "Title": record.get("RecordTitle")}
    data |= {"ids": {row["database"]: row["ids"] for row in shown}}
    following = {"offset": offset + len(shown)} if shown and offset + len(shown) < len(found) else None
    return rows(shown, total=len(found), next=following, data=data)
