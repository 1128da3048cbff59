"""How far a drug got: Open Targets' stages and ChEMBL's phases on one scale, and in words that name the source.

A stage belongs to the drug, over all diseases; neither source says it for the disease of a question.
"""

from chat.providers.planner import compose

# ChEMBL writes 4 for an approved drug; Open Targets tells a phase 4 trial from an approval.
APPROVED_LEVEL = 4.1
LEVELS = {
    "PRECLINICAL": 0.0,
    "IND": 0.2,
    "EARLY_PHASE_1": 0.5,
    "PHASE_1": 1.0,
    "PHASE_1_2": 1.5,
    "PHASE_2": 2.0,
    "PHASE_2_3": 2.5,
    "PHASE_3": 3.0,
    "PREAPPROVAL": 3.5,
    "WITHDRAWAL": 3.9,
    "PHASE_4": 4.0,
    "APPROVAL": APPROVED_LEVEL,
}
WITHDRAWN = "WITHDRAWAL"
UNKNOWN = -1.0
_WORDS = {
    "PRECLINICAL": "preclinical",
    "IND": "IND filed",
    "EARLY_PHASE_1": "early phase 1",
    "PREAPPROVAL": "in registration",
    "WITHDRAWAL": "withdrawn",
    "APPROVAL": "approved",
}


def level_of(stage: str, phase: float | None) -> float:
    """Return how far a record got by either source; -1 where neither says."""
    return max(LEVELS.get(stage, UNKNOWN), _phase_level(phase))


def _phase_level(phase: float | None) -> float:
    if phase is None or phase < 0:
        return UNKNOWN
    return APPROVED_LEVEL if phase >= 4 else phase


def stage_words(stage: str) -> str:
    """Return an Open Targets stage in words."""
    known = _WORDS.get(stage)
    return known or f"phase {stage.removeprefix('PHASE_').replace('_', '/')}"


def phase_words(phase: float) -> str:
    """Return a ChEMBL phase in words, without the source."""
    return "approved" if phase >= 4 else f"phase {phase:g}".replace("phase 0.5", "early phase 1")


def sourced_words(stage: str, phase: float | None, chembl_id: str = "", form: str = "") -> str:
    """Return the further of both stages with its source, both if they agree; with an id the sources are links."""
    level = level_of(stage, phase)
    if level == UNKNOWN:
        return ""
    sources = []
    if LEVELS.get(stage, UNKNOWN) == level:
        sources.append(compose.open_targets_link("drug", chembl_id, "Open Targets") if chembl_id else "Open Targets")
    if phase is not None and _phase_level(phase) == level:
        name = compose.link("chembl", chembl_id, "ChEMBL") if chembl_id else "ChEMBL"
        sources.append(f"{name} max. phase 4" if phase >= 4 else name)
    sources += [f"as {form}"] if form else []
    return f"{short_words(stage, phase)} ({', '.join(sources)})"


def short_words(stage: str, phase: float | None) -> str:
    """Return the further of both stages without its source."""
    level = level_of(stage, phase)
    if level == UNKNOWN:
        return ""
    return stage_words(stage) if LEVELS.get(stage, UNKNOWN) == level else phase_words(phase or 0.0)
