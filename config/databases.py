"""The two database aliases: `default`, durable by construction, and `monitor`, which cannot write."""

from pathlib import Path
from typing import Any

import dj_database_url

# Acknowledged means on disk: WAL keeps readers and one writer apart, FULL syncs every commit.
SQLITE_DURABLE = "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA busy_timeout=20000;"
SQLITE_READ_ONLY = "PRAGMA query_only=1; PRAGMA busy_timeout=20000;"


def _sqlite(config: dict[str, Any], init_command: str, transaction_mode: str) -> dict[str, Any]:
    options = {"timeout": 20, "init_command": init_command, "transaction_mode": transaction_mode}
    given = config.get("OPTIONS", {})
    return config | {"ENGINE": "config.sqlite3", "OPTIONS": given | options, "CONN_MAX_AGE": None}


def _postgresql(config: dict[str, Any], pool: int, read_only: bool) -> dict[str, Any]:
    given = dict(config.get("OPTIONS", {}))
    if read_only:
        given["options"] = f"{given.get('options', '')} -c default_transaction_read_only=on".strip()
    given["pool"] = {"min_size": 1, "max_size": pool, "timeout": 20}
    return config | {"OPTIONS": given}


def databases(*, url: str, monitor_url: str, var: Path, pool: int) -> dict[str, dict[str, Any]]:
    """Both aliases from their addresses.

    `url` empty means SQLite in `var`; `monitor_url` empty means the same database as `default`,
    opened so that it refuses to write. `pool` bounds the PostgreSQL connections of one process.
    """
    default = dj_database_url.parse(url or f"sqlite:///{var / 'touchstone.sqlite3'}")
    monitor = dj_database_url.parse(monitor_url) if monitor_url else dict(default)
    test = {"TEST": {"MIRROR": "default"}}
    if default["ENGINE"].endswith("sqlite3"):
        # IMMEDIATE takes the write lock at BEGIN, so two writers queue and never deadlock on upgrade.
        return {
            "default": _sqlite(dict(default), SQLITE_DURABLE, "IMMEDIATE"),
            "monitor": _sqlite(dict(monitor), SQLITE_READ_ONLY, "DEFERRED") | test,
        }
    return {
        "default": _postgresql(dict(default), pool, read_only=False),
        "monitor": _postgresql(dict(monitor), pool, read_only=True) | test,
    }
