"""Real servers, with a strict model service and a database that hangs, both on loopback: stop, leave, kill, restart."""

import pytest

pytest.register_assert_rewrite("tests.serving.settled", "tests.serving.site")
