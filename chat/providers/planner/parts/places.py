"""Where a gene lies: its place on the genome, and its cytogenetic band, which Ensembl files by region."""

from chat.providers.planner import compose
from chat.providers.planner.results import Call, Result, call, text_at


def place(gene: Result) -> str:
    """Return assembly, chromosome, start and end of a gene's record, or an empty string."""
    chromosome, start, end = (gene.text(name) for name in ("seq_region_name", "start", "end"))
    assembly = gene.text("assembly_name")
    return f"{assembly} {chromosome}:{start}-{end}" if assembly and chromosome and start and end else ""


def band_call(symbol: str, gene: Result) -> Call | None:
    """Return the call for the bands that a gene lies on; None if its place is not known."""
    found = place(gene)
    if not found:
        return None
    assembly, _, region = found.partition(" ")
    about = "the cytogenetic band of {}"
    return call("ensembl__get_region_features", about, symbol, region=region, features=["band"], assembly=assembly)


def cytoband(gene: Result, bands: Result | None) -> str:
    """Return the band with its chromosome ("12q24.21"), of a longer gene the first and the last one."""
    names = [text_at(row, "id") for row in bands.rows("features")] if bands else []
    chromosome = gene.text("seq_region_name")
    if not names or not chromosome:
        return ""
    return compose.plain(f"{chromosome}{names[0]}" + (f"–{names[-1]}" if len(names) > 1 else ""))
