"""One unified search over five legs whose sources take a second each: side by side, or one after the other?"""

import asyncio
import statistics
import time
from dataclasses import dataclass

from mcp_server.http.messages import Request, Response
from tests.benchmarks.report import Row
from tests.mcp_server.platforms import cbioportal_cases, myvariant_cases
from tests.mcp_server.platforms.fake_upstream import Played
from tests.mcp_server.unified.sources import CBIOPORTAL, HOTSPOTS, MYVARIANT, NCBI, Sources, server, usual

QUERY = "gene:BRAF AND disease:melanoma"
LEG_S = 1.0
ROUNDS = 5


# Who is asked in several steps, one after the other: names before articles, a gene before its studies and calls.
STEPS = {NCBI: 2, CBIOPORTAL: 3}
MELANOMA = myvariant_cases.rcv("RCV000014993", "Pathogenic", myvariant_cases.NO_CRITERIA, "Melanoma")
# A variant that fits all clauses: none has to be searched for again with fewer.
V600E = {**myvariant_cases.V600E_HG38, "clinvar": {**myvariant_cases.V600E_CLINVAR, "rcv": MELANOMA}}
ANSWERS = usual() | {
    f"{MYVARIANT}/v1/query": myvariant_cases.hits(V600E),
    **cbioportal_cases.ATLAS,
    **cbioportal_cases.ATLAS_CALLS,
    f"{HOTSPOTS}/api/hotspots": Played([cbioportal_cases.V600]),
}


@dataclass
class Slow(Sources):
    """Answers so late that each leg takes a second."""

    async def send(self, request: Request) -> Response:
        """Answer late."""
        await asyncio.sleep(LEG_S / STEPS.get(request.host, 1))
        return await super().send(request)


async def _search() -> float:
    tools = server(Slow(ANSWERS))
    began = time.perf_counter()
    result = await tools.call("search", {"query": QUERY})
    seconds = time.perf_counter() - began
    ended = [domain["status"] for domain in result.content["_meta"]["domains"]]
    assert ended == ["ok"] * 5, ended
    return seconds


def measure() -> list[Row]:
    """Search a few times; the first search of a process also loads what only searches need."""
    seconds = [asyncio.run(_search()) for _ in range(ROUNDS)]
    value = f"{statistics.median(seconds):.2f} s (longest {max(seconds):.2f} s)"
    return [Row("search over five legs of 1 s each", value, "< 2 s")]
