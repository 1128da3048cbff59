"""Computed properties of compounds, and rules of thumb judged from them."""

from typing import Annotated, Any, Literal

from mcp_server.codes import ResultOutcome
from mcp_server.envelope import Answer
from mcp_server.http.client import Api
from mcp_server.platforms.pubchem.base import COMPOUNDS, COMPUTED, Cids, plain_number, platform, properties_of
from mcp_server.tool import Arg

Json = Any

Names = Annotated[
    list[
        Literal[
            "Title", "MolecularFormula", "MolecularWeight", "SMILES", "ConnectivitySMILES", "InChI", "InChIKey",
            "IUPACName", "XLogP", "ExactMass", "MonoisotopicMass", "TPSA", "Complexity", "Charge", "HBondDonorCount",
            "HBondAcceptorCount", "RotatableBondCount", "HeavyAtomCount", "IsotopeAtomCount", "AtomStereoCount",
            "DefinedAtomStereoCount", "UndefinedAtomStereoCount", "BondStereoCount", "CovalentUnitCount", "Volume3D",
            "PatentCount", "LiteratureCount",
        ]
    ]
    | None,
    Arg("Only these properties; without it a core set.", ["XLogP", "TPSA"], max_items=27),
]  # fmt: skip
# Each rule: property, comparison, bound. A rule set is broken by more than `allowed` of its rules.
RULES: dict[str, tuple[int, tuple[tuple[str, float, float], ...]]] = {
    "Lipinski": (
        1,
        (
            ("MolecularWeight", 0, 500),
            ("XLogP", -99, 5),
            ("HBondDonorCount", 0, 5),
            ("HBondAcceptorCount", 0, 10),
        ),
    ),
    "Veber": (0, (("RotatableBondCount", 0, 10), ("TPSA", 0, 140))),
    "Egan": (0, (("XLogP", -1, 5.88), ("TPSA", 0, 131.6))),
    "Rule of three (fragments)": (
        0,
        (
            ("MolecularWeight", 0, 300),
            ("XLogP", -99, 3),
            ("HBondDonorCount", 0, 3),
            ("HBondAcceptorCount", 0, 3),
        ),
    ),
}


@platform.tool(
    example={"cids": ["2244"]},
    cites=COMPOUNDS,
    asks=(
        "molecular weight and formula of a chemical",
        "SMILES of a compound",
        "logP, TPSA by CID",
        "hydrogen bond donors",
        "InChIKey of a CID",
        "exact mass",
    ),
)
async def get_compound_properties(api: Api, cids: Cids, properties: Names = None) -> Answer:
    """Computed properties by CID, up to 100 at once: formula, weight, SMILES, XLogP, TPSA, hydrogen bonds. Measured
    ones: get_experimental_properties; from a ChEMBL id: chembl__get_admet_properties.

    compounds: [{CID and the properties}], missing: [CID].
    """
    names = COMPUTED if properties is None else ",".join(dict.fromkeys(["Title", *properties]))
    compounds, missing = await compounds_of(api, cids, names)
    return _answer(compounds, missing, {"compounds": compounds, "missing": missing})


@platform.tool(
    example={"cids": ["3672"]},
    cites=COMPOUNDS,
    asks=(
        "does a compound obey Lipinski",
        "rule of five, Veber, lead-like",
        "is it likely to be orally available",
        "drug-like or not",
        "would it make a good pill",
    ),
)
async def assess_drug_likeness(api: Api, cids: Cids) -> Answer:
    """Drug-likeness of compounds by CID: Lipinski, Veber, Egan and fragment rules judged from computed properties, with
    the values used. The properties alone: get_compound_properties.

    compounds: [{CID, Title, values, rules: [{rule, passed, violations, not_judged}]}], missing.
    """
    compounds, missing = await compounds_of(api, cids, COMPUTED)
    judged = [_judged(compound) for compound in compounds]
    return _answer(judged, missing, {"compounds": judged, "missing": missing})


async def compounds_of(api: Api, cids: list[str], names: str) -> tuple[list[Json], list[str]]:
    """Return the properties of the compounds and the numbers that PubChem does not know."""
    numbers = list(dict.fromkeys(plain_number(cid) for cid in cids))
    compounds = await properties_of(api, numbers, names)
    known = {str(compound["CID"]) for compound in compounds}
    return compounds, [cid for cid in numbers if cid not in known]


def _answer(compounds: list[Json], missing: list[str], data: Json) -> Answer:
    note = f"PubChem has no compound {', '.join(missing)}." if missing else ""
    outcome = ResultOutcome.DATA if compounds else ResultOutcome.UNKNOWN_ID
    total = len(compounds) + len(missing)
    return Answer(data, outcome, total=total, returned=len(compounds), note=note)


def _judged(compound: Json) -> Json:
    values = {name: _number(compound.get(name)) for _, rules in RULES.values() for name, _, _ in rules}
    judgements = []
    for name, (allowed, rules) in RULES.items():
        broken, unknown = [], []
        for prop, low, high in rules:
            value = values[prop]
            if value is None:
                unknown.append(prop)
            elif not low <= value <= high:
                broken.append(
                    f"{prop} {value:g} is not {f'between {low:g} and' if low > 0 or low == -1 else 'at most'} {high:g}"
                )
        # What is not known may not be called passed.
        passed = False if len(broken) > allowed else None if len(broken) + len(unknown) > allowed else True
        judgements.append({"rule": name, "passed": passed, "violations": broken, "not_judged": unknown})
    return {"CID": compound["CID"], "Title": compound.get("Title"), "values": values, "rules": judgements}


def _number(value: Json) -> float | None:
    return None if value in (None, "") else float(value)
