"""A study's answers as files: the ratings that count, and every event there ever was."""

import json
import random
import uuid
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command

from exports.answers import events_lines, ratings_lines
from studies.kinds import Question, kind_named
from studies.models import Assignment, Study
from studies.services.study import study_add_units, study_set_state
from studies.simulation import SimulatedAnnotator
from tests import factories
from tests.factories import START

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    clip = factories.clip("k1", moments=[(0, 2), (3, 5)])
    made = Study.objects.create(slug="laughs", title="Laughs", kind="intensity", consent="c", contact="x")
    study_add_units(study=made, keys=[clip.clip_id])
    return study_set_state(study=made, state="open")


def lines(written):
    return [json.loads(line) for line in written]


def simulated(unit):
    return kind_named("intensity").simulate(unit, random.Random(1))


def test_ratings_hold_every_score_that_counts_by_moment_and_rater(study):
    raters = [SimulatedAnnotator.join(study, START) for _ in range(3)]
    for score, rater in enumerate(raters):
        opened = rater.open()
        for question in opened.unit.questions:
            rater.say(opened, question, score)
    written = lines(ratings_lines(study))
    assert [(r["moment_id"], r["rater"]) for r in written] == sorted(
        (moment, rater.enrolment.participant.public_id) for moment in ("k1-m0", "k1-m1") for rater in raters
    )
    scores = {(r["moment_id"], r["rater"]): r["score"] for r in written}
    assert scores["k1-m1", raters[2].enrolment.participant.public_id] == 2


def test_an_event_tells_whether_it_stands_was_revised_or_was_undone(study):
    rater = SimulatedAnnotator.join(study, START)
    opened = rater.open()
    first, second = opened.unit.questions
    three = rater.say(opened, first, 3).event
    rater.say(opened, first, 1, replaces=three.event_id)
    two = rater.say(opened, second, 2).event
    undo = rater.say(opened, second, None, replaces=two.event_id, action="undo").event
    told = [(e["moment_id"], e["value"], e["status"]) for e in lines(events_lines(study))]
    assert told == [
        ("k1-m0", 3, "revised"),
        ("k1-m0", 1, "current"),
        ("k1-m1", 2, "undone"),
        ("k1-m1", None, "undone"),
    ]
    assert undo.restores is None


def test_an_undo_that_restores_an_answer_makes_it_stand_again(study):
    rater = SimulatedAnnotator.join(study, START)
    opened = rater.open()
    question = opened.unit.questions[0]
    three = rater.say(opened, question, 3).event
    one = rater.say(opened, question, 1, replaces=three.event_id).event
    rater.say(opened, question, None, replaces=one.event_id, action="undo")
    status = {e["event_id"]: e["status"] for e in lines(events_lines(study))}
    assert status[str(three.event_id)] == "current"
    assert status[str(one.event_id)] == "undone"


def test_times_are_seconds_since_the_rater_joined_and_name_no_hour(study):
    rater = SimulatedAnnotator.join(study, START)
    rater.now += timedelta(seconds=10)
    opened = rater.open()
    rater.say(opened, opened.unit.questions[0], 0)
    (event,) = lines(events_lines(study))
    assert event["opened_s"] == 10
    assert event["received_s"] == event["answered_s"] == 13.5  # two seconds of clip, one and a half beside
    assert event["played"] == [[0.0, 2.0]]
    assert str(START.year) not in json.dumps({k: v for k, v in event.items() if k.endswith("_s")})


def test_work_that_came_late_and_found_its_place_taken_says_so(study):
    factories.raters(study, 1)
    slow = SimulatedAnnotator.join(study, START)
    opened = slow.open()
    quick = SimulatedAnnotator.join(study, START + timedelta(hours=2))
    theirs = quick.open()
    for question in theirs.unit.questions:
        quick.say(theirs, question, 1)
    slow.now = START + timedelta(hours=3)
    slow.say(opened, opened.unit.questions[0], 2)
    mine = slow.enrolment.participant.public_id
    assert {e["status"] for e in lines(events_lines(study)) if e["rater"] == mine} == {"late"}
    assert mine not in {r["rater"] for r in lines(ratings_lines(study))}


def test_a_reported_clip_is_skipped_with_its_answers(study):
    rater = SimulatedAnnotator.join(study, START)
    opened = rater.open()
    rater.say(opened, opened.unit.questions[0], 2)
    rater.say(opened, Question(opened.unit.key), {"reason": "no_sound"}, action="report")
    assert {e["status"] for e in lines(events_lines(study))} == {"skipped"}
    assert lines(ratings_lines(study)) == []


def test_two_exports_of_the_same_answers_are_the_same_bytes(study):
    for number in range(3):
        SimulatedAnnotator.join(study, START + timedelta(minutes=number)).work(simulated)
    assert b"".join(events_lines(study)) == b"".join(events_lines(study))
    assert b"".join(ratings_lines(study)) == b"".join(ratings_lines(study))


def test_the_command_writes_a_file_or_says_which_studies_are_near(study, tmp_path):
    SimulatedAnnotator.join(study, START).work(simulated)
    out = tmp_path / "ratings.jsonl"
    call_command("export", "laughs", "ratings", out=out)
    assert out.read_bytes() == b"".join(ratings_lines(study))
    with pytest.raises(CommandError, match="near: laughs"):
        call_command("export", "laugs", "ratings")


def test_no_event_carries_who_somebody_is_outside(study):
    rater = SimulatedAnnotator.join(study, START)
    opened = rater.open()
    rater.say(opened, opened.unit.questions[0], 0, event_id=uuid.uuid4())
    text = b"".join(events_lines(study)).decode()
    assert rater.enrolment.keys.get().token_hash not in text
    assert Assignment.objects.get().media["reaction"]["sha256"] in text
