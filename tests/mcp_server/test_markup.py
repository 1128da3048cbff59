"""Text out of markup: tags go, what only looks like one stays."""

from xml.etree import ElementTree

import pytest

from mcp_server.markup import plain_text, whole_text


@pytest.mark.parametrize(
    ("marked", "plain"),
    [
        ("<h4>Aim</h4>Cystic <i>HNF1B</i> disease.<h4>Methods.</h4>We", "Aim: Cystic HNF1B disease. Methods: We"),
        ("m&lt;sup&gt;6&lt;/sup&gt;A and H<sub>2</sub>S", "m^6A and H_2S"),
        ("P<0.001, a<b and c>d, p &lt; .05).<h4>Results</h4>none", "P<0.001, a<b and c>d, p < .05). Results: none"),
        ('A <a href="https://europepmc.org">link</a><br/>next', "A link next"),
        ("two\n\n lines", "two lines"),
    ],
    ids=["headings", "escaped tags", "comparisons", "attributes", "blanks"],
)
def test_only_real_tags_go(marked: str, plain: str) -> None:
    assert plain_text(marked) == plain
    assert plain_text(plain) == plain


def test_the_text_of_an_element_is_taken_whole() -> None:
    assert whole_text(ElementTree.fromstring("<p>H<sub>2</sub>O in <i>E. coli</i>\n now</p>")) == "H_2O in E. coli now"
    assert whole_text(None) == ""
