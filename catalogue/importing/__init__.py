"""Importing a folder of clips: parse, check, plan, apply, each a module of its own.

All or nothing. The media are read and copied before the transaction begins, so that nobody who is
rating waits for an import; inside it the plan is made again and must come out the same.
"""

import tempfile
from collections.abc import Mapping
from pathlib import Path

from django.conf import settings
from django.db import IntegrityError, transaction

from catalogue.importing.apply import plan_apply
from catalogue.importing.check import Check
from catalogue.importing.keep import MediaChanged, media_kept
from catalogue.importing.lines import FolderLines
from catalogue.importing.media import MediaFile, MediaKey, MediaReader, Progress
from catalogue.importing.parse import folder_lines
from catalogue.importing.plan import Changes, Plan, plan_make, plan_respects_answers
from catalogue.importing.report import Counts, ImportRefused, ImportReport
from catalogue.importing.stored import Stored, stored_load
from evaluator.formats import Findings, Problem

__all__ = ["Counts", "ImportRefused", "ImportReport", "Problem", "Progress", "catalogue_import"]


def catalogue_import(
    folder: Path, *, dry_run: bool = False, strict: bool = False, progress: Progress | None = None
) -> ImportReport:
    """Bring the catalogue to what the folder says (design: "Files people exchange").

    Things that the folder does not mention stay. A line is the whole truth about its thing: an optional
    field left out is emptied. `strict` refuses unknown keys; `progress` is told what is being done, how
    much of it is done, and how much there is. ImportRefused with every problem when anything is wrong;
    then, and in a dry run, neither the database nor the storage has changed.
    """
    findings = Findings(strict=strict)
    tell = progress or _silent
    settings.VAR.mkdir(parents=True, exist_ok=True)
    # Beside the clips rather than in /tmp, which may be small and in memory.
    with tempfile.TemporaryDirectory(prefix="import-", dir=settings.VAR) as scratch:
        lines = folder_lines(folder, findings)
        stored = stored_load(lines)
        reader = MediaReader(folder, Path(scratch), findings, stored.media)
        media = reader.read(lines.clips, tell)
        Check(lines, media, stored, findings).run()
        _refuse_if_any(findings)
        plan = plan_make(lines, media, stored)
        plan_respects_answers(plan, lines, stored, findings)
        _refuse_if_any(findings)
        report = ImportReport(_counts(plan, lines, media), tuple(findings.warnings), dry_run)
        if not (dry_run or report.nothing_to_do):
            _write(plan, lines, media, stored, tell)
    return report


def _silent(doing: str, done: int, total: int) -> None:
    """Tell nobody."""


def _refuse_if_any(findings: Findings) -> None:
    if findings.problems:
        in_order = sorted(findings.problems, key=lambda problem: (problem.file, problem.line or 0))
        raise ImportRefused(in_order)


def _write(
    plan: Plan,
    lines: FolderLines,
    media: Mapping[MediaKey, MediaFile],
    planned_on: Stored,
    progress: Progress,
) -> None:
    try:
        fresh = {key: media[key] for key in plan.media}
        with media_kept(fresh, progress) as keys, transaction.atomic():
            stored = stored_load(lines, lock=True)
            _require_unchanged(plan, lines, planned_on, stored)
            plan_apply(plan, lines=lines, media=media, keys=keys, stored=stored)
    except MediaChanged as changed:
        raise ImportRefused([changed.problem]) from changed
    except IntegrityError as collision:
        raise ImportRefused([_changed_meanwhile()]) from collision


def _require_unchanged(plan: Plan, lines: FolderLines, planned_on: Stored, stored: Stored) -> None:
    """Copying takes a while: refuse when another import or somebody's answer came in between."""
    if stored.values != planned_on.values:
        raise ImportRefused([_changed_meanwhile()])
    findings = Findings()
    plan_respects_answers(plan, lines, stored, findings)
    _refuse_if_any(findings)


def _changed_meanwhile() -> Problem:
    return Problem(
        "catalogue", None, None, "changes by someone else during the import", "nobody else's; import again"
    )


def _counts(plan: Plan, lines: FolderLines, media: Mapping[MediaKey, MediaFile]) -> dict[str, Counts]:
    channels = {line.channel for line in lines.clips.values()}
    creators = {(line.channel, line.creator) for line in lines.clips.values()}
    first, replaced = len(plan.media) - len(plan.replaced_media), len(plan.replaced_media)
    return {
        "channels": Counts(len(plan.channels), 0, len(channels) - len(plan.channels)),
        "creators": Counts(len(plan.creators), 0, len(creators) - len(plan.creators)),
        "clips": _as_counts(plan.clips),
        "media": Counts(first, replaced, len(media) - len(plan.media)),
        "moments": _as_counts(plan.moments),
        "windows": _as_counts(plan.windows),
    }


def _as_counts(changes: Changes) -> Counts:
    return Counts(len(changes.new), len(changes.changed), changes.unchanged)
