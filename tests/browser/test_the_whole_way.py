"""The whole way of one stranger: Prolific's link, consent, device check, practice, work, and the way back."""

import re

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Score
from studies.device import beeps
from studies.models import Assignment, CompletionCode, Enrolment, Path, Study
from tests.browser.rater import Rater

pytestmark = pytest.mark.browser

PID, STUDY_ID, SESSION = "a1" * 12, "b2" * 12, "c3" * 12
IDS = f"PROLIFIC_PID={PID}&STUDY_ID={STUDY_ID}&SESSION_ID={SESSION}"
PORTION = 2
CHECK = "clip3"
PRACTICE = [
    {"key": "clip1", "accepts": {"clip1-m0": {"from": 2, "to": 3}}, "feedback": "A laugh is Clear."},
    {"key": "clip2", "accepts": {"clip2-m0": [0]}, "feedback": "Nothing happens here."},
]


@pytest.fixture
def study(make_study) -> Study:
    """Six clips: two for practice, one as an attention check, three to rate, two of them a visit."""
    made = make_study(
        clips=6,
        moments=((0.0, 1.5),),
        device_check=True,
        practice=PRACTICE,
        training_attempts=2,
        checks=[{"key": CHECK, "accepts": {f"{CHECK}-m0": [1]}}],
        check_every=2,
        units_per_participant=PORTION,
    )
    for path in Path:
        CompletionCode.objects.create(study=made, path=path, code=f"C{path.value.upper()}")
    Study.objects.filter(pk=made.pk).update(prolific=True, shared_link=False)
    made.refresh_from_db()
    return made


def agrees(page: Page, url: str, study: Study) -> Rater:
    """From Prolific's link over the consent to the welcome page, with the personal return address."""
    page.goto(f"{url}/join/{study.slug}/?{IDS}")
    expect(page.get_by_role("heading", level=1)).to_have_text(study.title)
    page.get_by_role("button", name="I agree and start").click()
    token = page.locator("#return-address").inner_text().split("/")[-2]
    rater = Rater(page, url, study, Enrolment.objects.get(), token)
    page.get_by_role("link", name="Continue").click()
    return rater


def passes_the_device_check(rater: Rater) -> None:
    """Count the beeps; the test looks up how many there are where only the server can."""
    page = rater.page
    expect(page.get_by_role("heading", level=1)).to_have_text("A short check before you start")
    expect(page.locator("#play")).to_be_enabled()
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="None")).to_be_enabled()
    page.keyboard.press(str(beeps(rater.enrolment, "reaction", 1)))
    page.get_by_role("button", name="Go on").click()


def reads(rater: Rater, title: str) -> None:
    """What stands before the next clip; Enter goes on."""
    expect(rater.cover.locator("h2")).to_have_text(title)
    rater.press("Enter")
    expect(rater.cover).to_be_hidden()


def rates(rater: Rater, value: int) -> None:
    """Watch the clip's one moment and score it; where frames came late, do as the page says and replay it."""
    rater.ready().press("Space")
    for _ in range(5):
        expect(rater.line).to_have_text(re.compile("Rate moment 1|R replays it"))
        if "R replays it" not in rater.line.inner_text():
            break
        rater.press("r").playing()
    rater.score(1, value).saved()


def practises(rater: Rater, *values: int) -> None:
    """One round of the practice."""
    for number, value in enumerate(values, 1):
        expect(rater.page.locator("#practice")).to_contain_text(f"Practice {number} of {len(values)}")
        rates(rater, value)
        expect(rater.page.locator("#feedback")).to_be_visible()
        rater.press("Enter")


def works(rater: Rater, units: int) -> None:
    """Rate so many clips: 2 for each, and what is asked for in an attention check."""
    for number in range(1, units + 1):
        expect(rater.page.locator("#count")).to_have_text(f"Clip {number} of {units}")
        unit = Assignment.objects.get(enrolment=rater.enrolment, state="open").unit
        rates(rater, 1 if unit.key == CHECK else 2)
        rater.finished(1).press("Enter")


def hands_in(rater: Rater) -> None:
    """The work is done: hand in, and say that it is meant."""
    expect(rater.cover.locator("h2")).to_have_text("Your work is done")
    rater.cover.get_by_role("button", name="Hand in").click()
    rater.page.locator("#hand-in").get_by_role("button", name="Hand in", exact=True).click()
    rater.page.wait_for_url("**/thanks/")


def test_from_prolific_to_the_completion_code(page, site, study):
    addresses: list[str] = []
    page.on("framenavigated", lambda frame: addresses.append(frame.url))
    rater = agrees(page, site.url, study)
    passes_the_device_check(rater)
    reads(rater, "Practice first")
    practises(rater, 0, 0)
    expect(rater.cover).to_contain_text("1 of 2 was right, and 2 are needed.")
    reads(rater, "Practice: try 2 of 2")
    practises(rater, 3, 0)
    reads(rater, "Practice passed")
    works(rater, PORTION + 1)
    hands_in(rater)

    back = page.get_by_role("link", name="Go back to Prolific")
    expect(back).to_have_attribute("href", "https://app.prolific.com/submissions/complete?cc=CCOMPLETED")
    expect(page.locator("#completion-code")).to_have_text("CCOMPLETED")
    others = [f"C{path.value.upper()}" for path in Path if path != Path.COMPLETED]
    assert not re.search("|".join(others), page.content())
    assert not any(secret in address for address in addresses for secret in (PID, STUDY_ID, SESSION))

    enrolment = Enrolment.objects.get()
    assert (enrolment.pool, enrolment.path) == ("prolific", Path.COMPLETED)
    assert enrolment.device_passed_at < enrolment.trained_at < enrolment.handed_in_at
    given = Assignment.objects.filter(enrolment=enrolment, state="finished")
    assert sorted(given.values_list("purpose", flat=True)) == ["check", *["practice"] * 4, "study", "study"]
    assert given.get(purpose="check").passed
    assert list(Score.objects.values_list("score", flat=True)) == [2, 2]
    assert all(one.active_ms > 1_000 for one in given)


def test_opening_the_link_again_half_way_goes_on_where_the_person_was(page, site, study):
    rater = agrees(page, site.url, study)
    passes_the_device_check(rater)
    reads(rater, "Practice first")
    page.goto(f"{site.url}/join/{study.slug}/?{IDS}")
    expect(page.locator("#practice")).to_contain_text("Practice 1 of 2")
    assert Enrolment.objects.count() == 1
