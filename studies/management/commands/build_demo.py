"""`manage.py build_demo`: draw (or take) clips, import them, open the demo study, let three raters work."""

import argparse
import shutil
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from catalogue.demo import PairsUnusable, folder_from_pairs, write_demo_folder
from catalogue.importing import ImportRefused, catalogue_import
from catalogue.queries import moments_of
from studies.demo import RATERS, demo_predictions, demo_study, simulated_raters
from studies.models import StudyUnit


class Command(BaseCommand):
    """Builds the demo once; running it again changes nothing that is there."""

    help = "Build the demo study of self-made clips, or of your own with --clips DIR."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """The user's own clips, and how many to draw otherwise."""
        parser.add_argument("--clips", metavar="DIR", type=Path, help="NAME.reaction.mp4 / NAME.stimulus.mp4")
        parser.add_argument("--count", type=int, default=6, help="how many clips to draw (default 6)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Build, and say in one line what there is."""
        if options["clips"] is None and simulated_raters() >= RATERS:
            self.stdout.write("The demo study is there already.")
            return
        folder = settings.VAR / "demo" / "import"
        try:
            strengths = self._folder(folder, options["clips"], options["count"])
            catalogue_import(folder)
        except (PairsUnusable, ImportRefused) as refused:
            raise CommandError(str(refused)) from refused
        shutil.rmtree(folder)  # the catalogue has its own copies now
        study = demo_study(strengths)
        keys = list(StudyUnit.objects.filter(study=study).values_list("key", flat=True))
        moments = {clip: [m.moment_id for m in found] for clip, found in moments_of(keys).items()}
        demo_predictions(settings.VAR / "demo" / "predictions", moments, strengths)
        self.stdout.write(f"{study.title}: {len(keys)} clips, {sum(map(len, moments.values()))} moments.")

    def _folder(self, folder: Path, own: Path | None, count: int) -> dict[str, int]:
        """Fill the import folder; returns the true strength of each moment that was drawn."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        if own is not None:
            folder_from_pairs(own, folder)
            return {}
        with tqdm(total=count, desc="Drawing clips", unit="clip") as bar:

            def drawn(done: int, total: int) -> None:
                bar.update(done - bar.n)

            truth = write_demo_folder(folder, clips=count, progress=drawn)
        return dict(truth.strength)
