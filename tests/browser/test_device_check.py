"""The device check before the work: window, video and sound, by keyboard alone, and every way out of it."""

import re

import pytest
from playwright.sync_api import Page, expect

from studies.device import beeps
from studies.models import Enrolment, Path
from tests.browser.rater import Rater

pytestmark = pytest.mark.browser


def at_the_check(rater: Rater) -> Page:
    """Arrive at a study that checks devices: the check comes before the work."""
    rater.page.goto(f"{rater.return_address}")
    expect(rater.page.get_by_role("heading", level=1)).to_have_text("A short check before you start")
    expect(rater.page.locator("#play")).to_be_enabled()
    return rater.page


def played(page: Page, number: int) -> int:
    """Play the clip with the keyboard, and read on the server's side how many beeps that try has."""
    none = page.get_by_role("button", name="None")
    expect(none).to_be_disabled()  # until the clip is over
    page.keyboard.press("Space")
    expect(none).to_be_enabled()
    return beeps(Enrolment.objects.get(), "reaction", number)


def row(page: Page, name: str):
    return page.locator(f"#check-{name}")


@pytest.fixture
def rater(new_rater, make_study) -> Rater:
    return new_rater(make_study(device_check=True))


def test_the_keyboard_alone_leads_through_the_check_into_the_work(rater):
    page = at_the_check(rater)
    expect(row(page, "window")).to_have_attribute("data-state", "good")
    right = played(page, 1)
    expect(row(page, "video")).to_have_attribute("data-state", "good")
    page.keyboard.press(str(right))
    expect(row(page, "sound")).to_have_attribute("data-state", "good")
    expect(page.get_by_role("button", name="Go on")).to_be_focused()
    page.keyboard.press("Enter")
    expect(rater.current).to_be_visible()
    enrolment = Enrolment.objects.get()
    assert enrolment.device_passed_at is not None
    assert enrolment.device.keys() == {"browser", "screen", "tries"}
    assert re.fullmatch(r"Chromium \d+", enrolment.device["browser"])
    assert (enrolment.device["screen"], enrolment.device["tries"]) == ("wide", {"reaction": 1})


def test_a_wrong_number_brings_a_new_clip_and_the_third_one_ends_it(rater):
    page = at_the_check(rater)
    for number in (1, 2):
        source = page.locator("#film").get_attribute("src")
        wrong = played(page, number) % 5 + 1
        page.get_by_role("button", name=re.compile(f"^{wrong} beep")).click()
        expect(page.locator("#told")).to_contain_text(f"Try {number + 1} of 3")
        assert page.locator("#film").get_attribute("src") != source
    played(page, 3)
    page.get_by_role("button", name="None").click()
    expect(page.locator("#result")).to_contain_text("The check was not passed")
    enrolment = Enrolment.objects.get()
    assert (enrolment.state, enrolment.path) == ("handed_in", Path.DEVICE_FAILED)
    page.get_by_role("button", name="Go on").click()
    page.wait_for_url("**/thanks/")


def test_a_narrow_window_is_told_what_to_do_and_passes_when_it_is_wide_again(rater):
    page = at_the_check(rater)
    page.set_viewport_size({"width": 500, "height": 700})
    expect(row(page, "window")).to_have_text(
        re.compile("500 pixels wide; 600 are needed. Make the window wider")
    )
    page.keyboard.press(str(played(page, 1)))
    go_on = page.get_by_role("button", name="Go on")
    expect(go_on).to_have_attribute("aria-disabled", "true")
    page.keyboard.press("Enter")
    assert Enrolment.objects.get().device_passed_at is None
    page.set_viewport_size({"width": 900, "height": 700})
    expect(go_on).to_have_attribute("aria-disabled", "false")
    go_on.click()
    expect(rater.current).to_be_visible()
    assert Enrolment.objects.get().device["screen"] == "narrow"


def test_a_clip_that_does_not_load_is_named_and_can_be_tried_again(rater):
    rater.page.route(
        "**/device/*/",
        lambda route: route.abort() if "/work/" not in route.request.url else route.continue_(),
    )
    page = at_the_check(rater)
    expect(row(page, "video")).to_have_attribute("data-state", "bad")
    expect(row(page, "video")).to_contain_text("could not be fetched")
    page.unroute("**/device/*/")
    page.keyboard.press(str(played(page, 1)))
    expect(page.get_by_role("button", name="Go on")).to_be_visible()


def test_giving_up_asks_first_and_names_what_does_not_work(rater):
    page = at_the_check(rater)
    rater.tab_to(page.get_by_role("button", name="It does not work on this device"))
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    expect(page.locator("#giving-up")).to_be_hidden()
    assert Enrolment.objects.get().state == Enrolment.State.ACTIVE
    page.keyboard.press("Enter")
    rater.tab_to(page.get_by_role("button", name="My sound does not work"))
    page.keyboard.press("Enter")
    page.wait_for_url("**/thanks/")
    enrolment = Enrolment.objects.get()
    assert (enrolment.path, enrolment.device["failed"]) == (Path.DEVICE_FAILED, "sound")


def test_a_reload_keeps_the_tries_and_what_was_heard(rater):
    page = at_the_check(rater)
    page.keyboard.press(str(played(page, 1) % 5 + 1))
    expect(page.locator("#told")).to_contain_text("Try 2 of 3")
    page.reload()
    expect(row(page, "sound")).to_contain_text("Try 2 of 3")
    expect(page.locator("#play")).to_be_enabled()
    page.keyboard.press(str(played(page, 2)))
    expect(page.get_by_role("button", name="Go on")).to_be_visible()
    page.reload()
    expect(row(page, "sound")).to_have_attribute("data-state", "good")
    expect(page.get_by_role("button", name="Go on")).to_be_hidden()  # pictures have to be seen again
    page.keyboard.press("Space")
    page.get_by_role("button", name="Go on").click()
    expect(rater.current).to_be_visible()


def test_the_work_page_of_an_open_tab_goes_to_the_check_when_it_comes_first(rater, site):
    """Somebody whose work page was open already, as when the check was switched on meanwhile."""
    Enrolment.objects.update(device_passed_at="2026-01-01T00:00Z")
    rater.begin()
    Enrolment.objects.update(device_passed_at=None)
    rater.page.goto(f"{site.url}/work/{rater.study.slug}/")
    expect(rater.page).to_have_url(re.compile("/device/$"))


def test_a_kind_with_two_sounds_asks_for_one_after_the_other(rater):
    """As for kinds that play reaction and stimulus; this server has none, so its answers are bent."""
    heard: list[str] = []

    def bend(route) -> None:
        said = route.request.post_data_json or {}
        heard.extend([said["role"]] if "role" in said else [])
        told = route.fetch(post_data={}, url=re.sub("answer$", "start", route.request.url)).json()
        [sound] = told["sounds"]
        both = [sound | {"role": role, "heard": role in heard} for role in ("reaction", "stimulus")]
        route.fulfill(json=told | {"sounds": both})

    rater.page.route(re.compile("/device/(start|answer)$"), bend)
    page = at_the_check(rater)
    expect(row(page, "sound")).to_contain_text("Sound 1 of 2, the reaction.")
    played(page, 1)
    page.keyboard.press("3")
    expect(row(page, "sound")).to_contain_text("Sound 2 of 2, the stimulus.")
    expect(page.locator("#told")).to_have_text("Right. Now the second sound: the stimulus.")
    played(page, 1)
    page.keyboard.press("3")
    expect(page.get_by_role("button", name="Go on")).to_be_focused()
    assert heard == ["reaction", "stimulus"]
