"""The way out of a recipe that cannot go on: its answer says why, or asks back."""


class AnswerNow(Exception):
    """Ends a recipe with `answer`."""

    def __init__(self, answer: str) -> None:
        super().__init__(answer)
        self.answer = answer
