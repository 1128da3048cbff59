"""What is checked before a service is asked: the key, the effort, the tools."""

import logging
from collections.abc import Iterable, Sequence

from chat.providers.base import ModelFailure
from mcp_server.codes import TurnOutcome

logger = logging.getLogger(__name__)


def check_key(api_key: str, model_id: str, variable: str) -> None:
    """Raise `ModelFailure` where there is no key, naming the variable that should hold it."""
    if not api_key.strip():
        raise ModelFailure(
            TurnOutcome.MODEL_AUTH, f"No key for {model_id}: set {variable} in the server's environment."
        )


def check_effort(effort: str, model_id: str, levels: Sequence[str]) -> None:
    """Raise `ModelFailure` for a level of effort that the model does not have; one without levels is not told any."""
    if effort and levels and effort not in levels:
        raise ModelFailure(
            TurnOutcome.MODEL_BAD_REQUEST, f"{model_id} has no effort {effort!r}; use one of {', '.join(levels)}."
        )


def report_left_out(problems: Iterable[str], model_id: str, reported: set[str]) -> None:
    """Log why tools are not offered, each problem once; what was logged is added to `reported`."""
    for problem in {*problems} - reported - {""}:
        reported.add(problem)
        logger.warning("a tool is not offered to %s: %s", model_id, problem)
