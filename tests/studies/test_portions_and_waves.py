"""Work comes in portions and waves: what one visit brings, what is held back, and what is wanted later."""

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from studies.errors import Refused
from studies.kinds import SimulatedAnswer
from studies.models import Assignment, Enrolment, Place, Wave
from studies.services.enrolment import enrolment_hand_in, enrolment_join
from studies.services.study import (
    study_add_units,
    study_raise,
    study_refreeze,
    study_set_state,
    wave_issue,
)
from studies.simulation import SimulatedAnnotator
from tests import factories
from tests.studies.person import open_study

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def study_of(clips, **fields):
    made = [factories.clip(f"clip{number:02}", moments=[(1.0, 2.0)]) for number in range(clips)]
    return open_study(*made, **fields)


def joins(study, person=None, at=NOON):
    enrolment, _ = enrolment_join(study=study, participant=person, now=at)
    return SimulatedAnnotator(enrolment, at)


def works(annotator, most=None):
    return annotator.work(lambda unit: [SimulatedAnswer(q.key, 1) for q in unit.questions], most=most)


def path(annotator):
    enrolment_hand_in(enrolment=annotator.enrolment, now=annotator.now)
    return Enrolment.objects.get(pk=annotator.enrolment.pk).path


def reserved(study):
    return Place.objects.filter(study=study, until__isnull=False).count()


# --- portions ------------------------------------------------------------------------------------------


def test_a_portion_is_reserved_whole_and_is_all_that_a_visit_brings():
    study = study_of(8, units_per_participant=3)
    person = joins(study)
    assert person.open().left == 3
    assert reserved(study) == 3
    assert works(person) == 3
    assert person.open().state == "nothing_left"
    assert path(person) == "completed"


def test_an_answer_renews_the_whole_portion():
    study = study_of(3, units_per_participant=3, raters_per_unit=1)
    person, other = joins(study), joins(study)
    opened = person.open()
    person.now += timedelta(minutes=50)
    person.say(opened, opened.unit.questions[0], 1)
    person.open()
    other.now = NOON + timedelta(minutes=70)
    assert other.open().state == "nothing_left"


def test_the_next_visit_brings_other_clips():
    study = study_of(5, units_per_participant=3)
    first = joins(study)
    works(first)
    first.hand_in()
    second = joins(study, first.enrolment.participant, first.now)
    assert works(second) == 2
    seen = Assignment.objects.filter(enrolment__participant=first.enrolment.participant)
    assert len(set(seen.values_list("unit", flat=True))) == 5
    assert path(second) == "nothing_left"
    third = joins(study, first.enrolment.participant, second.now)
    assert third.open().state == "nothing_left"


def test_nobody_gets_more_than_the_most_over_all_visits():
    study = study_of(9, units_per_participant=3, units_most=4)
    first = joins(study)
    works(first)
    first.hand_in()
    second = joins(study, first.enrolment.participant, first.now)
    assert works(second) == 1


def test_without_portions_the_most_bounds_the_work():
    study = study_of(9, units_most=4)
    person = joins(study)
    assert works(person) == 4
    assert path(person) == "completed"


def test_leaving_in_the_middle_frees_the_rest_at_once_and_is_called_stopping_early():
    study = study_of(5, units_per_participant=5, raters_per_unit=2)
    leaver = joins(study)
    works(leaver, most=2)
    assert path(leaver) == "stopped_early"
    assert reserved(study) == 0
    for _ in range(2):
        works(joins(study))
    finished = Assignment.objects.filter(state="finished").values_list("unit__key", flat=True)
    assert set(Counter(finished).values()) == {2}


def test_who_finds_nothing_at_all_is_sent_off_on_the_path_for_it():
    study = study_of(1, raters_per_unit=1)
    works(joins(study))
    assert path(joins(study)) == "nothing_left"


def test_a_halted_study_sends_everybody_off_as_halted_but_whole_portions_as_completed():
    study = study_of(4, units_per_participant=2)
    half, whole = joins(study), joins(study)
    works(half, most=1)
    works(whole)
    study_set_state(study=study, state="halted")
    assert (path(half), path(whole)) == ("halted", "completed")


def test_a_portion_that_lapsed_goes_to_others_and_late_answers_still_count_for_the_person():
    study = study_of(2, units_per_participant=2, raters_per_unit=1)
    silent, other = joins(study), joins(study, at=NOON + 2 * HOUR)
    opened = silent.open()
    assert works(other) == 2
    silent.now = NOON + 3 * HOUR
    late = silent.say(opened, opened.unit.questions[0], 3)
    assert late.event.late
    assert late.assignment.surplus
    assert late.assignment.state == "finished"


# --- waves ---------------------------------------------------------------------------------------------


def test_a_wave_that_is_held_back_is_given_to_nobody_until_it_is_issued():
    study = study_of(1)
    factories.clip("second", moments=[(1.0, 2.0)])
    study_add_units(study=study, keys=["second"], wave="two", issued=False)
    person = joins(study)
    assert works(person) == 1
    wave_issue(wave=Wave.objects.get(name="two"))
    assert person.open().unit.key == "second"


def test_a_wave_may_want_another_number_of_raters():
    study = study_of(1, raters_per_unit=2)
    factories.clip("gold", moments=[(1.0, 2.0)])
    study_add_units(study=study, keys=["gold"], wave="gold", raters=4)
    places = Counter(Place.objects.filter(study=study).values_list("unit__key", flat=True))
    assert places == {"clip00": 2, "gold": 4}


def test_a_target_can_be_raised_while_people_work_and_never_lowered():
    study = study_of(2, raters_per_unit=1)
    works(joins(study))
    assert study_raise(study=study, raters=3) == 4
    assert works(joins(study)) == 2
    with pytest.raises(Refused, match="Found 2, expected 3 or more"):
        study_raise(study=study, raters=2)
    assert "raters per unit raised to 3" in study.log.first().what


def test_a_draft_may_still_want_fewer():
    made = [factories.clip("a"), factories.clip("b")]
    study = open_study(*made, raters_per_unit=5)
    study.version = 0  # as before the first opening
    study.save()
    assert Place.objects.count() == 10
    study_raise(study=study, raters=2)
    assert Place.objects.count() == 4


def test_a_reopened_study_goes_on_where_it_stopped():
    study = study_of(3)
    person = joins(study)
    works(person, most=1)
    study_set_state(study=study, state="closed")
    assert person.open().state == "closed"
    study_set_state(study=study, state="open")
    assert works(person) == 2


# --- versions ------------------------------------------------------------------------------------------


def test_a_new_version_meets_new_units_and_leaves_begun_ones_as_they_were():
    study = study_of(2, parameters={"context": "moment"})
    person = joins(study)
    begun = person.open()
    study.parameters = {"context": "clip"}
    study.save()
    study_refreeze(study=study)
    still = person.open()
    assert still.assignment.pk == begun.assignment.pk
    assert still.assignment.study_version == 1
    assert still.unit.questions[0].must_play[0].end_ms == 2000
    event = person.say(still, still.unit.questions[0], 2).event
    assert event.study_version == 1
    fresh = person.open()
    assert fresh.assignment.study_version == 2
    assert fresh.unit.questions[0].must_play[0].end_ms == 12_000
