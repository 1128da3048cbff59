"""Which tests show that a case of the casebook is survived.

`python -m tests.casebook` brings the last column of `docs/casebook.md` up to date; what a case is
about stands in the second column and is written by hand.
"""

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCUMENT = ROOT / "docs" / "casebook.md"
HEAD = """# Casebook

Failures that others met and that BURP survives. Each row names the tests that bring the failure about.
The last column is written by `python -m tests.casebook`.

| case | what goes wrong elsewhere | shown by |
| --- | --- | --- |
"""
ROW = re.compile(r"^\| (C\d{3}) \| (.*?) \| (.*?) \|$", re.MULTILINE)


def cases_of_tests() -> dict[str, list[str]]:
    """Return for each case the test files that are marked with it."""
    cases: dict[str, set[str]] = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.case":
                for argument in node.args:
                    cases.setdefault(ast.literal_eval(argument), set()).add(str(path.relative_to(ROOT)))
    return {case: sorted(files) for case, files in sorted(cases.items())}


def cases_of_document() -> dict[str, tuple[str, list[str]]]:
    """Return for each row of the document what the case is about and the files it names."""
    text = DOCUMENT.read_text(encoding="utf-8") if DOCUMENT.exists() else ""
    return {case: (about, re.findall(r"`([^`]+)`", files)) for case, about, files in ROW.findall(text)}


def rewrite() -> None:
    """Bring the document up to date, keeping what was written by hand."""
    known = cases_of_document()
    rows = []
    for case, files in cases_of_tests().items():
        about = known.get(case, ("", []))[0]
        rows.append(f"| {case} | {about} | {', '.join(f'`{name}`' for name in files)} |")
    text = DOCUMENT.read_text(encoding="utf-8") if DOCUMENT.exists() else HEAD
    before = text[: text.index("| case |")] if "| case |" in text else text + "\n"
    table = HEAD[HEAD.index("| case |") :] + "\n".join(rows) + "\n"
    DOCUMENT.write_text(before + table, encoding="utf-8")


if __name__ == "__main__":
    rewrite()
    sys.exit(0)
