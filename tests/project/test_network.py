"""No test can leave the machine or reach a model that costs money."""

import os
import socket

import pytest

from tests.environment import NetworkForbidden


def test_connections_and_look_ups_are_refused() -> None:
    with socket.socket() as probe, pytest.raises(NetworkForbidden, match="192.0.2.1"):
        probe.connect(("192.0.2.1", 443))
    with pytest.raises(NetworkForbidden, match="api.example.com"):
        socket.getaddrinfo("api.example.com", 443)


def test_no_key_of_the_person_who_runs_the_tests_is_used() -> None:
    assert [name for name in os.environ if name.endswith("_API_KEY")] == []
