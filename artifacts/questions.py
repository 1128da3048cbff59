"""Ready jq filters for what is most likely asked of a large result: what is in it, which, how many of each. Pure."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from artifacts.shape import PLAIN_KEY, Shape, join

SHOWN_KEYS = 3
# Columns with such names say most about an item, in this order.
TELLING = ("id", "name", "symbol", "title", "label", "accession", "identifier", "term", "score", "status", "phase")
TOP = 10
PLAIN = frozenset({"string", "number", "boolean", "null"})
# They can't stand alone as a key of an object that is built.
WORDS_OF_JQ = frozenset(
    ["and", "or", "not", "if", "then", "elif", "else", "end", "as", "def", "reduce", "foreach", "try", "catch", "label"]
    + ["import", "include", "module", "__loc__"]
)


def ready_filters(found: Sequence[Shape], main: Shape | None) -> Iterator[tuple[str, str]]:
    """Yield the three questions that are most likely asked, each with a filter that runs as it is.

    `main` is the list with the most in it. Where items are not objects, or there is no list, the questions are of
    the value's parts.
    """
    items = _item(found, main)
    if main is None or items is None:
        yield from _without_list(found, main)
        return
    columns = _columns(found, items)
    # Items that nobody looked at may be of another kind.
    each = f"{items.path} | objects" if items.types != {"object"} or not items.is_complete else items.path
    row = "{" + ", ".join(column.shown for column in columns[:SHOWN_KEYS]) + "}" if columns else "keys"
    yield "How many, which?", f"`({main.path} | length), [{each} | {row}]`"
    group = next((column for column in columns if len(column.shape.enumeration) > 1 and not column.is_address), None)
    if group is not None:
        value = json.dumps(group.shape.enumeration[0], ensure_ascii=False)
        yield f"Only some, by {group.label}?", f"`[{each} | select({group.at} == {value}) | {row}]`"
        counted = f"map([(.[0] | {group.at}), length])"
        yield f"How many of each {group.label}?", f"`[{each}] | group_by({group.at}) | {counted}`"
        return
    number = next((column for column in columns if column.is_measure), None)
    if number is not None:
        yield f"Highest {number.label}?", f"`[{each}] | sort_by({number.at}) | reverse[:{TOP}] | map({row})`"
    yield "Those that mention a word?", f'`[{each} | select(tostring | test("WORD"; "i")) | {row}]`'


def _without_list(found: Sequence[Shape], main: Shape | None) -> Iterator[tuple[str, str]]:
    if main is not None:
        yield "How many, the first?", f"`({main.path} | length), [limit({TOP}; {join(main.path, '[]')})]`"
    elif found and found[0].types & {"object", "map"}:
        yield "What are the parts, and how large?", "`map_values(tojson | length)`"
    yield "Texts that mention a word?", f'`[limit({TOP}; .. | strings | select(test("WORD"; "i")))]`'
    yield "Where is a word?", f'`[limit({TOP}; paths(strings | test("WORD"; "i")))]`'


def _item(found: Sequence[Shape], main: Shape | None) -> Shape | None:
    """Return the shape of the items of a list, where they are objects."""
    item = next((shape for shape in found if main is not None and shape.up is main), None)
    return item if item is not None and "object" in item.types else None


@dataclass(frozen=True)
class Column:
    """A plain value of each item, or of an object in it: its path from the item, and a name for it."""

    shape: Shape
    at: str
    label: str

    @property
    def shown(self) -> str:
        """The value as a part of an object."""
        return self.label if self.at == f".{self.label}" else f"{self.label}: {self.at}"

    @property
    def is_address(self) -> bool:
        """Whether it leads somewhere, which nobody asks for."""
        return self.label.lower().endswith(("url", "link", "href"))

    @property
    def is_measure(self) -> bool:
        """Whether it is a number that says how much."""
        low, high = self.shape.numbers or (0, 0)
        return low != high and self.shape.types <= {"number", "null"} and not self.label.lower().endswith("id")


def _columns(found: Sequence[Shape], items: Shape) -> list[Column]:
    """Return the plain values of the items, those first that say most; each name once."""
    columns: dict[str, Column] = {}
    for shape in found:
        inner = shape.up is not None and shape.up.up is items and shape.up.types == {"object"}
        if not shape.types <= PLAIN or not (shape.up is items or inner):
            continue
        at = shape.path.removeprefix(items.path)
        keys = at.replace("?", "").removeprefix(".").split(".")
        if all(PLAIN_KEY.fullmatch(key) and key not in WORDS_OF_JQ for key in keys):
            label = keys[-1] if keys[-1] not in columns else "_".join(keys)
            # What nobody looked at may lack the object in between.
            columns[label] = Column(shape, f"{at}?" if inner and not items.is_complete else at, label)
    return sorted(columns.values(), key=lambda column: (_telling(column.label), column.shape.depth, -column.shape.seen))


def _telling(key: str) -> int:
    """Return how early a column should stand; those of no known kind come last, in their own order."""
    words = key.lower()
    return next((place for place, word in enumerate(TELLING) if words == word or words.endswith(word)), len(TELLING))
