"""When there is no next clip: done, nothing left, stopped, returned; and handing in only what is stored."""

import re
import time

import pytest
from playwright.sync_api import expect

from studies.models import Enrolment, Path, Study
from studies.services.enrolment import enrolment_returned
from studies.services.study import study_set_state

pytestmark = pytest.mark.browser

ONE = ((0.0, 1.5),)


def hand_in(rater) -> None:
    rater.cover.get_by_role("button", name="Hand in").click()
    rater.page.locator("#hand-in").get_by_role("button", name="Hand in", exact=True).click()


def test_a_finished_portion_says_so_and_offers_to_hand_in(new_rater, make_study):
    rater = new_rater(make_study(clips=3, moments=ONE, units_per_participant=2)).begin()
    rater.rate_clip([2]).next_clip().rate_clip([1]).press("Enter")
    expect(rater.cover.locator("h2")).to_have_text("Your work is done")
    expect(rater.cover).to_contain_text("all 2 clips there were for you")
    hand_in(rater)
    rater.page.wait_for_url("**/thanks/")
    assert Enrolment.objects.get().path == Path.COMPLETED


def test_whoever_comes_when_nothing_is_left_hands_in_at_once(new_rater, make_study):
    study = make_study(moments=ONE, raters_per_unit=1)
    new_rater(study).begin().rate_clip([2])
    late = new_rater(study)
    late.page.goto(late.return_address)
    expect(late.cover.locator("h2")).to_have_text("There is nothing left for you")
    expect(late.cover.get_by_role("button", name="Hand in")).to_be_focused()
    late.press("Enter")
    late.page.wait_for_url("**/thanks/")
    late.enrolment.refresh_from_db()
    assert late.enrolment.path == Path.NOTHING_LEFT


def beat(rater) -> None:
    """Let half a minute pass in the page, so that it hears from the server."""
    rater.page.clock.run_for(36_000)


def test_a_study_that_is_halted_offers_to_hand_in(new_rater, make_study):
    rater = new_rater(make_study(clips=2, moments=ONE))
    rater.page.clock.install()
    rater.begin()
    study_set_state(study=rater.study, state=Study.State.HALTED)
    beat(rater)
    expect(rater.cover.locator("h2")).to_have_text("The study has been stopped")
    rater.press("Enter")
    rater.page.wait_for_url("**/thanks/")
    assert Enrolment.objects.get().path == Path.HALTED


def test_a_returned_submission_is_told_that_the_work_is_over_once_all_of_it_is_stored(new_rater, make_study):
    rater = new_rater(make_study(clips=2, moments=ONE))
    rater.page.clock.install()
    rater.begin().press("Space").watched(1)
    rater.page.route("**/events", lambda route: route.abort())
    rater.press("3")
    expect(rater.pill).to_have_attribute("data-state", "offline")
    enrolment_returned(enrolment=rater.enrolment, returned=True)
    beat(rater)
    expect(rater.cover.locator("h2")).to_have_text("Your submission was returned or has timed out")
    expect(rater.cover).to_contain_text("1 answer waits in this browser and will be sent.")
    rater.page.unroute("**/events")
    beat(rater)
    heading = rater.page.get_by_role("heading", level=1)
    expect(heading).to_have_text("Your submission was returned or has timed out on Prolific")
    assert [event.payload for event in rater.events] == [3]


def test_a_device_check_that_comes_first_in_the_meantime_is_gone_to(new_rater, make_study):
    rater = new_rater(make_study(clips=2, moments=ONE))
    rater.page.clock.install()
    rater.begin()
    Study.objects.update(device_check=True)
    beat(rater)
    expect(rater.page).to_have_url(re.compile("/device/$"))


def test_the_last_save_delayed_keeps_everybody_until_the_server_has_it(new_rater, make_study):
    rater = new_rater(make_study(clips=1, moments=ONE)).begin()
    asked: list[tuple[str, float]] = []
    acknowledged: list[float] = []

    def slow(route) -> None:
        rater.page.wait_for_timeout(5_000)
        answer = route.fetch()
        acknowledged.append(time.monotonic())
        route.fulfill(response=answer)

    def note(request) -> None:
        if request.url.endswith(("/open", "/hand_in")):
            asked.append((request.url.rsplit("/", 1)[-1], time.monotonic()))

    rater.press("Space").watched(1)
    rater.page.on("request", note)
    rater.page.route("**/events", slow, times=1)
    rater.press("2", "Enter")
    expect(rater.panel.locator("h2")).to_have_text("Opening the next clip…")
    expect(rater.pill).to_have_attribute("data-state", "saving")
    expect(rater.cover.locator("h2")).to_have_text("Your work is done")
    hand_in(rater)
    rater.page.wait_for_url("**/thanks/")
    assert [name for name, _ in asked] == ["open", "hand_in"]
    assert all(at > acknowledged[0] for _, at in asked)
    assert rater.scores == {"clip1-m0": 2}
    assert Enrolment.objects.get().path == Path.COMPLETED


def test_nothing_is_handed_in_while_an_answer_still_waits_in_the_browser(new_rater, make_study):
    """A study that is stopped offers to hand in although an answer could not be sent yet."""
    rater = new_rater(make_study(clips=2, moments=((0.0, 1.5), (2.25, 3.75))))
    rater.page.clock.install()
    rater.begin().press("Space").watched(1)
    handed_in = []
    rater.page.on("request", lambda r: r.url.endswith("/hand_in") and handed_in.append(r))
    rater.page.route("**/events", lambda route: route.abort())
    rater.press("3")
    expect(rater.pill).to_have_attribute("data-state", "offline")
    study_set_state(study=rater.study, state=Study.State.HALTED)
    beat(rater)
    expect(rater.cover).to_contain_text("1 answer waits in this browser")
    rater.press("Enter")
    expect(rater.cover.locator("h2")).to_have_text("Not handed in yet")
    rater.press("Enter")  # "Try again", to no avail
    expect(rater.cover.locator("h2")).to_have_text("Not handed in yet")
    assert handed_in == []
    assert Enrolment.objects.get().state == Enrolment.State.ACTIVE
    rater.page.unroute("**/events")
    rater.cover.get_by_role("button", name="Try again").click()
    rater.page.wait_for_url("**/thanks/")
    assert list(rater.scores.values()) == [3]
    assert len(handed_in) == 1
