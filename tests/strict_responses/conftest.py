"""The server under test."""

from tests.strict_responses.fixture import strict_responses as strict_responses
