"""Writes of the exports app: freezing a gold set, and the job that does it out of a request's way."""

import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone
from kombu.exceptions import OperationalError

from exports.bundle import bundle_files, bundle_hash, bundle_keep, bundle_parameters, bundle_zip
from exports.datasheet import totals
from exports.labels import LabelPlan, LineMoved
from exports.models import FreezeJob, GoldSetVersion
from exports.queries import goldset_newest
from exports.request import FreezeRefused, FreezeRequest, freeze_request
from studies.kinds import GoldSet

log = logging.getLogger(__name__)

Progress = Callable[[int, str], None]
"""Told the percentage done and a sentence about it."""

_ATTEMPTS = 5


def goldset_freeze(
    *,
    set: str,  # noqa: A002 - the files' own word
    studies: Sequence[str],
    name: str,
    line: str = "main",
    seed: int,
    parameters: Mapping[str, Any],
    by: User | None = None,
    now: datetime | None = None,
    progress: Progress | None = None,
) -> GoldSetVersion:
    """Freeze the answers of studies (given by address) into the next version of a gold set.

    Where content, parameters and seed equal those of the newest version of that name, that one comes back
    and nothing is written; `made_now` on the result tells the two cases apart. Reading and composing hold no
    lock, so nobody's answer waits; labels, file and row are then written in one short transaction. Raises
    `FreezeRefused` with everything that stands in the way.
    """
    tell = progress or _silent
    request = freeze_request(set=set, studies=studies, name=name, line=line, seed=seed, parameters=parameters)
    for _ in range(_ATTEMPTS):
        try:
            return _freeze(request, by, now or timezone.now(), tell)
        except LineMoved:
            tell(5, "Another freeze of this release line came first; starting over.")
    raise FreezeRefused([f'Other freezes of the line "{line}" keep coming first; try again in a moment.'])


def _freeze(request: FreezeRequest, by: User | None, now: datetime, tell: Progress) -> GoldSetVersion:
    tell(10, "Reading answers and choosing items.")
    newest = goldset_newest(request.kind.goldset_name, request.name)
    plan = LabelPlan(request.line)
    gold = request.kind.goldset(request.studies, {**request.parameters, "seed": request.seed}, plan.labels())
    if not gold.items:
        raise FreezeRefused(["Nothing is eligible.", *gold.removed])
    tell(60, "Composing the files.")
    if newest is not None and _equal(request, gold, newest):
        tell(100, f"Nothing has changed since {newest}.")
        return newest
    version = newest.version + 1 if newest else 1
    files = bundle_files(request, gold, version=version, supersedes=newest, now=now)
    tell(80, "Checking the set with the evaluator.")
    data = bundle_zip(files)
    frozen = GoldSetVersion(
        set=gold.set,
        name=request.name,
        line=request.line,
        version=version,
        seed=request.seed,
        parameters=bundle_parameters(request, gold),
        counts=gold.counts,
        removed=list(gold.removed),
        content_sha256=bundle_hash(files),
        bundle=f"{gold.set}/{request.name}-v{version}.zip",
        supersedes=newest,
        created_at=now,
        created_by=by,
    )
    _store(frozen, plan, data, request)
    tell(100, f"Frozen as {frozen}: {totals(gold.counts)}.")
    return frozen


def _equal(request: FreezeRequest, gold: GoldSet, newest: GoldSetVersion) -> bool:
    """Whether freezing now would give the newest version once more."""
    if newest.seed != request.seed or newest.parameters != bundle_parameters(request, gold):
        return False
    # The version's own number stands in its files, so they are composed under that number once more.
    again = bundle_files(
        request, gold, version=newest.version, supersedes=newest.supersedes, now=newest.created_at
    )
    return bundle_hash(again) == newest.content_sha256


def _store(frozen: GoldSetVersion, plan: LabelPlan, data: bytes, request: FreezeRequest) -> None:
    try:
        with transaction.atomic():
            plan.fix()
            frozen.save()
            frozen.studies.set(request.studies)
            bundle_keep(frozen.bundle, data)
    except IntegrityError as error:
        if goldset_newest(frozen.set, frozen.name) == frozen.supersedes:
            raise
        # Somebody else has made the version of this number; start from theirs.
        raise LineMoved(frozen.line) from error
    frozen.made_now = True


def _silent(percent: int, sentence: str) -> None:
    """Progress that nobody watches."""


def freeze_job_start(
    *,
    set: str,  # noqa: A002 - the files' own word
    studies: Sequence[str],
    name: str,
    line: str = "main",
    seed: int,
    parameters: Mapping[str, Any],
    by: User | None = None,
) -> FreezeJob:
    """Queue a freeze and return its row, to be watched. Raises `FreezeRefused` for an unsound request."""
    request = freeze_request(set=set, studies=studies, name=name, line=line, seed=seed, parameters=parameters)
    with transaction.atomic():
        job = FreezeJob.objects.create(
            set=set,
            name=name,
            line=line,
            seed=seed,
            parameters=dict(request.parameters),
            sentence="Waiting for a worker.",
            created_by=by,
        )
        job.studies.set(request.studies)
        transaction.on_commit(partial(_enqueue, job.pk))
    return job


def _enqueue(job_id: int) -> None:
    from exports.tasks import freeze_run  # the task calls back into this module

    try:
        freeze_run.delay(job_id)
    except OperationalError:
        log.exception("freeze job %s could not be queued", job_id)
        _end(
            job_id,
            FreezeJob.State.FAILED,
            "The queue cannot be reached. Nothing was frozen; try again later.",
        )


def freeze_job_run(*, job_id: int) -> None:
    """Run a waiting job to its end. One that is running or ended is left alone: queues may deliver twice."""
    waiting = FreezeJob.objects.filter(pk=job_id, state=FreezeJob.State.WAITING)
    if not waiting.update(state=FreezeJob.State.RUNNING, started_at=timezone.now(), progress=1):
        return
    job = FreezeJob.objects.get(pk=job_id)
    try:
        frozen = goldset_freeze(
            set=job.set,
            studies=list(job.studies.values_list("slug", flat=True)),
            name=job.name,
            line=job.line,
            seed=job.seed,
            parameters=job.parameters,
            by=job.created_by,
            progress=partial(_progress, job_id),
        )
    except FreezeRefused as refused:
        _end(job_id, FreezeJob.State.FAILED, "\n".join(refused.sentences))
    except Exception:
        log.exception("freeze job %s failed", job_id)
        _end(
            job_id,
            FreezeJob.State.FAILED,
            f"The freeze met an unexpected fault and nothing was frozen. The log tells more: job {job_id}.",
        )
    else:
        _end(job_id, FreezeJob.State.DONE, None, result=frozen)


def _progress(job_id: int, percent: int, sentence: str) -> None:
    FreezeJob.objects.filter(pk=job_id).update(progress=percent, sentence=sentence)


def _end(
    job_id: int, state: FreezeJob.State, sentence: str | None, result: GoldSetVersion | None = None
) -> None:
    """Close a job; without a sentence the last one of its progress stands."""
    job = FreezeJob.objects.filter(pk=job_id)
    job.update(state=state, result=result, ended_at=timezone.now())
    if sentence is not None:
        job.update(sentence=sentence)
