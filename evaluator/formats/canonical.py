"""Bytes that depend on nothing but their content: canonical JSON, deterministic zips, content hashes."""

import hashlib
import io
import json
import zipfile
from collections.abc import Iterable, Mapping

# The earliest time a zip entry can carry.
_ZIP_TIME = (1980, 1, 1, 0, 0, 0)
_ZIP_MODE = 0o100644
_ZIP_UNIX = 3


def json_document(value: object) -> bytes:
    """A JSON document for reading: keys sorted by code point, two-space indent, floats by repr, UTF-8.

    Raises ``ValueError`` for NaN or infinity.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True, indent=2)
    return text.encode("utf-8") + b"\n"


def json_line(value: object) -> bytes:
    """One JSONL line: keys sorted by code point, no spaces, floats by repr, UTF-8, newline at the end."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))
    return text.encode("utf-8") + b"\n"


def json_lines(values: Iterable[object]) -> bytes:
    """A JSONL file in the given order."""
    return b"".join(json_line(value) for value in values)


def sha256(data: bytes) -> str:
    """The SHA-256 of some bytes in lower-case hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def content_sha256(hashes: Mapping[str, str]) -> str:
    """The hash of a whole set from its files' hashes by name (the manifest left out by the caller).

    SHA-256 of the lines ``sha256``, two spaces, ``name``, newline, sorted by name.
    """
    lines = "".join(f"{hashes[name]}  {name}\n" for name in sorted(hashes))
    return sha256(lines.encode("utf-8"))


def zip_bytes(files: Mapping[str, bytes]) -> bytes:
    """A zip of the files whose bytes depend on names and contents alone.

    Entries are stored sorted by name with one fixed time and mode. They are not compressed, because a
    compressor's output may change from one zlib to the next.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, date_time=_ZIP_TIME)
            entry.create_system = _ZIP_UNIX
            entry.external_attr = _ZIP_MODE << 16
            archive.writestr(entry, files[name])
    return buffer.getvalue()
