"""Keys that an installation without any configuration makes for itself, once."""

import os
import secrets
import tempfile
from pathlib import Path


def kept_secret(path: Path) -> str:
    """The key in `path`, made at the first call. Several processes may start at once: one key wins."""
    if not path.exists():
        handle, scratch = tempfile.mkstemp(dir=path.parent)  # readable by its owner alone
        with os.fdopen(handle, "w") as file:
            file.write(secrets.token_urlsafe(48))
        try:
            os.link(scratch, path)
        except FileExistsError:
            pass
        finally:
            Path(scratch).unlink()
    return path.read_text()
