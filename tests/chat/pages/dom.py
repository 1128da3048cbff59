"""A page as a tree, changed by out-of-band swaps the way htmx does it: to compare pages that are alike."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"input", "br", "hr", "meta", "link", "img", "use", "rect"}


@dataclass
class Node:
    """An element; text is a string among its children."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list["Node | str"] = field(default_factory=list)

    def walk(self):
        """Yield this element and all below it."""
        yield self
        for child in self.children:
            if isinstance(child, Node):
                yield from child.walk()

    def find(self, element_id: str) -> "Node | None":
        """Return the element with an id."""
        return next((node for node in self.walk() if node.attributes.get("id") == element_id), None)

    def all(self, css_class: str) -> list["Node"]:
        """Return the elements of a class."""
        return [node for node in self.walk() if css_class in node.attributes.get("class", "").split()]

    def all_tags(self, *tags: str) -> list["Node"]:
        """Return the elements of some tags."""
        return [node for node in self.walk() if node.tag in tags]

    @property
    def text(self) -> str:
        """The text, without the spaces between tags."""
        parts = (child if isinstance(child, str) else child.text for child in self.children)
        return " ".join(" ".join(parts).split())


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = Node("root")
        self.open = [self.root]

    def handle_starttag(self, tag, attrs):
        node = Node(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(node)
        if tag not in VOID:
            self.open.append(node)

    def handle_startendtag(self, tag, attrs):
        self.open[-1].children.append(Node(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        assert self.open[-1].tag == tag, f"</{tag}> closes <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data):
        if data.strip():
            self.open[-1].children.append(" ".join(data.split()))


def parse(html: str) -> Node:
    """Return the tree of a fragment; fail if its tags don't match."""
    builder = _Builder()
    builder.feed(html)
    builder.close()
    assert builder.open == [builder.root], f"<{builder.open[-1].tag}> is not closed"
    return builder.root


def swap(page: Node, html: str) -> None:
    """Apply out-of-band swaps; fail where the page lacks the target."""
    for fragment in parse(html).children:
        assert isinstance(fragment, Node), f"text outside of an element: {fragment!r}"
        how = fragment.attributes.pop("hx-swap-oob")
        if how.startswith("beforeend:#"):
            target = page.find(how.removeprefix("beforeend:#"))
            assert target is not None, f"no target for {how}"
            target.children.extend(fragment.children)
            continue
        target = page.find(fragment.attributes["id"])
        assert target is not None, f"no target for {fragment.attributes['id']}"
        if how == "innerHTML":
            target.children = fragment.children
        else:
            target.tag, target.attributes, target.children = fragment.tag, fragment.attributes, fragment.children
