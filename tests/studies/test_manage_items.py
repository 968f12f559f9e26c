"""Practice items and attention checks come in as lines of JSON, all or nothing, and go out as they came."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command

from evaluator.formats import InputRefused
from studies.items_in import items_lines, items_set
from studies.models import StudyUnit
from tests import factories
from tests.studies.managing import address, manager, words
from tests.studies.person import Person, open_study

pytestmark = pytest.mark.django_db

SMILE = {
    "key": "smile",
    "accepts": {"smile-m0": [2, 3], "smile-m1": {"from": 0, "to": 1}},
    "feedback": "A laugh.",
}
SHOUT = {"key": "shout", "accepts": {"shout-m0": [3]}}


@pytest.fixture
def study():
    for name in ("smile", "shout", "calm"):
        factories.clip(name)
    return open_study(factories.clip("work"))


def jsonl(*lines):
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()


def there(study, purpose="practice"):
    units = study.units.filter(purpose=purpose, state=StudyUnit.State.ACTIVE).order_by("order")
    return [(unit.key, unit.accepts, unit.feedback) for unit in units]


def faults(study, data, purpose="practice", name="items.jsonl"):
    with pytest.raises(InputRefused) as refused:
        items_set(study=study, purpose=purpose, file=name, data=data)
    return [problem.text for problem in refused.value.problems]


def test_a_file_sets_the_items_in_its_order_and_a_new_version_freezes_them(study):
    client = manager()
    file = SimpleUploadedFile("practice.jsonl", jsonl(SMILE, SHOUT))
    response = client.post(address(study, "practice"), {"file": file}, follow=True)
    assert "2 items are set." in words(response)
    assert there(study) == [("smile", SMILE["accepts"], "A laugh."), ("shout", SHOUT["accepts"], "")]
    assert "smile-m0 : 2 or 3" in words(response)
    assert "smile-m1 : 0 to 1" in words(response)
    assert [i["key"] for i in study.versions.last().frozen["training"]["items"]] == ["smile", "shout"]
    assert study.log.filter(what="2 items of practice set", by__username="mia").exists()


def test_pasted_text_replaces_them_and_what_is_downloaded_can_be_brought_in_again(study):
    client = manager()
    client.post(address(study, "check"), {"text": jsonl(SHOUT).decode()})
    taken = client.get(address(study, "check_file"))
    assert "laughs-check.jsonl" in taken["Content-Disposition"]
    assert [json.loads(line) for line in taken.content.splitlines()] == [SHOUT]
    versions = study.versions.count()
    client.post(address(study, "check"), {"text": taken.content.decode()})
    assert study.versions.count() == versions  # nothing has changed
    assert taken.content == b"".join(items_lines(study, "check"))
    client.post(address(study, "check"), {"text": ""})
    assert there(study, "check") == []


def test_every_fault_of_a_file_is_told_at_once_with_line_field_found_and_expected(study):
    data = (
        jsonl(
            SMILE,
            {"key": "nowhere"},
            {"accepts": {}},
            {"key": "shout", "accepts": {"gasp": [1]}},
            {"key": "calm", "accepts": {"calm-m0": {"from": 3, "to": 1}, "calm-m1": [7]}},
            {"key": "work"},
            SMILE,
            {"key": "calm", "accept": {}},
            {"key": "calm", "feedback": 3},
        )
        + b"not json\n"
    )
    said = "\n".join(faults(study, data))
    for expected in (
        'line 2, key: found no such item in the catalogue, or a blocked one ("nowhere")',
        "line 3, key: found nothing",
        "line 4, accepts: found the question 'gasp'; expected one of shout-m0, shout-m1",
        "line 5, accepts.calm-m0: found {'from': 3, 'to': 1}; expected from not above to",
        "line 5, accepts.calm-m1: found [7]; expected a rule that accepts at least one of 0, 1, 2, 3",
        'line 6, key: found a study item of this study ("work")',
        'line 7, key: found item 1 again ("smile")',
        "line 8, accept: found an unknown key",
        "line 9, feedback: found 3",
        "line 10: found text that is not JSON",
    ):
        assert expected in said
    assert there(study) == []


def test_the_page_lists_the_faults_as_text_and_keeps_what_was_pasted(study):
    response = manager().post(address(study, "practice"), {"text": '{"key": "<script>alert(1)</script>"}'})
    page = response.content.decode()
    assert "<script>alert" not in page
    assert "pasted text line 1, key" in words(response)
    assert "Nothing was changed" in page
    assert "alert(1)" in response.context["form"]["text"].value()


def test_a_check_that_nobody_could_fail_is_refused(study):
    assert "nobody could fail this check" in faults(study, jsonl({"key": "calm"}), "check")[0]
    assert "nobody could fail this check" in faults(study, jsonl({"key": "calm", "accepts": {}}), "check")[0]


def test_a_byte_order_mark_is_passed_over_and_other_encodings_are_named(study):
    assert items_set(study=study, purpose="practice", file="f", data=b"\xef\xbb\xbf" + jsonl(SMILE)) == 1
    assert "UTF-16" in faults(study, jsonl(SMILE).decode().encode("utf-16"))[0]


def test_file_and_text_at_once_are_refused(study):
    sent = {"file": SimpleUploadedFile("a.jsonl", jsonl(SMILE)), "text": jsonl(SHOUT).decode()}
    assert "not both" in words(manager().post(address(study, "practice"), sent))
    assert there(study) == []


def test_items_that_people_have_worked_on_stay_stored(study):
    items_set(study=study, purpose="practice", file="f", data=jsonl(SMILE))
    person = Person.joins(study)
    assert person.open()["practice"]["of"] == 1
    items_set(study=study, purpose="practice", file="f", data=jsonl(SHOUT))
    assert study.units.get(key="smile").state == "withdrawn"
    assert [key for key, _, _ in there(study)] == ["shout"]


def test_the_command_sets_them_and_names_every_fault(study, tmp_path, capsys):
    file = tmp_path / "checks.jsonl"
    file.write_bytes(jsonl(SHOUT))
    call_command("set_items", "laughs", "check", str(file))
    assert "1 items of check set in laughs." in capsys.readouterr().out
    file.write_bytes(jsonl({"key": "nowhere"}, {"key": "calm"}))
    with pytest.raises(CommandError) as refused:
        call_command("set_items", "laughs", "check", str(file))
    assert "checks.jsonl line 1, key" in str(refused.value)
    assert "checks.jsonl line 2, accepts" in str(refused.value)
    with pytest.raises(CommandError, match="near: laughs"):
        call_command("set_items", "laughts", "check", str(file))
    with pytest.raises(CommandError, match="No such file"):
        call_command("set_items", "laughs", "check", str(tmp_path / "absent"))
    assert [key for key, _, _ in there(study, "check")] == ["shout"]
