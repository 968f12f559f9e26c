"""Links and codes, ready to copy: what goes to Prolific, which code is for which path, who is kept out."""

import re

import pytest
from django.test import Client

from studies.errors import Refused
from studies.models import CompletionCode, Path, Study
from studies.services.codes import code_new, codes_fill, codes_set
from tests import factories
from tests.studies.arriving import STUDY_ID, Arriving, an_id, prolific_study
from tests.studies.managing import address, manager, words
from tests.studies.person import Person, open_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return open_study(factories.clip())


def copied(page):
    """The texts that the Copy buttons of a page copy, by the id of the element."""
    body = page.content.decode()
    buttons = re.findall(r'data-copy="([^"]+)"', body)
    return {
        name: re.search(rf'id="{re.escape(name)}">([^<]*)<', body)[1].replace("&amp;", "&")
        for name in buttons
    }


def test_both_links_can_be_copied_whole(study):
    texts = copied(manager().get(address(study, "links")))
    assert texts["study-link"] == "http://testserver/join/laughs/"
    assert texts["prolific-link"] == (
        "http://testserver/join/laughs/?PROLIFIC_PID={{%PROLIFIC_PID%}}"
        "&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
    )


def test_the_study_url_works_once_prolific_has_filled_it_in():
    study = prolific_study(factories.clip())
    url = copied(manager().get(address(study, "links")))["prolific-link"]
    ids = {"PROLIFIC_PID": an_id(1), "STUDY_ID": STUDY_ID, "SESSION_ID": an_id(1, "c")}
    for name, value in ids.items():
        url = url.replace(f"{{{{%{name}%}}}}", value)
    assert Client().get(url, follow=True).status_code == 200
    assert Arriving(study).agrees().here is not None


def test_each_path_has_its_code_and_its_redirect_address_to_copy(study):
    codes_fill(study=study)
    texts = copied(manager().get(address(study, "links")))
    for code in study.codes.all():
        assert texts[f"code-{code.path}"] == code.code
        assert texts[f"url-{code.path}"] == f"https://app.prolific.com/submissions/complete?cc={code.code}"
    assert study.codes.count() == len(Path.values)


def test_random_codes_can_be_read_out_and_are_all_different(study):
    codes_set(study=study, codes={"completed": "MINE"})
    client = manager()
    assert "9 codes made" in words(client.post(address(study, "links_fill"), follow=True))
    codes = dict(study.codes.values_list("path", "code"))
    assert codes.pop("completed") == "MINE"
    assert len(set(codes.values())) == 9
    assert all(re.fullmatch("C[A-HJKMNP-RT-Y346789]{7}", code) for code in codes.values())
    assert "Every path has a code already" in words(client.post(address(study, "links_fill"), follow=True))
    assert len({code_new() for _ in range(500)}) == 500


def test_codes_are_edited_in_one_form_and_the_log_says_which(study):
    client = manager()
    response = client.post(address(study, "links"), {"completed": " ABC123 ", "halted": "STOP"}, follow=True)
    assert "2 codes changed" in words(response)
    assert dict(study.codes.values_list("path", "code")) == {"completed": "ABC123", "halted": "STOP"}
    assert study.log.filter(what="completion codes changed: completed, study halted").exists()
    assert "ABC123" not in " ".join(study.log.values_list("what", flat=True))
    client.post(address(study, "links"), {"completed": "ABC123"})
    assert dict(study.codes.values_list("path", "code")) == {"completed": "ABC123"}
    assert "No code was changed" in words(
        client.post(address(study, "links"), {"completed": "ABC123"}, follow=True)
    )


def test_a_code_that_prolific_could_not_take_is_an_error_at_its_path(study):
    page = words(manager().post(address(study, "links"), {"completed": "AB C", "halted": "OK"}))
    assert "expected letters and digits without spaces" in page
    assert not study.codes.exists()


def test_two_paths_with_one_code_are_allowed_with_a_warning(study):
    page = manager().post(address(study, "links"), {"completed": "SAME", "halted": "SAME"}, follow=True)
    assert "Several paths share a code: SAME" in words(page)


def test_a_study_open_to_prolific_keeps_a_code_for_each_path():
    study = prolific_study(factories.clip())
    with pytest.raises(Refused, match="needs a code for: completed"):
        codes_set(study=study, codes={"completed": ""})
    assert CompletionCode.objects.filter(study=study).count() == len(Path.values)
    codes_set(study=study, codes={"completed": "OTHER"})
    assert study.codes.get(path="completed").code == "OTHER"


def test_what_is_lacking_before_opening_is_said_in_words():
    study = Study.objects.create(slug="d", title="D", kind="intensity", consent="", contact="")
    page = words(manager().get(address(study, "links")))
    for lacking in ("it has no units yet", "its consent text is empty", "it names no contact"):
        assert lacking in page
    ready = open_study(factories.clip())
    Study.objects.filter(pk=ready.pk).update(state="draft")
    assert "Nothing is lacking" in words(manager(name="max").get(address(ready, "links")))


# --- who is kept out -------------------------------------------------------------------------------------


@pytest.fixture
def kept_apart():
    """A study that keeps out the people of another; two of that, one of its own, one of a third study."""
    earlier = prolific_study(factories.clip(), slug="earlier")
    third = prolific_study(factories.clip(), slug="third")
    study = prolific_study(factories.clip(), slug="later")
    study.keeps_out.add(earlier)
    Arriving(earlier, pid=1, session=1).agrees()
    Arriving(earlier, pid=2, session=2).agrees()
    Arriving(study, pid=3, session=3).agrees()
    Arriving(third, pid=4, session=4).agrees()
    Person.joins(open_study(factories.clip(), slug="lab"))
    return study


def test_the_exclusion_list_has_one_id_a_line_of_those_studies_and_its_own(kept_apart):
    response = manager("see_identities").post(address(kept_apart, "links_exclusion"))
    assert response.content.decode().split("\r\n") == [an_id(1), an_id(2), an_id(3), ""]
    assert "later-exclusion.csv" in response["Content-Disposition"]
    assert "no-store" in response["Cache-Control"]
    assert kept_apart.log.filter(what="exclusion list exported: 3 Prolific ids", by__username="mia").exists()
    assert an_id(1) not in " ".join(kept_apart.log.values_list("what", flat=True))


def test_others_get_no_list_and_see_no_id_on_any_page(kept_apart):
    client = manager("view_enrolment")
    assert client.post(address(kept_apart, "links_exclusion")).status_code == 403
    assert not kept_apart.log.filter(what__startswith="exclusion").exists()
    for page in ("links", "pay", "pay_file", "waves", "invitations", "change"):
        assert an_id(3) not in client.get(address(kept_apart, page)).content.decode()
    assert "your account may not see" in words(client.get(address(kept_apart, "links")))
