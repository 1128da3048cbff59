"""The colour tokens keep the contrast that WCAG 2.2 AA asks for, in light and dark."""

import re
from pathlib import Path

import pytest
from django.conf import settings

CSS = (Path(settings.STATICFILES_DIRS[0]) / "burp" / "burp.css").read_text()
TOKENS = {
    name: values for name, *values in re.findall(r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);", CSS)
}
GROUNDS = ("paper", "surface", "sunken")
TEXTS = ("ink", "ink-2", "ink-3", "accent", "accent-strong", "good", "warn", "bad", "odd")
ON_TINT = [("warn", "warn-soft"), ("bad", "bad-soft"), ("odd", "odd-soft"), ("accent-strong", "accent-soft")]
ON_TINT += [("on-accent", "accent"), ("on-accent", "accent-strong"), ("ink-2", "sunken"), ("accent", "accent-soft")]
TEXT_MIN, EDGE_MIN = 4.5, 3.0


def luminance(colour: str) -> float:
    """Return the relative luminance of `#rrggbb`."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str, mode: int) -> float:
    """Return the contrast of two tokens; mode 0 is light, 1 is dark."""
    high, low = sorted((luminance(TOKENS[one][mode]), luminance(TOKENS[other][mode])), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("mode", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("text", "ground"), [*((text, ground) for text in TEXTS for ground in GROUNDS), *ON_TINT])
def test_text_is_readable_on_its_ground(text: str, ground: str, mode: int) -> None:
    assert contrast(text, ground, mode) >= TEXT_MIN


@pytest.mark.parametrize("mode", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("ground", ["paper", "surface"])
def test_edges_of_controls_are_seen(ground: str, mode: int) -> None:
    assert contrast("line-strong", ground, mode) >= EDGE_MIN


def test_colours_come_from_tokens_only() -> None:
    rules = CSS[CSS.index("}") :]
    assert [colour for colour in re.findall(r"#[0-9a-f]{3,8}\b(?![^{]*\{)", rules) if len(colour) == 7] == []
