"""`manage.py set_items STUDY practice|check FILE`: the practice items or attention checks of a study."""

import argparse
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from evaluator.formats import InputRefused
from studies.items_in import PURPOSES, items_set
from studies.models import Study
from studies.queries import study_named


class Command(BaseCommand):
    """Replaces the items of one purpose by those of a file, all or nothing."""

    help = 'Set practice items or checks from JSONL lines {"key", "accepts": {question: rule}, "feedback"?}.'

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """The study, what the items are for, and the file."""
        parser.add_argument("study", metavar="STUDY", help="address of a study (its slug)")
        parser.add_argument("purpose", choices=PURPOSES, help="practice, or check: attention checks")
        parser.add_argument("file", metavar="FILE", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        """Set them, and say how many there are; problems go to standard error, one a line."""
        path: Path = options["file"]
        try:
            study = study_named(options["study"])
            number = items_set(
                study=study, purpose=options["purpose"], file=path.name, data=path.read_bytes()
            )
        except (Study.DoesNotExist, InputRefused) as refused:
            raise CommandError(str(refused)) from None
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror}.") from error
        self.stdout.write(f"{number} items of {options['purpose']} set in {study.slug}.")
