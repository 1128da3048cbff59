"""The way out of a recipe that cannot go on: its answer says why, or asks back."""

from chat.providers.planner import compose
from chat.providers.planner.shapes import Question

ABSENT = ("negative", "deficient", "low")


class AnswerNow(Exception):
    """Ends a recipe with `answer`."""

    def __init__(self, answer: str) -> None:
        super().__init__(answer)
        self.answer = answer


def refuse_absent_marker(question: Question) -> None:
    """End the recipe if the question's biomarker is absent: drugs on its gene would then be a wrong answer."""
    if question.marker.startswith(ABSENT):
        raise AnswerNow(
            f"The question is about {compose.plain(question.gene)}-{question.marker} disease. This recipe starts from "
            "a biomarker that is present: for one that is absent or low its answer would be wrong, so nothing was "
            "looked up. Ask by disease alone, or use a language model."
        )
