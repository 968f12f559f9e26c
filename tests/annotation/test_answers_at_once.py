"""Fast clicks, double sending, two reports: whatever arrives at once at a real server, one answer stands."""

import json
import urllib.error
import urllib.request
import uuid
from collections import Counter
from functools import partial

import pytest

from annotation.models import Score
from annotation.queries import scores_counted
from studies.models import Assignment, ResponseEvent, Study, StudyUnit
from tests import factories
from tests.studies.person import Person, open_study, two_moments
from tests.studies.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def study(db):
    return open_study(two_moments())


@pytest.fixture
def rater(study):
    person = Person.joins(study)
    person.open()
    person.client.get("/work/laughs/")  # brings the cross-site token
    return person


def post(site, person, act, body):
    """Send a request over the network as the person's browser does; the status and the body."""
    cookies = "; ".join(f"{name}={cookie.value}" for name, cookie in person.client.cookies.items())
    request = urllib.request.Request(
        f"{site.url}/api/work/{person.study.slug}/{act}",
        data=json.dumps(body).encode(),
        headers={
            "Content-Type": "application/json",
            "Cookie": cookies,
            "X-CSRFToken": person.client.cookies["csrftoken"].value,
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=40) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def event(person, **changes):
    return {
        "event_id": str(uuid.uuid4()),
        "assignment": person.assignment_id,
        "tab": person.tab,
        "action": "answer",
        "scope": "question",
        "question": "laugh",
        "replaces": None,
        "played": {"reaction": person.watched},
    } | changes


def test_five_identical_sendings_at_once_are_one_answer_and_all_are_told_so(live_site, rater):
    rater.watch("laugh")
    body = event(rater, value=2)
    replies = at_once([partial(post, live_site, rater, "events", body)] * 5)
    assert Counter(status for status, _ in replies) == {201: 1, 200: 4}
    assert {(reply["event_id"], reply["value"]) for _, reply in replies} == {(body["event_id"], 2)}
    assert ResponseEvent.objects.count() == 1
    assert Score.objects.get().score == 2


def test_of_five_different_answers_to_the_same_head_one_stands_and_the_others_are_shown_it(live_site, rater):
    rater.rate("laugh", 0)
    bodies = [event(rater, value=n % 4, replaces=rater.heads["laugh"]) for n in range(5)]
    replies = at_once([partial(post, live_site, rater, "events", body) for body in bodies])
    assert Counter(status for status, _ in replies) == {201: 1, 409: 4}
    [won] = [reply for status, reply in replies if status == 201]
    for status, reply in replies:
        if status == 409:
            assert reply["error"]["code"] == "stale"
            assert reply["error"]["stored"] == {"head": won["head"], "value": won["value"]}
    assert ResponseEvent.objects.count() == 2
    assert Score.objects.get().score == won["value"]


def test_five_tabs_opened_at_once_open_one_clip(rater):
    replies = at_once([partial(rater.post, "open", {"tab": f"tab-{n}"}) for n in range(5)])
    assert {reply.status_code for reply in replies} == {200}
    assert len({reply.json()["assignment"]["id"] for reply in replies}) == 1
    assert Assignment.objects.count() == 1


def two_people(study):
    people = [Person.joins(study) for _ in range(2)]
    for person in people:
        person.open()
    return people


def test_two_people_who_report_at_once_are_both_counted(study):
    replies = at_once([person.report for person in two_people(study)])
    assert [reply.status_code for reply in replies] == [201, 201]
    assert StudyUnit.objects.get().state == "reported"


def test_two_people_who_undo_their_reports_at_once_share_what_is_left(study):
    people = two_people(study)
    for person in people:
        for moment in ("laugh", "gasp"):
            person.rate(moment, 1)
        person.report("rather_not")
    factories.raters(Study.objects.get(), 1)

    replies = at_once([person.undo for person in people])

    assert [reply.status_code for reply in replies] == [201, 201]
    assert Counter(Assignment.objects.values_list("state", "surplus")) == {
        ("finished", False): 1,
        ("finished", True): 1,
    }
    assert scores_counted([study.pk]).count() == 2
