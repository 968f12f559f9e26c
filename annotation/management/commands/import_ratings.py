"""`manage.py import_ratings STUDY FILE`: ratings collected elsewhere."""

import argparse
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils.text import slugify

from annotation.ratings_in import ratings_import
from evaluator.formats import InputRefused
from studies.models import Study
from studies.queries import study_named


class Command(BaseCommand):
    """Imports a file of ratings, all or nothing; the same file again changes nothing."""

    help = 'Import ratings {"moment_id", "rater", "score"} from JSONL or CSV into an intensity study.'

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """The study, the file, and where it was collected."""
        parser.add_argument("study", metavar="STUDY", help="address of a study (its slug)")
        parser.add_argument("file", metavar="FILE", type=Path)
        parser.add_argument("--name", help="where the ratings were collected (default: the file's name)")
        parser.add_argument("--strict", action="store_true", help="unknown keys are errors")

    def handle(self, *args: Any, **options: Any) -> None:
        """Import, and say what happened; problems go to standard error, one a line."""
        path: Path = options["file"]
        try:
            study = study_named(options["study"])
            done = ratings_import(
                study=study,
                name=slugify(options["name"] or path.stem) or "file",
                file=path.name,
                data=path.read_bytes(),
                strict=options["strict"],
            )
        except (Study.DoesNotExist, InputRefused) as refused:
            raise CommandError(str(refused)) from None
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror}.") from error
        for warning in done.warnings:
            self.stderr.write(f"warning: {warning}")
        self.stdout.write(done.sentence)
