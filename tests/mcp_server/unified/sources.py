"""All sources of a unified search as one transport: what each answers, which are down, and who waits for whom."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote_plus, urlsplit

import stamina

from mcp_server.config import ServerConfig
from mcp_server.envelope import Envelope
from mcp_server.http.errors import UpstreamUnreachable
from mcp_server.http.messages import Request, Response
from mcp_server.http.rate_limit import RateLimits
from mcp_server.registry import discover
from mcp_server.server import ToolServer
from tests.mcp_server.platforms import europepmc_cases, myvariant_cases, pubtator3_cases, registry_studies
from tests.mcp_server.platforms.fake_upstream import Played

Json = Any
PLATFORMS = discover()

NCBI, EUROPE_PMC, TRIALS = "www.ncbi.nlm.nih.gov", "www.ebi.ac.uk", "clinicaltrials.gov"
MYVARIANT, MYGENE, MYDISEASE = "myvariant.info", "mygene.info", "mydisease.info"
OPEN_TARGETS, CBIOPORTAL, HOTSPOTS = "api.platform.opentargets.org", "www.cbioportal.org", "www.cancerhotspots.org"

MEK = "Improved survival with MEK inhibition in BRAF-mutated melanoma."
PAPER = {"pmid": 22663011, "title": MEK, "date": "2012-07-12", "doi": "10.1056/NEJMoa1203421"}
BRAF = {
    **myvariant_cases.ERBB2, "_id": "673", "symbol": "BRAF", "name": "B-Raf proto-oncogene", "entrezgene": "673",
    "alias": ["B-RAF1", "RAFB1"], "MIM": "164757", "HGNC": "1097", "ensembl": {"gene": "ENSG00000157764"},
    "uniprot": {"Swiss-Prot": "P15056"},
}  # fmt: skip
MELANOMA = {
    "_id": "MONDO:0005105",
    "mondo": {"label": "melanoma", "definition": "A malignant neoplasm of melanocytes."},
}
ENTITIES = {
    "BRAF": ("@GENE_BRAF", "BRAF", "ncbi_gene", "673"),
    "NRAS": ("@GENE_NRAS", "NRAS", "ncbi_gene", "4893"),
    "melanoma": ("@DISEASE_Melanoma", "Melanoma", "ncbi_mesh", "D008545"),
}


def entity(query: str) -> Played:
    """Return PubTator3's answer to a name."""
    found = next((row for name, row in ENTITIES.items() if f"query={name}" in query), None)
    return Played([pubtator3_cases.entity_row(*found)] if found else [])


def paper(**more: Json) -> Played:
    """Return PubTator3's page with one paper."""
    facts = {**PAPER, **more}
    number, title = facts.pop("pmid"), facts.pop("title")
    return pubtator3_cases.hits(pubtator3_cases.hit(number, title, **facts))


def article(**more: Json) -> dict[str, Json]:
    """Return Europe PMC's record of the same paper."""
    facts = {"title": MEK, "pubYear": "2012", "doi": "10.1056/NEJMoa1203421", "abstractText": "We compared."}
    return europepmc_cases.record("MED", "22663011", **{**facts, **more})


def preprint() -> dict[str, Json]:
    """Return Europe PMC's record of a preprint."""
    facts = {"title": "A preprint on BRAF", "doi": "10.1101/2024.01.01.573890", "pubYear": "2024"}
    return europepmc_cases.record("PPR", "PPR780001", bookOrReportDetails={"publisher": "bioRxiv"}, **facts)


def hit(name: str, number: str) -> Json:
    """Return a disease as Open Targets finds it."""
    return {"id": number, "entity": "disease", "name": name, "score": 1.0, "object": {}}


def europe_pmc(query: str) -> Played:
    """Return the preprints where they are asked for, else the articles."""
    return europepmc_cases.hits(preprint() if "SRC:PPR" in query else article())


Answer = Played | Callable[[str], Played]


def usual() -> dict[str, Answer]:
    """Return what the sources say of BRAF and melanoma, by host and path."""
    disease = {"search": {"total": 1, "hits": [hit("melanoma", "MONDO_0005105")]}}
    return {
        f"{NCBI}/research/pubtator3-api/entity/autocomplete": entity,
        f"{NCBI}/research/pubtator3-api/search": paper(),
        f"{EUROPE_PMC}/europepmc/webservices/rest/search": europe_pmc,
        f"{TRIALS}/api/v2/studies": Played(registry_studies.page(registry_studies.study("NCT01245062"))),
        f"{MYVARIANT}/v1/query": myvariant_cases.hits(myvariant_cases.V600E_HG38),
        f"{MYGENE}/v3/query": myvariant_cases.hits(BRAF),
        f"{MYDISEASE}/v1/query": myvariant_cases.hits(MELANOMA),
        f"{OPEN_TARGETS}/": Played({"data": disease}),
    }


@dataclass
class Sources:
    """Answers by host and path; `down` are hosts that nobody can reach.

    With `together`, no host answers before so many hosts were asked: what is asked in turn waits for ever.
    """

    answers: dict[str, Answer] = field(default_factory=usual)
    down: frozenset[str] = frozenset()
    together: int = 0
    silent: frozenset[str] = frozenset()
    requests: list[Request] = field(default_factory=list)
    cancelled: list[str] = field(default_factory=list)
    all_here: asyncio.Event = field(default_factory=asyncio.Event)

    async def send(self, request: Request) -> Response:
        """Answer a request."""
        self.requests.append(request)
        if len({one.host for one in self.requests}) >= self.together:
            self.all_here.set()
        if request.host in self.down:
            raise UpstreamUnreachable(request.host, "no connection: nobody listens")
        try:
            if request.host in self.silent:
                await asyncio.Event().wait()
            await self.all_here.wait()
        except asyncio.CancelledError:
            self.cancelled.append(request.host)
            raise
        parts = urlsplit(request.url)
        query = unquote_plus(parts.query)
        for pattern, answer in self.answers.items():
            path, _, words = pattern.partition("?")
            address = f"{parts.netloc}{parts.path}"
            # A pattern begins with its host, or is the end of a path at any host.
            if words in query and (address.endswith(path) if path.startswith("/") else address.startswith(path)):
                return (answer(f"{query} {request.body or ''}") if callable(answer) else answer).response()
        raise AssertionError(f"unexpected request {request.method} {request.url}")

    async def aclose(self) -> None:
        """Hold nothing."""

    def asked(self, host: str) -> list[str]:
        """Return the paths and queries that a host was asked for, readable."""
        return [unquote_plus(one.url.partition(host)[2]) for one in self.requests if one.host == host]


def server(sources: Sources) -> ToolServer:
    """Return a server over all platforms and these sources, without pauses between requests."""
    tools = ToolServer(PLATFORMS, ServerConfig(upstreams="live"), sources)
    tools.limits = RateLimits(unlimited=True)
    return tools


async def call(sources: Sources, tool: str, conversation: str = "", **arguments: Json) -> Envelope:
    """Call a unified tool; nothing is tried twice."""
    with stamina.set_testing(True):
        return await server(sources).call(tool, arguments, conversation=conversation)
