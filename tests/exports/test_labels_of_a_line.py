"""Labels of a release line: pseudonyms that stay, tell nothing, and cannot be matched across lines."""

import hashlib
import hmac

import pytest
from django.test import override_settings
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from annotation.goldset import creator_stable_id
from annotation.queries import RatedClip
from exports.labels import LabelPlan, LineMoved, line_key
from exports.models import ReleaseLabel

PEOPLE = [f"person{n}" for n in range(30)]


def fixed(line: str, ids: list[str]) -> dict[str, str]:
    """The labels of people in a line, made lasting."""
    plan = LabelPlan(line)
    labels = dict(plan.labels().raters(ids))
    plan.fix()
    return labels


def test_numbers_follow_the_keyed_hash_of_the_ids(db: None):
    key = line_key("main")
    order = sorted(PEOPLE, key=lambda person: hmac.new(key, person.encode(), hashlib.sha256).digest())
    assert fixed("main", PEOPLE) == {person: f"R{n}" for n, person in enumerate(order, start=1)}
    assert order != PEOPLE


def test_each_kind_of_thing_has_its_letter(db: None):
    labels = LabelPlan("main").labels()
    assert labels.raters(["x"]) == {"x": "R1"}
    assert labels.creators(["x"]) == {"x": "P1"}
    assert labels.channels(["x"]) == {"x": "C1"}
    assert labels.source_groups(["x"]) == {"x": "S1"}


def test_new_ids_come_after_those_already_fixed(db: None):
    first = fixed("main", PEOPLE[:10])
    second = fixed("main", PEOPLE)
    assert {person: second[person] for person in PEOPLE[:10]} == first
    assert {second[person] for person in PEOPLE[10:]} == {f"R{n}" for n in range(11, 31)}


def test_asking_alone_fixes_nothing(db: None):
    LabelPlan("main").labels().raters(PEOPLE)
    assert not ReleaseLabel.objects.exists()


def test_another_line_numbers_in_an_order_of_its_own(db: None):
    assert fixed("main", PEOPLE) != fixed("other", PEOPLE)


def test_another_installations_key_gives_another_order(db: None):
    here = LabelPlan("main").labels().raters(PEOPLE)
    with override_settings(LABEL_KEY="another key"):
        assert LabelPlan("main").labels().raters(PEOPLE) != here


def test_labels_stay_even_when_the_key_is_lost(db: None):
    first = fixed("main", PEOPLE)
    with override_settings(LABEL_KEY="another key"):
        assert fixed("main", PEOPLE) == first


def test_a_plan_that_somebody_overtook_is_refused(db: None):
    slow = LabelPlan("main")
    slow.labels().raters(["slow"])
    fixed("main", ["quick"])
    with pytest.raises(LineMoved):
        slow.fix()
    assert list(ReleaseLabel.objects.values_list("stable_id", flat=True)) == ["quick"]


names = st.text(min_size=1, max_size=200)


@given(names, names, names, names)
def test_creators_share_an_id_only_when_channel_and_name_agree(a: str, b: str, c: str, d: str):
    def stable(channel: str, creator: str) -> str:
        return creator_stable_id(RatedClip("clip", 1000, "comedy", "group", creator, channel))

    assert (stable(a, b) == stable(c, d)) == ((a, b) == (c, d))
    assert len(stable(a, b)) <= 420


class LabelsInPortions(TestCase):
    """However ids arrive over several freezes, each gets one label and numbers have no gap."""

    @settings(max_examples=25, deadline=None)
    @given(st.lists(st.lists(st.sampled_from(PEOPLE), max_size=8), max_size=5))
    def test_every_id_keeps_one_label_and_numbers_have_no_gap(self, portions: list[list[str]]):
        seen: dict[str, str] = {}
        for portion in portions:
            now = fixed("main", portion)
            assert all(seen.get(person, label) == label for person, label in now.items())
            seen |= now
        assert set(seen.values()) == {f"R{n}" for n in range(1, len(seen) + 1)}
