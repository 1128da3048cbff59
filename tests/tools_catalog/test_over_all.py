"""The tools over all databases through the real child, offline: how their results reach the loop."""

import os
import sys
from pathlib import Path

from tools_catalog.environment import child_environment
from tools_catalog.mcp_process import McpProcess

CALL_S = 30.0


async def test_a_search_and_a_record_reach_the_loop_as_any_other_result_does(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mcp_server", "--upstreams", "snapshot"]
    told: list[str] = []
    process = McpProcess(command, child_environment(os.environ), tmp_path / "spool", label="real")
    try:
        await process.start()
        asked = {"query": "gene:CYP2C19 AND drug:clopidogrel"}
        found = await process.call("search", asked, timeout_s=CALL_S, on_progress=told.append)
        thought = {"thought": "Which alleles matter?", "thoughtNumber": 1}
        first, second = [
            await process.call("think", thought, timeout_s=CALL_S, conversation=name) for name in ("a", "b")
        ]
        record = await process.call("fetch", {"id": "R-HSA-5633007"}, timeout_s=CALL_S)
    finally:
        await process.stop()
    assert found.envelope["outcome"] == "data" and not found.is_error
    rows = {row["id"]: row["title"] for row in found.envelope["data"]["results"]}
    assert "CHEMBL1771" in rows and any(identifier.startswith("PGX:") for identifier in rows)
    cited = {citation["identifier"] for citation in found.meta["burp/citations"]}
    assert "CHEMBL1771" in cited and found.meta["burp/fetched_at"].endswith("Z")
    assert {"drug: ok", "pgx: ok"} <= set(told)
    assert record.envelope["data"]["title"] == "Regulation of TP53 Activity"
    assert [each.envelope["data"]["historyLength"] for each in (first, second)] == [1, 1]
