"""An address of a clip works for one person, for a while, for one file; everything else is the same 404."""

import re
from base64 import urlsafe_b64decode

import pytest
from django.core import signing
from django.core.files.base import ContentFile
from django.core.files.storage import storages

from catalogue.models import Clip, MediaVersion
from catalogue.services import clip_block, clip_unblock, creator_block
from studies.models import Enrolment
from tests import factories
from tests.studies.person import Person, open_study

BYTES = bytes(range(256)) * 8


@pytest.fixture(autouse=True)
def clips_folder(tmp_path, settings):
    """A storage of the test's own."""
    local = {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": tmp_path / "clips"},
    }
    settings.STORAGES = settings.STORAGES | {"clips": local}


def with_file(clip, role="reaction", **fields):
    """Put a file behind a clip's media."""
    media = clip.media.filter(role=role, current=True).first() or factories.media(clip, role, **fields)
    storages["clips"].save(media.storage_key, ContentFile(BYTES))
    MediaVersion.objects.filter(pk=media.pk).update(size=len(BYTES))
    return media


@pytest.fixture
def clip(db):
    made = factories.clip("the-clip")
    with_file(made)
    return made


@pytest.fixture
def study(clip):
    return open_study(clip)


@pytest.fixture
def rater(study):
    person = Person.joins(study)
    person.open()
    return person


def address(person):
    return person.opened["media"]["reaction"]["url"]


def is_the_same_404(person, url, like="/media/nonsense/"):
    """Whether the answer is exactly that to an address that never existed."""
    response, nothing = person.client.get(url), person.client.get(like)
    page = re.sub(rb"/media/[^\"<\s]*", b"", response.content)
    assert page == re.sub(rb"/media/[^\"<\s]*", b"", nothing.content)
    assert dict(response.headers) == dict(nothing.headers)
    return response.status_code == nothing.status_code == 404


def test_the_address_gives_the_file_to_the_person_it_was_made_for(rater):
    response = rater.client.get(address(rater))
    assert response.status_code == 200
    assert response.getvalue() == BYTES
    assert response["Content-Type"] == rater.opened["media"]["reaction"]["type"] == "video/mp4"


def test_ranges_work_as_players_ask_for_them(rater):
    url = address(rater)
    part = rater.client.get(url, headers={"Range": "bytes=100-199"})
    assert (part.status_code, part.content) == (206, BYTES[100:200])
    assert part["Content-Range"] == f"bytes 100-199/{len(BYTES)}"
    assert rater.client.get(url, headers={"Range": "bytes=999999999-"}).status_code == 416
    assert rater.client.get(url, headers={"Range": "bytes=oops"}).status_code == 200
    assert rater.client.head(url)["Content-Length"] == str(len(BYTES))


def test_a_forged_address_is_not_found(rater):
    url = address(rater)
    signed = url.split("/")[2]
    payload, _, rest = signed.partition(":")
    others = [
        signed[:-1] + ("a" if signed[-1] != "a" else "b"),
        "x" + signed,
        f"{payload}x:{rest}",
        signing.dumps([rater.assignment_id, 1]),  # signed by us, for another purpose
        signing.TimestampSigner(key="another key", salt="touchstone.media").sign_object([1, 1]),
    ]
    for other in others:
        assert is_the_same_404(rater, f"/media/{other}/")


def test_an_address_expires_and_the_heartbeat_gives_a_new_one(rater, settings):
    old = address(rater)
    assert rater.opened["media"]["reaction"]["expires_in_s"] == settings.MEDIA_ADDRESS_SECONDS
    settings.MEDIA_ADDRESS_SECONDS = -1
    assert is_the_same_404(rater, old)
    settings.MEDIA_ADDRESS_SECONDS = 60
    body = {"tab": rater.tab, "assignment": rater.assignment_id}
    fresh = rater.post("heartbeat", body).json()["media"]["reaction"]["url"]
    assert rater.client.get(fresh).status_code == 200


def test_an_address_is_worth_nothing_in_another_persons_browser(rater, study):
    other = Person.joins(study)
    other.open()
    assert is_the_same_404(other, address(rater))
    assert is_the_same_404(Person(study), address(rater))
    assert other.client.get(address(other)).status_code == 200
    assert address(other) != address(rater)


def test_a_place_in_another_study_opens_nothing_here(rater, clip):
    stranger = Person.joins(open_study(clip, slug="other"))
    assert is_the_same_404(stranger, address(rater))


def test_a_blocked_clip_is_not_found_from_the_next_request_on(rater, clip):
    url = address(rater)
    clip_block(clip_ids=[clip.clip_id])
    assert is_the_same_404(rater, url)
    clip_unblock(clip_ids=[clip.clip_id])
    assert rater.client.get(url).status_code == 200
    creator_block(creators=[clip.creator_id])
    assert is_the_same_404(rater, url)


def test_after_the_file_was_replaced_only_the_new_address_works(rater, clip):
    old = address(rater)
    first = rater.assignment.media["reaction"]["sha256"]
    MediaVersion.objects.update(current=False)
    with_file(clip, sha256="f" * 64)
    rater.open()
    assert is_the_same_404(rater, old)
    assert rater.client.get(address(rater))["ETag"] == f'"{"f" * 64}"'
    assert rater.assignment.media["reaction"]["sha256"] == "f" * 64 != first


def test_answers_keep_the_hash_of_the_file_they_saw(rater, clip):
    before = rater.assignment.media["reaction"]["sha256"]
    first, second = rater.moments
    rater.rate(first, 1)
    MediaVersion.objects.update(current=False)
    with_file(clip, sha256="f" * 64)
    rater.open()
    rater.rate(second, 1)
    seen = [event.media_sha256["reaction"] for event in rater.enrolment.events.order_by("id")]
    assert seen == [before, "f" * 64]


def test_a_file_that_the_unit_does_not_show_has_no_address(rater, clip):
    stimulus = with_file(clip, "stimulus")
    signer = signing.TimestampSigner(salt="touchstone.media")
    own_but_wrong = signer.sign_object([rater.assignment_id, stimulus.pk])
    assert is_the_same_404(rater, f"/media/{own_but_wrong}/")


def test_somebody_who_withdrew_sees_nothing_any_more(rater):
    Enrolment.objects.update(state="withdrawn")
    assert is_the_same_404(rater, address(rater))


def test_a_file_that_the_storage_lost_is_not_found(rater, clip):
    storages["clips"].delete(clip.media.get().storage_key)
    assert rater.client.get(address(rater)).status_code == 404


def test_neither_address_nor_headers_tell_which_clip_or_file_it_is(rater, clip):
    media = clip.media.get()
    secrets = [clip.clip_id, media.storage_key, str(clip.creator), clip.source_group, clip.category, "comedy"]
    answers = [
        rater.client.get(address(rater), headers={"Range": f"bytes={asked}"})
        for asked in ("0-9", "9999-", "")
    ]
    for response in answers:
        said = f"{response.status_code} {dict(response.headers)} {response.cookies}"
        assert not any(secret in said for secret in secrets)
    payload = address(rater).split("/")[2].split(":")[0]
    inside = urlsafe_b64decode(payload + "=" * (-len(payload) % 4)).decode(errors="replace")
    assert not any(secret in inside + address(rater) for secret in secrets)
    assert Clip.objects.count() == 1


def test_nobody_else_keeps_a_copy(rater):
    response = rater.client.get(address(rater))
    assert response["Cache-Control"].startswith("private")
    assert response["Cross-Origin-Resource-Policy"] == "same-origin"
