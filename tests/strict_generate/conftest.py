"""The server under test."""

from tests.strict_generate.fixture import strict_generate as strict_generate
