"""A freeze in the background: queued, watched, ended with a sentence, and never run twice."""

import logging
import time
from pathlib import Path

import pytest
from django.conf import settings
from kombu.exceptions import OperationalError

from evaluator.formats import Findings
from evaluator.validate import ip_set_read
from exports import services, tasks
from exports.models import FreezeJob, GoldSetVersion
from exports.request import FreezeRefused
from exports.services import freeze_job_run, freeze_job_start
from studies.models import Enrolment
from tests.exports.conftest import World, build, items_of

State = FreezeJob.State


def start(world: World, **changes) -> FreezeJob:
    """Ask for a freeze of the world's study."""
    asked = {"set": "ip", "studies": [world.study.slug], "name": "demo", "seed": 3, "parameters": {"size": 3}}
    return freeze_job_start(**(asked | changes))


def test_it_runs_after_the_commit_and_links_what_it_made(
    world: World, django_capture_on_commit_callbacks, django_user_model
):
    mia = django_user_model.objects.create_user("mia")
    with django_capture_on_commit_callbacks() as callbacks:
        job = start(world, by=mia)
    assert (job.state, job.sentence) == (State.WAITING, "Waiting for a worker.")
    assert not GoldSetVersion.objects.exists()
    callbacks[0]()
    job.refresh_from_db()
    assert (job.state, job.progress) == (State.DONE, 100)
    assert job.sentence == "Frozen as demo v1: 3 items, 6 moments, 3 raters, 18 ratings."
    assert (job.result.seed, job.result.parameters["size"], job.result.created_by) == (3, 3, mia)
    assert len(items_of(job.result)) == 3
    assert job.started_at <= job.ended_at


def test_its_progress_can_be_seen_while_it_runs(world: World, monkeypatch):
    seen = []
    progress = services._progress

    def watched(job_id: int, percent: int, sentence: str) -> None:
        progress(job_id, percent, sentence)
        job = FreezeJob.objects.get(pk=job_id)
        seen.append((job.state, job.progress, job.sentence))

    monkeypatch.setattr(services, "_progress", watched)
    freeze_job_run(job_id=start(world).pk)
    assert [state for state, _, _ in seen[:-1]] == [State.RUNNING] * 3
    assert [percent for _, percent, _ in seen] == [10, 60, 80, 100]


@pytest.mark.parametrize("state", [State.RUNNING, State.DONE, State.FAILED])
def test_a_job_delivered_again_is_left_alone(world: World, state: str):
    job = start(world)
    FreezeJob.objects.filter(pk=job.pk).update(state=state, sentence="as it was")
    tasks.freeze_run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.sentence) == (state, "as it was")
    assert not GoldSetVersion.objects.exists()


def test_freezing_an_unchanged_study_says_so(world: World):
    first = world.freeze(seed=3, parameters={"size": 3})
    job = start(world)
    freeze_job_run(job_id=job.pk)
    job.refresh_from_db()
    assert (job.state, job.sentence, job.result) == (State.DONE, "Nothing has changed since demo v1.", first)


def test_when_nothing_is_eligible_it_fails_with_the_reasons(world: World):
    job = start(world)
    Enrolment.objects.update(state=Enrolment.State.WITHDRAWN)
    freeze_job_run(job_id=job.pk)
    job.refresh_from_db()
    assert job.state == State.FAILED
    assert job.sentence.startswith("Nothing is eligible.\n")
    assert "38 scores left out: from people who withdrew." in job.sentence
    assert job.result is None


def test_a_surprise_is_logged_and_worded_without_its_inside(world: World, releases, caplog):
    releases.write_text("a file where the folder should be")
    job = start(world)
    with caplog.at_level(logging.ERROR):
        freeze_job_run(job_id=job.pk)
    job.refresh_from_db()
    assert job.state == State.FAILED
    assert job.sentence == (
        f"The freeze met an unexpected fault and nothing was frozen. The log tells more: job {job.pk}."
    )
    assert f"freeze job {job.pk} failed" in caplog.text
    assert "Traceback" in caplog.text


def test_a_faulty_request_makes_no_job(world: World):
    with pytest.raises(FreezeRefused, match="Did you mean laughs"):
        start(world, studies=["laugh"])
    assert not FreezeJob.objects.exists()


def test_a_queue_out_of_reach_is_told_on_the_job(
    world: World, monkeypatch, django_capture_on_commit_callbacks
):
    def unreachable(job_id: int) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr(tasks.freeze_run, "delay", unreachable)
    with django_capture_on_commit_callbacks(execute=True):
        job = start(world)
    job.refresh_from_db()
    assert job.state == State.FAILED
    assert job.sentence == "The queue cannot be reached. Nothing was frozen; try again later."


@pytest.mark.services
def test_a_real_worker_freezes_what_the_web_server_asked_for(celery_worker, transactional_db):
    world = build()
    job = start(world)
    deadline = time.monotonic() + 60
    while job.state not in (State.DONE, State.FAILED) and time.monotonic() < deadline:
        time.sleep(0.1)
        job.refresh_from_db()
    assert (job.state, job.result and str(job.result)) == (State.DONE, "demo v1"), job.sentence
    findings = Findings(strict=True)
    assert ip_set_read(Path(settings.VAR) / "releases" / job.result.bundle, findings), findings.problems
