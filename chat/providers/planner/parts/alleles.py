"""Star alleles of a gene with function and frequency, and single variants by rsID."""

from chat.providers.planner import compose
from chat.providers.planner.parts.genes import Gene
from chat.providers.planner.results import Result, list_at, records_at, text_at

ALLELES_SHOWN = 8
GROUPS_SHOWN = 5


def section(gene: Gene, star: Result, frequencies: Result) -> str:
    """Return the section on the gene's alleles: function and frequency side by side."""
    functions = {text_at(row, "name"): row for row in star.rows("alleles") if text_at(row, "name")}
    measured = _frequencies(frequencies)
    names = _names(list(functions), measured)
    every = _groups(frequencies)
    groups = every[:GROUPS_SHOWN]
    rows = [
        [
            f"`{gene.symbol}{name}`",
            compose.plain(text_at(functions.get(name), "clinicalfunctionalstatus")) or "not recorded",
            *(measured.get(name, {}).get(group, "not measured") for group in groups),
        ]
        for name in names
    ]
    head = ("Allele", "Function (CPIC)", *map(compose.plain, groups))
    counts = [compose.of_total(star, "allele")] if star.has_data else []
    when = compose.as_of([result for result in (star, frequencies) if result.has_data])
    notes = (
        f"Shown are {len(rows)} of {listed}; {when}." if (listed := compose.listed(counts)) else f"{when.capitalize()}."
    )
    shown_groups = f"the {len(groups)} largest of {len(every)}" if len(every) > len(groups) else "each"
    frequency = f" Frequencies are weighted averages in {shown_groups} of CPIC's population groups." if groups else ""
    if not rows:
        nothing = [result for result in (star, frequencies) if result.is_empty or result.is_unknown]
        note = "; ".join(f"{result.call.about}: {compose.said(result)}" for result in nothing)
        return compose.section(f"Alleles of {gene.symbol}", f"{note}." if note else "")
    return compose.section(f"Alleles of {gene.symbol}", compose.table(head, rows), notes + frequency)


def in_short(gene: Gene, star: Result, frequencies: Result) -> str:
    """Return the most frequent alleles whose function is not normal, by function."""
    functions = {text_at(row, "name"): text_at(row, "clinicalfunctionalstatus") for row in star.rows("alleles")}
    groups: dict[str, list[str]] = {}
    measured = _frequencies(frequencies)
    for name in _names(list(functions), measured):
        seen = any(float(value) > 0 for value in measured.get(name, {}).values())
        function = functions.get(name, "") if seen or not measured else ""
        if function and not function.casefold().startswith(("normal", "uncertain", "unknown")):
            groups.setdefault(compose.plain(function.lower()), []).append(f"`{gene.symbol}{name}`")
    return "; ".join(f"{function}: {compose.listed(names)}" for function, names in groups.items())


def _frequencies(result: Result) -> dict[str, dict[str, str]]:
    """Return measured frequencies by allele and group. What was not measured is not there: it is no zero."""
    found: dict[str, dict[str, str]] = {}
    for row in result.rows("rows"):
        value = row.get("freq_weighted_avg")
        name, group = text_at(row, "name"), text_at(row, "population_group")
        if name and group and isinstance(value, int | float) and not isinstance(value, bool):
            found.setdefault(name, {})[group] = f"{value:.3g}"
    return found


def _groups(result: Result) -> list[str]:
    """Return the population groups, the largest first."""
    sizes: dict[str, int] = {}
    for row in result.rows("rows"):
        size, group = row.get("subjectcount"), text_at(row, "population_group")
        sizes[group] = max(sizes.get(group, 0), size if isinstance(size, int) else 0)
    return sorted(filter(None, sizes), key=lambda group: -sizes[group])


def _names(named: list[str], measured: dict[str, dict[str, str]]) -> list[str]:
    """Return the alleles to show: the most frequent anywhere, in the order of their number."""

    def highest(name: str) -> float:
        return max((float(value) for value in measured.get(name, {}).values()), default=-1.0)

    known = list(dict.fromkeys([*named, *measured]))
    kept = set(sorted(known, key=lambda name: -highest(name))[:ALLELES_SHOWN])
    return [name for name in known if name in kept]


def variant_line(result: Result) -> str:
    """Return one line on a variant as Ensembl has it, or nothing if there is no record."""
    rsid = result.text("name") or result.text("query")
    if not rsid:
        return "" if result.is_failed else f"{compose.plain(result.call.about)}: {compose.said(result)}."
    places = [
        f"{text_at(row, 'assembly_name')} {text_at(row, 'seq_region_name')}:{text_at(row, 'start')} "
        f"{text_at(row, 'allele_string').replace('/', '>', 1)}"
        for row in records_at(result.data, "mappings")
    ]
    genes = [text_at(row, "gene_symbol") for row in records_at(result.data, "genes")]
    significance = [str(word) for word in list_at(result.data, "clinical_significance")]
    facts = [
        compose.plain(places[0]) if places else "",
        f"gene {compose.listed(list(filter(None, genes)), 3)}" if any(genes) else "",
        compose.plain(result.text("most_severe_consequence").replace("_", " ")),
        f"clinical significance: {compose.plain(compose.listed(significance, 4))}" if significance else "",
        f"minor allele {result.text('minor_allele')}, frequency {result.text('MAF')}" if result.text("MAF") else "",
    ]
    return f"{compose.link('rsid', rsid)}: {'; '.join(filter(None, facts))}."
