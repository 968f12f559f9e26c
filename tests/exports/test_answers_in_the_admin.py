"""Managers take answers out and bring answers in on one page of the admin; others do neither."""

import json

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command

from annotation.models import Score
from exports.answers import events_lines, ratings_lines
from studies.identity import ParticipantIdentity
from studies.models import Study
from tests import factories

pytestmark = pytest.mark.django_db
LIST = "/admin/exports/studyanswers/"


@pytest.fixture
def study():
    factories.clip("k1", moments=[(0, 2), (3, 5)])
    return Study.objects.create(slug="laughs", title="Laughs", kind="intensity", consent="c", contact="x")


def ratings(*rows, end="\n"):
    lines = (json.dumps({"moment_id": m, "rater": r, "score": s}, ensure_ascii=False) for m, r, s in rows)
    return end.join(lines).encode() + b"\n"


def bring(client, study, data, *, name="pilot", file="ratings.jsonl"):
    form = {"file": SimpleUploadedFile(file, data), "name": name}
    return client.post(f"{LIST}{study.pk}/import/", form, follow=True)


def test_an_uploaded_file_is_imported_and_said_in_a_sentence(admin_client, study):
    page = bring(admin_client, study, ratings(("k1-m0", "ana", 3), ("k1-m1", "ana", 0)))
    assert "2 ratings imported, 1 new raters." in page.content.decode()
    again = bring(admin_client, study, ratings(("k1-m0", "ana", 3), ("k1-m1", "ana", 0)))
    assert "Nothing new: all 2 ratings were there already." in again.content.decode()
    assert Score.objects.count() == 2


def test_every_problem_of_a_file_is_listed_with_its_line_and_nothing_changes(admin_client, study):
    data = ratings(("k1-m0", "ana", 3), ("nowhere", "ana", 0), ("k1-m1", "ana", 1), ("gone", "bo", 1))
    page = bring(admin_client, study, data).content.decode()
    assert "ratings.jsonl line 2" in page
    assert "ratings.jsonl line 4" in page
    assert not Score.objects.exists()


def test_what_a_file_says_is_shown_as_text(admin_client, study):
    page = bring(admin_client, study, ratings(("<script>alert(1)</script>", "ana", 3))).content.decode()
    assert "<script>alert(1)" not in page


def test_both_files_can_be_downloaded(admin_client, study):
    bring(admin_client, study, ratings(("k1-m0", "ana", 3), ("k1-m1", "ana", 0)))
    assert admin_client.get(f"{LIST}{study.pk}/secrets.jsonl").status_code == 404
    expected = {"ratings": b"".join(ratings_lines(study)), "events": b"".join(events_lines(study))}
    answers = {what: admin_client.get(f"{LIST}{study.pk}/{what}.jsonl") for what in expected}
    assert "laughs-events.jsonl" in answers["events"]["Content-Disposition"]
    assert {what: b"".join(answer.streaming_content) for what, answer in answers.items()} == expected


def test_staff_without_the_permissions_neither_take_out_nor_bring_in(client, study):
    client.force_login(User.objects.create_user("temp", is_staff=True))
    assert client.get(f"{LIST}{study.pk}/events.jsonl").status_code == 403
    assert bring(client, study, ratings(("k1-m0", "ana", 3))).status_code == 403
    assert not Score.objects.exists()


def test_people_who_are_not_staff_are_sent_to_the_login(client, study):
    answer = client.get(f"{LIST}{study.pk}/ratings.jsonl")
    assert answer.status_code == 302
    assert "/login/" in answer["Location"]


def test_ids_come_in_as_they_are_written_whatever_they_look_like(study, tmp_path):
    odd = ["007", "7", "nan", "12.0", 'a, "b"\nc', "🙂", "مُقيِّم"]
    file = tmp_path / "odd ids.jsonl"
    file.write_bytes(ratings(*[("k1-m0", rater, 1) for rater in odd]))
    call_command("import_ratings", "laughs", file)
    assert set(ParticipantIdentity.objects.values_list("external_id", flat=True)) == set(odd)
    assert set(ParticipantIdentity.objects.values_list("source", flat=True)) == {"import:odd-ids"}


def test_the_command_names_every_problem_and_the_study_that_was_meant(study, tmp_path):
    file = tmp_path / "r.csv"
    file.write_text("moment_id,rater,score\nk1-m0,ana,4\nk1-m1,ana,x\n")
    with pytest.raises(CommandError) as refused:
        call_command("import_ratings", "laughs", file)
    assert "r.csv line 2" in str(refused.value)
    assert "r.csv line 3" in str(refused.value)
    with pytest.raises(CommandError, match="near: laughs"):
        call_command("import_ratings", "laughts", file)
    with pytest.raises(CommandError, match="No such file"):
        call_command("import_ratings", "laughs", tmp_path / "absent.csv")
