"""A manager takes clips and creators out of sight, and looks at the catalogue."""

import pytest
from django.test import Client
from django.urls import reverse

from catalogue.importing import catalogue_import
from catalogue.models import Clip, Creator, Moment
from catalogue.queries import blocked_clip_ids
from catalogue.services import clip_block, clip_unblock, creator_block, creator_unblock
from tests.catalogue.folders import Folder, clip_line, moment_line, window_line

pytestmark = pytest.mark.django_db

TABLES = ["clip", "creator", "channel", "moment", "stimuluswindow", "nomination", "mediaversion"]


@pytest.fixture
def catalogue(folder: Folder) -> Folder:
    """Three clips, two of them by one creator, whose name is markup."""
    folder.clips(
        clip_line("c1", creator="<b>Ada</b>"),
        clip_line("c2", creator="<b>Ada</b>"),
        clip_line("c3", creator="Grace"),
    )
    nomination = {"selector": "<i>s</i>", "score": 1, "rank": 1, "evidence": "<script>alert(1)</script>"}
    folder.moments(moment_line("m1", "c1", nomination=nomination)).windows(window_line("w1"))
    catalogue_import(folder.path)
    return folder


def blocked() -> set[str]:
    return blocked_clip_ids(["c1", "c2", "c3"])


def test_a_blocked_clip_is_out_of_sight_until_it_is_unblocked(catalogue: Folder) -> None:
    assert blocked() == set()
    assert clip_block(clip_ids=["c1"]) == 1
    assert blocked() == {"c1"}
    since = Clip.objects.get(clip_id="c1").blocked_at
    assert clip_block(clip_ids=["c1", "c3"]) == 1
    assert Clip.objects.get(clip_id="c1").blocked_at == since
    assert clip_unblock(clip_ids=["c1"]) == 1
    assert blocked() == {"c3"}


def test_a_blocked_creator_takes_all_their_clips_along(catalogue: Folder) -> None:
    ada = Creator.objects.get(name="<b>Ada</b>")
    assert creator_block(creators=[ada.pk]) == 1
    assert blocked() == {"c1", "c2"}
    clip_unblock(clip_ids=["c1"])
    assert blocked() == {"c1", "c2"}
    assert creator_unblock(creators=[ada.pk]) == 1
    assert blocked() == set()


def test_an_import_does_not_lift_a_block(catalogue: Folder) -> None:
    clip_block(clip_ids=["c1"])
    catalogue.clips(clip_line("c1", category="news"))
    catalogue_import(catalogue.path)
    assert blocked() == {"c1"}


@pytest.mark.parametrize("across", [{}, {"select_across": "1"}])
def test_the_admin_asks_before_it_blocks(
    catalogue: Folder, admin_client: Client, across: dict[str, str]
) -> None:
    page = reverse("admin:catalogue_clip_changelist") + "?q=Ada"
    chosen = {"action": "block_selected", "_selected_action": [Clip.objects.get(clip_id="c1").pk], **across}
    question = admin_client.post(page, chosen)
    assert b"Show these clips to nobody?" in question.content
    assert blocked() == set()
    done = admin_client.post(page, chosen | {"confirmed": "yes"}, follow=True)
    count = 2 if across else 1
    assert f"{count} clip{'s' * (count > 1)} blocked." in done.content.decode()
    assert blocked() == ({"c1", "c2"} if across else {"c1"})
    admin_client.post(page, chosen | {"action": "unblock_selected", "confirmed": "yes"})
    assert blocked() == set()


def test_the_admin_blocks_creators_too(catalogue: Folder, admin_client: Client) -> None:
    page = reverse("admin:catalogue_creator_changelist")
    chosen = {"action": "block_selected", "_selected_action": [Creator.objects.get(name="Grace").pk]}
    assert b"Show no clip of these creators" in admin_client.post(page, chosen).content
    admin_client.post(page, chosen | {"confirmed": "yes"})
    assert blocked() == {"c3"}


@pytest.mark.parametrize("table", TABLES)
def test_every_table_can_be_looked_at_and_none_be_edited(
    catalogue: Folder, admin_client: Client, table: str
) -> None:
    listed = admin_client.get(reverse(f"admin:catalogue_{table}_changelist"), {"q": "c"})
    assert listed.status_code == 200
    row = Clip._meta.apps.get_model("catalogue", table)._default_manager.first()
    shown = admin_client.get(reverse(f"admin:catalogue_{table}_change", args=[row.pk]))
    assert shown.status_code == 200
    assert b'name="_save"' not in shown.content
    for text in ("<b>Ada</b>", "<i>s</i>", "<script>alert(1)</script>"):
        assert text not in listed.content.decode() + shown.content.decode()
    assert admin_client.get(reverse(f"admin:catalogue_{table}_add")).status_code == 403
    delete = admin_client.post(reverse(f"admin:catalogue_{table}_delete", args=[row.pk]), {"post": "yes"})
    assert delete.status_code == 403


def test_a_hand_made_form_changes_no_times(catalogue: Folder, admin_client: Client) -> None:
    moment = Moment.objects.get()
    address = reverse("admin:catalogue_moment_change", args=[moment.pk])
    admin_client.post(address, {"moment_id": "x", "start_ms": 5, "end_ms": 9, "clip": moment.clip_id})
    moment.refresh_from_db()
    assert (moment.moment_id, moment.start_ms, moment.end_ms) == ("m1", 0, 1500)


def test_the_list_says_what_each_clip_has_and_finds_blocked_ones(
    catalogue: Folder, admin_client: Client
) -> None:
    clip_block(clip_ids=["c3"])
    page = reverse("admin:catalogue_clip_changelist")
    answer = admin_client.get(page)
    assert "There are no clips yet" not in answer.content.decode()
    assert {
        clip.clip_id: (clip.moment_count, clip.media_count) for clip in answer.context["cl"].result_list
    } == {
        "c1": (1, 2),
        "c2": (0, 2),
        "c3": (0, 2),
    }
    found = admin_client.get(page, {"blocked": "yes"}).context["cl"].result_list
    assert [clip.clip_id for clip in found] == ["c3"]


def test_an_empty_list_says_how_clips_come_in(admin_client: Client) -> None:
    text = admin_client.get(reverse("admin:catalogue_clip_changelist")).content.decode()
    assert "manage.py import_catalogue DIR" in text
