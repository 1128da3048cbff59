"""PubChem: names and numbers, renamed properties, faults, and a service that says how busy it is."""

from typing import Any

import pytest

from mcp_server.platforms.pubchem import platform, throttling_pause_s
from tests.mcp_server.played import Played, call

NOT_FOUND = {"Fault": {"Code": "PUGREST.NotFound", "Message": "No CID found"}}
BUSY = {"Fault": {"Code": "PUGREST.ServerBusy", "Message": "Too many requests or server too busy"}}
GREEN = "Request Count status: Green (0%), Request Time status: Green (0%), Service status: Green (13%)"
ASPIRIN = {
    "CID": 2244,
    "MolecularFormula": "C9H8O4",
    "MolecularWeight": "180.16",
    "SMILES": "CC(=O)OC1=CC=CC=C1C(=O)O",
    "ConnectivitySMILES": "CC(=O)OC1=CC=CC=C1C(=O)O",
    "Title": "Aspirin",
}


def cids(*numbers: int) -> dict[str, Any]:
    """Return an answer with compound numbers."""
    return {"IdentifierList": {"CID": list(numbers)}}


def properties(*rows: dict[str, Any]) -> dict[str, Any]:
    """Return an answer with properties."""
    return {"PropertyTable": {"Properties": list(rows)}}


async def test_a_name_is_resolved_to_compounds_with_their_structure() -> None:
    played = Played().answer("/compound/name/aspirin/cids/", cids(2244)).answer("/property/", properties(ASPIRIN))
    envelope = await call(platform, played, "resolve_compound", name="aspirin")
    assert envelope.content == {"outcome": "data", "data": [ASPIRIN], "total": 1, "returned": 1}
    assert envelope.meta["burp/citations"] == [
        {
            "kind": "pubchem",
            "identifier": "2244",
            "label": "Aspirin",
            "url": "https://pubchem.ncbi.nlm.nih.gov/compound/2244",
        }
    ]


async def test_many_compounds_of_one_name_are_counted_and_the_first_shown() -> None:
    rows = [{**ASPIRIN, "CID": number} for number in range(1, 6)]
    played = Played().answer("/cids/", cids(*range(1, 9))).answer("/cid/1,2,3,4,5/property/", properties(*rows))
    envelope = await call(platform, played, "resolve_compound", name="glucose")
    assert (envelope.content["total"], envelope.content["returned"]) == (8, 5)
    assert "8 compounds have this name" in envelope.content["note"]


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("BSYNRYMUTXBXSQ-UHFFFAOYSA-N", "/compound/inchikey/BSYNRYMUTXBXSQ-UHFFFAOYSA-N/cids/JSON"),
        ("50-78-2", "/compound/name/50-78-2/cids/JSON"),
        ("5α-reductase", "/compound/name/5alpha-reductase/cids/JSON"),
        ("what? 100%", "/compound/name/what%3F%20100%25/cids/JSON"),
    ],
)
async def test_each_form_of_a_name_is_asked_in_its_own_place(name: str, part: str) -> None:
    played = Played().answer(part, NOT_FOUND, 404)
    envelope = await call(platform, played, "resolve_compound", name=name)
    assert envelope.content["outcome"] == "empty"


async def test_a_name_with_a_slash_is_sent_as_a_form() -> None:
    played = Played().answer("/compound/name/cids/JSON", NOT_FOUND, 404)
    await call(platform, played, "resolve_compound", name="sulfamethoxazole/trimethoprim")
    assert played.requests[0].text == "name=sulfamethoxazole%2Ftrimethoprim"


async def test_an_unknown_name_is_empty_and_says_what_was_looked_for() -> None:
    envelope = await call(
        platform, Played().answer("/cids/", NOT_FOUND, 404), "resolve_compound", name="notarealcompound"
    )
    assert envelope.content["outcome"] == "empty"
    assert "'notarealcompound'" in envelope.content["note"]


async def test_a_structure_without_a_record_is_empty() -> None:
    envelope = await call(platform, Played().answer("/cids/", cids(0)), "resolve_compound", name="x")
    assert envelope.content["outcome"] == "empty"


async def test_a_404_that_is_not_pubchems_own_is_a_failure() -> None:
    played = Played().answer("/cids/", "<html>not found</html>", 404)
    envelope = await call(platform, played, "resolve_compound", name="aspirin")
    assert envelope.content["error"]["code"] == "upstream_not_found"


@pytest.mark.case("C025")
async def test_old_names_of_the_structure_are_read_without_mixing_them_up() -> None:
    old = {"CID": 5793, "IsomericSMILES": "C([C@@H]1O)O", "CanonicalSMILES": "C(C1O)O"}
    envelope = await call(
        platform, Played().answer("/property/", properties(old)), "get_compound_properties", cids=["5793"]
    )
    (row,) = envelope.content["data"]["compounds"]
    assert (row["SMILES"], row["ConnectivitySMILES"]) == ("C([C@@H]1O)O", "C(C1O)O")


@pytest.mark.case("C025")
async def test_the_new_names_are_asked_for() -> None:
    played = Played().answer("/property/", properties(ASPIRIN))
    await call(platform, played, "get_compound_properties", cids=["2244"])
    assert ",SMILES,ConnectivitySMILES," in played.requests[0].url
    assert "CanonicalSMILES" not in played.requests[0].url


@pytest.mark.case("C025")
async def test_a_compound_without_a_structure_is_an_error_and_not_an_empty_structure() -> None:
    played = Played().answer("/property/", properties({"CID": 2244, "Title": "Aspirin"}))
    envelope = await call(platform, played, "get_compound_properties", cids=["2244"])
    assert envelope.content["error"]["code"] == "upstream_bad_response"


async def test_dead_numbers_are_listed_as_missing() -> None:
    played = Played().answer("/cid/2244,999999999/", properties(ASPIRIN, {"CID": 999999999}))
    envelope = await call(platform, played, "get_compound_properties", cids=["2244", "999999999", "02244"])
    assert envelope.content["data"] == {"compounds": [ASPIRIN], "missing": ["999999999"]}
    assert (envelope.content["total"], envelope.content["returned"]) == (2, 1)


async def test_only_dead_numbers_are_an_unknown_id() -> None:
    played = Played().answer("/property/", NOT_FOUND, 404)
    envelope = await call(platform, played, "get_compound_properties", cids=["999999999"])
    assert envelope.content["outcome"] == "unknown_id"
    assert envelope.content["data"]["missing"] == ["999999999"]


async def test_synonyms_are_cut_openly() -> None:
    names = {"InformationList": {"Information": [{"CID": 2244, "Synonym": ["aspirin", "50-78-2", "Acylpyrin"]}]}}
    played = Played().answer("/cid/2244/synonyms/", names)
    envelope = await call(platform, played, "get_compound_synonyms", cid="2244", limit=2)
    assert envelope.content == {
        "outcome": "data",
        "data": {"CID": "2244", "synonyms": ["aspirin", "50-78-2"]},
        "total": 3,
        "returned": 2,
        "next": {"offset": 2},
    }
    assert envelope.meta["burp/citations"][0]["identifier"] == "2244"


async def test_a_compound_without_names_differs_from_an_unknown_one() -> None:
    nameless = Played().answer("/synonyms/", NOT_FOUND, 404).answer("/property/", properties(ASPIRIN))
    unknown = Played().answer("/synonyms/", NOT_FOUND, 404).answer("/property/", NOT_FOUND, 404)
    assert (await call(platform, nameless, "get_compound_synonyms", cid="2244")).content["outcome"] == "empty"
    assert (await call(platform, unknown, "get_compound_synonyms", cid="9")).content["outcome"] == "unknown_id"


@pytest.mark.case("C024")
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("resolve_compound", {"name": "aspirin"}),
        ("get_compound_properties", {"cids": ["2244"]}),
        ("get_compound_synonyms", {"cid": "2244"}),
    ],
)
async def test_a_busy_pubchem_is_never_a_compound_that_does_not_exist(
    tool: str, arguments: dict[str, Any], no_backoff: None
) -> None:
    played = Played()
    for _ in range(4):
        played.answer("/compound/", BUSY, 503)
    envelope = await call(platform, played, tool, **arguments)
    assert envelope.content["error"]["code"] == "upstream_rate_limited"
    assert "PubChem is busy; try later" in envelope.content["error"]["message"]
    assert envelope.meta["burp/requests"][0]["attempts"] == 4


async def test_another_fault_of_pubchem_is_told_as_it_is(no_backoff: None) -> None:
    played = Played()
    for _ in range(4):
        played.answer("/compound/", {"Fault": {"Code": "PUGREST.Timeout", "Message": "The request timed out"}}, 504)
    envelope = await call(platform, played, "resolve_compound", name="aspirin")
    assert envelope.content["error"]["code"] == "upstream_unavailable"
    assert "timed out" in envelope.content["error"]["message"]


@pytest.mark.case("C024")
@pytest.mark.parametrize(
    ("header", "pause_s"),
    [
        ("", 0.0),
        (GREEN, 0.0),
        (GREEN.replace("Green (0%)", "Yellow (60%)", 1), 1.0),
        (GREEN.replace("Green (13%)", "Red (80%)"), 15.0),
        (GREEN.replace("Green (13%)", "Black (100%)"), 60.0),
        (f"{GREEN}, too many requests per second or blacklisted", 60.0),
    ],
    ids=["none", "green", "yellow", "red", "black", "blacklisted though green"],
)
def test_the_worst_colour_of_the_throttling_header_counts(header: str, pause_s: float) -> None:
    assert throttling_pause_s({"x-throttling-control": header}) == pause_s


@pytest.mark.case("C024")
async def test_a_blocked_address_is_not_asked_again_within_the_call() -> None:
    played = Played().answer(
        "/cids/", cids(2244), x_throttling_control=f"{GREEN}, too many requests per second or blacklisted"
    )
    envelope = await call(platform, played, "resolve_compound", name="aspirin", paced=True)
    assert envelope.content["error"]["code"] == "upstream_rate_limited"
    assert "asks for a pause" in envelope.content["error"]["message"]
    assert len(played.requests) == 1
