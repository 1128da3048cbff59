"""The server under test."""

from tests.strict_chat.fixture import strict_chat as strict_chat
