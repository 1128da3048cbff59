"""The unified query language: from a text to a plan of searches, without network or clock."""

from mcp_server.unified.query.errors import Notice, QueryError, QueryErrors
from mcp_server.unified.query.parser import Parsed, parse
from mcp_server.unified.query.plan import DOMAINS, Leg, NotApplied, Plan, Request
from mcp_server.unified.query.routing import build_plan
from mcp_server.unified.query.schema import schema

__all__ = [
    "DOMAINS",
    "Leg",
    "NotApplied",
    "Notice",
    "Parsed",
    "Plan",
    "QueryError",
    "QueryErrors",
    "Request",
    "build_plan",
    "parse",
    "schema",
]
