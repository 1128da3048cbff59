"""Values of every type in the forms that people write, each brought to one form."""

from datetime import date
from typing import Any

import pytest

from mcp_server.unified.query import Request, build_plan, parse

TODAY = date(2026, 11, 30)


def normalised(clause: str) -> str:
    return parse(clause, TODAY).normalised


def trial(query: str) -> dict[str, Any]:
    (leg,) = build_plan(Request(query=f"trials.sponsor:x AND {query}"), TODAY).legs
    return {name: value for name, value in leg.params.items() if name != "sponsor"}


def variant(query: str) -> dict[str, Any]:
    legs = build_plan(Request(query=query, domain="variant"), TODAY).legs
    assert len(legs) == 1
    return dict(legs[0].params)


@pytest.mark.parametrize(
    ("written", "first", "last"),
    [
        ("2023", "2023-01-01", "2023-12-31"),
        ("2024-02", "2024-02-01", "2024-02-29"),
        ("2023-05-31", "2023-05-31", "2023-05-31"),
        (">2023", "2024-01-01", None),
        (">=2023", "2023-01-01", None),
        ("<2023-05", None, "2023-04-30"),
        ("<=2023-05", None, "2023-05-31"),
        ("=2023", "2023-01-01", "2023-12-31"),
        ("2020..2021-06", "2020-01-01", "2021-06-30"),
        ("2020..", "2020-01-01", None),
        ("..2020", None, "2020-12-31"),
        ('"2020".."2021"', "2020-01-01", "2021-12-31"),
        ("today", "2026-11-30", "2026-11-30"),
        ("last30d", "2026-10-31", "2026-11-30"),
        ("last6m", "2026-05-30", "2026-11-30"),
        ("last5y", "2021-11-30", "2026-11-30"),
        ("last9m", "2026-02-28", "2026-11-30"),
        ("2020..today", "2020-01-01", "2026-11-30"),
        (">= 2015", "2015-01-01", None),
        ("≥2015", "2015-01-01", None),
    ],
)
def test_a_date_is_an_interval_of_days(written: str, first: str | None, last: str | None) -> None:
    expected = {name: day for name, day in (("from", first), ("to", last)) if day}

    assert trial(f"start_date:{written}") == {"start_date": expected}


def test_a_relative_date_reads_back_as_the_days_that_it_meant() -> None:
    plan = build_plan(Request(query="articles.title:x AND date:last30d"), TODAY)

    later = build_plan(Request(query=plan.normalised), date(2027, 6, 1))

    assert later.legs == plan.legs


def test_dates_that_must_all_hold_meet() -> None:
    assert trial("start_date:>2020 AND start_date:<=2022") == {"start_date": {"from": "2021-01-01", "to": "2022-12-31"}}


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("0", {"phases": ["EARLY_PHASE1"]}),
        ("early1", {"phases": ["EARLY_PHASE1"]}),
        ("EARLY_PHASE1", {"phases": ["EARLY_PHASE1"]}),
        ("III", {"phases": ["PHASE3"]}),
        ("phase2", {"phases": ["PHASE2"]}),
        ('"Phase 2"', {"phases": ["PHASE2"]}),
        ("na", {"phases": ["NA"]}),
        ("1/2", {"phases_all": ["PHASE1", "PHASE2"]}),
        ("PHASE2/PHASE3", {"phases_all": ["PHASE2", "PHASE3"]}),
        ("2..4", {"phases": ["PHASE2", "PHASE3", "PHASE4"]}),
        ("..1", {"phases": ["EARLY_PHASE1", "PHASE1"]}),
        (">=3", {"phases": ["PHASE3", "PHASE4"]}),
        ("<2", {"phases": ["EARLY_PHASE1", "PHASE1"]}),
        ("(2 OR 3)", {"phases": ["PHASE2", "PHASE3"]}),
        ("2|3", {"phases": ["PHASE2", "PHASE3"]}),
    ],
)
def test_a_phase_is_any_of_its_labels_or_all_of_them(written: str, expected: dict[str, Any]) -> None:
    assert trial(f"phase:{written}") == expected


def test_both_labels_or_another_phase_are_two_searches() -> None:
    legs = build_plan(Request(query="trials.sponsor:x AND phase:(1/2 OR 3)"), TODAY).legs

    assert [{name: leg.params[name] for name in leg.params if name != "sponsor"} for leg in legs] == [
        {"phases": ["PHASE3"]},
        {"phases_all": ["PHASE1", "PHASE2"]},
    ]
    assert [leg.branch for leg in legs] == [0, 1]


def test_two_phases_that_must_both_hold_are_two_labels_of_one_trial() -> None:
    assert trial("phase:2 AND phase:3") == {"phases_all": ["PHASE2", "PHASE3"]}
    assert trial("phase:2..4 AND phase:3") == {"phases": ["PHASE3"]}
    assert trial("phase:1..2 AND phase:2..3") == {"phases": ["PHASE2"]}


@pytest.mark.parametrize(
    ("written", "statuses"),
    [
        ("recruiting", ["RECRUITING"]),
        ("not-yet-recruiting", ["NOT_YET_RECRUITING"]),
        ('"active, not recruiting"', None),
        ('"Active not recruiting"', ["ACTIVE_NOT_RECRUITING"]),
        ("(completed OR terminated)", ["COMPLETED", "TERMINATED"]),
        ("any", []),
    ],
)
def test_a_status_is_the_registrys_word(written: str, statuses: list[str] | None) -> None:
    if statuses is None:
        with pytest.raises(Exception, match="E_BAD_VALUE"):
            trial(f"status:{written}")
    else:
        assert trial(f"status:{written}") == ({"status": statuses} if statuses else {})


def test_a_status_left_out_leaves_the_others() -> None:
    assert trial("status:open NOT status:available") == {
        "status": ["RECRUITING", "NOT_YET_RECRUITING", "ENROLLING_BY_INVITATION"]
    }
    assert len(trial("NOT status:open")["status"]) == 10


@pytest.mark.parametrize(
    ("written", "geo"),
    [
        ("41.4993,-81.6944", {"lat": 41.4993, "long": -81.6944, "distance_mi": 50}),
        ("41.4993, -81.6944, 10mi", {"lat": 41.4993, "long": -81.6944, "distance_mi": 10}),
        ("41.4993,−81.6944,80km", {"lat": 41.4993, "long": -81.6944, "distance_mi": 49.71}),
        ('"41.4993, -81.6944, 25 miles"', {"lat": 41.4993, "long": -81.6944, "distance_mi": 25}),
        ("Cleveland", {"place": "Cleveland", "distance_mi": 50}),
        ("Cleveland, OH", {"place": "Cleveland, OH", "distance_mi": 50}),
        ('"Cleveland, OH, 20mi"', {"place": "Cleveland, OH", "distance_mi": 20}),
    ],
)
def test_a_place_is_a_point_or_a_name_with_a_distance(written: str, geo: dict[str, Any]) -> None:
    assert trial(f"near:{written}") == {"geo": geo}


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("<0.01", {"max_frequency": 0.01, "max_frequency_exclusive": True}),
        ("<=1%", {"max_frequency": 0.01}),
        (">1e-3", {"min_frequency": 0.001, "min_frequency_exclusive": True}),
        ("0.001..0.05", {"min_frequency": 0.001, "max_frequency": 0.05}),
        ("..0.05", {"max_frequency": 0.05}),
    ],
)
def test_a_frequency_has_bounds(written: str, expected: dict[str, Any]) -> None:
    assert variant(f"gene:BRCA1 AND frequency:{written}") == {"gene": "BRCA1"} | expected


def test_bounds_that_must_all_hold_meet() -> None:
    assert variant("gene:X AND cadd:>=20 AND cadd:>25 AND cadd:<30") == {
        "gene": "X",
        "min_cadd": 25.0,
        "min_cadd_exclusive": True,
        "max_cadd": 30.0,
        "max_cadd_exclusive": True,
    }


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("18", {"min_age": 18.0, "max_age": 18.0}),
        (">=65", {"min_age": 65.0}),
        ("18..40", {"min_age": 18.0, "max_age": 40.0}),
        ("child", {"age_group": ["CHILD"]}),
        ("older", {"age_group": ["OLDER_ADULT"]}),
    ],
)
def test_an_age_is_in_years_or_a_group(written: str, expected: dict[str, Any]) -> None:
    assert trial(f"age:{written}") == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("V600E", {"protein": "p.V600E"}),
        ("v600e", {"protein": "p.V600E"}),
        ("p.V600E", {"protein": "p.V600E"}),
        ("p.Val600Glu", {"protein": "p.V600E"}),
        ("Val600Glu", {"protein": "p.V600E"}),
        ('"p.(Val600Glu)"', {"protein": "p.V600E"}),
        ("R248*", {"protein": "p.R248*"}),
        ("R248X", {"protein": "p.R248*"}),
        ("p.Arg248Ter", {"protein": "p.R248*"}),
        ("E746_A750del", {"protein": "p.E746_A750del"}),
        ("p.Glu746_Ala750del", {"protein": "p.E746_A750del"}),
        ("L747fs", {"protein": "p.L747fs"}),
        ("D770_N771insSVD", {"protein": "p.D770_N771insSVD"}),
        ("V600", {"protein_position": "V600"}),
        ("rs113488022", {"rsid": "rs113488022"}),
        ("RCV000067669.12", {"clinvar": "RCV000067669"}),
        ("c.1799T>A", {"cdna": "c.1799T>A"}),
        ("NM_004333.4:c.1799T>A", {"hgvs": "NM_004333.4:c.1799T>A"}),
        ("NP_004324.2:p.Val600Glu", {"hgvs": "NP_004324.2:p.Val600Glu"}),
        ("NM_004333.4(BRAF):c.1799T>A", {"gene": "BRAF", "hgvs": "NM_004333.4:c.1799T>A"}),
        ('"NM_004333.4(BRAF):c.1799T>A (p.Val600Glu)"', {"gene": "BRAF", "hgvs": "NM_004333.4:c.1799T>A"}),
        ("chr7:g.140453136A>T", {"id": "chr7:g.140453136A>T", "assembly": "both"}),
        ("7:g.140453136A>T", {"id": "chr7:g.140453136A>T", "assembly": "both"}),
        ("7-140453136-A-T", {"id": "chr7:g.140453136A>T", "assembly": "both"}),
        ("chr7:g.140753336A>T@hg38", {"id": "chr7:g.140753336A>T", "assembly": "hg38"}),
        ("NC_000007.13:g.140453136A>T", {"id": "chr7:g.140453136A>T", "assembly": "hg19"}),
        ("NC_000007.14:g.140753336A>T", {"id": "chr7:g.140753336A>T", "assembly": "hg38"}),
        ('"BRAF V600E"', {"gene": "BRAF", "protein": "p.V600E"}),
        ('"BRAF p.Val600Glu"', {"gene": "BRAF", "protein": "p.V600E"}),
        ("BRAF:p.V600E", {"gene": "BRAF", "protein": "p.V600E"}),
        ("(V600E OR V600K)", {"protein_any": ["p.V600E", "p.V600K"]}),
    ],
)
def test_a_variant_is_known_by_its_form(written: str, expected: dict[str, Any]) -> None:
    assert variant(f"variant:{written}") == expected
    assert variant(normalised(f"variant:{written}")) == expected


def test_an_assembly_of_its_own_settles_a_coordinate_and_a_wrong_one_is_a_conflict() -> None:
    assert variant("variant:chr7:g.1A>T AND assembly:grch37")["assembly"] == "hg19"
    assert variant("region:7:140453100-140453200")["assembly"] == "both"
    with pytest.raises(Exception, match="E_CONFLICT"):
        variant("variant:chr7:g.1A>T@hg38 AND assembly:hg19")


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("gene:braf", "gene:BRAF"),
        ("gene:c9ORF72", "gene:C9orf72"),
        ("gene:TNF-α", "gene:TNF-ALPHA"),
        ("gene:673", "gene:673"),
        ("gene:ensg00000157764.14", "gene:ENSG00000157764"),
        ("gene:HER-2/neu", "gene:HER-2/NEU"),
        ('disease:"  lung   cancer "', 'disease:"lung cancer"'),
        ("disease:Crohn’s disease", 'disease:"Crohn\'s disease"'),
        ("disease:'Crohn\\'s disease'", 'disease:"Crohn\'s disease"'),
        ('title:"say \\"x\\""', 'articles.title:"say \\"x\\""'),
        ("variants.region:chr7:140,453,100-140,453,200", "variants.region:7:140453100-140453200"),
        ("articles.type:Meta_Analysis", "articles.type:meta-analysis"),
        ("pgx.level:1a", "pgx.level:1A"),
        ("articles.preprint:no", "articles.preprint:false"),
        ("trials.line:3l+", "trials.line:3l+"),
        ("drugs.id:cid:2244", "drugs.id:CID2244"),
    ],
)
def test_a_value_has_one_form(written: str, expected: str) -> None:
    assert normalised(written) == expected
    assert normalised(expected) == expected
