"""`manage.py export STUDY ratings|events`: a study's answers as JSONL."""

import argparse
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from exports.answers import ANSWER_FILES
from studies.models import Study
from studies.queries import study_named


class Command(BaseCommand):
    """Writes to standard output, or to a file."""

    help = "Write the answers of a study: the ratings that count, or every event."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Which study, which file."""
        parser.add_argument("study", metavar="STUDY", help="address of a study (its slug)")
        parser.add_argument("what", choices=sorted(ANSWER_FILES), help="what to write")
        parser.add_argument("--out", metavar="FILE", type=Path, help="a file instead of standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write all lines."""
        try:
            study = study_named(options["study"])
        except Study.DoesNotExist as error:
            raise CommandError(str(error)) from None
        lines = ANSWER_FILES[options["what"]](study)
        if options["out"] is None:
            sys.stdout.buffer.writelines(lines)
            return
        try:
            with options["out"].open("wb") as file:
                file.writelines(lines)
        except OSError as error:
            raise CommandError(f"--out: {options['out']}: {error.strerror}.") from error
