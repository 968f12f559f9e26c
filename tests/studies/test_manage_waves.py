"""Waves and seats: more work, more raters, work that waits, and a seat that is let go; each on record."""

from datetime import UTC, datetime, timedelta

import pytest

from studies.errors import Refused
from studies.kinds import SimulatedAnswer
from studies.models import Place, Wave
from studies.seats import seats_of
from studies.services.study import study_raise
from studies.services.waves import seat_release, wave_add
from studies.simulation import SimulatedAnnotator
from tests import factories
from tests.studies.managing import address, manager, words
from tests.studies.person import Person, open_study

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.fixture
def client():
    return manager()


@pytest.fixture
def study():
    return open_study(factories.clip("one"), raters_per_unit=2)


def add(client, study, **sent):
    values = {"name": "more", "which": "all", "keys": "", "raters": "", "issued": "on"} | sent
    return client.post(
        address(study, "waves"), {k: v for k, v in values.items() if v is not None}, follow=True
    )


def logged(study):
    return list(study.log.order_by("pk").values_list("what", flat=True))


# --- waves ------------------------------------------------------------------------------------------------


def test_a_wave_of_all_that_is_new_makes_its_places_at_once(client, study):
    factories.clip("two")
    factories.clip("three")
    response = add(client, study)
    assert "Wave more added with 2 clips or items." in words(response)
    assert sorted(study.waves.get(name="more").units.values_list("key", flat=True)) == ["three", "two"]
    assert Place.objects.filter(study=study).count() == 6
    assert "added 2 units to wave more" in logged(study)


def test_pasted_ids_say_which_clips_and_those_already_there_stay(client, study):
    for name in ("two", "three"):
        factories.clip(name)
    response = add(
        client, study, which="pasted", keys=" two \r\n\r\none\n", raters="5", pilot="on", issued=None
    )
    page = words(response)
    assert "Wave more added with 1 clips or items. 1 were in the study already" in page
    assert "held back until you issue it" in page
    wave = study.waves.get(name="more")
    assert (wave.raters, wave.pilot, wave.issued) == (5, True, False)
    assert Place.objects.filter(unit__key="two").count() == 5
    assert study.units.get(key="one").wave.name == "main"


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"name": "main"}, "has a wave called main already"),
        ({"which": "pasted", "keys": "two\nnowhere"}, "not in the catalogue: nowhere"),
        ({"which": "pasted", "keys": "one"}, "all of them are in the study already"),
        ({"which": "pasted", "keys": " \n"}, "expected at least one id"),
        ({"raters": "0"}, "greater than or equal to 1"),
    ],
)
def test_what_makes_no_wave_is_said_and_changes_nothing(client, study, sent, said):
    factories.clip("two")
    assert said in words(add(client, study, **sent))
    assert Wave.objects.filter(study=study).count() == 1
    assert study.units.count() == 1


def test_a_held_back_wave_is_given_to_nobody_until_it_is_issued(client, study):
    factories.clip("two")
    add(client, study, issued=None)
    wave = study.waves.get(name="more")
    person = Person.joins(study)
    person.rate_all()
    assert person.open()["state"] == "nothing_left"
    assert "cannot be held back again" in words(client.get(address(study, "waves_issue", wave.pk)))
    assert not Wave.objects.get(pk=wave.pk).issued
    client.post(address(study, "waves_issue", wave.pk))
    assert person.open()["state"] == "working"
    assert "wave more issued" in logged(study)


def test_the_raters_of_the_study_and_of_one_wave_are_raised_apart(client, study):
    factories.clip("two")
    add(client, study, raters="2")
    wave = study.waves.get(name="more")
    client.post(address(study, "waves_raise"), {"raters": "3"})
    counts = {key: Place.objects.filter(unit__key=key).count() for key in ("one", "two")}
    assert counts == {"one": 3, "two": 2}
    response = client.post(address(study, "waves_raise_one", wave.pk), {"raters": "4"}, follow=True)
    assert "2 places were added" in words(response)
    assert Place.objects.filter(unit__key="two").count() == 4
    assert "raters per unit raised to 3" in logged(study)
    assert "raters per unit in wave more raised to 4" in logged(study)


def test_a_target_is_never_lowered_and_the_page_says_so(client, study):
    response = client.post(address(study, "waves_raise"), {"raters": "1"})
    assert "Found 1, expected 2 or more" in words(response)
    study.refresh_from_db()
    assert study.raters_per_unit == 2


def test_a_wave_of_another_study_is_not_found(client, study):
    other = open_study(factories.clip(), slug="other")
    for page in ("waves_issue", "waves_raise_one"):
        assert client.post(address(study, page, other.waves.get().pk), {"raters": "9"}).status_code == 404


# --- seats ------------------------------------------------------------------------------------------------


@pytest.fixture
def panel():
    return open_study(factories.clip("a"), factories.clip("b"), slug="panel", mode="panel", raters_per_unit=2)


def joins(study, most=None):
    annotator = SimulatedAnnotator.join(study, NOON)
    annotator.work(lambda unit: [SimulatedAnswer(q.key, 1) for q in unit.questions], most=most)
    return annotator


def name(annotator):
    return annotator.enrolment.participant.public_id


def test_the_seats_say_who_holds_them_how_far_they_are_and_until_when(panel):
    done, begun = joins(panel), joins(panel, most=1)
    done.hand_in()
    full, half = seats_of(panel, NOON + timedelta(minutes=10))
    assert (full.holder, full.done, full.of, full.complete, full.until) == (name(done), 2, 2, True, None)
    assert (half.holder, half.done, half.complete, half.lapsed) == (name(begun), 1, False, False)
    assert half.until > NOON + timedelta(hours=47)
    assert seats_of(panel, NOON + timedelta(days=3))[1].lapsed


def test_the_page_shows_them_and_a_pool_has_none(client, panel, study):
    joins(panel, most=1)
    page = words(client.get(address(panel, "waves")))
    assert "1 of 2" in page
    assert "free" in page
    assert "Seats" not in words(client.get(address(study, "waves"))).replace("Waves and seats", "")


def test_a_released_seat_goes_whole_to_a_new_person_who_starts_from_zero(client, panel):
    leaver, other = joins(panel, most=1), joins(panel)
    new = SimulatedAnnotator.join(panel, NOON + timedelta(minutes=5))
    assert new.open().state == "nothing_left"
    page = words(client.get(address(panel, "waves_release", 1)))
    assert name(leaver) in page
    assert "starts from zero" in page
    assert seats_of(panel)[0].holder == name(leaver)
    client.post(address(panel, "waves_release", 1))
    assert seats_of(panel)[0].holder is None
    assert new.open().state == "working"
    assert new.work(lambda unit: [SimulatedAnswer(q.key, 2) for q in unit.questions]) == 2
    assert [seat.holder for seat in seats_of(panel)] == [name(new), name(other)]
    assert leaver.open().state == "nothing_left"
    assert leaver.enrolment.events.count() == 2  # stored all the same
    assert f"seat 1 released; participant {name(leaver)} held it" in logged(panel)


def test_who_comes_back_before_the_seat_is_taken_goes_on(client, panel):
    leaver = joins(panel, most=1)
    client.post(address(panel, "waves_release", 1))
    assert leaver.work(lambda unit: [SimulatedAnswer(q.key, 1) for q in unit.questions]) == 1
    assert seats_of(panel)[0].complete


def test_releasing_a_free_seat_changes_nothing(client, panel):
    before = logged(panel)
    assert "free already" in words(client.post(address(panel, "waves_release", 2), follow=True))
    assert not seat_release(seat=Place.objects.get(study=panel, n=2))
    assert logged(panel) == before


def test_seats_are_raised_like_raters(client, panel):
    client.post(address(panel, "waves_raise"), {"raters": "3"})
    assert len(seats_of(panel)) == 3
    with pytest.raises(Refused, match="Found 2, expected 3"):
        study_raise(study=panel, raters=2)


def test_the_services_refuse_what_the_form_would_not_send(study):
    with pytest.raises(Refused, match="already"):
        wave_add(study=study, name="main")
