"""What of the environment a tool server's process gets to see: what it needs, and no secret of anybody else."""

import re
from collections.abc import Mapping

_NEEDED = re.compile(
    r"HOME|PATH|LANG|LC_[A-Z]+|TZ|TMPDIR|PYTHONPATH|SYSTEMROOT"
    r"|SSL_CERT_FILE|SSL_CERT_DIR|(?:https?|all|no|HTTPS?|ALL|NO)_(?:proxy|PROXY)"
    r"|NCBI_API_KEY"
)
_OURS = re.compile(r"BURP_[A-Z0-9_]+")
_SECRET = re.compile(r"SECRET|PASSWORD|TOKEN|CREDENTIAL|_KEY\b|_DSN\b|DATABASE|REDIS")


def child_environment(environment: Mapping[str, str], **extra: str) -> dict[str, str]:
    """Return the variables for a tool server: those it needs, `BURP_*` without secrets, and `extra`."""
    kept = {
        name: value
        for name, value in environment.items()
        if _NEEDED.fullmatch(name) or (_OURS.fullmatch(name) and not _SECRET.search(name))
    }
    return kept | extra
