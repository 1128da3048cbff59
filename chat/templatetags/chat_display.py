"""Tags and filters by which the chat templates write icons, times, money, ids and answers."""

import json
from datetime import datetime
from typing import Any

from django import template
from django.conf import settings
from django.http import HttpRequest
from django.templatetags.static import static
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from chat import pages, preferences, selectors
from chat.cards import Step, ToolCard
from chat.config import ModelRow
from chat.presentation import TurnView, parse_time
from chat.safe_text import visible
from usage.money import format_usd, format_usd_rough

register = template.Library()

WATERFALL_WIDTH = 1000


@register.simple_tag
def icon(name: str, css_class: str = "") -> SafeString:
    """Write an icon of the sprite; it says nothing to a screen reader."""
    return format_html(
        '<svg class="icon {}" aria-hidden="true" focusable="false"><use href="{}#{}"/></svg>',
        css_class,
        static("burp/icons.svg"),
        name,
    )


@register.simple_tag(takes_context=True)
def theme(context: template.Context) -> str:
    """Return the chosen colour theme, or `auto`."""
    request: HttpRequest | None = context.get("request")
    return preferences.theme_of(request) if request else preferences.DEFAULT_THEME


@register.simple_tag(takes_context=True)
def sidebar_days(context: template.Context) -> list[pages.Day]:
    """Return the reader's sessions by day, for the list beside every page, whichever area's it is."""
    request: HttpRequest | None = context.get("request")
    owner_id = request.user.pk if request and request.user.is_authenticated else None
    return pages.session_days(owner_id) if owner_id is not None else []


@register.simple_tag
def session_titles(owner_id: int) -> dict[str, str]:
    """Return the titles of the person's sessions by id: the ledger knows ids only, and outlives them."""
    return {str(key): title or "Untitled" for key, title in selectors.session_names(owner_id=owner_id)}


@register.filter
def at(mapping: dict[str, Any], key: str) -> Any:
    """Return the value of a key, or nothing."""
    return mapping.get(key)


@register.filter
def duration(seconds: float) -> str:
    """Write a time span for people."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02d} s"


@register.filter
def usd(pico_usd: int) -> str:
    """Write an amount of money; the ledger's own spelling, but for nothing at all."""
    return format_usd(pico_usd) if pico_usd else "$0"


@register.filter
def whole(number: int) -> str:
    """Write a count."""
    return f"{number:,}"


@register.filter
def usd_rough(pico_usd: int) -> str:
    """Write a budget or an estimate."""
    return format_usd_rough(pico_usd)


@register.filter
def as_json(value: Any) -> str:
    """Write a value for a script to read from an attribute."""
    return json.dumps(value)


@register.filter
def plain(text: str) -> str:
    """Drop characters that would make untrusted text read as what it is not."""
    return visible(text)


@register.filter
def moment(at: str) -> datetime | None:
    """Read an event's time."""
    return parse_time(at)


@register.simple_tag
def other_models(turn: TurnView) -> list[ModelRow]:
    """Return the models that could answer in place of the one that did not, those without a language model last."""
    usable = [row for row in settings.BURP.chat.usable_models() if turn.model not in (row.key, row.model)]
    return sorted(usable, key=lambda row: row.provider == "planner")


@register.simple_tag
def narration(turn: TurnView, step: Step) -> str:
    """Return what a step wrote on the way to the answer."""
    return turn.narration(step)


@register.simple_tag
def card_elapsed(turn: TurnView, card: ToolCard) -> str:
    """Return how many seconds a running call has taken by now."""
    return f"{max(0.0, turn.elapsed_s - card.start_s):.1f}"


@register.filter
def web_address(url: str) -> str:
    """Return an address that a link may have: http(s) only, else nothing."""
    return url if url.startswith(("https://", "http://")) else ""


@register.simple_tag
def waterfall(turn: TurnView, card: ToolCard) -> SafeString:
    """Draw when a call ran within its turn, once the turn's length is known."""
    if turn.is_running or turn.elapsed_s <= 0:
        return SafeString("")
    scale = WATERFALL_WIDTH / turn.elapsed_s
    start = min(WATERFALL_WIDTH - 6, round(card.start_s * scale))
    width = max(6, min(WATERFALL_WIDTH - start, round(card.seconds * scale)))
    return format_html(
        '<svg class="lane" viewBox="0 0 {} 4" preserveAspectRatio="none" aria-hidden="true">'
        '<rect x="{}" width="{}" height="4"/></svg>',
        WATERFALL_WIDTH,
        start,
        width,
    )


@register.simple_tag
def blocks(turn: TurnView, rendered: list[str]) -> SafeString:
    """Write the blocks of an answer, each with an id of its own."""
    return format_html_join(
        "",
        '<div class="block" id="{}-block-{}">{}</div>',
        ((turn.dom_id, number, SafeString(html)) for number, html in enumerate(rendered)),
    )


@register.filter
def tokens(counts: dict[str, Any]) -> str:
    """Write the sum of the tokens of all price tiers; nothing if there were none."""
    total = sum(int(count) for count in counts.values())
    return f"{total:,}" if total else ""
