"""`manage.py import_catalogue DIR`: bring the catalogue to what a folder says, all or nothing."""

import argparse
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from catalogue.importing import ImportRefused, catalogue_import


class Command(BaseCommand):
    """Reads clips.jsonl, moments.jsonl and windows.jsonl of a folder, and the media they name."""

    help = (
        "Import clips, moments and stimulus windows from a folder. Every problem is listed and then nothing "
        "is changed; importing the same folder again changes nothing."
    )

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """The folder and how to treat it."""
        parser.add_argument("folder", metavar="DIR", type=Path, help="the import folder")
        parser.add_argument("--dry-run", action="store_true", help="check everything, write nothing")
        parser.add_argument("--strict", action="store_true", help="refuse unknown keys instead of warning")

    def handle(self, *args: Any, **options: Any) -> None:
        """Report on stdout; problems on stderr with exit code 1."""
        bars = _Bars()
        try:
            report = catalogue_import(
                options["folder"], dry_run=options["dry_run"], strict=options["strict"], progress=bars.show
            )
        except ImportRefused as refused:
            problems = "\n".join(problem.text for problem in refused.problems)
            count = len(refused.problems)
            noun = "problem" if count == 1 else "problems"
            raise CommandError(f"{problems}\n{count} {noun}; nothing was imported.") from refused
        except OSError as fault:
            raise CommandError(f"The import stopped, and nothing was imported: {fault}") from fault
        finally:
            bars.close()
        self.stdout.write(report.text)


class _Bars:
    """One progress bar at a time on stderr, and only where somebody watches for longer than a moment."""

    def __init__(self) -> None:
        self.doing = ""
        self.bar: tqdm[Any] | None = None

    def show(self, doing: str, done: int, total: int) -> None:
        """What catalogue_import's `progress` is told."""
        if self.bar is None or self.doing != doing:
            self.close()
            self.doing = doing
            # `disable=None` keeps quiet where stderr is no terminal.
            self.bar = tqdm(total=total, desc=doing, unit="file", disable=None, delay=1, file=sys.stderr)
        self.bar.update(done - self.bar.n)

    def close(self) -> None:
        """Leave the terminal clean."""
        if self.bar is not None:
            self.bar.close()
            self.bar = None
