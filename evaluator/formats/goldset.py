"""A gold set as a thing on disk: its files in a folder or a zip, and the manifest that vouches for them."""

import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import cast

from evaluator.formats.canonical import content_sha256, json_document, sha256
from evaluator.formats.fields import Fields
from evaluator.formats.problems import Findings, shown
from evaluator.formats.strictjson import read_json

MANIFEST = "manifest.json"
MANIFEST_SCHEMA = "touchstone/manifest/1"
SETS = ("ip", "srm", "grg", "anchor")
_MANIFEST_KEYS = (
    "schema",
    "set",
    "name",
    "version",
    "seed",
    "parameters",
    "counts",
    "content_sha256",
    "files",
    "supersedes",
    "software",
    "created_at",
)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_NAME_EXPECTED = "a name of letters A-Z a-z, digits, '.', '_' and '-', starting with a letter or digit"
_HASH = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class FileEntry:
    """What the manifest says of one file: SHA-256 in hexadecimal and length in bytes."""

    sha256: str
    bytes: int


@dataclass(frozen=True, slots=True)
class SetName:
    """The name of one frozen set, as another one's ``supersedes`` gives it."""

    name: str
    version: int
    content_sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """``manifest.json``: what the set is, how it was made and what its files must hash to."""

    set: str
    name: str
    version: int
    seed: int
    parameters: Mapping[str, object]
    counts: Mapping[str, object]
    content_sha256: str
    files: Mapping[str, FileEntry]
    supersedes: SetName | None
    software: str
    created_at: str

    @property
    def label(self) -> str:
        """``name-version@hash``, the set as report signatures call it (first four digits of the hash)."""
        return f"{self.name}-{self.version}@{self.content_sha256[:4]}"


def manifest_build(
    *,
    set: str,  # noqa: A002 - the manifest's own word
    name: str,
    version: int,
    seed: int,
    parameters: Mapping[str, object],
    counts: Mapping[str, object],
    files: Mapping[str, bytes],
    supersedes: SetName | None,
    software: str,
    created_at: datetime,
) -> Manifest:
    """The manifest of the given files (all of a set's but the manifest itself).

    Raises ``ValueError`` for a name, version or time the format does not allow.
    """
    if not _NAME.fullmatch(name):
        raise ValueError(f"set name {name!r}: expected {_NAME_EXPECTED}")
    if version < 1:
        raise ValueError(f"set version {version}: expected an integer of at least 1")
    if created_at.tzinfo is None:
        raise ValueError("created_at: expected a time with its zone")
    entries = {file: FileEntry(sha256(data), len(data)) for file, data in sorted(files.items())}
    return Manifest(
        set=set,
        name=name,
        version=version,
        seed=seed,
        parameters=parameters,
        counts=counts,
        content_sha256=content_sha256({file: entry.sha256 for file, entry in entries.items()}),
        files=entries,
        supersedes=supersedes,
        software=software,
        created_at=created_at.isoformat(),
    )


def manifest_bytes(manifest: Manifest) -> bytes:
    """The manifest as canonical JSON."""
    supersedes = manifest.supersedes
    return json_document(
        {
            "schema": MANIFEST_SCHEMA,
            "set": manifest.set,
            "name": manifest.name,
            "version": manifest.version,
            "seed": manifest.seed,
            "parameters": dict(manifest.parameters),
            "counts": dict(manifest.counts),
            "content_sha256": manifest.content_sha256,
            "files": {
                file: {"sha256": entry.sha256, "bytes": entry.bytes} for file, entry in manifest.files.items()
            },
            "supersedes": supersedes
            and {
                "name": supersedes.name,
                "version": supersedes.version,
                "content_sha256": supersedes.content_sha256,
            },
            "software": manifest.software,
            "created_at": manifest.created_at,
        }
    )


def manifest_read(data: bytes, findings: Findings) -> Manifest | None:
    """The manifest from its bytes; ``None`` after noting what is wrong with it."""
    value = read_json(MANIFEST, data, findings)
    if value is None:
        return None
    before = len(findings.problems)
    fields = Fields(value, findings, file=MANIFEST)
    fields.known(_MANIFEST_KEYS)
    fields.choice("schema", (MANIFEST_SCHEMA,))
    kind = fields.choice("set", SETS)
    name = fields.text("name")
    if name is not None and not _NAME.fullmatch(name):
        fields.refuse("name", expected=_NAME_EXPECTED)
    version = fields.integer("version", low=1)
    seed = fields.integer("seed")
    parameters, counts = fields.nested("parameters"), fields.nested("counts")
    content = _hash(fields, "content_sha256")
    files = _read_files(fields)
    supersedes = _read_supersedes(fields)
    software = fields.text("software")
    created_at = fields.text("created_at")
    if created_at is not None and not _is_time(created_at):
        fields.refuse("created_at", expected="an ISO 8601 time")
    if len(findings.problems) > before:
        return None
    # Every getter above returned a value, else a problem had been noted: the casts tell the type checker so.
    return Manifest(
        set=cast(str, kind),
        name=cast(str, name),
        version=cast(int, version),
        seed=cast(int, seed),
        parameters=cast(Fields, parameters).value,
        counts=cast(Fields, counts).value,
        content_sha256=cast(str, content),
        files=cast(dict[str, FileEntry], files),
        supersedes=supersedes,
        software=cast(str, software),
        created_at=cast(str, created_at),
    )


def _hash(fields: Fields, key: str) -> str | None:
    text = fields.text(key)
    if text is not None and not _HASH.fullmatch(text):
        fields.refuse(key, expected="64 hexadecimal digits in lower case")
        return None
    return text


def _read_files(fields: Fields) -> dict[str, FileEntry] | None:
    listed = fields.nested("files")
    if listed is None:
        return None
    entries: dict[str, FileEntry] = {}
    for file in listed.value:
        if not _is_plain_name(file) or file == MANIFEST:
            listed.refuse(file, expected="the name of a file beside the manifest", found=shown(file))
            continue
        entry = listed.nested(file)
        if entry is None:
            continue
        entry.known(("sha256", "bytes"))
        digest, size = _hash(entry, "sha256"), entry.integer("bytes", low=0)
        if digest is not None and size is not None:
            entries[file] = FileEntry(digest, size)
    return entries


def _read_supersedes(fields: Fields) -> SetName | None:
    if fields.value.get("supersedes") is None:
        if "supersedes" not in fields.value:
            fields.refuse("supersedes", expected="null or the set this one replaces")
        return None
    inner = fields.nested("supersedes")
    if inner is None:
        return None
    inner.known(("name", "version", "content_sha256"))
    name, version, content = (
        inner.text("name"),
        inner.integer("version", low=1),
        _hash(inner, "content_sha256"),
    )
    if name is None or version is None or content is None:
        return None
    return SetName(name, version, content)


def _is_time(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _is_plain_name(name: str) -> bool:
    return bool(name) and "/" not in name and "\\" not in name and name not in (".", "..")


def files_read(path: Path, findings: Findings) -> dict[str, bytes]:
    """The files of a gold set by name, from its folder or from a zip of it.

    In a zip the files may stand at the top or together in one folder. Sub-folders are not part of a set and
    are left alone. Notes a problem when there is nothing to read.
    """
    if not path.exists():
        findings.problem(
            str(path), None, None, found="no such file or folder", expected="a gold set (folder or zip)"
        )
        return {}
    try:
        if path.is_dir():
            return {file.name: file.read_bytes() for file in sorted(path.iterdir()) if file.is_file()}
        with zipfile.ZipFile(path) as archive:
            return _zip_files(archive, str(path), findings)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError) as error:
        findings.problem(
            str(path),
            None,
            None,
            found=f"nothing that can be read ({error})",
            expected="a gold set (folder or zip)",
        )
        return {}


def _zip_files(archive: zipfile.ZipFile, path: str, findings: Findings) -> dict[str, bytes]:
    names = [entry.filename for entry in archive.infolist() if not entry.is_dir()]
    manifests = [PurePosixPath(name) for name in names if PurePosixPath(name).name == MANIFEST]
    # Without a manifest the top level is read, and its absence is noted by whoever asks for it.
    folder = (
        min(manifests, key=lambda name: (len(name.parts), str(name))).parent if manifests else PurePosixPath()
    )
    files: dict[str, bytes] = {}
    for name in names:
        if PurePosixPath(name).parent != folder:
            continue
        short = PurePosixPath(name).name
        if short in files:
            findings.problem(path, None, short, found="the file twice in the zip", expected="each file once")
            continue
        files[short] = archive.read(name)
    return files
