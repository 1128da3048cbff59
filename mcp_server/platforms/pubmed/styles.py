"""References written out in the styles of journals, from PubMed's summaries."""

import re
from collections.abc import Sequence
from typing import Any

from mcp_server.platforms.pubmed.service import plain_title

Json = Any

# From how many authors on the rest becomes "et al.", and how many are named then.
NLM_AUTHORS_MAX = 6
AMA_AUTHORS_MAX, AMA_AUTHORS_NAMED = 6, 3
APA_AUTHORS_MAX = 20
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def written(record: Json, style: str) -> str:
    """Return a reference in a style."""
    return {"nlm": _nlm, "ama": _ama, "apa": _apa, "mla": _mla, "ris": _ris}[style](record)


def title_of(record: Json) -> str:
    """Return the title without its final full stop."""
    return plain_title(record.get("title") or record.get("booktitle") or "").rstrip(". ")


def _authors(record: Json) -> list[str]:
    return [author["name"] for author in record.get("authors", [])]


def _identifier(record: Json, kind: str) -> str:
    return next((each["value"] for each in record.get("articleids", []) if each["idtype"] == kind), "")


def _year(record: Json) -> str:
    found = re.search(r"\d{4}", record.get("pubdate", ""))
    return found[0] if found else "n.d."


def _place(record: Json) -> str:
    """Return volume, issue and pages: `367(2):107-14`."""
    issue = f"({record['issue']})" if record.get("issue") else ""
    pages = f":{record['pages']}" if record.get("pages") else ""
    return f"{record.get('volume', '')}{issue}{pages}"


def _listed(names: Sequence[str], most: int, named: int) -> str:
    """Join names by commas; beyond `most` the first `named` and "et al"."""
    return ", ".join([*names[:named], "et al"] if len(names) > most else names)


def _joined(*parts: str) -> str:
    """Join the parts that there are, each closed by a full stop."""
    return " ".join(part if part.endswith((".", "?", "!")) else f"{part}." for part in parts if part)


def _nlm(record: Json) -> str:
    place = _place(record)
    source = f"{record.get('source', '')}. {record.get('pubdate', '')}{';' if place else ''}{place}"
    doi = _identifier(record, "doi")
    return _joined(
        _listed(_authors(record), NLM_AUTHORS_MAX, NLM_AUTHORS_MAX),
        title_of(record),
        source,
        f"doi: {doi}" if doi else "",
        f"PMID: {record['uid']}",
    )


def _ama(record: Json) -> str:
    place = _place(record)
    doi = _identifier(record, "doi")
    reference = _joined(
        _listed(_authors(record), AMA_AUTHORS_MAX, AMA_AUTHORS_NAMED),
        title_of(record),
        record.get("source", ""),
        f"{_year(record)}{';' if place else ''}{place}",
    )
    return f"{reference} doi:{doi}" if doi else reference


def _inverted(name: str) -> str:
    """Return `Flaherty KT` as `Flaherty, K. T.`; the name of a group stays."""
    surname, _, initials = name.rpartition(" ")
    if not surname or not re.fullmatch(r"[A-ZÀ-Þ]{1,4}", initials):
        return name
    return f"{surname}, {' '.join(f'{letter}.' for letter in initials)}"


def _apa(record: Json) -> str:
    names = [_inverted(name) for name in _authors(record)]
    if len(names) > APA_AUTHORS_MAX:
        people = f"{', '.join(names[: APA_AUTHORS_MAX - 1])}, … {names[-1]}"
    else:
        people = ", & ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)
    issue = f"({record['issue']})" if record.get("issue") else ""
    journal = record.get("fulljournalname") or record.get("source", "")
    place = ", ".join(filter(None, (journal, f"{record.get('volume', '')}{issue}", record.get("pages", ""))))
    doi = _identifier(record, "doi")
    reference = _joined(f"{people} ({_year(record)})".strip(), title_of(record), place)
    return f"{reference} https://doi.org/{doi}" if doi else reference


def _mla(record: Json) -> str:
    names = [_inverted(name) for name in _authors(record)]
    people = f"{names[0]}, et al" if len(names) > 2 else " and ".join(names)
    parts = [
        plain_title(record.get("fulljournalname") or record.get("source", "")),
        f"vol. {record['volume']}" if record.get("volume") else "",
        f"no. {record['issue']}" if record.get("issue") else "",
        _year(record),
        f"pp. {record['pages']}" if record.get("pages") else "",
        f"doi:{doi}" if (doi := _identifier(record, "doi")) else "",
    ]
    return _joined(people, f'"{title_of(record)}."', ", ".join(filter(None, parts))).replace('.".', '."')


def _ris(record: Json) -> str:
    first, _, last = str(record.get("pages", "")).partition("-")
    date = record.get("pubdate", "").split()
    month = f"{MONTHS.index(date[1]) + 1:02}" if len(date) > 1 and date[1] in MONTHS else ""
    fields = [
        ("TY", "JOUR"),
        *(("AU", _inverted(name)) for name in _authors(record)),
        ("TI", title_of(record)),
        ("JO", record.get("source")),
        ("T2", record.get("fulljournalname")),
        ("PY", _year(record)),
        ("DA", f"{_year(record)}/{month}" if month else ""),
        ("VL", record.get("volume")),
        ("IS", record.get("issue")),
        ("SP", first),
        ("EP", last),
        ("DO", _identifier(record, "doi")),
        ("AN", record["uid"]),
    ]
    return "\n".join([*(f"{tag}  - {value}" for tag, value in fields if value), "ER  - "])
