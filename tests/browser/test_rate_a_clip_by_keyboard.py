"""One clip of three moments, rated by keyboard alone, half of it without the network."""

from itertools import pairwise

import pytest
from playwright.sync_api import Error, expect

from studies.models import Assignment, Enrolment, ResponseEvent
from tests.browser.conftest import MOMENTS
from tests.browser.rater import Rater

pytestmark = pytest.mark.browser


def joining_by_keyboard(page, site, study) -> Rater:
    """From the study link to the first clip with Tab and Enter."""
    page.goto(f"{site.url}/join/{study.slug}/")
    visitor = Rater(page, site.url, study, None, "")
    visitor.tab_to(page.get_by_role("button", name="I agree and start")).press("Enter")
    expect(page.get_by_role("heading", name="Your personal return address")).to_be_visible()
    token = page.locator("#return-address").inner_text().split("/")[-2]
    visitor.tab_to(page.get_by_role("link", name="Continue")).press("Enter")
    return Rater(page, site.url, study, Enrolment.objects.get(study=study), token).ready()


def test_answers_given_offline_survive_a_reload_and_arrive_once_in_order(page, site, make_study):
    study = make_study()
    rater = joining_by_keyboard(page, site, study)

    rater.press("Space").score(1, 2).saved()
    page.context.set_offline(True)
    rater.score(2, 0).score(3, 3)
    expect(rater.pill).to_have_text("Offline, 2 answers waiting")
    assert rater.scores == {"clip1-m0": 2}
    with pytest.raises(Error, match="ERR_INTERNET_DISCONNECTED"):
        page.reload()
    page.context.set_offline(False)
    page.goto(f"{site.url}/work/{study.slug}/")
    rater.finished(3)
    expect(rater.pill).to_have_text("Saved just now")

    assert rater.scores == {"clip1-m0": 2, "clip1-m1": 0, "clip1-m2": 3}
    assert rater.said == [("answer", "clip1-m0", 2), ("answer", "clip1-m1", 0), ("answer", "clip1-m2", 3)]
    events = rater.events
    assert [event.replaces for event in events] == [None, None, None]
    assert all(event.standing == event and not event.late for event in events)
    for event, (start, end) in zip(events, MOMENTS, strict=True):
        inside = range(round(start * 1000) + 100, round(end * 1000) - 100)
        seen = {ms for a, b in event.played["reaction"] for ms in range(a, b)}
        assert len(seen.intersection(inside)) >= 0.95 * len(inside), event.played
        assert event.active_ms >= 1000
        assert event.media_sha256 == {"reaction": event.assignment.media["reaction"]["sha256"]}
    assert {event.assignment for event in events} == {rater.assignment}
    assert rater.assignment.state == Assignment.State.FINISHED
    # They waited in the browser, and arrived together.
    assert all(earlier.answered_at < later.answered_at for earlier, later in pairwise(events))
    assert (events[2].answered_at - events[1].answered_at).total_seconds() > 1
    assert all((event.received_at - event.answered_at).total_seconds() > 0.2 for event in events[1:])
    # Nothing lies between one's reply and the next one's request, so a free moment of the machine shows it.
    gaps = [seconds_between(*events[1:])]
    while min(gaps) > 0.1 and len(gaps) < 8:
        gaps.append(seconds_between(*two_changed_minds(rater, value=len(gaps) % 2)))
    assert min(gaps) <= 0.1, gaps


def seconds_between(earlier: ResponseEvent, later: ResponseEvent) -> float:
    """How long after the one the other arrived."""
    return (later.received_at - earlier.received_at).total_seconds()


def two_changed_minds(rater: Rater, value: int) -> list[ResponseEvent]:
    """The last two moments scored anew without the network: the events that arrive when it is back."""
    known = len(rater.events)
    rater.page.context.set_offline(True)
    for key, number in (("ArrowLeft", 2), ("ArrowRight", 3)):
        rater.press(key)
        expect(rater.current).to_have_text(str(number))
        rater.rescore(number, value)
    expect(rater.pill).to_have_text("Offline, 2 answers waiting")
    rater.page.context.set_offline(False)
    rater.saved()
    arrived = rater.events[known:]
    assert len(arrived) == 2
    return arrived


def test_a_page_left_open_sends_its_answers_when_the_network_is_back(new_rater, make_study):
    rater = new_rater(make_study()).begin()
    rater.page.context.set_offline(True)
    rater.press("Space").score(1, 1).score(2, 1).score(3, 2)
    expect(rater.pill).to_have_text("Offline, 3 answers waiting")
    rater.press("Enter")
    expect(rater.panel).to_contain_text("3 answers are safe in this browser and will be sent.")
    assert rater.scores == {}
    rater.page.context.set_offline(False)
    expect(rater.cover.locator("h2")).to_have_text("Your work is done")
    assert rater.scores == {"clip1-m0": 1, "clip1-m1": 1, "clip1-m2": 2}
    assert len(rater.events) == 3
    assert rater.replies == [201, 201, 201]
