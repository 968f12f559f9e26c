"""Attention checks and repeats are mixed in, look like any work, are paid like it, and enter no figure."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.models import Score
from annotation.queries import scores_counted
from annotation.services import scores_rebuild
from studies.errors import Refused
from studies.kinds import SimulatedAnswer
from studies.models import Assignment, Place
from studies.queries import work_done
from studies.schedule import checks_due, repeats_due
from studies.services.study import study_set_items, study_set_state
from studies.simulation import SimulatedAnnotator
from tests import factories
from tests.studies.person import Person, open_study

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
db = pytest.mark.django_db
seeds = st.text(max_size=8)


def study_of(clips, *, checks=0, **fields):
    made = [factories.clip(f"clip{number:02}", moments=[(1.0, 2.0)]) for number in range(clips)]
    names = [f"extra{number}" for number in range(checks)]
    for name in names:
        factories.clip(name, moments=[(1.0, 2.0)])
    every, fields = fields.pop("check_every", 0), fields
    study = open_study(*made, **fields)
    if names:
        study_set_items(
            study=study, purpose="check", items=[{"key": n, "accepts": {f"{n}-m0": [3]}} for n in names]
        )
        study.check_every = every
        study.save()
    return study


def life(study, score=3):
    """A person who does all there is; purpose and key of each unit in the order it came."""
    annotator = SimulatedAnnotator.join(study, NOON)
    annotator.work(lambda unit: [SimulatedAnswer(q.key, score) for q in unit.questions])
    given_ = annotator.enrolment.assignments.order_by("position").values_list("purpose", "unit__key")
    return annotator, list(given_)


# --- when ------------------------------------------------------------------------------------------------


@settings(deadline=None)
@given(seeds, st.integers(1, 12), st.integers(0, 100))
def test_each_block_of_work_has_one_check_inside_it(seed, every, blocks):
    assert checks_due(seed, every, blocks * every) in (blocks, blocks + (every == 1))
    dues = [checks_due(seed, every, done) for done in range(blocks * every + 1)]
    assert dues == sorted(dues)
    assert dues[0] == 0


@settings(deadline=None)
@given(seeds, st.integers(0, 6), st.integers(0, 12))
def test_no_repeat_is_due_before_enough_lies_behind_and_all_are_due_in_the_end(seed, number, gap):
    assert repeats_due(seed, number, gap, gap) == 0
    assert repeats_due(seed, number, gap, (gap + 1) * (number + 2)) == number
    dues = [repeats_due(seed, number, gap, done) for done in range(60)]
    assert dues == sorted(dues)


# --- checks ----------------------------------------------------------------------------------------------


@db
def test_a_check_comes_among_each_so_many_clips():
    _, given_ = life(study_of(9, checks=5, check_every=3))
    purposes = [purpose for purpose, _ in given_]
    assert purposes.count("check") == 3
    assert purposes[0] == "study"
    studied = 0
    blocks = []
    for purpose in purposes:
        if purpose == "check":
            blocks.append(studied // 3)
        else:
            studied += 1
    assert blocks == [0, 1, 2]


@db
def test_the_places_of_checks_are_the_same_for_a_person_and_differ_between_people():
    study = study_of(24, checks=6, check_every=4, raters_per_unit=50)
    lives = [tuple(purpose for purpose, _ in life(study)[1]) for _ in range(6)]
    assert len(set(lives)) > 1


@db
def test_no_check_comes_twice_and_none_when_they_are_used_up():
    _, given_ = life(study_of(9, checks=2, check_every=3))
    checks = [key for purpose, key in given_ if purpose == "check"]
    assert sorted(checks) == ["extra0", "extra1"]


@db
@pytest.mark.parametrize(("score", "passed"), [(3, True), (1, False)])
def test_the_result_of_a_check_is_kept_and_does_nothing(score, passed):
    study = study_of(3, checks=1, check_every=3)
    annotator, _ = life(study, score)
    check = Assignment.objects.get(purpose="check")
    assert check.passed is passed
    assert scores_counted([study.pk]).count() == 3
    assert work_done(annotator.enrolment) == 4


@db
def test_an_answer_to_a_check_may_be_revised_and_the_newest_counts():
    study = study_of(1, checks=1, check_every=1)
    person = Person.joins(study)
    person.rate_all([1])
    person.rate_all([1])
    check = person.assignment
    assert (check.purpose, check.passed) == ("check", False)
    person.say(question=person.moments[0], value=3)
    assert person.assignment.passed is True


@db
def test_nothing_on_the_wire_tells_a_check_or_a_repeat_from_any_clip():
    study = study_of(4, checks=1, check_every=2, repeats=1, repeat_gap=1)
    person = Person.joins(study)
    bodies = []
    while person.open()["state"] == "working":
        bodies.append((person.assignment.purpose, person.opened))
        person.heads.clear()
        reply = person.rate(person.moments[0], 2).json()
        assert reply["feedback"] is None
    assert {purpose for purpose, _ in bodies} == {"study", "check", "repeat"}
    assert len({tuple(sorted(body)) for _, body in bodies}) == 1
    totals = [body["progress"]["done"] + body["progress"]["left"] for _, body in bodies]
    assert set(totals) == {6}
    for _, body in bodies:
        assert "check" not in str(body) and "repeat" not in str(body)  # noqa: PT018


@db
def test_a_study_that_mixes_in_checks_and_has_none_is_not_opened():
    study = study_set_state(study=study_of(1), state="closed")
    study.check_every = 5
    study.save()
    with pytest.raises(Refused, match="mixes in attention checks and has none"):
        study_set_state(study=study, state="open")


# --- repeats ---------------------------------------------------------------------------------------------


@db
def test_clips_are_shown_again_after_enough_others():
    _, given_ = life(study_of(12, repeats=3, repeat_gap=4))
    assert [p for p, _ in given_].count("repeat") == 3
    studied = [key for purpose, key in given_ if purpose == "study"]
    for index, (purpose, key) in enumerate(given_):
        if purpose == "repeat":
            between = [k for p, k in given_[:index] if p == "study"]
            assert len(between) - 1 - between.index(key) >= 4
    assert len(studied) == len(set(studied)) == 12


@db
def test_the_repeats_still_owed_come_at_the_end_as_far_as_enough_lies_between():
    _, given_ = life(study_of(6, repeats=3, repeat_gap=4))
    assert [p for p, _ in given_].count("repeat") == 2  # only two clips have four others behind them


@db
def test_a_second_answer_never_touches_the_first():
    study = study_of(3, repeats=1, repeat_gap=1)
    person = Person.joins(study)
    while person.open()["state"] == "working":
        repeat = person.assignment.purpose == "repeat"
        person.heads.clear()
        assert person.rate(person.moments[0], 3 if repeat else 0).status_code == 201
    assert list(Score.objects.values_list("score", flat=True)) == [0, 0, 0]
    assert scores_counted([study.pk]).count() == 3
    assert Place.objects.filter(enrolment__isnull=False).count() == 3
    assert work_done(person.enrolment) == 4


@db
def test_what_was_reported_is_not_shown_again():
    study = study_of(3, repeats=3, repeat_gap=0)
    person = Person.joins(study)
    while person.open()["state"] == "working":
        person.heads.clear()
        person.report("rather_not")
    assert not Assignment.objects.filter(purpose="repeat").exists()


@db
def test_rebuilding_the_scores_from_the_events_leaves_repeats_and_practice_out():
    study = study_of(3, checks=1, check_every=2, repeats=2, repeat_gap=1)
    life(study)
    before = set(Score.objects.values_list("moment", "score"))
    assert scores_rebuild([study.pk]) == 3
    assert set(Score.objects.values_list("moment", "score")) == before
