"""The form of a study: what is frozen, what is only raised, and what does not go together."""

from decimal import Decimal

import pytest
from django.urls import reverse

from studies.models import Path, Place, Study
from studies.services.codes import codes_fill
from studies.services.study import study_add_units
from tests import factories
from tests.studies.managing import manager, staff, words
from tests.studies.person import open_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def client():
    return manager("add_study")


def change(study):
    return reverse("admin:studies_study_change", args=[study.pk])


def filled(client, address):
    """What the form would send as it stands."""
    form = client.get(address).context["adminform"].form
    values = {name: form.get_initial_for_field(field, name) for name, field in form.fields.items()}
    sent = {}
    for name, value in values.items():
        if value is None or value is False:
            continue
        sent[name] = (
            "on" if value is True else [str(v.pk) for v in value] if isinstance(value, list) else value
        )
    if "parameters" in sent:
        sent["parameters"] = "{}"
    return sent | {"log-TOTAL_FORMS": "0", "log-INITIAL_FORMS": "0"}


def save(client, study, **changes):
    sent = filled(client, change(study)) | changes
    return client.post(change(study), {k: v for k, v in sent.items() if v is not None}, follow=True)


def errors(response):
    return {name: " ".join(found) for name, found in response.context["adminform"].form.errors.items()}


NEW = {"title": "New", "slug": "new", "consent": "I agree.", "contact": "lab@example.org"}


def test_a_new_study_gives_work_out_as_its_kind_does_unless_somebody_says_otherwise(client):
    add = reverse("admin:studies_study_add")
    sent = filled(client, add) | NEW | {"kind": "intensity"}
    assert client.post(add, sent).status_code == 302
    assert Study.objects.get(slug="new").mode == "pool"
    assert client.post(add, sent | {"slug": "other", "mode": "panel"}).status_code == 302
    assert Study.objects.get(slug="other").mode == "panel"


def test_every_setting_of_the_model_is_in_the_form_or_shown(client):
    from studies.admin.form import FIELDSETS

    def flat(fields):
        return [name for field in fields for name in (flat(field) if isinstance(field, tuple) else [field])]

    shown = {name for _, group in FIELDSETS for name in flat(group["fields"])}
    columns = {f.name for f in Study._meta.get_fields() if not f.auto_created} - {"created_at"}
    assert shown == columns | {"study_link"}


def test_all_the_new_settings_are_kept(client):
    study, other = open_study(factories.clip()), factories.study("other")
    settings = {
        "units_per_participant": 5,
        "units_most": 10,
        "seat_hours": 12,
        "screen_min_width": 900,
        "training_pass": 1,
        "training_attempts": 3,
        "check_every": 6,
        "repeats": 2,
        "repeat_gap": 4,
        "returned": "drop",
        "keeps_out": [str(other.pk)],
        "reward": "2.50",
        "currency": "eur",
        "pay_floor": "9",
        "shared_link": None,
    }
    response = save(client, study, **settings)
    assert response.redirect_chain, errors(response)
    study.refresh_from_db()
    assert (study.units_per_participant, study.units_most, study.seat_hours) == (5, 10, 12)
    assert (study.training_pass, study.training_attempts, study.check_every) == (1, 3, 6)
    assert (study.repeats, study.repeat_gap, study.returned, study.shared_link) == (2, 4, "drop", False)
    assert (study.reward, study.currency, study.pay_floor) == (Decimal("2.50"), "EUR", Decimal(9))
    assert list(study.keeps_out.all()) == [other]


@pytest.mark.parametrize(
    "changes",
    [{"check_every": 4}, {"repeats": 2}, {"repeat_gap": 3}, {"training_pass": 1}, {"training_attempts": 5}],
)
def test_changing_what_shapes_answers_makes_the_next_version(client, changes):
    study = open_study(factories.clip())
    response = save(client, study, **changes)
    study.refresh_from_db()
    assert study.version == 2
    assert "this is now version 2" in words(response)


def test_pay_and_reservations_make_no_version(client):
    study = open_study(factories.clip())
    save(client, study, reward="2.00", reservation_minutes=30)
    study.refresh_from_db()
    assert (study.version, study.reservation_minutes) == (1, 30)


def test_raising_raters_makes_places_at_once_and_is_kept_on_record(client):
    study = open_study(factories.clip(), factories.clip(), raters_per_unit=2)
    response = save(client, study, raters_per_unit=3)
    assert Place.objects.filter(study=study).count() == 6
    assert "2 places were added" in words(response)
    assert study.log.filter(what="raters per unit raised to 3", by__username="mia").exists()


def test_lowering_them_after_opening_is_an_error_that_says_so_and_changes_nothing(client):
    study = open_study(factories.clip(), raters_per_unit=3)
    response = save(client, study, raters_per_unit=2, title="Changed")
    assert "found 2, expected 3 or more" in errors(response)["raters_per_unit"]
    study.refresh_from_db()
    assert (study.raters_per_unit, study.title) == (3, "Laughs")


def test_a_draft_may_want_fewer(client):
    study = Study.objects.create(slug="d", title="D", kind="intensity", consent="c", contact="c")
    study_add_units(study=study, keys=[factories.clip().clip_id])
    save(client, study, raters_per_unit=1)
    assert Place.objects.filter(study=study).count() == 1


def test_the_mode_and_the_address_are_fixed_once_the_study_has_been_open(client):
    study = open_study(factories.clip())
    save(client, study, mode="panel", slug="elsewhere")
    study.refresh_from_db()
    assert (study.mode, study.slug) == ("pool", "laughs")


@pytest.mark.parametrize(
    ("changes", "field", "said"),
    [
        ({"units_per_participant": 5, "units_most": 4}, "units_most", "found 4, expected 5 or more"),
        ({"units_per_participant": 0}, "units_per_participant", "found 0, expected 1 or more"),
        ({"training_attempts": 0}, "training_attempts", "found 0, expected 1 or more"),
        ({"raters_per_unit": 0}, "raters_per_unit", "found 0, expected 1 or more"),
        ({"reward": "-1"}, "reward", "found -1, expected 0 or more"),
        ({"currency": "£"}, "currency", "expected three letters"),
        ({"prolific_signed": "on"}, "prolific_signed", "turn that on too"),
        ({"parameters": '{"speed": 2}'}, "parameters", "speed: unknown"),
    ],
)
def test_what_cannot_be_is_said_at_its_field(client, changes, field, said):
    study = Study.objects.create(slug="d", title="D", kind="intensity", consent="c", contact="c")
    assert said in errors(save(client, study, **changes))[field]


def test_an_open_study_takes_people_from_prolific_only_when_each_path_has_its_code(client):
    study = open_study(factories.clip())
    said = errors(save(client, study, prolific="on"))["prolific"]
    assert all(path.label in said for path in Path)
    codes_fill(study=study)
    assert save(client, study, prolific="on").redirect_chain
    study.refresh_from_db()
    assert study.prolific


def test_a_study_does_not_keep_out_its_own_people(client):
    study = open_study(factories.clip())
    response = save(client, study, keeps_out=[str(study.pk)])
    assert "keeps_out" in errors(response)


def test_what_somebody_else_has_changed_meanwhile_is_not_undone(client):
    study = open_study(factories.clip())
    sent = filled(client, change(study))
    Study.objects.filter(pk=study.pk).update(state="halted")
    client.post(change(study), sent | {"title": "Better"})
    study.refresh_from_db()
    assert (study.title, study.state) == ("Better", "halted")


def test_who_may_only_look_saves_nothing():
    study = open_study(factories.clip())
    client = staff("view_study")
    assert client.get(change(study)).status_code == 200
    assert client.post(change(study), {"title": "Mine"}).status_code == 403


def test_the_page_before_opening_says_what_is_lacking_and_offers_no_button(client):
    study = Study.objects.create(slug="d", title="D", kind="intensity", consent="", contact="", prolific=True)
    address = reverse("admin:studies_study_open_study", args=[study.pk])
    page = words(client.get(address))
    assert "its consent text is empty" in page
    assert "no completion code for: completed, stopped early" in page
    assert "Open the study</button>" not in client.get(address).content.decode()
    client.post(address)
    study.refresh_from_db()
    assert study.state == "draft"
