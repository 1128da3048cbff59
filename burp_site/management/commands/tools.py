"""List the tools and call one of them, from the terminal."""

import asyncio
import json
import logging
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from chat import upstreams
from mcp_server.renamed import no_such_tool
from tools_catalog.calls import RawToolResult, ToolCallError
from tools_catalog.catalog import CatalogTool
from tools_catalog.runtime import close_tool_servers, get_tool_servers
from tools_catalog.terminal import BadArgument, read_arguments, result_lines, tool_lines

CALL_TIMEOUT_S = 90.0


class Command(BaseCommand):
    """`manage.py tools list|call`: through the same child process as a question."""

    help = "List the tools (`list --search WORDS`), or call one (`call NAME key=value …`). Exits with 1 on a failure."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the two commands."""
        commands = parser.add_subparsers(dest="command", required=True)
        listing = commands.add_parser("list", help="list the tools by platform")
        listing.add_argument("--platform", default="", help="one platform only, e.g. chembl")
        listing.add_argument("--search", default="", metavar="WORDS", help="the tools that fit these words, best first")
        call = commands.add_parser("call", help="call a tool")
        call.add_argument("name", help="the tool, e.g. clinicaltrials__get_study")
        call.add_argument("arguments", nargs="*", metavar="key=value", help="its arguments; none: its own example")
        call.add_argument("--upstreams", choices=("live", "snapshot"), default="", help="where records come from")
        call.add_argument("--json", action="store_true", help="print the result with its provenance as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run one of the commands."""
        logging.getLogger("tools_catalog").setLevel(logging.WARNING)
        try:
            if options["command"] == "list":
                tools = asyncio.run(_listed(options["platform"], options["search"]))
                self._write_tools(tools, is_search=bool(options["search"]))
                return
            result = asyncio.run(_called(options["name"], options["arguments"], options["upstreams"]))
        except (ToolCallError, BadArgument) as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            self.stdout.write(json.dumps({**result.envelope, "_meta": result.meta}, ensure_ascii=False, indent=1))
        else:
            self.stdout.write("\n".join(result_lines(result)))
        if result.is_error:
            raise SystemExit(1)

    def _write_tools(self, tools: list[CatalogTool], *, is_search: bool) -> None:
        if not tools:
            raise CommandError("there is no such tool")
        if is_search:
            self.stdout.write("\n".join(f"{tool.name}\n      {tool.description}" for tool in tools))
        else:
            self.stdout.write("\n".join(tool_lines(tools)))


async def _listed(platform: str, words: str) -> list[CatalogTool]:
    try:
        # All modes have the same tools.
        search = await get_tool_servers().search("snapshot")
        catalog = search.catalog
        found = [catalog.by_name[hit.name] for hit in (await search.find(words)).hits] if words else list(catalog.tools)
        return [tool for tool in found if platform.casefold() in ("", tool.platform_key, tool.platform.casefold())]
    finally:
        await close_tool_servers()


async def _called(name: str, pairs: list[str], setting: str) -> RawToolResult:
    chat = settings.BURP.chat
    mode = await upstreams.choose(setting or chat.upstreams, chat.upstream_gateway)
    try:
        server = await get_tool_servers().get(mode)
        tool = server.catalog.get(name)
        if tool is None:
            raise BadArgument(no_such_tool(name, server.catalog.by_name))
        arguments = read_arguments(tool, pairs) if pairs else tool.example
        return await server.process.call(name, arguments, timeout_s=CALL_TIMEOUT_S)
    finally:
        await close_tool_servers()
