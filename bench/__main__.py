"""`make bench`: start servers of our own, measure, print the table; exit 1 when a promise is broken."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from bench.inside import NAMES
from bench.statistics import statistics
from bench.table import Figure, table
from tests.services import postgres

STATISTICS = "statistics"
ROOT = Path(__file__).resolve().parent.parent


@contextmanager
def database_url(kind: str) -> Iterator[str]:
    """An empty database of that kind; SQLite's is made in the var folder."""
    if kind == "sqlite":
        yield ""
        return
    own = postgres.start_server()
    try:
        name = postgres.random_database()
        with psycopg.connect(own.url, autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"'.encode())
        yield postgres.with_database(own.url, name)
    finally:
        own.stop()


def measure(kind: str, names: list[str]) -> list[Figure]:
    """Run the benchmarks on one kind of database."""
    with tempfile.TemporaryDirectory(prefix="touchstone-bench-") as folder, database_url(kind) as url:
        own = {"DJANGO_SETTINGS_MODULE": "config.settings", "TOUCHSTONE_VAR": f"{folder}/var"}
        env = os.environ | own | {"DATABASE_URL": url, "REDIS_URL": ""}
        command = [sys.executable, "-m", "bench.inside", kind, folder, *names]
        run = subprocess.run(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True, check=False)
    if run.returncode:
        raise SystemExit(f"the benchmarks on {kind} ended with {run.returncode}")
    return [Figure(**json.loads(line)) for line in run.stdout.splitlines() if line.startswith("{")]


def main() -> int:
    """Measure what was asked for. Returns the exit code."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    everything = [*NAMES, STATISTICS]
    parser.add_argument(
        "names", nargs="*", choices=[*everything, []], metavar="NAME", help=f"of {', '.join(everything)}"
    )
    parser.add_argument("--database", choices=["sqlite", "postgresql"], help="both by default")
    options = parser.parse_args()
    kinds = [options.database] if options.database else ["sqlite", "postgresql"]
    names = options.names or everything
    ours = [name for name in names if name != STATISTICS]
    figures = [figure for kind in kinds if ours for figure in measure(kind, ours)]
    if STATISTICS in names:
        with tempfile.TemporaryDirectory(prefix="touchstone-bench-") as folder:
            figures += statistics(Path(folder))
    print(table(figures))
    return 0 if all(figure.kept for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
