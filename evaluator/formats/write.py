"""Writing a gold set's files, whatever the set is about."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from evaluator.formats.canonical import json_document, json_lines
from evaluator.formats.goldset import MANIFEST, SetName, manifest_build, manifest_bytes
from evaluator.formats.schema_ip import IP_SCHEMA

TASKS = "tasks.json"
SCHEMA = "schema.json"
DATASHEET = "DATASHEET.md"
_SCHEMAS: Mapping[str, Mapping[str, object]] = {"ip": IP_SCHEMA}


def goldset_files(
    *,
    set: str,  # noqa: A002 - the manifest's own word
    items: Sequence[Mapping[str, object]],
    tables: Mapping[str, Sequence[Mapping[str, object]]],
    name: str,
    version: int,
    seed: int,
    parameters: Mapping[str, object],
    counts: Mapping[str, object],
    supersedes: SetName | None,
    software: str,
    created_at: datetime,
    datasheet: str,
) -> dict[str, bytes]:
    """All files of a gold set by name, the manifest among them, from items and tables in file order.

    ``tables`` maps the name of a JSONL file to its rows. Only the manifest depends on ``created_at``,
    ``software``, ``seed``, ``parameters``, ``counts`` and ``supersedes``. Raises ``ValueError`` for a set
    without a schema, or a name, version or time that the format does not allow.
    """
    if set not in _SCHEMAS:
        raise ValueError(f"set {set!r}: expected one of {', '.join(sorted(_SCHEMAS))}")
    tasks = {"schema": f"touchstone/{set}/1", "name": name, "version": version, "items": list(items)}
    files = {
        TASKS: json_document(tasks),
        **{file: json_lines(rows) for file, rows in tables.items()},
        SCHEMA: json_document(_SCHEMAS[set]),
        DATASHEET: datasheet.encode("utf-8"),
    }
    manifest = manifest_build(
        set=set,
        name=name,
        version=version,
        seed=seed,
        parameters=parameters,
        counts=counts,
        files=files,
        supersedes=supersedes,
        software=software,
        created_at=created_at,
    )
    return {MANIFEST: manifest_bytes(manifest), **files}
