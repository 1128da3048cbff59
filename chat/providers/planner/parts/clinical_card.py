"""MyVariant's card of a variant: what it is on an assembly, and ClinVar's records by significance."""

import re
from dataclasses import dataclass

from chat.providers.planner import compose
from chat.providers.planner.parts.named import subject
from chat.providers.planner.results import Call, Json, Result, call, list_at, records_at, text_at

ASSEMBLIES = {"hg38": "GRCh38", "hg19": "GRCh37"}
NAMES_SHOWN = 4
CONDITIONS_SHOWN = 6
_NAMED = {"hg38": re.compile(r"(?i)\b(?:GRCh38|hg38)\b"), "hg19": re.compile(r"(?i)\b(?:GRCh37|hg19)\b")}


@dataclass(frozen=True)
class ClinicalCard:
    """One variant as MyVariant knows it, on the assemblies that it was looked up on."""

    data: dict[str, Json]
    date: str

    @property
    def places(self) -> dict[str, str]:
        """The genomic name by assembly."""
        found = self.data.get("genomic_ids")
        ids = found if isinstance(found, dict) else {}
        return {ASSEMBLIES.get(str(name), str(name)): str(id) for name, id in ids.items()}

    @property
    def genes(self) -> str:
        """The genes' symbols."""
        return compose.listed([compose.plain(str(name)) for name in list_at(self.data, "genes")])

    @property
    def groups(self) -> list[dict[str, Json]]:
        """ClinVar's records, grouped by significance."""
        return records_at(self.data, "clinvar.classified")

    def in_short(self, name: str) -> str:
        """Say which gene a genomic name hits on this assembly, and what ClinVar makes of it."""
        where = compose.listed([f"{id} on {assembly}" for assembly, id in self.places.items()])
        said = [f"{text_at(group, 'significance')} ({text_at(group, 'records')})" for group in self.groups]
        told = f"ClinVar: {compose.plain(compose.listed(said))}" if said else "no ClinVar record in it"
        return f"**{where or name}** lies in **{self.genes or 'no gene'}**; {told}."

    def rows(self) -> list[list[str]]:
        """Return the rows of names for a table."""
        title = text_at(self.data, "clinvar.name")
        rows = [
            ["Gene", self.genes, "MyVariant"],
            ["ClinVar title", f"`{title}`" if title else "", "MyVariant"],
            ["Coding name", coding_name(title), "MyVariant"],
            ["rsID", compose.link("rsid", text_at(self.data, "rsid")), "MyVariant"],
            ["ClinVar VariationID", text_at(self.data, "clinvar.variation_id"), "MyVariant"],
            ["ClinGen canonical allele", text_at(self.data, "clingen_id"), "MyVariant"],
            *[[f"Name on {assembly}", f"`{id}`", "MyVariant"] for assembly, id in self.places.items()],
            ["Coding changes", self._listed("cdna_changes"), "MyVariant"],
            ["Protein changes", self._listed("protein_changes"), "MyVariant"],
        ]
        return [row for row in rows if row[1]]

    def _listed(self, name: str) -> str:
        return compose.listed([f"`{value}`" for value in list_at(self.data, name)], NAMES_SHOWN)

    def section(self) -> str:
        """Return the section on ClinVar's records by significance; on what the variant is, where there are none."""
        where = compose.listed(list(self.places))
        items = [_group(group) for group in self.groups]
        title = text_at(self.data, "clinvar.name")
        facts = [
            f"`{title}`" if title else self._listed("cdna_changes"),
            compose.plain(compose.listed([str(name) for name in list_at(self.data, "consequences")])),
            compose.link("rsid", text_at(self.data, "rsid")),
        ]
        lead = f"{self.genes or 'No gene'}: {', '.join(filter(None, facts))}."
        note = f"MyVariant's copy of ClinVar, {f'as of {self.date}' if self.date else 'undated'}." if items else ""
        return compose.section(f"By MyVariant, on {where}", lead, compose.bullets(items) if items else "", note)


def _group(group: Json) -> str:
    records = [compose.link("clinvar_record", str(id)) for id in list_at(group, "accessions")]
    names = [compose.plain(str(name)) for name in list_at(group, "conditions")]
    review = compose.plain(text_at(group, "review_status"))
    return (
        f"**{compose.plain(text_at(group, 'significance'))}**: {compose.listed(records)}; "
        f"{compose.listed(names, CONDITIONS_SHOWN)} (best review: {review})."
    )


def coding_name(title: str) -> str:
    """Return the coding name of a ClinVar title, which has the gene and the protein change around it."""
    name = re.match(r"(N[MR]_\d+\.\d+)\([A-Za-z0-9-]+\):(\S+)", title)
    return f"`{name[1]}:{name[2]}`" if name else ""


def card_call(variant: str, text: str) -> Call:
    """Return the call for a variant's card: on the one assembly that the question names; of a change, on GRCh38."""
    named = [name for name, pattern in _NAMED.items() if pattern.search(text)]
    is_place = variant.startswith("chr")
    assembly = named[0] if len(named) == 1 else None if is_place else "hg38"
    tool = "myvariant__variant_clinical_summary"
    topic, about = subject("variant", variant)
    return call(
        tool,
        topic.replace("the variant", "the clinical card of the variant", 1),
        about,
        variant=variant,
        assembly=assembly,
    )


def read_cards(result: Result) -> list[ClinicalCard]:
    """Return the cards of a result."""
    return [ClinicalCard(row, result.date) for row in result.rows()]
