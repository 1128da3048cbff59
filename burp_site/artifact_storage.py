"""Where stored results lie: files in the data folder, or an S3-compatible service by setting."""

from typing import Any

from burp_site.environment import Environment

# A file is written while its row is locked: a service that hangs must not hold others up for minutes.
CONNECT_TIMEOUT_S = 5
READ_TIMEOUT_S = 30
ATTEMPTS = 3


def artifact_storage(environment: Environment) -> dict[str, Any]:
    """Return the storage as Django's `STORAGES` has it."""
    if not environment.artifacts_bucket:
        return {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": environment.data_dir / "artifacts", "directory_permissions_mode": 0o700},
        }
    # Imported here: the extra `s3` brings it, and nobody else needs it.
    from botocore.config import Config

    client = Config(
        signature_version="s3v4",
        connect_timeout=CONNECT_TIMEOUT_S,
        read_timeout=READ_TIMEOUT_S,
        retries={"total_max_attempts": ATTEMPTS, "mode": "standard"},
        # Services of one's own rarely have a host name for each bucket.
        s3={"addressing_style": "path" if environment.artifacts_endpoint else "auto"},
    )
    return {
        "BACKEND": "storages.backends.s3.S3Storage",
        "OPTIONS": {
            "bucket_name": environment.artifacts_bucket,
            "endpoint_url": environment.artifacts_endpoint or None,
            "location": "artifacts",
            "default_acl": None,
            "client_config": client,
        },
    }
