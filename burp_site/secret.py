"""Keep the secret key of a local installation."""

import os
import secrets
from pathlib import Path

SECRET_BYTES = 48


def secret_key(path: Path) -> str:
    """Return the key kept at `path`, made on first use and readable by its owner only.

    Two processes that start together agree: the file appears whole, and only one of them makes it.
    """
    try:
        return path.read_text(encoding="ascii")
    except FileNotFoundError:
        pass
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    draft.touch(mode=0o600, exist_ok=False)
    draft.write_text(secrets.token_urlsafe(SECRET_BYTES), encoding="ascii")
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
    return path.read_text(encoding="ascii")
