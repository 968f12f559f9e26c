"""The last steps in a real browser: nothing is handed in before it is stored, and the way back works."""

import pytest
from playwright.sync_api import expect

from studies.models import CompletionCode, Enrolment, Path, ResponseEvent, Study

pytestmark = pytest.mark.browser

PID, STUDY_ID, SESSION = "a" * 24, "b" * 24, "c" * 24


@pytest.fixture
def study(make_study):
    made = make_study(clips=2, device_check=False)
    for path in Path:
        CompletionCode.objects.create(study=made, path=path, code=f"CODE {path.value}")
    Study.objects.update(prolific=True, shared_link=False)
    made.refresh_from_db()
    return made


def test_from_the_link_to_the_code_with_no_id_in_the_address_or_the_history(new_context, site, study):
    page = new_context(permissions=["clipboard-read", "clipboard-write"]).new_page()
    addresses = []
    page.on("framenavigated", lambda frame: addresses.append(frame.url))
    page.goto(f"{site.url}/join/{study.slug}/?PROLIFIC_PID={PID}&STUDY_ID={STUDY_ID}&SESSION_ID={SESSION}")
    page.get_by_role("button", name="I agree and start").click()
    page.wait_for_url("**/welcome/")
    assert not any(secret in address for address in addresses for secret in (PID, STUDY_ID, SESSION))
    assert page.context.cookies(f"{site.url}/work/{study.slug}/")[0]["name"] != "touchstone_arrival"
    page.goto(f"{site.url}/work/{study.slug}/leave/")
    page.get_by_role("link", name="Stop here and hand in").click()
    page.get_by_role("button", name="Hand in").click()
    page.wait_for_url("**/thanks/")
    back = page.get_by_role("link", name="Go back to Prolific")
    expect(back).to_have_attribute(
        "href", "https://app.prolific.com/submissions/complete?cc=CODE%20stopped_early"
    )
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("status")).to_have_text("Copied")
    assert page.evaluate("() => navigator.clipboard.readText()") == "CODE stopped_early"


def test_declining_in_the_browser_leads_to_its_code(page, site, study):
    page.goto(f"{site.url}/join/{study.slug}/?PROLIFIC_PID={PID}&STUDY_ID={STUDY_ID}&SESSION_ID={SESSION}")
    page.get_by_role("button", name="I do not agree").click()
    expect(page.locator("#completion-code")).to_have_text("CODE no_consent")
    assert not Enrolment.objects.exists()


def test_answers_that_still_wait_in_the_browser_go_out_before_anything_is_handed_in(new_rater, make_study):
    study = make_study(clips=2)
    rater = new_rater(study).begin()
    page = rater.page
    page.route("**/events", lambda route: route.abort())
    rater.press("Space").watched(1).press("2")
    expect(rater.pill).to_have_attribute("data-state", "offline")
    page.goto(f"{rater.url}/work/{study.slug}/stop/")
    expect(page.get_by_role("alert")).to_contain_text("not stored")
    expect(page.get_by_role("button", name="Hand in")).to_be_disabled()
    page.unroute("**/events")
    page.get_by_role("link", name="Not yet, go on").click()
    rater.saved()
    assert [event.payload for event in ResponseEvent.objects.all()] == [2]
    page.goto(f"{rater.url}/work/{study.slug}/stop/")
    expect(page.get_by_role("alert")).to_be_hidden()
    page.get_by_role("button", name="Hand in").click()
    page.wait_for_url("**/thanks/")
    assert Enrolment.objects.get().state == "handed_in"
