"""Render a model's Markdown to safe HTML in which every identifier leads to its record.

The text is untrusted: raw HTML stays text, links go to http(s) and mailto only, images are not
loaded, and an allow-list runs over the result. Any prefix of a stream renders without flicker.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from chat.safe_text import visible
from mcp_server.identifiers import Found, find_in_text

TOP_HEADING_LEVEL = 3

_TAGS = {
    *("p", "br", "hr", "h3", "h4", "h5", "h6", "blockquote", "ul", "ol", "li", "div"),
    *("table", "thead", "tbody", "tr", "th", "td"),
    *("a", "strong", "em", "s", "code", "pre", "span"),
}
_ATTRIBUTES = {
    "a": {"href", "title", "target", "data-state", "data-key"},
    "span": {"data-state", "data-key", "aria-hidden"},
    "div": {"tabindex", "role", "aria-label"},
    "ol": {"start"},
}
_CLASSES = {
    "a": {"rec"},
    "span": {"rec", "rec-flag", "sr-only"},
    "div": {"table-scroll"},
    "td": {"num", "mid"},
    "th": {"num", "mid"},
}
_STATE_WORDS = {"grounded": "in evidence", "missing": "not in evidence", "unchecked": "not checked yet"}


@dataclass(frozen=True)
class Mark:
    """What the page says of one identifier: `grounded`, `missing` or `unchecked`, and where it leads."""

    state: str
    url: str
    database: str


Marker = Callable[[Found], Mark]


def render(text: str, marker: Marker | None = None) -> str:
    """Return the HTML of a whole text."""
    return "".join(render_blocks(text, marker))


def render_blocks(text: str, marker: Marker | None = None, *, streaming: bool = False) -> list[str]:
    """Return the HTML of each top-level block, so that a page replaces only those that changed.

    While `streaming`, the open end is mended: what may still become something else is held back.
    """
    source = visible(text)
    tokens = _PARSER.parse(mend(source) if streaming else source)
    _shift_headings(tokens)
    if marker is not None:
        _mark_identifiers(tokens, marker, open_end=streaming)
    return [_sanitised(_PARSER.renderer.render(block, _PARSER.options, {})) for block in _top_level(tokens)]


def _sanitised(html: str) -> str:
    return nh3.clean(
        html,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        allowed_classes=_CLASSES,
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
    )


def _top_level(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    block: list[Token] = []
    for token in tokens:
        block.append(token)
        if token.level == 0 and token.nesting <= 0:
            yield block
            block = []
    if block:
        yield block


def _shift_headings(tokens: Iterable[Token]) -> None:
    """Let the topmost heading of the answer be an h3: the page has the levels above."""
    headings = [token for token in tokens if token.type in ("heading_open", "heading_close")]
    if not headings:
        return
    shift = TOP_HEADING_LEVEL - min(int(token.tag[1]) for token in headings)
    for token in headings:
        token.tag = f"h{min(6, max(TOP_HEADING_LEVEL, int(token.tag[1]) + shift))}"


# --- the open end of a stream ---------------------------------------------------------------------

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})", re.MULTILINE)
_HALF_LINK = re.compile(r"!?\[([^\]\n]*)(?:\](?:\((?:[^()\n]|\([^()\n]*\)?)*)?)?$")
_TABLE_ROW = re.compile(r"^ {0,3}\|")
_DELIMITER_ROW = re.compile(r"^ {0,3}\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$")


def mend(text: str) -> str:
    """Close or hold back what the end of a stream leaves open."""
    if _in_fence(text):
        return text
    head, last = _split_last_paragraph(text)
    if not last.strip():
        return text
    lines = last.split("\n")
    rows = next((at for at, line in enumerate(lines) if _TABLE_ROW.match(line)), None)
    if rows is None:
        return head + _mended_inline(last)
    return head + "\n".join([*lines[:rows], _mended_table(lines[rows:])])


def _in_fence(text: str) -> bool:
    opened = ""
    for match in _FENCE.finditer(text):
        fence = match.group(1)
        if not opened:
            opened = fence
        elif fence[0] == opened[0] and len(fence) >= len(opened):
            opened = ""
    return bool(opened)


def _split_last_paragraph(text: str) -> tuple[str, str]:
    at = text.rfind("\n\n")
    at = 0 if at < 0 else at + 2
    return text[:at], text[at:]


def _mended_table(lines: list[str]) -> str:
    """Hold a table back until its delimiter row is whole, and a row until it has a cell."""
    if len(lines) < 3 or not _DELIMITER_ROW.match(lines[1]):
        return ""
    rows = [*lines[:-1], _mended_inline(lines[-1])] if lines[-1].strip(" |") else lines[:-1]
    return "\n".join(rows)


def _mended_inline(paragraph: str) -> str:
    lines = paragraph.split("\n")
    if re.fullmatch(r"\s*([`~*_#>|+-]+|\d+[.)]?)\s*", lines[-1]):
        lines.pop()
    body = "\n".join(lines)
    body = _HALF_LINK.sub(r"\1", body)
    outside_code = re.sub(r"`[^`]*`", "", body)
    if "`" in outside_code:
        return _without_bare_tail(body, "`") + ("`" if not body.endswith("`") else "")
    if outside_code.count("**") % 2:
        return body[:-2] if body.endswith("**") else body.rstrip("*") + "**"
    return body[:-1] if re.search(r"(^|\s)\*$", body) else body


def _without_bare_tail(body: str, mark: str) -> str:
    return body[:-1] if body.endswith(mark) else body


# --- identifiers ----------------------------------------------------------------------------------


def _mark_identifiers(tokens: Sequence[Token], marker: Marker, *, open_end: bool) -> None:
    inlines = [token for token in tokens if token.type == "inline" and token.children]
    for token in inlines:
        token.children = list(_marked(token.children or [], marker, open_end and token is inlines[-1]))


def _marked(children: list[Token], marker: Marker, open_end: bool) -> Iterator[Token]:
    """Yield the tokens of one line with identifiers linked; a link stays one link."""
    position = 0
    while position < len(children):
        child = children[position]
        if child.type == "link_open":
            end = next(i for i in range(position, len(children)) if children[i].type == "link_close")
            yield from _marked_link(children[position : end + 1], marker)
            position = end + 1
            continue
        if child.type == "text":
            yield from _marked_text(child.content, marker, open_end and child is children[-1])
        elif child.type == "code_inline":
            yield from _marked_code(child, marker)
        else:
            yield child
        position += 1


def _marked_text(content: str, marker: Marker, open_end: bool) -> Iterator[Token]:
    position = 0
    for found in find_in_text(content):
        if open_end and found.end == len(content):
            continue
        yield _text(content[position : found.start])
        yield from _wrapped([_text(content[found.start : found.end])], found, marker(found))
        position = found.end
    yield _text(content[position:])


def _marked_code(token: Token, marker: Marker) -> Iterator[Token]:
    yield Token("code_open", "code", 1)
    yield from _marked_text(token.content, marker, open_end=False)
    yield Token("code_close", "code", -1)


def _marked_link(tokens: list[Token], marker: Marker) -> Iterator[Token]:
    """Give a link that the model wrote the state of the identifier in its text or its address.

    Where the text *is* an identifier, the link goes to that record and nowhere else.
    """
    text = "".join(token.content for token in tokens[1:-1])
    href = str(tokens[0].attrGet("href") or "")
    found = next(find_in_text(text), None) or next(find_in_text(href), None)
    if found is None:
        tokens[0].attrSet("target", "_blank")
        yield from tokens
        return
    mark = marker(found)
    named = found.end - found.start == len(text.strip())
    yield from _wrapped(tokens[1:-1], found, Mark(mark.state, mark.url if named and mark.url else href, mark.database))


def _wrapped(inner: list[Token], found: Found, mark: Mark) -> Iterator[Token]:
    tag = "a" if mark.url else "span"
    attributes: dict[str, str | int | float] = {
        "class": "rec",
        "data-state": mark.state,
        "data-key": f"{found.kind}:{found.value}",
    }
    if mark.url:
        attributes |= {"href": mark.url, "target": "_blank"}
    yield Token("rec_open", tag, 1, attrs=attributes)
    yield from inner
    said = mark.database if mark.state == "grounded" else f"{mark.database}, {_STATE_WORDS[mark.state]}"
    yield Token("rec_note", "", 0, content=said, info=mark.state)
    yield Token("rec_close", tag, -1)


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)


# --- the parser -----------------------------------------------------------------------------------


def _star_allele(state: StateInline, silent: bool) -> bool:
    """Keep the star of `CYP2C19*2 and CYP2C19*3` from reading as emphasis."""
    at = state.pos
    if state.src[at] != "*" or at == 0 or at + 1 >= state.posMax:
        return False
    if not (state.src[at - 1].isalnum() or state.src[at - 1] in "/.:-") or not state.src[at + 1].isdigit():
        return False
    if not silent:
        state.pending += "*"
    state.pos += 1
    return True


def _open_table(self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
    end = next(at for at in range(index, len(tokens)) if tokens[at].type == "thead_close")
    heads = ", ".join(token.content for token in tokens[index:end] if token.type == "inline")
    return f'<div class="table-scroll" tabindex="0" role="group" aria-label="Table: {escape(heads)}">\n<table>\n'


def _close_table(self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
    return "</table>\n</div>\n"


def _open_cell(self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
    """Say the alignment by class: the page forbids style attributes."""
    token = tokens[index]
    style = str(token.attrs.pop("style", ""))
    if style.endswith("right"):
        token.attrSet("class", "num")
    elif style.endswith("center"):
        token.attrSet("class", "mid")
    return self.renderToken(tokens, index, options, env)


def _image(self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
    """Show an image's description: loading it would tell its host who reads."""
    return f"[image: {escape(tokens[index].content)}]"


def _record_note(self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
    token = tokens[index]
    flag = '<span class="rec-flag" aria-hidden="true">?</span>' if token.info == "missing" else ""
    return f'{flag}<span class="sr-only"> ({escape(token.content)})</span>'


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable(["table", "strikethrough"])
    # An underlined heading would turn a paragraph into a heading while a list begins below it.
    parser.disable("lheading")
    parser.inline.ruler.before("emphasis", "star_allele", _star_allele)
    parser.add_render_rule("table_open", _open_table)
    parser.add_render_rule("table_close", _close_table)
    parser.add_render_rule("th_open", _open_cell)
    parser.add_render_rule("td_open", _open_cell)
    parser.add_render_rule("image", _image)
    parser.add_render_rule("rec_note", _record_note)
    return parser


_PARSER = _parser()
