"""The admin's pages of gold sets: ask for a freeze, watch it, read the result, download the bundle."""

import re
from pathlib import Path

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse

from exports.models import FreezeJob, GoldSetVersion
from tests import factories
from tests.exports.conftest import World

FREEZE = reverse("admin:exports_goldsetversion_freeze")
LIST = reverse("admin:exports_goldsetversion_changelist")


def person(name: str, *permissions: str, staff: bool = True) -> Client:
    """A browser logged in as somebody with these permissions."""
    user = User.objects.create_user(name, is_staff=staff)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def manager(world: World) -> Client:
    """Somebody who may freeze, look and download."""
    return person("mia", "add_freezejob", "view_freezejob", "view_goldsetversion", "view_study")


def download(frozen: GoldSetVersion) -> str:
    """The address of a bundle."""
    return reverse("admin:exports_goldsetversion_download", args=[frozen.pk])


# --- downloading -----------------------------------------------------------------------------------------


def test_the_download_is_the_frozen_file_byte_for_byte(world: World, manager: Client, releases: Path):
    frozen = world.freeze()
    response = manager.get(download(frozen))
    assert response.status_code == 200
    assert response["Content-Type"] == "application/zip"
    assert response["Content-Disposition"] == 'attachment; filename="demo-v1.zip"'
    assert b"".join(response.streaming_content) == (releases / "ip" / "demo-v1.zip").read_bytes()


def test_only_staff_with_the_right_to_look_can_download(world: World):
    frozen = world.freeze()
    assert person("sam").get(download(frozen)).status_code == 403
    stranger = person("eve", "view_goldsetversion", staff=False).get(download(frozen))
    assert (stranger.status_code, stranger["Location"].partition("?")[0]) == (302, "/admin/login/")
    assert Client().get(download(frozen)).status_code == 302


def test_a_missing_file_is_told_and_not_a_crash(world: World, manager: Client, releases: Path):
    frozen = world.freeze()
    (releases / frozen.bundle).unlink()
    response = manager.get(download(frozen), follow=True)
    assert "The releases storage has no file ip/demo-v1.zip." in response.content.decode()


def test_an_unknown_set_is_not_found(manager: Client):
    assert manager.get("/admin/exports/goldsetversion/999/download/").status_code == 404


# --- reading ---------------------------------------------------------------------------------------------


def test_the_page_of_a_set_tells_counts_hash_and_every_sentence(world: World, manager: Client):
    frozen = world.freeze()
    page = manager.get(reverse("admin:exports_goldsetversion_change", args=[frozen.pk])).content.decode()
    assert "4 items, 9 moments, 3 raters, 27 ratings" in page
    assert frozen.content_sha256 in page
    assert all(sentence in page for sentence in frozen.removed)
    assert download(frozen) in page


def test_the_list_tells_which_version_is_the_newest(world: World, manager: Client):
    world.freeze()
    world.freeze(seed=1)
    page = manager.get(LIST).content.decode()
    assert "superseded by v2" in page
    assert page.count("newest") == 1


def test_nobody_can_edit_or_delete_a_set_in_the_admin(world: World, releases: Path):
    frozen = world.freeze()
    root = Client()
    root.force_login(User.objects.create_superuser("root"))
    change = reverse("admin:exports_goldsetversion_change", args=[frozen.pk])
    assert root.post(change, {"name": "other"}).status_code == 403
    assert root.post(reverse("admin:exports_goldsetversion_delete", args=[frozen.pk])).status_code == 403
    assert root.get(reverse("admin:exports_goldsetversion_add")).status_code == 403
    root.post(LIST, {"action": "delete_selected", "_selected_action": [frozen.pk], "post": "yes"})
    assert GoldSetVersion.objects.get().name == "demo"
    assert (releases / frozen.bundle).exists()


# --- asking for a freeze -----------------------------------------------------------------------------------


def test_the_form_starts_a_job_and_leads_to_its_page(
    world: World, manager: Client, django_capture_on_commit_callbacks
):
    assert FREEZE in manager.get(LIST).content.decode()
    form = {"set": "ip", "studies": ["laughs"], "name": "", "seed": 2, "line": "main", "size": 3, "cap": 2}
    with django_capture_on_commit_callbacks(execute=True):
        response = manager.post(FREEZE, form)
    job = FreezeJob.objects.get()
    assert response["Location"] == reverse("admin:exports_freezejob_change", args=[job.pk])
    assert str(job.result) == "laughs v1"
    assert (job.result.seed, job.result.parameters["cap"], job.created_by.username) == (2, 2, "mia")
    page = manager.get(response["Location"]).content.decode()
    assert "Frozen as laughs v1: 3 items" in page
    assert download(job.result) in page
    assert 'data-state="done"' in page


def test_a_job_that_waits_shows_its_sentence_and_its_percentage(world: World, manager: Client):
    job = FreezeJob.objects.create(set="ip", name="demo", progress=60, sentence="Composing the files.")
    page = manager.get(reverse("admin:exports_freezejob_change", args=[job.pk])).content.decode()
    assert 'data-state="waiting"' in page
    assert "Composing the files." in page
    assert 'aria-valuenow="60"' in page


def test_a_form_that_cannot_be_shows_every_fault_and_starts_nothing(world: World, manager: Client):
    factories.study("essays", kind="rationale")
    form = {"set": "ip", "studies": ["essays"], "name": "-x", "seed": -1, "line": "main", "size": 0, "cap": 2}
    page = manager.post(FREEZE, form).content.decode()
    for fault in (
        "is of kind rationale",
        "name: found",
        "seed: found -1",
        "size: found 0; expected at least 1",
    ):
        assert fault in page
    assert not FreezeJob.objects.exists()


def test_trying_again_brings_the_studies_along(world: World, manager: Client):
    job = FreezeJob.objects.create(set="ip", name="demo", state="failed", sentence="Nothing is eligible.")
    job.studies.add(world.study)
    page = manager.get(reverse("admin:exports_freezejob_change", args=[job.pk])).content.decode()
    assert f"{FREEZE}?study=laughs" in page
    boxes = manager.get(f"{FREEZE}?study=laughs").content.decode()
    assert re.search(r'value="laughs"[^>]* checked>', boxes)


def test_who_may_only_look_cannot_freeze(world: World):
    viewer = person("vic", "view_goldsetversion")
    assert FREEZE not in viewer.get(LIST).content.decode()
    assert viewer.get(FREEZE).status_code == 403
    assert viewer.post(FREEZE, {"set": "ip"}).status_code == 403
    assert not FreezeJob.objects.exists()


def test_a_set_with_markup_in_a_job_sentence_is_shown_as_text(world: World, manager: Client):
    job = FreezeJob.objects.create(
        set="ip", name="demo", state="failed", sentence="<script>alert(1)</script>"
    )
    page = manager.get(reverse("admin:exports_freezejob_change", args=[job.pk])).content.decode()
    assert "<script>alert(1)" not in page
