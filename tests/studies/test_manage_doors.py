"""Who may open which of a manager's pages of a study, and that looking changes nothing."""

import pytest
from django.test import Client

from studies.admin.study import PAGES
from studies.models import Invitation, Place, Study, StudyLog, Wave
from studies.services.invitation import invitations_make
from tests import factories
from tests.studies.managing import address, manager, staff
from tests.studies.person import open_study

pytestmark = pytest.mark.django_db

ARGS = {
    "waves_issue": lambda study: [study.waves.get().pk],
    "waves_raise_one": lambda study: [study.waves.get().pk],
    "waves_release": lambda study: [1],
    "invitations_revoke": lambda study: [1],
}
VIEWERS = {"waves", "pay", "pay_file", "prolific"}
IDS = {"pay_ids", "links_exclusion", "prolific_file", "prolific_bonus"}


@pytest.fixture
def study():
    made = open_study(factories.clip(), mode="panel")
    invitations_make(study=made, number=1)
    return made


def ask(client, study, page):
    args = ARGS.get(page.name, lambda study: [])(study)
    act = client.post if page.writes else client.get
    return act(address(study, page.name, *args)).status_code


def everybody(study, client):
    return {page.name: ask(client, study, page) for page in PAGES}


def test_a_manager_may_open_all_but_what_holds_ids(study):
    acts = {
        "links_fill",
        "prolific_sync",
        "prolific_approve",
        "prolific_settle",
        "prolific_bonus_again",
    }  # these lead back
    expected = {page.name: 403 if page.name in IDS else 302 if page.name in acts else 200 for page in PAGES}
    assert everybody(study, manager()) == expected


def test_who_may_see_identities_gets_those_as_well(study):
    found = everybody(study, manager("see_identities"))
    assert {name: status for name, status in found.items() if name in IDS} == dict.fromkeys(IDS, 200)


def test_who_may_only_look_sees_waves_and_pay(study):
    found = everybody(study, staff("view_study"))
    assert {name for name, status in found.items() if status == 200} == VIEWERS
    assert {status for name, status in found.items() if name not in VIEWERS} == {403}


def test_staff_without_permissions_and_seers_of_ids_alone_see_nothing(study):
    assert set(everybody(study, staff()).values()) == {403}
    assert set(everybody(study, staff("see_identities", name="ida")).values()) == {403}


def test_who_is_no_staff_is_sent_to_the_login(study):
    assert set(everybody(study, Client()).values()) == {302}
    assert "/admin/login/" in Client().get(address(study, "pay"))["Location"]


def test_looking_changes_nothing_and_nothing_else_than_get_and_post_is_taken(study):
    def state():
        rows = [
            list(model.objects.order_by("pk").values())
            for model in (Study, Wave, Place, Invitation, StudyLog)
        ]
        return repr(rows)

    before, client = state(), manager("see_identities")
    for page in PAGES:
        args = ARGS.get(page.name, lambda study: [])(study)
        if page.writes:
            assert client.get(address(study, page.name, *args)).status_code == 405
        else:
            client.get(address(study, page.name, *args))
        assert client.put(address(study, page.name, *args)).status_code == 405
    assert state() == before


def test_who_may_only_look_adds_no_wave_and_sees_no_form(study):
    client = staff("view_study")
    assert b"Add the wave" not in client.get(address(study, "waves")).content
    client.post(address(study, "waves"), {"name": "more", "which": "all", "issued": "on"})
    assert study.waves.count() == 1


def test_a_post_without_the_page_is_refused(study):
    client = Client(enforce_csrf_checks=True)
    client.cookies = manager().cookies
    assert client.post(address(study, "links_fill")).status_code == 403
    assert not study.codes.exists()


def test_the_bar_holds_only_what_this_account_may_open(study):
    client = staff("view_study")
    page = client.get(address(study, "pay")).content.decode()
    bar = page[page.index('class="study-bar"') : page.index("</nav>", page.index('class="study-bar"'))]
    assert [word for word in ("Settings", "Waves and seats", "Pay") if word in bar] == [
        "Settings",
        "Waves and seats",
        "Pay",
    ]
    assert not [word for word in ("Links", "Practice", "checks", "Invitations") if word in bar]
    assert bar.count('aria-current="page"') == 1


def test_an_unknown_study_is_not_found(study):
    study.pk += 1000
    assert manager().get(address(study, "pay")).status_code == 404
