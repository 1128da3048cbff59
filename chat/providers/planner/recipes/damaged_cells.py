"""Gene cells that a spreadsheet turned into dates: said, and asked back. Nothing is guessed."""

from chat.providers.planner import compose
from chat.providers.planner.replay import Recipe, ask
from chat.providers.planner.shapes import Question


def recipe(question: Question) -> Recipe[str]:
    """Name the damaged cells and ask for the symbols."""
    yield from ask("")
    cells = compose.listed([f"“{cell}”" for cell in question.damaged_cells])
    return compose.document(
        f"{cells} in the question {'looks' if len(question.damaged_cells) == 1 else 'look'} like gene names that a "
        "spreadsheet turned into dates. One such date can stand for genes of several families (MARCH or MARC, SEPT, "
        "DEC with the number), so nothing was looked up.",
        "Which genes are meant? Ask again with the symbols or Ensembl ids, one gene a question.",
    )
