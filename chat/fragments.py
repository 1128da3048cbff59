"""Write a turn as HTML: whole, or only the pieces that changed since they were last sent.

A piece is an element with an id. A piece the page already has is swapped out of band; a new one
is appended to its container. So a growing answer costs its last block, not all of it, and what a
reader has selected or opened above stays as it is.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import SafeString

from chat.markdown import Mark, render_blocks
from chat.presentation import ANSWER, FOOT, HEAD, NOTICES, STEPS, TurnView
from mcp_server.identifiers import Found


@dataclass(frozen=True)
class Piece:
    """An element of the page.

    `container` is where it goes while the page doesn't have it; empty for what the page always has.
    One that `is_inside` another piece of the same swap is remembered, but not sent by itself.
    """

    id: str
    container: str
    html: str
    is_inside: bool = False


def answer_blocks(view: TurnView) -> list[str]:
    """Return the answer's blocks as safe HTML with its identifiers marked."""

    def mark(found: Found) -> Mark:
        citation = view.citation_of(found)
        return Mark(citation.state, citation.url, citation.database)

    return render_blocks(view.answer, mark, streaming=view.is_running)


def turn_html(view: TurnView) -> str:
    """Return the whole turn."""
    return render_to_string("chat/_turn.html", {"turn": view, "answer_blocks": answer_blocks(view)})


def swap(piece: Piece, *, is_known: bool) -> str:
    """Return the out-of-band form of a piece."""
    if is_known:
        return piece.html.replace(f'id="{piece.id}"', f'id="{piece.id}" hx-swap-oob="true"', 1)
    return f'<div hx-swap-oob="beforeend:#{piece.container}">{piece.html}</div>'


@dataclass
class LivePage:
    """What one browser shows of one turn: folds events, and knows what has been sent."""

    view: TurnView = field(default_factory=TurnView)
    _sent: dict[str, str] = field(default_factory=dict)

    def take(self, events: Iterable[dict[str, Any]]) -> str:
        """Fold events and return what the page must swap for them."""
        parts: set[str] = set()
        for event in events:
            parts |= self.view.apply(event)
        return self.changes(parts)

    def whole(self, container: str, *, is_known: bool) -> str:
        """Return the whole turn, to replace or to be appended to `container`."""
        self.note_as_shown()
        return swap(Piece(self.view.dom_id, container, turn_html(self.view)), is_known=is_known)

    def note_as_shown(self) -> None:
        """Take it that the page shows the turn as it is now."""
        self._sent = {piece.id: piece.html for piece in self._pieces(None)}

    def changes(self, parts: Iterable[str]) -> str:
        """Return the pieces of `parts` that differ from what was sent."""
        touched = set(parts)
        pieces = list(self._pieces(touched)) if touched else []
        if ANSWER in touched and self._has_shrunk(pieces):
            pieces = [replace(p, is_inside=True) if self._is_block(p.id) else p for p in pieces] + [self._answer()]
            self._sent = {known: html for known, html in self._sent.items() if not self._is_block(known)}
        swaps = [
            swap(piece, is_known=not piece.container or piece.id in self._sent)
            for piece in pieces
            if not piece.is_inside and self._sent.get(piece.id) != piece.html
        ]
        self._sent |= {piece.id: piece.html for piece in pieces}
        self._sent.pop(f"{self.view.dom_id}-answer", None)
        return "".join(swaps)

    def _is_block(self, piece_id: str) -> bool:
        return piece_id.startswith(f"{self.view.dom_id}-block-")

    def _has_shrunk(self, pieces: Iterable[Piece]) -> bool:
        """Whether the page has blocks that the answer no longer has."""
        return bool({known for known in self._sent if self._is_block(known)} - {piece.id for piece in pieces})

    def _answer(self) -> Piece:
        blocks = answer_blocks(self.view)
        html = render_to_string("chat/_answer.html", {"turn": self.view, "answer_blocks": blocks})
        return Piece(f"{self.view.dom_id}-answer", "", html.strip())

    def _pieces(self, parts: set[str] | None) -> Iterator[Piece]:
        """Render the pieces of some parts, or all of them."""
        if parts is None or HEAD in parts:
            yield self._rendered("head", "", "_head")
        yield from self._step_pieces(parts)
        if parts is None or NOTICES in parts:
            yield self._rendered("notices", "", "_notices")
        if parts is None or ANSWER in parts:
            for number, html in enumerate(answer_blocks(self.view)):
                yield self._block(number, html)
        if parts is None or FOOT in parts:
            yield self._rendered("foot", "", "_foot")

    def _step_pieces(self, parts: set[str] | None) -> Iterator[Piece]:
        everything = parts is None or STEPS in parts
        for step in self.view.shown_steps:
            is_touched = everything or f"step:{step.number}" in (parts or ())
            if is_touched:
                yield self._rendered(f"step-{step.number}", f"{self.view.dom_id}-steps", "_step", step=step)
            for card in step.cards:
                if is_touched or f"card:{card.number}" in (parts or ()):
                    piece = self._rendered(f"card-{card.number}", "", "_tool_call", card=card)
                    yield replace(piece, is_inside=is_touched)

    def _rendered(self, name: str, container: str, template: str, **context: Any) -> Piece:
        html = render_to_string(f"chat/{template}.html", {"turn": self.view, **context}).strip()
        return Piece(f"{self.view.dom_id}-{name}", container, html)

    def _block(self, number: int, html: str) -> Piece:
        identity = f"{self.view.dom_id}-block-{number}"
        block = format_html('<div class="block" id="{}">{}</div>', identity, SafeString(html))
        return Piece(identity, f"{self.view.dom_id}-answer", block)
