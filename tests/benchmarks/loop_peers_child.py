"""One public agent framework, its loop measured in an environment that holds nothing of BURP: a program of its own.

    python loop_peers_child.py pydantic-ai 30 300

A scripted model asks a tool, again and again, then says "Done."; both answer at once. Prints the milliseconds a step
for each number of steps as JSON, bare and, where the framework has a store of its own, with that in SQLite.
"""

import asyncio
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

Json = Any
GENE = {"id": "ENSG00000141736", "symbol": "ERBB2"}


async def pydantic_ai(steps: int, store: Path | None) -> float | None:
    """Run an agent of pydantic-ai; it has no store."""
    if store:
        return None
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel
    from pydantic_ai.usage import UsageLimits

    asked = 0

    async def model(messages: Json, info: Json) -> ModelResponse:
        nonlocal asked
        asked += 1
        if asked <= steps:
            return ModelResponse(parts=[ToolCallPart("gene", {"symbol": f"G{asked}"})])
        return ModelResponse(parts=[TextPart("Done.")])

    agent = Agent(FunctionModel(model))

    @agent.tool_plain
    async def gene(symbol: str) -> dict[str, str]:
        """Look up a gene."""
        return GENE

    began = time.perf_counter()
    result = await agent.run("q", usage_limits=UsageLimits(request_limit=None))
    seconds = time.perf_counter() - began
    assert (result.output, asked) == ("Done.", steps + 1)
    return seconds


async def openai_agents(steps: int, store: Path | None) -> float | None:
    """Run an agent of the OpenAI Agents SDK, with its SQLite session if there is a store."""
    from agents import Agent, Model, ModelResponse, Runner, SQLiteSession, Usage, function_tool, set_tracing_disabled
    from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

    set_tracing_disabled(True)

    class Scripted(Model):
        """Plays the script."""

        asked = 0

        async def get_response(self, *args: Json, **kwargs: Json) -> ModelResponse:
            """Return the next message."""
            self.asked += 1
            if self.asked <= steps:
                call = ResponseFunctionToolCall(
                    arguments=json.dumps({"symbol": f"G{self.asked}"}),
                    call_id=f"call_{self.asked}",
                    name="gene",
                    type="function_call",
                )
                return ModelResponse(output=[call], usage=Usage(), response_id=None)
            text = ResponseOutputText(annotations=[], text="Done.", type="output_text")
            message = ResponseOutputMessage(
                id="m", content=[text], role="assistant", status="completed", type="message"
            )
            return ModelResponse(output=[message], usage=Usage(), response_id=None)

        def stream_response(self, *args: Json, **kwargs: Json) -> Json:
            """Not used."""
            raise NotImplementedError

    @function_tool
    async def gene(symbol: str) -> str:
        """Look up a gene."""
        return json.dumps(GENE)

    model = Scripted()
    agent = Agent(name="a", model=model, tools=[gene])
    session = SQLiteSession("s", store / f"agents-{steps}.sqlite3") if store else None
    began = time.perf_counter()
    result = await Runner.run(agent, "q", max_turns=steps + 2, session=session)
    seconds = time.perf_counter() - began
    assert (result.final_output, model.asked) == ("Done.", steps + 1)
    return seconds


async def langgraph(steps: int, store: Path | None) -> float | None:
    """Run LangGraph's own tool agent, with its SQLite checkpoints if there is a store."""
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage
    from langchain_core.tools import tool
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
    from langgraph.graph import START, MessagesState, StateGraph
    from langgraph.prebuilt import ToolNode, tools_condition

    @tool
    async def gene(symbol: str) -> str:
        """Look up a gene."""
        return json.dumps(GENE)

    calls = (
        AIMessage("", tool_calls=[{"name": "gene", "args": {"symbol": f"G{n}"}, "id": f"call_{n}"}])
        for n in range(steps)
    )
    model = GenericFakeChatModel(messages=iter([*calls, AIMessage("Done.")]))

    async def think(state: MessagesState) -> Json:
        return {"messages": [await model.ainvoke(state["messages"])]}

    graph = StateGraph(MessagesState)
    graph.add_node("think", think)
    graph.add_node("tools", ToolNode([gene]))
    graph.add_edge(START, "think")
    graph.add_conditional_edges("think", tools_condition)
    graph.add_edge("tools", "think")
    question = {"messages": [("user", "q")]}
    options: Json = {"recursion_limit": 2 * steps + 10}
    if not store:
        return await _asked(graph.compile(), question, options, steps)
    async with AsyncSqliteSaver.from_conn_string(str(store / f"graph-{steps}.sqlite3")) as saver:
        options["configurable"] = {"thread_id": "t"}
        return await _asked(graph.compile(checkpointer=saver), question, options, steps)


async def _asked(app: Json, question: Json, options: Json, steps: int) -> float:
    began = time.perf_counter()
    state = await app.ainvoke(question, options)
    seconds = time.perf_counter() - began
    assert (state["messages"][-1].content, len(state["messages"])) == ("Done.", 2 * steps + 2)
    return seconds


FRAMEWORKS = {"pydantic-ai": pydantic_ai, "openai-agents": openai_agents, "langgraph": langgraph}


async def measure(name: str, sizes: list[int]) -> dict[str, dict[str, float]]:
    """Return milliseconds a step, by number of steps: bare, and stored where there is a store."""
    run = FRAMEWORKS[name]
    await run(3, None)  # whatever is imported or built once
    found: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for steps in sizes:
            for kind, store in (("bare", None), ("stored", Path(folder))):
                seconds = await run(steps, store)
                if seconds is not None:
                    found.setdefault(kind, {})[str(steps)] = seconds / steps * 1000
    return found


if __name__ == "__main__":
    os.environ["OPENAI_AGENTS_DISABLE_TRACING"] = "1"
    sys.stdout.write(json.dumps(asyncio.run(measure(sys.argv[1], [int(size) for size in sys.argv[2:]]))))
