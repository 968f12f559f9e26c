"""The one line that says how a report's figures were made."""

import re
from collections.abc import Mapping

_FORBIDDEN = re.compile(r"[|:\s]")


def signature(task: str, settings: Mapping[str, object]) -> str:
    """``task|key:value|…`` in the order given, for instance ``ip|consensus:mean|…|v:0.3.0``.

    Raises ``ValueError`` when a key or value holds ``|``, ``:`` or white space.
    """
    parts = [task]
    for key, value in settings.items():
        if _FORBIDDEN.search(key) or _FORBIDDEN.search(str(value)):
            raise ValueError(f"signature value {key}={value!r}: '|', ':' and white space are not allowed")
        parts.append(f"{key}:{value}")
    return "|".join(parts)
