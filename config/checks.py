"""System checks: an acknowledged answer must be on disk, and the folders must be writable.

`migrate` and `check --database default` run the first kind, every management command the second.
"""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register
from django.core.files.storage import FileSystemStorage, storages
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

# Every other value of synchronous_commit waits at least for the server's own disk.
POSTGRESQL_REFUSED = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
SQLITE_SYNCHRONOUS = {0: "OFF", 1: "NORMAL", 2: "FULL", 3: "EXTRA"}


def _shown(connection: BaseDatabaseWrapper, statement: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return str(cursor.fetchone()[0])


def _postgresql(connection: BaseDatabaseWrapper) -> Iterable[Error]:
    for name, refused in POSTGRESQL_REFUSED.items():
        if _shown(connection, f"SHOW {name}") == refused:
            yield Error(
                f"PostgreSQL runs with {name} off: an answer shown as saved could be lost in a crash.",
                hint=f"ALTER SYSTEM SET {name} = on; SELECT pg_reload_conf();",
                id="touchstone.E001",
            )


def _sqlite(connection: BaseDatabaseWrapper) -> Iterable[Error]:
    mode = _shown(connection, "PRAGMA journal_mode").lower()
    if mode != "wal":
        yield Error(
            f"SQLite runs with journal_mode {mode}: readers and the writer would block each other.",
            hint="Keep the database on a local disk, where WAL works, and leave journal_mode=WAL "
            "in the connection's init_command.",
            id="touchstone.E001",
        )
    level = SQLITE_SYNCHRONOUS[int(_shown(connection, "PRAGMA synchronous"))]
    if level not in ("FULL", "EXTRA"):
        yield Error(
            f"SQLite runs with synchronous {level}: an answer shown as saved could be lost in a crash.",
            hint="Leave synchronous=FULL in the connection's init_command.",
            id="touchstone.E001",
        )


@register(Tags.database)
def acknowledged_means_on_disk(
    app_configs: Sequence[AppConfig] | None, databases: Sequence[str] | None, **kwargs: object
) -> list[CheckMessage]:
    """Refuse (touchstone.E001) a `default` database that acknowledges what is not yet on disk."""
    if not settings.DURABILITY_CHECK or "default" not in (databases or ()):
        return []
    connection = connections["default"]
    return list(_sqlite(connection) if connection.vendor == "sqlite" else _postgresql(connection))


def _writable(folder: Path) -> bool:
    """Whether files can be made in `folder`, or the folder itself where it does not exist yet."""
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    return existing.is_dir() and os.access(existing, os.W_OK | os.X_OK)


@register(Tags.files)
def folders_are_writable(app_configs: Sequence[AppConfig] | None, **kwargs: object) -> list[CheckMessage]:
    """Refuse (touchstone.E002) a var folder or a local media or release folder that takes no files."""
    folders = {"TOUCHSTONE_VAR": Path(settings.VAR)}
    for alias in set(settings.STORAGES) - {"staticfiles"}:
        storage = storages[alias]
        if isinstance(storage, FileSystemStorage):
            folders[f"the storage {alias!r}"] = Path(storage.location)
    return [
        Error(
            f"{name}: no files can be written to {folder}.",
            hint="Make it a folder that the user of the web server and the worker owns.",
            id="touchstone.E002",
        )
        for name, folder in sorted(folders.items())
        if not _writable(folder)
    ]
