"""Reloading, leaving, another device, a laptop that slept: work goes on where it stopped."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from studies.models import Enrolment

pytestmark = pytest.mark.browser


def test_a_reload_in_mid_clip_keeps_scores_coverage_and_place(new_rater, make_study):
    rater = new_rater(make_study()).begin()
    rater.press("Space").score(1, 2)
    rater.until(lambda: rater.video("video.currentTime") > 3)
    rater.press("Space")
    rater.standing()
    stood_at = rater.video("video.currentTime")
    rater.page.reload()
    rater.ready()
    expect(rater.moment(1)).to_have_attribute("data-state", "done")
    expect(rater.current).to_have_text("2")
    # At the last frame that was measured, so that nothing is missed; never further on.
    assert stood_at - 0.7 < rater.video("video.currentTime") <= stood_at + 0.02
    rater.press("Space").score(2, 1).saved()  # only the rest of it had to be played
    played = rater.events[1].played["reaction"]
    assert played[0][0] < 100
    assert played[-1][1] > 3600
    assert rater.scores == {"clip1-m0": 2, "clip1-m1": 1}


def test_the_back_button_after_leaving_returns_to_the_clip(new_rater, make_study):
    rater = new_rater(make_study()).begin()
    rater.press("Space").score(1, 2).saved()
    rater.page.get_by_role("link", name="Pause and leave").click()
    expect(rater.page.get_by_role("heading", level=1)).to_contain_text("Paused")
    assert rater.page.locator("#return-address").inner_text() == rater.return_address
    rater.page.go_back()
    rater.ready()
    expect(rater.moment(1)).to_have_attribute("data-state", "done")
    rater.press("Space").score(2, 1).score(3, 0).finished(3)
    assert len(rater.events) == 3
    assert len(rater.scores) == 3


def test_the_personal_address_brings_the_work_to_another_device(new_rater, new_context, make_study):
    rater = new_rater(make_study()).begin()
    rater.press("Space").score(1, 2).saved()
    other = rater.in_another(new_context().new_page()).begin()
    expect(other.moment(1)).to_have_attribute("data-state", "done")
    expect(other.current).to_have_text("2")
    other.press("ArrowLeft").rescore(1, 0).saved()  # what was watched there counts here
    other.press("Space").score(2, 1).score(3, 3).finished(3)
    assert other.scores == {"clip1-m0": 0, "clip1-m1": 1, "clip1-m2": 3}
    assert Enrolment.objects.count() == 1


def test_handing_in_is_the_end_and_the_link_says_so(new_rater, site, make_study):
    rater = new_rater(make_study()).begin()
    rater.rate_clip([2, 1, 3]).press("Enter")
    expect(rater.cover.locator("h2")).to_have_text("Your work is done")
    rater.tab_to(rater.cover.get_by_role("button", name="Undo the last answer"))
    rater.cover.get_by_role("button", name="Hand in").focus()
    rater.press("Enter")
    rater.tab_to(rater.page.locator("#hand-in").get_by_role("button", name="Hand in", exact=True))
    rater.press("Enter")
    thanks = rater.page.get_by_role("heading", name="Thank you. Your work is handed in.")
    expect(thanks).to_be_visible()
    assert Enrolment.objects.get().state == Enrolment.State.HANDED_IN
    for address in (f"/join/{rater.study.slug}/", f"/work/{rater.study.slug}/"):
        rater.page.goto(f"{site.url}{address}")
        expect(thanks).to_be_visible()
    assert len(rater.scores) == 3


def dead(rater, address: str) -> bool:
    """Whether the server does not serve that media address any more."""
    return bool(
        rater.page.evaluate("async url => (await fetch(url, { cache: 'no-store' })).status === 404", address)
    )


def throttle(page: Page) -> Callable[[int], None]:
    """Returns what sets the speed of the network in bytes a second; -1 is as fast as can be."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("Network.enable")

    def set_speed(speed: int) -> None:
        limits = {"offline": False, "latency": 0, "downloadThroughput": speed, "uploadThroughput": -1}
        devtools.send("Network.emulateNetworkConditions", limits)

    return set_speed


def test_an_expired_media_address_is_renewed_unnoticed(start_site, new_rater, make_study):
    short = start_site({"MEDIA_ADDRESS_SECONDS": "3"})
    rater = new_rater(make_study(), at=short).begin()
    rater.press("Space").score(1, 2)
    first = rater.video("video.src")
    rater.until(lambda: dead(rater, first))
    rater.score(2, 1).score(3, 3).finished(3)
    rater.until(lambda: rater.video("video.src") != first)
    assert not rater.panel.get_by_text("does not play").is_visible()
    assert len(rater.scores) == 3


def test_after_a_sleep_a_clip_still_on_its_way_goes_on_at_the_same_second(start_site, new_rater, make_study):
    short = start_site({"MEDIA_ADDRESS_SECONDS": "8"})
    study = make_study(film="grainy", moments=((0.0, 1.5), (17.0, 18.5)))
    rater = new_rater(study, at=short)
    rater.page.clock.install()
    set_speed = throttle(rater.page)
    set_speed(500_000)
    rater.arrive().press("Space").watched(1)
    rater.standing()
    rater.page.clock.pause_at(rater.page.evaluate("Date.now() + 100"))  # the lid is closed: no timer runs
    first = rater.video("video.src")
    rater.until(lambda: dead(rater, first))
    assert not rater.video("video.buffered.length && video.buffered.end(video.buffered.length - 1) > 16")
    set_speed(-1)
    rater.page.clock.fast_forward("02:00")
    rater.page.clock.resume()

    rater.press("ArrowRight")
    expect(rater.page.locator("#time")).to_have_text("0:16.5 / 0:20.0")
    rater.press("Space").score(2, 1).saved()
    assert rater.video("video.src") != first
    rater.press("ArrowLeft").rescore(1, 2).finished(2)  # what was seen before the sleep still counts
    assert rater.scores == {"clip1-m0": 2, "clip1-m1": 1}
    _, (later_from, later_to) = rater.events[0].played["reaction"]
    assert later_from == pytest.approx(16_500, abs=400)
    assert later_to > 18_300
