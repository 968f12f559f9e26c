"""Links that Prolific has signed: taken when they are Prolific's, for us and still valid; else refused."""

import hashlib
import hmac
import json
import time

import jwt
import pytest
from cryptography.hazmat.primitives import serialization

from studies.identity import ProlificSubmission
from studies.models import Study
from studies.prolific import signed
from tests import factories
from tests.studies.arriving import STUDY_ID, Arriving, an_id, prolific_study, text_of

PID, SESSION = an_id(1), an_id(1, "c")


def refusal(token):
    with pytest.raises(signed.SignedRefused) as caught:
        signed.read(token)
    return caught.value.reason


def test_a_token_of_prolific_gives_the_three_ids(prolific):
    assert signed.read(prolific.signs(PID, STUDY_ID, SESSION)) == signed.SignedIds(PID, STUDY_ID, SESSION)


@pytest.mark.parametrize("name", ["session_id", "submission_id"])
def test_the_submission_may_go_by_either_name(prolific, name):
    ids = {"participant_id": PID, "study_id": STUDY_ID, name: SESSION}
    assert signed.read(prolific.signs("", "", "", prolific=ids)).session_id == SESSION


def test_the_keys_are_fetched_once_and_kept(prolific):
    for _ in range(3):
        signed.read(prolific.signs(PID, STUDY_ID, SESSION))
    assert prolific.calls("GET", "jwks.json") == 1


def test_after_a_day_the_keys_are_fetched_again(prolific, monkeypatch):
    monkeypatch.setattr(signed, "KEYS_KEPT", 0.05)
    signed.read(prolific.signs(PID, STUDY_ID, SESSION))
    time.sleep(0.1)
    signed.read(prolific.signs(PID, STUDY_ID, SESSION))
    assert prolific.calls("GET", "jwks.json") == 2


def test_an_expired_token_is_refused(prolific):
    assert refusal(prolific.signs(PID, STUDY_ID, SESSION, expires=-60)) == "the token has expired"


@pytest.mark.parametrize(
    "audience", ["elsewhere.example", ["elsewhere.example"], None, "", "testserver.evil"]
)
def test_a_token_for_another_site_or_for_none_is_refused(prolific, audience):
    assert refusal(prolific.signs(PID, STUDY_ID, SESSION, aud=audience))


@pytest.mark.parametrize(
    "audience", ["testserver", "https://testserver", "https://testserver/", ["x", "testserver"]]
)
def test_our_domain_may_be_written_as_a_name_or_as_an_address(prolific, audience):
    assert signed.read(prolific.signs(PID, STUDY_ID, SESSION, aud=audience)).pid == PID


def test_without_a_setting_the_domains_served_are_ours_and_a_wildcard_is_none(prolific, settings):
    settings.PROLIFIC_AUDIENCE = []
    settings.ALLOWED_HOSTS = ["judge.example", ".example.org", "*"]
    assert signed.read(prolific.signs(PID, STUDY_ID, SESSION, aud="https://judge.example")).pid == PID
    assert refusal(prolific.signs(PID, STUDY_ID, SESSION, aud="*"))
    settings.ALLOWED_HOSTS = ["*"]
    assert (
        refusal(prolific.signs(PID, STUDY_ID, SESSION, aud="judge.example"))
        == "the token is for another site"
    )


@pytest.mark.parametrize("claim", ["exp", "aud", "prolific"])
def test_a_token_that_lacks_a_claim_is_refused(prolific, claim):
    assert refusal(prolific.signs(PID, STUDY_ID, SESSION, **{claim: None}))


@pytest.mark.parametrize(
    "ids",
    [{}, [], "ids", {"participant_id": PID, "study_id": STUDY_ID}, {"participant_id": 7},
     {"participant_id": "{{%PROLIFIC_PID%}}", "study_id": STUDY_ID, "session_id": SESSION},
     {"participant_id": "a" * 65, "study_id": STUDY_ID, "session_id": SESSION}],
)  # fmt: skip
def test_a_token_without_the_ids_is_refused(prolific, ids):
    assert refusal(prolific.signs("", "", "", prolific=ids))


def claims():
    ids = {"participant_id": PID, "study_id": STUDY_ID, "session_id": SESSION}
    return {"aud": "testserver", "exp": int(time.time()) + 300, "prolific": ids}


def test_a_token_keyed_with_the_public_key_is_refused(prolific):
    prolific.key_new("key-1")
    pem = (
        prolific.keys["key-1"]
        .public_key()
        .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    )
    key = jwt.utils.base64url_encode  # the library refuses to sign so: done by hand
    head = key(json.dumps({"alg": "HS256", "typ": "JWT", "kid": "key-1"}).encode())
    body = key(json.dumps(claims()).encode())
    seal = key(hmac.new(pem, head + b"." + body, hashlib.sha256).digest())
    assert refusal((head + b"." + body + b"." + seal).decode()) == "the token is not signed by RS256"


def test_an_unsigned_token_is_refused(prolific):
    prolific.key_new("key-1")
    assert refusal(jwt.encode(claims(), None, algorithm="none", headers={"kid": "key-1"}))


def test_a_token_signed_by_somebody_else_under_prolifics_key_id_is_refused(prolific):
    token = prolific.signs(PID, STUDY_ID, SESSION)
    prolific.key_new("key-1")  # Prolific names another key by that id
    assert refusal(token) == "the token is not Prolific's"


def test_a_token_that_was_changed_is_refused(prolific):
    head, body, seal = prolific.signs(PID, STUDY_ID, SESSION).split(".")
    other = prolific.signs(an_id(2), STUDY_ID, SESSION).split(".")[1]
    assert refusal(f"{head}.{other}.{seal}") == "the token is not Prolific's"
    assert body != other


@pytest.mark.parametrize("token", ["", "x", "a.b.c", "é", "a" * 5000, "..", "null"])
def test_what_is_no_token_is_refused(prolific, token):
    assert refusal(token)
    assert prolific.seen == []


def test_a_key_that_is_not_known_is_looked_for_once(prolific, monkeypatch):
    monkeypatch.setattr(signed, "REFETCH_PAUSE", 0)
    signed.read(prolific.signs(PID, STUDY_ID, SESSION))
    prolific.key_new("key-2")
    assert signed.read(prolific.signs(PID, STUDY_ID, SESSION)).pid == PID
    assert prolific.calls("GET", "jwks.json") == 2
    token = prolific.signs(PID, STUDY_ID, SESSION)
    del prolific.keys["key-2"]
    signed._keys.cache_clear()
    assert refusal(token) == "the token is signed with a key that Prolific does not name"
    assert prolific.calls("GET", "jwks.json") == 4  # fetched, and once more for that key


def test_made_up_keys_do_not_make_us_ask_prolific_each_time(prolific):
    signed.read(prolific.signs(PID, STUDY_ID, SESSION))
    for number in range(5):
        head = {"alg": "RS256", "kid": f"made up {number}"}
        assert refusal(jwt.encode(claims(), prolific.keys["key-1"], algorithm="RS256", headers=head))
    assert prolific.calls("GET", "jwks.json") == 1


@pytest.mark.parametrize("status", [500, 404, 0])
def test_when_the_keys_cannot_be_fetched_the_link_is_refused_and_works_later(prolific, status):
    token = prolific.signs(PID, STUDY_ID, SESSION)
    prolific.fails("jwks.json", status)
    assert refusal(token) == "Prolific's keys could not be fetched"
    assert signed.read(token).pid == PID


# --- arriving ------------------------------------------------------------------------------------------


@pytest.fixture
def study(db):
    study = prolific_study(*(factories.clip() for _ in range(3)), units_per_participant=2)
    Study.objects.update(prolific_signed=True)
    study.refresh_from_db()
    return study


def test_a_signed_link_goes_on_with_the_visit_on_a_second_device(study, prolific):
    person = Arriving(study)
    person.client.get(
        person.join_url, {"prolific_token": prolific.signs(person.pid, STUDY_ID, person.session)}
    )
    assert person.client.post(person.join_url, {"answer": "agree"}).status_code == 302
    first = person.open()
    # Another device, and a new submission of the same person: Prolific's word is enough.
    phone = Arriving(study, session=2)
    token = prolific.signs(phone.pid, STUDY_ID, phone.session)
    page = phone.client.get(phone.join_url, {"prolific_token": token}, follow=True)
    assert page.redirect_chain[-1] == ("/work/laughs/", 302)
    assert phone.here == person.here
    assert phone.open()["assignment"]["id"] == first["assignment"]["id"]
    assert ProlificSubmission.objects.filter(enrolment=person.here).count() == 2


def test_a_link_with_a_bad_token_or_none_lets_nobody_in(study, prolific):
    person = Arriving(study)
    old = prolific.signs(person.pid, STUDY_ID, person.session, expires=-60)
    for query in ({"prolific_token": old}, person.ids, person.ids | {"prolific_token": ""}):
        page = person.client.get(person.join_url, query, follow=True)
        assert "This link has expired or was changed on its way" in text_of(page)
    stranger = prolific.signs(an_id(2), STUDY_ID, person.session)
    page = person.client.get(person.join_url, person.ids | {"prolific_token": stranger}, follow=True)
    assert "This link has expired or was changed on its way" in text_of(page)
    assert ProlificSubmission.objects.count() == 0
