"""What a tool server's process may see."""

import pytest

from tools_catalog.environment import child_environment


@pytest.mark.parametrize(
    "name",
    ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "AWS_SECRET_ACCESS_KEY", "DATABASE_URL", "REDIS_URL"]
    + [
        "BURP_SECRET_KEY",
        "BURP_API_TOKEN",
        "BURP_DATABASE_URL",
        "BURP_EMAIL_PASSWORD",
        "LANGFUSE_SECRET_KEY",
        "SECRET_KEY",
    ]
    + ["XHOME", "HOMEX", "PATH_KEY", "GITHUB_TOKEN", "LD_PRELOAD"],
)
def test_secrets_and_strangers_stay_out(name: str) -> None:
    assert child_environment({name: "x"}) == {}


@pytest.mark.parametrize(
    "name",
    ["HOME", "PATH", "LANG", "LC_ALL", "SSL_CERT_FILE", "https_proxy", "HTTPS_PROXY", "NO_PROXY", "NCBI_API_KEY"]
    + ["BURP_CONTACT", "BURP_UPSTREAM_GATEWAY", "BURP_TOOL_TIMEOUT_S"],
)
def test_what_the_server_needs_is_passed_on(name: str) -> None:
    assert child_environment({name: "x"}) == {name: "x"}


def test_extra_variables_win() -> None:
    assert child_environment({"BURP_DATA_DIR": "old", "HOME": "/h"}, BURP_DATA_DIR="new") == {
        "BURP_DATA_DIR": "new",
        "HOME": "/h",
    }
