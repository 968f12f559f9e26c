"""Ratings collected elsewhere come in as if their people had worked here: whole, once, in their pool."""

import json
from collections import Counter

import pytest

from annotation.diagnostics import scores_current
from annotation.models import Score
from exports.answers import events_lines, ratings_lines
from studies.identity import ParticipantIdentity
from studies.models import Assignment, Enrolment, ResponseEvent, Study
from studies.services.answers_in import AnswersRefused, Given, answers_import
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    factories.clip("k1", moments=[(0, 2), (3, 5)])
    factories.clip("k2", moments=[(0, 2), (3, 5)])
    return Study.objects.create(slug="laughs", title="Laughs", kind="intensity", consent="c", contact="x")


def given(*rows):
    return [Given(moment, rater, score, line) for line, (moment, rater, score) in enumerate(rows, 1)]


def counted(lines):
    return Counter((line["moment_id"], line["score"]) for line in lines)


ROWS = [("k1-m0", "ana", 3), ("k1-m1", "ana", 1), ("k1-m0", "007", 0), ("k2-m1", "7", 2)]


def test_every_rating_becomes_a_current_score_with_an_event_behind_it(study):
    done = answers_import(study=study, name="pilot", given=given(*ROWS))
    assert (done.answers, done.people, done.unchanged) == (4, 3, 0)
    people = {i.participant.public_id: i.external_id for i in ParticipantIdentity.objects.all()}
    scores = {(m, people[r], s) for (r, m), s in scores_current([study.pk]).items()}
    assert scores == set(ROWS)
    assert ResponseEvent.objects.count() == Score.objects.count() == 4
    assert set(Enrolment.objects.values_list("pool", flat=True)) == {"import:pilot"}


def test_a_clip_whose_every_moment_was_rated_fills_a_place_and_others_do_not(study):
    answers_import(study=study, name="pilot", given=given(*ROWS))
    states = {a.unit.key + a.state for a in Assignment.objects.select_related("unit")}
    assert states == {"k1finished", "k1released", "k2released"}


def test_the_same_file_again_changes_nothing_and_says_so(study):
    answers_import(study=study, name="pilot", given=given(*ROWS))
    before = b"".join(events_lines(study))
    again = answers_import(study=study, name="pilot", given=given(*ROWS))
    assert (again.answers, again.people, again.unchanged) == (0, 0, 4)
    assert b"".join(events_lines(study)) == before


def test_a_longer_file_adds_what_is_new_and_completes_what_was_half_way(study):
    answers_import(study=study, name="pilot", given=given(*ROWS))
    more = answers_import(study=study, name="pilot", given=given(*ROWS, ("k1-m1", "007", 0)))
    assert (more.answers, more.people, more.unchanged) == (1, 0, 4)
    assert Assignment.objects.filter(unit__key="k1", state="finished").count() == 2


def test_another_score_for_one_that_is_there_is_refused_by_line_and_nothing_changes(study):
    answers_import(study=study, name="pilot", given=given(*ROWS))
    with pytest.raises(AnswersRefused) as refused:
        answers_import(study=study, name="pilot", given=given(("k2-m0", "new", 1), ("k1-m0", "ana", 2)))
    ((line, field, found, _),) = refused.value.faults
    assert (line, field, found) == (2, "score", "2")
    assert not ParticipantIdentity.objects.filter(external_id="new").exists()


def test_unknown_moments_are_all_named_at_once(study):
    with pytest.raises(AnswersRefused) as refused:
        answers_import(
            study=study, name="x", given=given(("nope", "a", 1), ("k1-m0", "a", 1), ("no", "a", 1))
        )
    assert [fault[0] for fault in refused.value.faults] == [1, 3]
    assert not ResponseEvent.objects.exists()


def test_one_name_is_one_set_of_people_across_studies(study):
    other = Study.objects.create(slug="more", title="More", kind="intensity", consent="c", contact="x")
    answers_import(study=study, name="pilot", given=given(("k1-m0", "ana", 3)))
    answers_import(study=other, name="pilot", given=given(("k1-m0", "ana", 3)))
    answers_import(study=other, name="elsewhere", given=given(("k1-m0", "ana", 3)))
    assert Enrolment.objects.values("participant").distinct().count() == 2


def test_what_goes_out_comes_back_in_with_the_same_scores(study):
    answers_import(study=study, name="pilot", given=given(*ROWS))
    out = [json.loads(line) for line in ratings_lines(study)]
    empty = Study.objects.create(slug="copy", title="Copy", kind="intensity", consent="c", contact="x")
    rows = [(r["moment_id"], r["rater"], r["score"]) for r in out]
    answers_import(study=empty, name="copy", given=given(*rows))
    back = [json.loads(line) for line in ratings_lines(empty)]
    assert counted(back) == counted(out)
