"""Every page fits its window, breaks no policy, and makes sense to a keyboard and a screen reader."""

import re

import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.contrib.auth.models import Permission, User
from playwright.sync_api import Page, expect

from studies.models import Study
from studies.services.enrolment import enrolment_hand_in

pytestmark = pytest.mark.browser

WINDOWS = {
    "a laptop": {"width": 1280, "height": 720},
    "a phone": {"width": 390, "height": 844},
    "a laptop at 200 % zoom": {"width": 640, "height": 360},
}


class Visit:
    """A page in a window, with what its console complained about."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.complaints: list[str] = []
        page.on(
            "console", lambda said: said.type in ("error", "warning") and self.complaints.append(said.text)
        )
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def fits(self, address: str, heading: str, *, expected_complaint: str | None = None) -> None:
        """Go there: the heading is there, nothing is wider than the window, the console is silent."""
        self.page.goto(address)
        expect(self.page.get_by_role("heading", level=1)).to_contain_text(heading)
        wide = self.page.evaluate("() => document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0, f"{address} is {wide} pixels wider than the window"
        left = [text for text in self.complaints if not re.search(expected_complaint or "(?!)", text)]
        assert left == []
        assert self.page.locator("html").get_attribute("lang") == "en"
        assert self.page.title() != ""
        self.is_walkable(address)

    def is_walkable(self, address: str) -> None:
        """Tab goes through the page in its order, shows where it is, and comes out at the end."""
        stops: list[str] = []
        for _ in range(60):
            self.page.keyboard.press("Tab")
            stop = self.page.evaluate(WHERE)
            if stop is None or stop["path"] in stops:
                break
            stops.append(stop["path"])
            assert stop["name"], f"{stop['path']} at {address} has no name"
            assert stop["outlined"], f"the focus on {stop['path']} at {address} cannot be seen"
            assert stop["large"], f"{stop['path']} at {address} is smaller than 24 × 24"
        else:
            raise AssertionError(f"Tab does not come out of {address}")
        assert stops, f"nothing can be focused at {address}"


WHERE = """() => {
  const element = document.activeElement;
  if (!element || element === document.body) return null;
  const all = [...document.querySelectorAll("*")];
  const box = element.getBoundingClientRect();
  const style = getComputedStyle(element);
  const label = element.labels?.[0]?.textContent ?? "";
  const name = element.getAttribute("aria-label") || element.textContent.trim() || label || element.title;
  const inText = element.matches("a") && element.parentElement.matches("p, li, span, footer");
  return {
    path: `${element.tagName.toLowerCase()}#${element.id || all.indexOf(element)}`,
    name,
    outlined: style.outlineStyle !== "none" || style.boxShadow !== "none",
    large: inText || (box.width >= 24 && box.height >= 24),
  };
}"""


@pytest.fixture(params=WINDOWS.values(), ids=WINDOWS.keys())
def window(request) -> dict[str, int]:
    """The size of the window in CSS pixels."""
    return request.param


def test_the_annotators_pages(new_rater, make_study, window, site):
    study = make_study(content_warning="Some clips are loud.")
    rater = new_rater(study, viewport=window)
    visit = Visit(rater.page)
    visit.fits(f"{site.url}/join/{study.slug}/", study.title)
    rater.begin()
    visit.fits(f"{site.url}/work/{study.slug}/welcome/", "Keep your return address")
    visit.fits(f"{site.url}/work/{study.slug}/", "How strong is the reaction?")
    visit.fits(f"{site.url}/work/{study.slug}/leave/", "Paused")
    visit.fits(f"{site.url}/work/{study.slug}/stop/", "hand in?")
    visit.fits(f"{site.url}/work/{study.slug}/data/", "What is stored about you")
    visit.fits(f"{site.url}/work/{study.slug}/withdraw/", "Withdraw from the study?")
    enrolment_hand_in(enrolment=rater.enrolment)
    visit.fits(f"{site.url}/work/{study.slug}/thanks/", "Thank you")


def test_the_device_check_and_the_practice(new_rater, make_study, window, site):
    study = make_study(clips=2, device_check=True, practice=[{"key": "clip1", "feedback": "Well seen."}])
    rater = new_rater(study, viewport=window)
    visit = Visit(rater.page)
    rater.page.goto(rater.return_address)
    visit.fits(f"{site.url}/work/{study.slug}/device/", "A short check before you start")
    Study.objects.update(device_check=False)
    rater.page.goto(f"{site.url}/work/{study.slug}/")
    expect(rater.page.locator("#practice")).to_contain_text("Practice 1 of 1")
    start = rater.cover.get_by_role("button", name="Start the practice")
    expect(start).to_be_in_viewport(ratio=1)
    start.click()
    assert rater.page.evaluate("() => document.documentElement.scrollWidth - window.innerWidth") <= 0
    visit.is_walkable("the practice")


def test_pages_that_say_no(page, site, make_study, window):
    study = make_study()
    page.set_viewport_size(window)
    visit = Visit(page)
    missing = r"status of 40[34]"
    visit.fits(f"{site.url}/no/such/page/", "", expected_complaint=missing)
    visit.fits(f"{site.url}/return/no-such-token/", "not known", expected_complaint=missing)
    visit.fits(f"{site.url}/invite/no-such-token/", "not known", expected_complaint=missing)
    visit.fits(f"{site.url}/work/{study.slug}/", "not signed in", expected_complaint=missing)
    Study.objects.filter(pk=study.pk).update(prolific=True)
    link = f"{site.url}/join/{study.slug}/?PROLIFIC_PID={{{{%PROLIFIC_PID%}}}}"
    visit.fits(link, "This is a preview", expected_complaint=r"status of 40[034]")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_monitors_pages(new_context, new_rater, site, make_study, window, scheme):
    study = make_study()
    new_rater(study).begin().rate_clip([2, 0, 3])
    # As production keeps passwords; tests keep theirs in a faster way that the server does not take.
    kept = PBKDF2PasswordHasher().encode("a good password", "salt", iterations=1000)
    mia = User.objects.create(username="mia", password=kept)
    mia.user_permissions.set(Permission.objects.filter(codename="monitor_study"))
    page = new_context(viewport=window, color_scheme=scheme).new_page()
    visit = Visit(page)
    visit.fits(f"{site.url}/login/?next=/monitor/", "")
    page.get_by_label("User name").fill("mia")
    page.get_by_label("Password").fill("a good password")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{site.url}/monitor/")
    visit.fits(f"{site.url}/monitor/", "")
    visit.fits(f"{site.url}/monitor/{study.slug}/", study.title)


def test_the_rater_shows_video_timeline_and_scale_at_once_on_a_laptop(new_rater, make_study):
    for size in (WINDOWS["a laptop"], WINDOWS["a laptop at 200 % zoom"]):
        rater = new_rater(make_study(), viewport=size).begin()
        for part in ("#video", "#track", "#line", "#scale [data-value='0']", "#scale [data-value='3']"):
            box = rater.page.locator(part).bounding_box()
            assert box["y"] >= 0, part
            assert box["y"] + box["height"] <= size["height"], (part, size)


def test_the_rater_speaks_to_a_screen_reader(new_rater, make_study):
    rater = new_rater(make_study()).begin()
    page = rater.page
    scale = page.get_by_role("radiogroup", name="How strong is the reaction?")
    for name in ("0 Calm", "1 Mild", "2 Clear", "3 Peak"):
        expect(scale.get_by_role("radio", name=name)).to_be_disabled()
    expect(scale).to_have_attribute("aria-describedby", "line-text")
    expect(page.get_by_role("main")).to_be_visible()
    expect(page.get_by_role("progressbar", name="Clips done")).to_have_attribute("aria-valuemax", "1")
    marks = page.get_by_role("list", name="Moments")
    expect(
        marks.get_by_role("button", name="Moment 1 of 3, 0.0 to 1.5 seconds, not rated yet")
    ).to_be_visible()
    spoken = page.locator("[aria-live=polite]#announce")
    expect(spoken).to_have_text("Clip opened, 3 moments to rate")
    rater.press("2")
    expect(spoken).to_contain_text("Watch the moment to its end to rate it")
    rater.press("Space").watched(1)
    expect(spoken).to_have_text("Watched. Rate moment 1: 0, 1, 2 or 3")
    rater.press("2").shows(1, 2)
    expect(page.get_by_role("status")).to_contain_text(["Saved just now"])
    expect(marks.get_by_role("button", name="rated 2 Clear")).to_have_count(1)
    rater.score(2, 0).score(3, 3)
    expect(spoken).to_have_text("All 3 moments rated")


def test_those_who_want_less_motion_get_none(new_rater, make_study):
    rater = new_rater(make_study(), reduced_motion="reduce").begin()
    rater.press("2")  # nudges the line
    moving = rater.page.evaluate(
        "() => document.getAnimations().filter(one => one.effect.getComputedTiming().duration > 20).length"
    )
    assert moving == 0
    assert rater.page.locator("#scale [data-value='0']").evaluate(
        "card => parseFloat(getComputedStyle(card).transitionDuration)"
    ) == pytest.approx(0, abs=0.02)
