"""A panel: so many seats, each held by one person who does every clip; a leaver is replaced whole."""

from datetime import UTC, datetime, timedelta

import pytest

from annotation.queries import scores_counted, scores_once_per_person
from studies.kinds import Question, SimulatedAnswer
from studies.models import Assignment, Enrolment, Place
from studies.services.enrolment import (
    enrolment_hand_in,
    enrolment_join,
    enrolment_returned,
    enrolment_withdraw,
)
from studies.services.study import study_add_units, study_raise
from studies.simulation import SimulatedAnnotator
from tests import factories
from tests.studies.person import open_study

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def panel_of(clips, **fields):
    """A panel study over clips of two moments each."""
    made = [factories.clip(f"clip{number:02}") for number in range(clips)]
    return open_study(*made, mode="panel", **({"raters_per_unit": 2} | fields))


def joins(study, at=NOON):
    return SimulatedAnnotator.join(study, at)


def works(annotator, most=None, score=1):
    return annotator.work(lambda unit: [SimulatedAnswer(q.key, score) for q in unit.questions], most=most)


def raters_in_set(study):
    return {rater for _, rater, _ in scores_once_per_person([study.pk])[0]}


def raters_counted(study):
    return set(scores_counted([study.pk]).values_list("enrolment__participant__public_id", flat=True))


def name(annotator):
    return annotator.enrolment.participant.public_id


def test_each_seat_does_every_clip_and_nobody_finds_a_third_seat():
    study = panel_of(3)
    one, other, third = joins(study), joins(study), joins(study)
    assert works(one) == 3
    assert works(other) == 3
    assert third.open().state == "nothing_left"
    assert raters_in_set(study) == {name(one), name(other)}


def test_no_answers_of_one_person_fill_two_seats():
    study = panel_of(2)
    one = joins(study)
    works(one)
    one.hand_in()
    again, _ = enrolment_join(study=study, participant=one.enrolment.participant, now=one.now)
    back = SimulatedAnnotator(again, one.now)
    assert back.open().state == "nothing_left"


def test_a_leaver_is_replaced_by_somebody_who_starts_from_zero():
    study = panel_of(3, raters_per_unit=1)
    leaver, late_comer = joins(study), joins(study)
    works(leaver, most=2)
    assert late_comer.open().state == "nothing_left"
    leaver.hand_in()
    assert leaver_path(leaver) == "stopped_early"
    assert works(late_comer) == 3
    late_comer.hand_in()
    assert leaver_path(late_comer) == "completed"


def leaver_path(annotator):
    return Enrolment.objects.get(pk=annotator.enrolment.pk).path


def test_a_leavers_answers_are_kept_outside_the_panel():
    study = panel_of(2, raters_per_unit=1)
    leaver = joins(study)
    works(leaver, most=1)
    assert raters_counted(study) == {name(leaver)}
    leaver.hand_in()
    assert raters_counted(study) == set()
    assert leaver.enrolment.scores.count() == 2
    replaced_by = joins(study)
    works(replaced_by)
    assert raters_counted(study) == raters_in_set(study) == {name(replaced_by)}


def test_the_frozen_panel_holds_complete_seats_only():
    study = panel_of(3)
    whole, half = joins(study), joins(study)
    works(whole)
    works(half, most=2)
    assert raters_counted(study) == {name(whole), name(half)}
    assert raters_in_set(study) == {name(whole)}
    works(half)
    assert raters_in_set(study) == {name(whole), name(half)}


def test_a_clip_that_was_reported_counts_as_done_for_the_seat():
    study = panel_of(2, raters_per_unit=1)
    person = joins(study)
    opened = person.open()
    person.say(opened, opened.unit.questions[0], 1)
    report(person, opened)
    works(person)
    assert raters_in_set(study) == {name(person)}


def report(person, opened):

    person.say(opened, Question(opened.unit.key), {"reason": "rather_not"}, action="report")


def test_a_clip_added_later_opens_the_seats_again():
    study = panel_of(1, raters_per_unit=1)
    person = joins(study)
    works(person)
    assert raters_in_set(study) == {name(person)}
    factories.clip("new")
    study_add_units(study=study)
    assert raters_in_set(study) == set()
    assert works(person) == 1
    assert raters_in_set(study) == {name(person)}


def test_a_silent_person_keeps_the_seat_for_its_hours_and_loses_it_to_a_newcomer_then():
    study = panel_of(2, raters_per_unit=1, seat_hours=48)
    silent, newcomer = joins(study), joins(study)
    works(silent, most=1)
    newcomer.now = NOON + 47 * HOUR
    assert newcomer.open().state == "nothing_left"
    newcomer.now = NOON + 49 * HOUR
    assert newcomer.open().state == "working"
    silent.now = NOON + 50 * HOUR
    assert silent.open().state == "nothing_left"
    works(newcomer)
    assert raters_in_set(study) == {name(newcomer)}


def test_an_answer_after_the_seat_was_lost_is_kept_and_counts_nowhere():
    study = panel_of(2, raters_per_unit=1)
    silent, newcomer = joins(study), joins(study, NOON + 49 * HOUR)
    opened = silent.open()
    newcomer.open()
    silent.now = NOON + 50 * HOUR
    silent.say(opened, opened.unit.questions[0], 3)
    assert silent.enrolment.scores.count() == 1
    assert raters_counted(study) == set()


@pytest.mark.parametrize("leaves", ["withdraws", "is returned"])
def test_whoever_withdraws_or_is_returned_gives_the_whole_seat_back(leaves):
    study = panel_of(2, raters_per_unit=1)
    leaver = joins(study)
    works(leaver, most=1)
    if leaves == "withdraws":
        enrolment_withdraw(enrolment=leaver.enrolment, erase=False, now=leaver.now)
    else:
        enrolment_returned(enrolment=leaver.enrolment, returned=True, now=leaver.now)
    assert Place.objects.get().enrolment is None
    assert works(joins(study)) == 2


def test_somebody_who_had_done_everything_keeps_the_seat_when_handing_in():
    study = panel_of(2, raters_per_unit=1)
    person = joins(study)
    works(person)
    enrolment_hand_in(enrolment=person.enrolment, now=person.now)
    seat = Place.objects.get()
    assert (seat.enrolment, seat.until) == (person.enrolment, None)
    newcomer = joins(study, NOON + 1000 * HOUR)
    assert newcomer.open().state == "nothing_left"


def test_one_more_seat_lets_one_more_person_in():
    study = panel_of(2, raters_per_unit=1)
    works(joins(study))
    waiting = joins(study)
    assert waiting.open().state == "nothing_left"
    assert study_raise(study=study, raters=2) == 1
    assert works(waiting) == 2


def test_undo_after_the_last_clip_makes_the_seat_incomplete_again():
    study = panel_of(1, raters_per_unit=1)
    person = joins(study)
    opened = person.open()
    events = [person.say(opened, q, 2).event for q in opened.unit.questions]
    assert raters_in_set(study) == {name(person)}
    person.say(opened, opened.unit.questions[-1], None, replaces=events[-1].event_id, action="undo")
    assert Assignment.objects.get().state == "open"
    assert raters_in_set(study) == set()
