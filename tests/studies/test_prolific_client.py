"""Prolific's API is read patiently and whole; what changes something is sent once."""

import socket
import time
from collections import Counter
from datetime import UTC, datetime

import pytest

from studies.prolific.answers import FetchedSubmission, NoAnswer, ProlificError, status_of
from studies.prolific.client import Prolific as Api
from tests.services.prolific import TOKEN
from tests.studies.arriving import STUDY_ID, an_id


@pytest.mark.parametrize(("links", "meta"), [(True, True), (False, True), (True, False), (False, False)])
@pytest.mark.parametrize("number", [0, 1, 20, 40, 47])
def test_every_page_is_read_however_the_end_is_told(prolific, api, number, links, meta):
    prolific.links, prolific.meta = links, meta
    for n in range(number):
        prolific.submits(an_id(n, "c"), an_id(n), STUDY_ID)
    prolific.submits(an_id(999, "c"), an_id(999), "another study")
    found = [submission.session_id for submission in api.submissions(STUDY_ID)]
    assert found == [an_id(n, "c") for n in range(number)]
    assert prolific.calls("GET", "submissions/") <= number // 20 + 2


def test_what_moves_to_the_next_page_meanwhile_is_read_once(prolific, api):
    for n in range(25):
        prolific.submits(an_id(n, "c"), an_id(n), STUDY_ID)
    found = api.submissions(STUDY_ID)
    read = [next(found).session_id]
    first = dict(prolific.submissions)
    prolific.submissions.clear()
    prolific.submits(an_id(99, "c"), an_id(99), STUDY_ID)
    prolific.submissions |= first
    read += [submission.session_id for submission in found]
    assert Counter(read) == Counter(list(first))


def test_one_submission_is_read_with_its_study_and_without_the_address_of_the_person(prolific, api):
    prolific.submits(an_id(1, "c"), an_id(1), STUDY_ID, "AWAITING REVIEW", study_code="C0DE")
    found = api.submission(an_id(1, "c"))
    assert found == FetchedSubmission(
        session_id=an_id(1, "c"),
        pid=an_id(1),
        study_id=STUDY_ID,
        status="AWAITING_REVIEW",
        entered_code="C0DE",
        started_at=datetime(2026, 1, 1, 12, tzinfo=UTC),
    )
    assert an_id(1) not in repr(found)


@pytest.mark.parametrize("written", ["TIMED-OUT", "timed out", "TIMED_OUT", " Timed - Out "])
def test_a_status_is_one_however_it_is_written(written):
    assert status_of(written) == "TIMED_OUT"


def test_too_many_requests_are_waited_for_as_long_as_prolific_says(prolific, api):
    prolific.submits(an_id(1, "c"), an_id(1), STUDY_ID)
    prolific.fails("submissions/", 429, Retry_After="1")
    assert len(list(api.submissions(STUDY_ID))) == 1
    first, second = (at for _, _, at in prolific.seen)
    assert 0.95 < second - first < 3


def test_a_wait_longer_than_a_worker_sits_is_not_cut_short_by_asking_earlier(prolific, api):
    prolific.fails("submissions/", 429, times=9, Retry_After="3600")
    began = time.monotonic()
    with pytest.raises(ProlificError) as caught:
        list(api.submissions(STUDY_ID))
    assert (caught.value.status, caught.value.retry_after) == (429, 3600)
    assert len(prolific.seen) == 1
    assert time.monotonic() - began < 1


@pytest.mark.parametrize("status", [500, 503, 0])
def test_a_failing_server_is_asked_again_with_growing_pauses_and_given_up_in_the_end(prolific, status):
    api = Api(token=TOKEN, url=f"{prolific.url}/api/v1/", backoff=0.05, timeout=2)
    prolific.submits(an_id(1, "c"), an_id(1), STUDY_ID)
    prolific.fails("submissions/", status, times=3)
    assert len(list(api.submissions(STUDY_ID))) == 1
    assert len(prolific.seen) == 4
    pauses = [b[2] - a[2] for a, b in zip(prolific.seen[1:], prolific.seen[2:], strict=False)]
    assert pauses[0] >= 0.1
    assert pauses[1] >= 0.2
    prolific.fails("submissions/", status, times=99)
    with pytest.raises(ProlificError):
        list(Api(token="x", url=f"{prolific.url}/api/v1/", backoff=0, timeout=2).submissions(STUDY_ID))
    assert len(prolific.seen) == 4 + 6


def test_a_wrong_token_is_said_once_and_not_asked_again(prolific):
    with pytest.raises(ProlificError, match="401: Authentication credentials"):
        list(Api(token="wrong", url=f"{prolific.url}/api/v1/").submissions(STUDY_ID))
    assert len(prolific.seen) == 1


def test_the_token_follows_no_redirect(prolific, api):
    prolific.fails("submissions/", 302, Location=f"{prolific.url}/api/v1/elsewhere/")
    with pytest.raises(ProlificError):
        list(api.submissions(STUDY_ID))
    assert len(prolific.seen) == 1


def test_where_nobody_listens_nothing_was_asked(free_port_url):
    api = Api(token="x", url=free_port_url, retries=1, backoff=0)
    for ask in (lambda: api.approve("s"), lambda: api.submission("s")):
        with pytest.raises(ProlificError) as caught:
            ask()
        assert caught.value.status == 0


@pytest.fixture
def free_port_url():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{taken.getsockname()[1]}/"


@pytest.mark.parametrize("status", [500, 502, 408, 0])
@pytest.mark.parametrize("after", [False, True])
def test_what_changes_something_is_sent_once_and_a_lost_answer_is_said_to_be_lost(
    prolific, api, status, after
):
    prolific.submits(an_id(1, "c"), an_id(1), STUDY_ID, "AWAITING REVIEW")
    prolific.fails("transition", status, times=5, after=after)
    with pytest.raises(NoAnswer):
        api.approve(an_id(1, "c"))
    assert len(prolific.seen) == 1
    assert prolific.approved[an_id(1, "c")] == after
