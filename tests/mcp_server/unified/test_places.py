"""Cities become points without a network; shared names are asked about, unknown ones answered with close ones."""

import subprocess
import sys

import pytest

from mcp_server.unified.places import Gazetteer, gazetteer, locate


@pytest.fixture(scope="module")
def cities() -> Gazetteer:
    return gazetteer()


def named(cities: Gazetteer, text: str) -> str:
    found = cities.find(text).city
    return found.written if found else ""


async def test_a_city_with_its_state_becomes_its_point() -> None:
    found = await locate("Cleveland, OH")

    assert found.city is not None
    assert abs(found.city.lat - 41.4993) < 0.1
    assert abs(found.city.long + 81.6944) < 0.1


def test_a_name_that_several_cities_share_is_answered_with_all_of_them(cities: Gazetteer) -> None:
    found = cities.find("Springfield")

    assert found.city is None
    written = [city.written for city in found.candidates]
    assert written[:3] == ["Springfield, MO, US", "Springfield, MA, US", "Springfield, IL, US"]
    assert "say which one" in found.reason
    assert all(named(cities, one) == one for one in written)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("Paris", "Paris, FR"),
        ("Cleveland", "Cleveland, OH, US"),
        ("Paris, TX", "Paris, TX, US"),
        ("paris, texas, usa", "Paris, TX, US"),
        ("Springfield, Illinois", "Springfield, IL, US"),
        ("Springfield Illinois", "Springfield, IL, US"),
        ("London, Ontario", "London, ON, CA"),
        ("London, Canada", "London, ON, CA"),
        ("Edinburgh, Scotland", "Edinburgh, Scotland, GB"),
        ("Sydney, NSW", "Sydney, NSW, AU"),
        ("Boston, UK", "Boston, England, GB"),
        ("Heidelberg, Germany", "Heidelberg, DE"),
        ("Tbilisi, Georgia", "Tbilisi, GE"),
        ("Zurich", "Zürich, CH"),
        ("Cologne", "Köln, DE"),
        ("saint louis, MO", "St. Louis, MO, US"),
        ("New York", "New York City, NY, US"),
        ("Washington", "Washington, DC, US"),
        ("Singapore", "Singapore, SG"),
    ],
)
def test_a_place_is_read_as_people_write_it(cities: Gazetteer, text: str, meant: str) -> None:
    assert named(cities, text) == meant


def test_a_misspelt_city_is_answered_with_close_names(cities: Gazetteer) -> None:
    found = cities.find("Clevland")

    assert found.city is None
    assert found.close[0] == "Cleveland, OH, US"


@pytest.mark.parametrize("text", ["Germany", "Ohio", "Georgia"])
def test_a_country_or_a_state_is_no_point(cities: Gazetteer, text: str) -> None:
    found = cities.find(text)

    assert (found.city, found.candidates) == (None, ())
    assert f'location:"{text}"' in found.reason


def test_a_city_called_like_another_country_is_only_offered(cities: Gazetteer) -> None:
    found = cities.find("Mexico")

    assert found.city is None
    assert [city.country for city in found.candidates] == ["PH"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [("Boston, Narnia", "'narnia' is no country or state"), ("Boston, Ohio", "no city of this name lies there")],
)
def test_a_city_where_it_is_not_is_answered_with_where_it_is(cities: Gazetteer, text: str, reason: str) -> None:
    found = cities.find(text)

    assert found.city is None
    assert found.reason == reason
    assert [city.written for city in found.candidates] == ["Boston, MA, US", "Boston, England, GB"]


@pytest.mark.parametrize("text", ["", " , ", "Xqzzyv", "東京都庁"])
def test_what_is_no_place_has_a_reason(cities: Gazetteer, text: str) -> None:
    found = cities.find(text)

    assert (found.city, found.candidates, found.close) == (None, (), ())
    assert found.reason


def test_the_list_is_not_read_before_a_place_is_asked_for() -> None:
    script = "from mcp_server.unified import places; import sys; sys.exit(len(places._READ))"

    assert subprocess.run([sys.executable, "-c", script], check=False, timeout=30).returncode == 0


def test_the_cities_take_little_memory() -> None:
    script = (
        "import tracemalloc; from mcp_server.unified import places; tracemalloc.start();"
        "places.gazetteer(); print(tracemalloc.get_traced_memory()[0])"
    )

    kept = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True, timeout=60)

    assert int(kept.stdout) < 30_000_000
