"""Names of countries as people write them, and of the regions whose codes the list of cities holds."""

from collections.abc import Mapping

COUNTRY_NAMES: Mapping[str, str] = {
    "usa": "US", "us": "US", "u s": "US", "united states": "US", "united states of america": "US", "america": "US",
    "uk": "GB", "great britain": "GB", "britain": "GB", "south korea": "KR", "korea": "KR", "north korea": "KP",
    "russia": "RU", "czech republic": "CZ", "holland": "NL", "the netherlands": "NL", "netherlands": "NL",
    "turkey": "TR", "turkiye": "TR", "taiwan": "TW", "vietnam": "VN", "iran": "IR", "syria": "SY", "ivory coast": "CI",
    "uae": "AE", "macedonia": "MK", "burma": "MM", "swaziland": "SZ", "prc": "CN", "deutschland": "DE",
}  # fmt: skip

_US = {
    "AL": "Alabama", "AK": "Alaska", "AZ": "Arizona", "AR": "Arkansas", "CA": "California", "CO": "Colorado",
    "CT": "Connecticut", "DE": "Delaware", "DC": "District of Columbia", "FL": "Florida", "GA": "Georgia",
    "HI": "Hawaii", "ID": "Idaho", "IL": "Illinois", "IN": "Indiana", "IA": "Iowa", "KS": "Kansas", "KY": "Kentucky",
    "LA": "Louisiana", "ME": "Maine", "MD": "Maryland", "MA": "Massachusetts", "MI": "Michigan", "MN": "Minnesota",
    "MS": "Mississippi", "MO": "Missouri", "MT": "Montana", "NE": "Nebraska", "NV": "Nevada", "NH": "New Hampshire",
    "NJ": "New Jersey", "NM": "New Mexico", "NY": "New York", "NC": "North Carolina", "ND": "North Dakota",
    "OH": "Ohio", "OK": "Oklahoma", "OR": "Oregon", "PA": "Pennsylvania", "RI": "Rhode Island",
    "SC": "South Carolina", "SD": "South Dakota", "TN": "Tennessee", "TX": "Texas", "UT": "Utah", "VT": "Vermont",
    "VA": "Virginia", "WA": "Washington", "WV": "West Virginia", "WI": "Wisconsin", "WY": "Wyoming",
}  # fmt: skip

# Country, then the list's own code of a region, then the names that people write, the one to show first.
REGIONS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "US": {code: (code, name) for code, name in _US.items()},
    "CA": {
        "01": ("AB", "Alberta"), "02": ("BC", "British Columbia"), "03": ("MB", "Manitoba"),
        "04": ("NB", "New Brunswick"), "05": ("NL", "Newfoundland and Labrador"), "07": ("NS", "Nova Scotia"),
        "08": ("ON", "Ontario"), "09": ("PE", "Prince Edward Island"), "10": ("QC", "Quebec"),
        "11": ("SK", "Saskatchewan"), "12": ("YT", "Yukon"), "13": ("NT", "Northwest Territories"),
        "14": ("NU", "Nunavut"),
    },
    "AU": {
        "01": ("ACT", "Australian Capital Territory"), "02": ("NSW", "New South Wales"),
        "03": ("NT", "Northern Territory"), "04": ("QLD", "Queensland"), "05": ("SA", "South Australia"),
        "06": ("TAS", "Tasmania"), "07": ("VIC", "Victoria"), "08": ("WA", "Western Australia"),
    },
    "GB": {"ENG": ("England",), "SCT": ("Scotland",), "WLS": ("Wales",), "NIR": ("Northern Ireland",)},
}  # fmt: skip
