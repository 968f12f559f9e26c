"""`manage.py freeze ip STUDY…`: freeze the answers of studies into a gold set."""

import argparse
import sys
from pathlib import Path
from typing import Any

from django.core.files.storage import storages
from django.core.management.base import BaseCommand, CommandError

from exports.models import GoldSetVersion
from exports.request import FreezeRefused
from exports.services import goldset_freeze
from studies.kinds import Parameter, kinds_all


class Command(BaseCommand):
    """Freezes from the command line what the admin freezes by a button."""

    help = "Freeze the answers of one study or several into the next version of a gold set."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """The set, the studies, and every parameter that some kind's gold set declares."""
        sets = [kind.goldset_name for kind in kinds_all()]
        parser.add_argument("set", metavar="SET", help=f"which set: {', '.join(sets)}")
        parser.add_argument("studies", metavar="STUDY", nargs="+", help="address of a study (its slug)")
        parser.add_argument(
            "--name", help="the set's name (default: the first study's); freezing it again adds a version"
        )
        parser.add_argument("--seed", type=int, default=0, help="behind the draw of items (default 0)")
        parser.add_argument(
            "--line", default="main", help="release line; its sets share labels (default main)"
        )
        parser.add_argument("--out", metavar="DIR", type=Path, help="also write the zip into this folder")
        declared = {p.name: p for kind in kinds_all() for p in kind.goldset_parameters}
        for parameter in declared.values():
            _add_parameter(parser, parameter)

    def handle(self, *args: Any, **options: Any) -> None:
        """Freeze, and print what each rule removed, the version, its hash and where the zip is."""
        if options["out"] is not None and not options["out"].is_dir():
            raise CommandError(f"--out: found {options['out']}, which is no folder; expected a folder.")
        declared = {p.name for kind in kinds_all() for p in kind.goldset_parameters}
        try:
            frozen = goldset_freeze(
                set=options["set"],
                studies=options["studies"],
                name=options["name"] or options["studies"][0],
                line=options["line"],
                seed=options["seed"],
                parameters={name: options[name] for name in declared if options[name] is not None},
                progress=self._progress,
            )
        except FreezeRefused as refused:
            raise CommandError("\n".join(refused.sentences)) from None
        for sentence in frozen.removed:
            self.stdout.write(sentence)
        if not frozen.made_now:
            self.stdout.write(f"Nothing has changed since {frozen}.")
        self.stdout.write(f"{frozen} ({frozen.set}, line {frozen.line})")
        self.stdout.write(f"content_sha256 {frozen.content_sha256}")
        self.stdout.write(f"bundle {_written(frozen, options['out'])}")

    def _progress(self, percent: int, sentence: str) -> None:
        if sys.stderr.isatty():
            self.stderr.write(f"{percent:3d} % {sentence}", self.style.HTTP_INFO)


def _add_parameter(parser: argparse.ArgumentParser, parameter: Parameter) -> None:
    flag = f"--{parameter.name.replace('_', '-')}"
    meaning = f"{parameter.meaning} (default {parameter.default})".replace("%", "%%")
    # None tells "not given", so that a parameter of another kind's set is never passed along.
    if isinstance(parameter.default, bool):
        parser.add_argument(flag, dest=parameter.name, action="store_true", default=None, help=meaning)
    else:
        parser.add_argument(flag, dest=parameter.name, type=type(parameter.default), help=meaning)


def _written(frozen: GoldSetVersion, out: Path | None) -> str:
    """Where the zip is: in the releases storage, or the copy in `out`."""
    storage = storages["releases"]
    if out is None:
        return str(storage.path(frozen.bundle)) if hasattr(storage, "base_location") else frozen.bundle
    target = out / frozen.bundle_file
    with storage.open(frozen.bundle) as source:
        target.write_bytes(source.read())
    return str(target)
