"""The device check on the server: what it believes, what it keeps, and what never leaves it."""

import itertools
from base64 import urlsafe_b64decode
from dataclasses import replace

import pytest
from django.test import Client, RequestFactory
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from catalogue.serving import bytes_response
from studies import kinds
from studies.device import BEEPS, TRIES, beeps, film, film_token, sounds_of
from studies.kinds import kind_named
from studies.models import Enrolment, Path
from tests.studies.person import Person, open_study, refusal, two_moments

pytestmark = pytest.mark.django_db

FINE = {"width": 1280, "frames": 90, "browser": "Firefox 153"}


@pytest.fixture
def person() -> Person:
    """Somebody who has just agreed, in a study that checks devices."""
    return Person.joins(open_study(two_moments(), device_check=True))


def enrolment() -> Enrolment:
    return Enrolment.objects.select_related("study").get()


def check(person: Person, act: str, **body: object):
    address = reverse(f"studies:api_device_{act}", args=[person.study.slug])
    return person.client.post(address, body, content_type="application/json")


def hears(person: Person, *, right: bool = True):
    """Answer the try that is on, rightly or wrongly."""
    [sound] = check(person, "start").json()["sounds"]
    said = beeps(enrolment(), sound["role"], sound["number"])
    return check(
        person, "answer", role=sound["role"], number=sound["number"], heard=said if right else said + 1
    )


def test_the_check_comes_before_the_work(person):
    work = reverse("studies:work", args=[person.study.slug])
    page = reverse("studies:device", args=[person.study.slug])
    assert person.client.get(work).url == page
    assert person.open()["state"] == "device_check"
    assert "assignment" not in person.opened
    assert person.client.get(page).status_code == 200
    hears(person)
    assert check(person, "pass", **FINE).json()["next"] == work
    assert person.client.get(page).url == work
    assert person.client.get(work).status_code == 200
    assert person.open()["state"] == "working"


def test_passing_keeps_plain_facts_and_nothing_finer(person):
    hears(person, right=False)
    hears(person)
    check(person, "pass", **FINE)
    assert enrolment().device_passed_at is not None
    assert enrolment().device == {"browser": "Firefox 153", "screen": "wide", "tries": {"reaction": 2}}


@pytest.mark.parametrize(
    ("claim", "code"), [({"width": 599}, "too_narrow"), ({"frames": 3}, "no_pictures"), ({}, "not_heard")]
)
def test_nobody_passes_with_less_than_all_of_it(person, claim, code):
    if code != "not_heard":
        hears(person)
    assert refusal(check(person, "pass", **(FINE | claim)))["code"] == code
    assert enrolment().device_passed_at is None


@pytest.mark.parametrize(
    "browser", ["Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36", "", "Firefox 153.0.1"]
)
def test_a_whole_user_agent_is_not_taken(person, browser):
    hears(person)
    assert check(person, "pass", **(FINE | {"browser": browser})).status_code == 400
    assert check(person, "fail", reason="sound", browser=browser).status_code == 400
    assert enrolment().device_passed_at is None
    assert enrolment().state == Enrolment.State.ACTIVE


def test_the_third_wrong_number_ends_it_on_its_own_path(person):
    for _ in range(TRIES - 1):
        assert hears(person, right=False).json()["state"] == "device_check"
    last = hears(person, right=False).json()
    assert last["state"] == "handed_in"
    assert last["next"] == reverse("studies:thanks", args=[person.study.slug])
    assert enrolment().path == Path.DEVICE_FAILED
    assert enrolment().device["failed"] == "sound"
    assert refusal(check(person, "pass", **FINE))["code"] == "no_check"


def test_a_try_counts_once_however_often_it_is_sent(person):
    body = {"role": "reaction", "number": 1, "heard": 99}
    assert check(person, "answer", **body).status_code == 200
    assert refusal(check(person, "answer", **body))["code"] == "stale"
    assert sounds_of(enrolment())[0].tries == 1
    assert refusal(check(person, "answer", **(body | {"number": 3})))["code"] == "stale"
    assert check(person, "answer", **(body | {"number": 4})).status_code == 400
    assert check(person, "answer", **(body | {"role": "stimulus", "number": 2})).status_code == 400


def test_what_was_heard_stays_heard(person):
    hears(person)
    assert check(person, "answer", role="reaction", number=2, heard=99).json()["sounds"][0]["heard"]
    assert sounds_of(enrolment())[0].tries == 1


def test_giving_up_says_what_does_not_work(person):
    body = check(person, "fail", reason="video", browser="Safari 26").json()
    assert body["next"] == reverse("studies:thanks", args=[person.study.slug])
    assert enrolment().path == Path.DEVICE_FAILED
    assert enrolment().device == {"tries": {}, "failed": "video", "browser": "Safari 26"}


def test_a_study_without_the_check_has_none():
    person = Person.joins(open_study(two_moments()))
    work = reverse("studies:work", args=[person.study.slug])
    assert person.client.get(reverse("studies:device", args=[person.study.slug])).url == work
    assert check(person, "start").json() | {"sounds": []} == {"state": "working", "sounds": [], "next": work}
    assert refusal(check(person, "fail", reason="other", browser="other"))["code"] == "no_check"


def test_every_sound_that_the_kind_plays_has_to_be_heard(person, monkeypatch):
    both = replace(kind_named("intensity"), roles=("reaction", "stimulus"))
    monkeypatch.setitem(kinds._kinds, "intensity", both)
    first, second = check(person, "start").json()["sounds"]
    assert (first["role"], second["role"]) == both.roles
    for sound in (second, first):
        assert refusal(check(person, "pass", **FINE))["code"] == "not_heard"
        said = beeps(enrolment(), sound["role"], 1)
        check(person, "answer", role=sound["role"], number=1, heard=said)
    assert check(person, "pass", **FINE).json()["state"] == "working"
    assert enrolment().device["tries"] == {"reaction": 1, "stimulus": 1}


# --- the number of beeps -------------------------------------------------------------------------------


def test_the_films_differ_in_their_sound_alone():
    films = [film(number) for number in BEEPS]
    assert len(set(films)) == len(BEEPS)
    assert len({len(body) for body in films}) == 1
    assert len(films[0]) < 40_000


def test_neither_page_nor_address_nor_headers_tell_the_number(person):
    page = person.client.get(reverse("studies:device", args=[person.study.slug])).content.decode()
    told = check(person, "start").json()
    [sound] = told["sounds"]
    assert sound.keys() == {"role", "number", "tries", "heard", "url"}
    payload = sound["url"].split("/")[2].split(":")[0]
    assert urlsafe_b64decode(payload + "==") == f'[{enrolment().pk},"reaction",1]'.encode()
    asked = [person.client.get(sound["url"], headers={"Range": "bytes=0-99"}) for _ in range(2)]
    assert [answer.status_code for answer in asked] == [206, 206]
    assert "filename" not in str(asked[0].headers)
    assert "device_clips" not in page + str(asked[0].headers)
    # The same film has another entity tag at the address of another try.
    tags = {person.client.get(f"/device/{film_token(enrolment(), s)}/").headers["ETag"] for s in tries_of()}
    assert len(tags) == TRIES


def tries_of():
    [sound] = sounds_of(enrolment())
    for made in range(TRIES):
        yield type(sound)(sound.role, made, False)


def test_the_number_of_a_try_stays_the_same_and_differs_between_people_and_tries(person):
    others = [Enrolment(public_id=f"{n:012x}") for n in range(200)]
    numbers = [beeps(other, "reaction", number) for other in others for number in (1, 2, 3)]
    assert {*numbers} == {*BEEPS}
    assert all(numbers.count(one) > 100 for one in BEEPS)
    changes = sum(a != b for a, b in itertools.pairwise(numbers))
    assert changes > 350
    assert beeps(enrolment(), "reaction", 1) == beeps(enrolment(), "reaction", 1)


def test_a_film_is_served_to_its_own_browser_alone(person, settings):
    url = check(person, "start").json()["sounds"][0]["url"]
    other = Person.joins(person.study)
    assert person.client.get(url).content == film(beeps(Enrolment.objects.earliest("id"), "reaction", 1))
    assert other.client.get(url).status_code == 404
    assert Client().get(url).status_code == 404
    assert person.client.get(url[:-3] + "/").status_code == 404
    settings.MEDIA_ADDRESS_SECONDS = -1
    assert person.client.get(url).status_code == 404


@given(first=st.integers(0, 30_000), last=st.one_of(st.none(), st.integers(0, 30_000)))
def test_every_range_of_a_film_is_answered_as_a_player_expects(first, last):
    body = film(3)
    asked = f"bytes={first}-{'' if last is None else last}"
    answer = bytes_response(
        RequestFactory().get("/", headers={"Range": asked}), body, content_type="video/mp4", name="x"
    )
    if last is not None and last < first:
        assert (answer.status_code, answer.content) == (200, body)
    elif first >= len(body):
        assert (answer.status_code, answer.headers["Content-Range"]) == (416, f"bytes */{len(body)}")
    else:
        end = len(body) if last is None else min(last + 1, len(body))
        assert (answer.status_code, answer.content) == (206, body[first:end])
        assert answer.headers["Content-Range"] == f"bytes {first}-{end - 1}/{len(body)}"
