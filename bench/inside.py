"""One database's benchmarks, in a process of its own: `python -m bench.inside DATABASE FOLDER NAME…`.

The environment describes the database. Figures go to stdout, one JSON object a line.
"""

import importlib
import json
import sys
from dataclasses import asdict
from pathlib import Path

import django
from django.core.management import call_command

NAMES = ("slow_viewers", "imports", "answers")


def main(database: str, folder: Path, names: list[str]) -> None:
    """Run the named benchmarks one after the other."""
    django.setup()
    call_command("migrate", verbosity=0)
    call_command("check", databases=["default"])
    call_command("collectstatic", interactive=False, verbosity=0)
    for name in names:
        call_command("flush", interactive=False, verbosity=0)
        place = folder / name
        place.mkdir()
        measure = getattr(importlib.import_module(f"bench.{name}"), name)  # models load after setup
        for figure in measure(database, place):
            print(json.dumps(asdict(figure)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3:])
