"""Markdown of a model becomes safe HTML, with every identifier linked and its state shown."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chat.markdown import Mark, render, render_blocks
from mcp_server.identifiers import BY_NAME, Found, record_url

HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
    "[click](javascript:alert(1))",
    "[click](JaVaScRiPt:alert(1))",
    "[click](data:text/html;base64,PHNjcmlwdD4=)",
    "<javascript:alert(1)>",
    "![beacon](https://tracker.example/pixel.png)",
    '[x](https://a.example "onmouseover=alert(1)")',
    "`<script>alert(1)</script>`",
    "```html\n<script>alert(1)</script>\n```",
    "| <script>alert(1)</script> | b |\n|---|---|\n| <b onclick=x>c</b> | d |",
]

LONG_ANSWER = """\
Summary with **bold**, *italic*, `code` and <i>TP53</i>.

## Inhibitors

| Drug | ChEMBL | Trials | Note |
|:-----|:------:|-------:|------|
| lapatinib | CHEMBL554 | 12 | reversible, see PMID: 22663011 |
| neratinib | [CHEMBL180022](https://www.ebi.ac.uk/chembl/) | 4 | `NCT00878709` |

### Variants

1. NM_004333.6:c.1799T>A (p.Val600Glu, rs113488022)
2. CYP2C19*2 and CYP2C19*17; ~~HLA-B*57:01~~
   - nested **point** with [a link](https://example.org/a_(b))

> quoted text

```json
{"a": [1, 2]}
```

Here is a table at once:
| a | b |
|---|---|
| 1 | 2 |

The end: ENSG00000141736.14, P04626 and MONDO:0007254.
"""


def marker_of(grounded: set[str]):
    def mark(found: Found) -> Mark:
        state = "grounded" if found.value in grounded else "missing"
        return Mark(state, record_url(found.kind, found.value), BY_NAME[found.kind].label)

    return mark


def tags(html: str) -> list[str]:
    """Return the start tags of `html`, with their attributes."""
    return re.findall(r"<[a-z][^>]*>", html)


@pytest.mark.case("C072")
@pytest.mark.parametrize("text", HOSTILE)
def test_unsafe_content_stays_text(text):
    html = render(text, marker_of(set()))
    for tag in tags(html):
        name = re.match(r"<([a-z0-9]+)", tag).group(1)
        assert name in {"p", "a", "code", "pre", "div", "table", "thead", "tbody", "tr", "th", "td"}
        assert not re.search(r"\son\w+=|src=|style=|srcdoc=", re.sub(r'title="[^"]*"', "", tag))
    for href in re.findall(r'href="([^"]*)"', html):
        assert href.startswith(("http://", "https://", "mailto:"))


def test_links_never_hand_over_the_window():
    assert 'rel="noopener noreferrer nofollow"' in render("[x](https://a.example)")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("c.1799T>A", "c.1799T&gt;A"),
        ("`c.1799T>A`", "<code>c.1799T&gt;A</code>"),
        ("<i>BRAF</i>", "&lt;i&gt;BRAF&lt;/i&gt;"),
        ("p.Val600Glu & p.Arg213* and p.Gln100*", "p.Val600Glu &amp; p.Arg213* and p.Gln100*"),
        ("CYP2C19*2 and CYP2C19*3", "CYP2C19*2 and CYP2C19*3"),
        ("*2/*17 and *2/*2", "*2/*17 and *2/*2"),
        ("c.*32G>A or c.*33G>A", "c.*32G&gt;A or c.*33G&gt;A"),
        ("EFO_0000305 and MONDO_0007254", "EFO_0000305 and MONDO_0007254"),
        ("**CYP2C19*2** is *common*", "<strong>CYP2C19*2</strong> is <em>common</em>"),
    ],
)
def test_names_of_the_field_survive(text, shown):
    assert render(text) == f"<p>{shown}</p>\n"


def test_controls_and_direction_overrides_are_dropped():
    assert render("a\u202eb\x07c\u2066d\tE\ufeff") == "<p>abcd\tE</p>\n"


@pytest.mark.parametrize("text", ["# A\n## B", "## A\n### B", "#### A\n##### B"])
def test_headings_start_below_those_of_the_page(text):
    assert re.findall(r"<(h\d)>", render(text)) == ["h3", "h4"]


def test_an_identifier_in_evidence_leads_to_its_record():
    html = render("See CHEMBL554.", marker_of({"CHEMBL554"}))
    assert 'href="https://www.ebi.ac.uk/chembl/explore/compound/CHEMBL554"' in html
    assert 'data-state="grounded"' in html
    assert "not in evidence" not in html


@pytest.mark.case("C078")
@pytest.mark.parametrize(
    "text", ["PMID: 99999999", "[a study](https://pubmed.ncbi.nlm.nih.gov/99999999)", "| x |\n|---|\n| PMID 99999999 |"]
)
def test_an_identifier_out_of_nowhere_is_marked_for_eyes_and_ears(text):
    html = render(text, marker_of({"CHEMBL554"}))
    assert 'data-state="missing"' in html
    assert '<span class="rec-flag" aria-hidden="true">?</span>' in html
    assert "not in evidence" in html


def test_a_link_whose_text_is_an_identifier_stays_one_link_to_that_record():
    html = render("[CHEMBL554](https://elsewhere.example/CHEMBL1)", marker_of({"CHEMBL554"}))
    assert html.count("<a ") == 1
    assert 'href="https://www.ebi.ac.uk/chembl/explore/compound/CHEMBL554"' in html


def test_an_identifier_without_a_page_is_marked_without_a_link():
    html = render("NM_004333.6:c.1799T>A", marker_of(set()))
    assert "<a " not in html
    assert '<span class="rec" data-state="missing"' in html


def test_identifiers_in_code_are_linked_each():
    html = render("`rs113488022, CHEMBL554`", marker_of({"rs113488022"}))
    assert html.count("<code>") == 1
    assert re.findall(r'data-state="(\w+)"', html) == ["grounded", "missing"]


def test_alignment_of_cells_is_a_class_not_a_style():
    html = render("| a | b |\n|--:|:-:|\n| 1 | 2 |")
    assert html.count('class="num"') == 2
    assert html.count('class="mid"') == 2
    assert "style" not in html


def test_a_table_scrolls_in_its_own_reachable_and_named_group():
    html = render('| Drug | "Phase" |\n|---|---|\n| 1 | 2 |')
    assert '<div class="table-scroll" tabindex="0" role="group" aria-label="Table: Drug, &quot;Phase&quot;">' in html


PREFIXES = [LONG_ANSWER[:end] for end in range(1, len(LONG_ANSWER) + 1)]


def shape(html: str) -> list[str]:
    """Return the block-level elements in order."""
    return re.findall(r"<(p|h\d|table|ul|ol|pre|blockquote)\b", html)


def test_every_prefix_of_a_stream_only_adds_blocks():
    """A block, once there, never becomes another kind of block: that is what flickers."""
    before: list[str] = []
    for prefix in PREFIXES:
        blocks = [shape(block)[0] for block in render_blocks(prefix, marker_of(set()), streaming=True)]
        assert blocks[: len(before)] == before or blocks == before[:-1], prefix[-60:]
        before = blocks if len(blocks) >= len(before) else before


def test_no_prefix_shows_the_marks_of_open_syntax():
    for prefix in PREFIXES:
        html = "".join(render_blocks(prefix, marker_of(set()), streaming=True))
        text = re.sub(r"<[^>]+>", "", re.sub(r"<pre>.*?</pre>", "", html, flags=re.DOTALL))
        assert "**" not in text, prefix[-60:]
        assert "](" not in text, prefix[-60:]
        assert "|--" not in text, prefix[-60:]
        assert "`" not in text, prefix[-60:]


def test_the_last_prefix_is_the_whole():
    whole = "".join(render_blocks(LONG_ANSWER, marker_of(set()), streaming=True))
    assert whole == render(LONG_ANSWER, marker_of(set()))


def test_a_half_written_identifier_is_not_judged_yet():
    assert "data-state" not in "".join(render_blocks("PMID: 2266", marker_of(set()), streaming=True))
    assert "data-state" in "".join(render_blocks("PMID: 22663011, ", marker_of(set()), streaming=True))


_SYNTAX = [
    *("**", "*", "`", "```", "~~~\n", "~~", "_", "[", "](", ")", "<", "![", "\\", "# ", "- ", "1. ", "> "),
    *("| a | b |\n", "|---|---|\n", "\n", "\n\n", "text ", "<script>", "&lt;", "\u202e"),
    *("CYP2C19*2", "PMID: 22663011", "c.1799T>A"),
]
_PIECES = st.one_of(st.sampled_from([*HOSTILE, *_SYNTAX]), st.text(max_size=8))


@settings(max_examples=150, deadline=None)
@given(st.lists(_PIECES, max_size=12))
def test_no_text_breaks_out(pieces):
    for streaming in (True, False):
        html = "".join(render_blocks("".join(pieces), marker_of(set()), streaming=streaming))
        assert "<script" not in html.lower()
        assert not re.search(r"<(img|svg|iframe|style|form|input|object|embed)\b", html)
        assert not re.search(r"<[^>]*\s(on\w+|style|srcdoc)=", re.sub(r'(title|href)="[^"]*"', "", html))
