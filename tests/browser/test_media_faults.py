"""A clip that does not play: the page says what to do, the manager learns of it, and no score comes of it."""

import pytest
from django.core.files.storage import storages
from playwright.sync_api import expect

from catalogue.models import MediaVersion
from studies.models import TechnicalFault

pytestmark = pytest.mark.browser


def lost(key: str) -> None:
    """The storage has lost the file."""
    storages["clips"].delete(key)


def garbled(key: str) -> None:
    """The file has as many bytes as before, and no film in them."""
    with storages["clips"].open(key, "r+b") as file:
        size = len(file.read())
        file.seek(0)
        file.write(b"\x00no film" * (size // 8 + 1))
        file.truncate(size)


@pytest.mark.parametrize("harm", [lost, garbled])
def test_a_clip_that_does_not_play_can_be_reported_and_is_never_scored(site, new_rater, make_study, harm):
    study = make_study(clips=2)
    for version in MediaVersion.objects.filter(role="reaction"):
        harm(version.storage_key)
    rater = new_rater(study).arrive()
    expect(rater.panel.locator("h2")).to_have_text("The clip does not play")
    expect(rater.panel).to_contain_text("Try again, or report the problem and go on with another clip")
    rater.press("0", "1", "2", "3")
    assert rater.sent == []
    rater.until(lambda: TechnicalFault.objects.exists())
    fault = TechnicalFault.objects.first()
    assert fault.assignment == rater.assignment
    assert (fault.role, fault.code) == ("reaction", "not_supported")
    major = rater.page.context.browser.version.split(".")[0]
    assert fault.browser == f"Chromium {major}"  # the family, and nothing that tells people apart

    rater.panel.get_by_role("button", name="Problem with this clip").click()
    rater.page.get_by_role("button", name="It does not play").click()
    expect(rater.panel.locator("h2")).to_have_text("Skipped")
    rater.saved()
    assert rater.said == [("report", rater.assignment.unit.key, {"reason": "does_not_play"})]
    assert rater.scores == {}


def test_a_fetch_that_broke_is_mended_by_itself(new_rater, make_study):
    rater = new_rater(make_study())
    rater.page.route("**/media/**", lambda route: route.abort(), times=2)
    rater.begin()
    rater.press("Space").score(1, 2).saved()
    expect(rater.panel).to_be_hidden()
    rater.until(lambda: TechnicalFault.objects.filter(assignment=rater.assignment).exists())
    assert rater.scores == {"clip1-m0": 2}


START_BY_ITSELF = """
  const waiting = setInterval(() => {
    if (!(document.querySelector("video")?.readyState > 3)) return;
    clearInterval(waiting);
    document.querySelector("#play").click();
    console.info("started by itself");
  }, 20);
"""


def test_a_refused_start_shows_a_play_button(new_rater, make_study):
    rater = new_rater(make_study())
    rater.page.add_init_script(START_BY_ITSELF)
    # Until the script has run nothing may touch the page, not even a question of this test: it is a gesture.
    with rater.page.expect_console_message(lambda message: message.text == "started by itself"):
        rater.page.goto(rater.return_address)
    big = rater.page.get_by_role("button", name="Play: the browser wants a click or a key first")
    expect(big).to_be_visible()
    rater.standing()
    big.click()
    rater.score(1, 2).saved()
    assert rater.scores == {"clip1-m0": 2}
