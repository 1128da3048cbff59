"""`about_sources`: whose data the tools give, of which release, under which terms, and how each source is doing."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import mcp_types as types

from mcp_server.envelope import Answer, Envelope, InvalidArguments, envelope_schema, rows, success
from mcp_server.http.breaker import Breakers
from mcp_server.http.client import Api
from mcp_server.http.errors import UpstreamError
from mcp_server.tool import Platform
from mcp_server.unified.tool import READ_ONLY, Desk, UnifiedTool

Json = Any
NAME = "about_sources"
RELEASE_WITHIN_S = 10.0


def listed(platforms: Sequence[Platform]) -> types.Tool:
    """Return the tool as the protocol lists it."""
    names = [platform.name for platform in platforms]
    schema: dict[str, Json] = {
        "type": "object",
        "properties": {
            "platform": {
                "type": "string",
                "enum": names,
                "description": "One database only; without it, all of them.",
            }
        },
        "required": [],
        "additionalProperties": False,
    }
    return types.Tool(
        name=NAME,
        title="BURP: about sources",
        description=(
            "Get release, licence, attribution, citation, limits and present state of the databases behind the tools; "
            "for citing a source or judging an outage, not for looking anything up."
        ),
        input_schema=schema,
        output_schema=envelope_schema(),
        annotations=READ_ONLY,
        _meta={
            "burp/platform": "BURP",
            "burp/example": {"platform": names[0]} if names else {},
            "burp/asks": [
                "which release of a database is used",
                "licence and terms of use of a source",
                "is a database down, outage",
                "how do I cite a database",
            ],
        },
    )


async def about_sources(desk: Desk, arguments: Mapping[str, Json]) -> Envelope:
    """Describe the asked platforms; releases are asked for side by side and may be missing one by one."""
    for name in arguments:
        if name != "platform":
            raise InvalidArguments(name, "there is no such argument; known: platform", {})
    wanted = arguments.get("platform")
    chosen = [platform for platform in desk.platforms if wanted in (None, platform.name)]
    if not chosen:
        names = [platform.name for platform in desk.platforms]
        message = f"{wanted!r} is none of the databases; known: {', '.join(names)}"
        raise InvalidArguments("platform", message, names[0] if names else None)
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(_described(platform, desk.api_for(platform, desk.trace), desk.breakers))
            for platform in chosen
        ]
    answer: Answer = rows([task.result() for task in tasks])
    return success(answer, [], desk.trace)


async def _described(platform: Platform, api: Api, breakers: Breakers) -> dict[str, Json]:
    release, problem = await _release(platform, api)
    facts: dict[str, Json] = {
        "platform": platform.name,
        "title": platform.title,
        "tools": len(platform.tools),
        "release": release,
        "licence": platform.licence,
        "documentation": platform.docs,
        "hosts": {host: breakers.state(host) for host in platform.all_hosts},
    }
    if problem:
        facts["release_note"] = problem
    if platform.source is not None:
        facts |= {
            "provider": platform.source.provider,
            "homepage": platform.source.homepage,
            "attribution": platform.source.attribution,
            "cite": platform.source.cite,
            "limits": platform.source.limits,
            "share_alike": platform.source.share_alike,
        }
    return facts


async def _release(platform: Platform, api: Api) -> tuple[str | None, str]:
    if platform.release_reader is None:
        return None, "this source has no numbered releases; results carry the day of fetching"
    try:
        async with asyncio.timeout(RELEASE_WITHIN_S):
            return await platform.release_reader(api), ""
    except UpstreamError as error:
        return None, str(error)
    except (TimeoutError, KeyError, IndexError, TypeError, ValueError) as error:
        return None, f"the release could not be read ({type(error).__name__})"


tool = UnifiedTool(NAME, listed, about_sources)
