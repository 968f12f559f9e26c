"""A problem with a clip skips it, undoably: work done, no place filled, never a score."""

import pytest

from annotation.models import Score
from annotation.queries import scores_counted
from studies.models import Assignment, ResponseEvent, Study, StudyUnit
from studies.services.study import unit_return_to_queue, unit_withdraw
from tests import factories
from tests.studies.person import Person, is_full, refusal

pytestmark = pytest.mark.django_db

TECHNICAL = ["does_not_play", "no_sound", "wrong_content"]


def opens(study):
    person = Person.joins(study)
    person.open()
    return person


def unit_state():
    return StudyUnit.objects.get().state


@pytest.mark.parametrize("reason", [*TECHNICAL, "rather_not"])
def test_each_reason_skips_the_clip_and_counts_as_work_done(rater, reason):
    body = rater.report(reason).json()
    assert body["value"] == {"reason": reason}
    assert (body["scope"], body["question"]) == ("unit", "")
    assert body["assignment"]["state"] == "skipped"
    assert body["progress"]["done"] == 1
    assert not Score.objects.exists()


def test_a_report_needs_no_watching_and_fills_no_place(rater, study):
    factories.raters(Study.objects.get(), 1)
    assert is_full(study)
    rater.report("rather_not")
    assert Person.joins(study).open()["state"] == "working"


def test_a_clip_somebody_reported_is_not_given_to_them_again(rater):
    rater.report("rather_not")
    assert rater.open()["state"] == "nothing_left"


def test_scores_given_before_a_report_are_kept_and_do_not_count(rater, study):
    rater.rate("laugh", 3)
    rater.report()
    assert Score.objects.count() == 1
    assert not scores_counted([study.pk]).exists()


@pytest.mark.parametrize(
    "value", [None, "no_sound", "", 1, [], {}, {"reason": None}, {"reason": []}, {"reason": "boring"}]
)
def test_another_reason_is_refused_and_the_four_are_named(rater, value):
    error = refusal(rater.report(value=value))
    assert (error["status"], error["code"]) == (400, "invalid")
    [problem] = error["problems"]
    assert problem["found"] == repr(value)
    for reason in (*TECHNICAL, "rather_not"):
        assert reason in problem["expected"]
    assert not ResponseEvent.objects.exists()


def test_a_report_about_a_moment_or_a_score_for_a_clip_is_refused(rater):
    wrong = [
        {"action": "report", "scope": "question", "question": "laugh", "value": {"reason": "no_sound"}},
        {"action": "answer", "scope": "unit", "question": "", "value": 2},
    ]
    for said in wrong:
        assert refusal(rater.say(**said))["problems"][0]["field"] == "scope"
    assert not ResponseEvent.objects.exists()


def test_a_report_sent_again_is_one_report(rater):
    said = {"event_id": "11111111-1111-4111-8111-111111111111", "replaces": None}
    assert rater.report("no_sound", **said).status_code == 201
    assert rater.report("no_sound", **said).status_code == 200
    assert refusal(rater.report("rather_not", **said))["code"] == "reused_id"
    assert ResponseEvent.objects.count() == 1


def test_undoing_a_report_puts_the_clip_back_on_the_desk_with_its_scores(rater, study):
    rater.rate("laugh", 3)
    rater.report()
    previous = rater.open()["previous"]
    assert (previous["scope"], previous["question"], previous["head"]) == ("unit", "", rater.heads[""])
    undone = rater.undo(assignment=previous["assignment"])
    assert undone.json()["assignment"]["state"] == "open"
    body = rater.open()
    assert body["report"] == {"head": rater.heads[""], "value": None}
    assert body["answers"]["laugh"]["value"] == 3
    rater.rate("gasp", 1)
    assert scores_counted([study.pk]).count() == 2


def test_undoing_a_report_of_a_finished_clip_finishes_it_again(rater):
    rater.rate("laugh", 3)
    rater.rate("gasp", 3)
    rater.report("wrong_content")
    assert rater.assignment.state == "skipped"
    assert rater.undo().json()["assignment"]["state"] == "finished"


def test_a_report_can_be_corrected_and_undone_step_by_step(rater):
    rater.report("no_sound")
    rater.report("rather_not")
    assert rater.undo().json()["value"] == {"reason": "no_sound"}
    assert rater.assignment.state == "skipped"
    assert rater.undo().json()["value"] is None
    assert rater.assignment.state == "open"


def test_undoing_a_report_takes_the_place_only_while_it_is_free(rater, study):
    factories.raters(Study.objects.get(), 1)
    rater.rate("laugh", 3)
    rater.report("rather_not")
    assignment = rater.assignment
    other = Person.joins(study)
    other.rate_all()
    rater.undo()
    rater.rate("gasp", 3)
    assignment.refresh_from_db()
    assert (assignment.state, assignment.surplus) == ("finished", True)
    assert set(scores_counted([study.pk]).values_list("enrolment", flat=True)) == {other.enrolment.pk}
    filled = Assignment.objects.filter(state="finished", surplus=False)
    assert filled.count() == 1


def test_reporting_again_and_undoing_takes_a_place_that_became_free(rater, study):
    factories.raters(Study.objects.get(), 1)
    rater.report("rather_not")
    other = opens(study)
    rater.undo()
    assert rater.assignment.surplus
    rater.report("rather_not")
    other.post("hand_in", {"tab": other.tab})
    rater.undo()
    assert not rater.assignment.surplus


# --- the clip leaves the queue --------------------------------------------------------------------------


def test_after_two_technical_reports_the_clip_waits_for_a_manager(study):
    first, second = opens(study), opens(study)
    first.report("no_sound")
    assert unit_state() == "active"
    second.report("does_not_play")
    assert unit_state() == "reported"
    assert is_full(study)


def test_somebody_who_has_it_open_may_finish_and_counts(study):
    people = [opens(study) for _ in range(3)]
    for person in people[:2]:
        person.report("no_sound")
    people[2].rate_all()
    assert people[2].assignment.state == "finished"
    assert scores_counted([study.pk]).count() == 2


def test_not_wanting_to_watch_is_no_technical_report(study):
    for _ in range(3):
        opens(study).report("rather_not")
    assert unit_state() == "active"


def test_one_person_who_reports_twice_is_one_report(study):
    person = opens(study)
    person.report("no_sound")
    person.report("does_not_play")
    assert unit_state() == "active"


def test_undoing_or_rewording_a_technical_report_brings_the_clip_back(study):
    first, second = opens(study), opens(study)
    first.report("no_sound")
    second.report("no_sound")
    second.undo()
    assert unit_state() == "active"
    assert second.assignment.surplus is False
    second.report("no_sound")
    assert unit_state() == "reported"
    second.report("rather_not")
    assert unit_state() == "active"


def test_the_number_of_reports_is_a_setting(study):
    Study.objects.update(technical_reports_limit=1)
    opens(study).report("no_sound")
    assert unit_state() == "reported"


def test_reports_about_one_clip_say_nothing_about_another(two_clips):
    people = [opens(two_clips) for _ in range(2)]
    for person in people:
        person.report("no_sound")
    assert set(StudyUnit.objects.values_list("state", flat=True)) == {"active"}


def test_a_manager_who_finds_the_clip_in_order_puts_it_back_for_good(study):
    factories.raters(Study.objects.get(), 9)
    for _ in range(2):
        opens(study).report("no_sound")
    unit_return_to_queue(unit=StudyUnit.objects.get())
    opens(study).report("rather_not")
    assert unit_state() == "active"
    opens(study).report("no_sound")
    assert unit_state() == "active"
    opens(study).report("no_sound")  # two new ones: it waits for another decision
    assert unit_state() == "reported"


def test_a_withdrawn_clip_stays_withdrawn_whatever_is_reported_or_undone(study):
    person = opens(study)
    unit_withdraw(unit=StudyUnit.objects.get())
    person.report("no_sound")
    person.undo()
    assert unit_state() == "withdrawn"
