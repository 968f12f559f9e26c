"""A manager in a real browser: what is to be copied is copied whole, and every page fits its window."""

import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.contrib.auth.models import Permission, User
from playwright.sync_api import Page, expect

from studies.services.codes import codes_fill

pytestmark = pytest.mark.browser

PERMISSIONS = ("view_study", "change_study", "see_identities")
TABS = ("links", "waves", "practice", "check", "invitations", "pay")


def signed_in(page: Page, url: str) -> Page:
    """Log in as a member of staff who may change studies."""
    hashed = PBKDF2PasswordHasher().encode("a long enough one", "salt", 1)
    user = User.objects.create(username="mia", is_staff=True, password=hashed)
    user.user_permissions.set(Permission.objects.filter(codename__in=PERMISSIONS))
    page.goto(f"{url}/admin/login/?next=/admin/")
    page.fill("input[name=username]", "mia")
    page.fill("input[name=password]", "a long enough one")
    page.press("input[name=password]", "Enter")
    page.wait_for_url("**/admin/")
    return page


def test_links_and_codes_are_copied_as_they_go_to_prolific(new_context, site, make_study):
    study = make_study(clips=1)
    codes_fill(study=study)
    context = new_context(permissions=["clipboard-read", "clipboard-write"])
    page = signed_in(context.new_page(), site.url)
    page.goto(f"{site.url}/admin/studies/study/{study.pk}/links/")

    def copied(what):
        button = page.locator(f'[data-copy="{what}"]')
        button.click()
        expect(button).to_have_text("Copied")
        return page.evaluate("() => navigator.clipboard.readText()")

    assert copied("prolific-link") == (
        f"{site.url}/join/{study.slug}/?PROLIFIC_PID={{{{%PROLIFIC_PID%}}}}"
        "&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
    )
    code = study.codes.get(path="completed").code
    assert copied("code-completed") == code
    assert copied("url-completed") == f"https://app.prolific.com/submissions/complete?cc={code}"


@pytest.mark.parametrize("width", [1280, 390])
def test_every_page_of_a_study_fits_its_window_and_breaks_no_policy(new_context, site, make_study, width):
    study = make_study(clips=2)
    page = signed_in(new_context(viewport={"width": width, "height": 800}).new_page(), site.url)
    complaints: list[str] = []
    page.on("console", lambda said: said.type == "error" and complaints.append(said.text))
    for tab in TABS:
        page.goto(f"{site.url}/admin/studies/study/{study.pk}/{tab}/")
        expect(page.locator(".study-bar [aria-current=page]")).to_be_visible()
        wide = page.evaluate("() => document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0, f"{tab} is {wide} pixels wider than the window"
    assert complaints == []
