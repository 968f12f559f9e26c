"""Two tabs or devices of one person: the newest one works, and nothing is answered twice."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def test_a_second_tab_takes_over_and_the_first_can_take_it_back(new_rater, make_study):
    first = new_rater(make_study()).begin()
    first.press("Space").score(1, 2).saved()
    second = first.in_another(first.page.context.new_page()).begin()

    expect(first.cover.locator("h2")).to_have_text("This study is open in another tab")
    expect(second.moment(1)).to_have_attribute("data-state", "done")
    first.page.bring_to_front()
    first.press("3", "z", "Space")
    first.standing()
    assert len(first.sent) == 1

    first.press("Enter")  # "Use this tab" has the focus
    expect(first.cover).to_be_hidden()
    expect(second.cover.locator("h2")).to_have_text("This study is open in another tab")
    first.ready().press("Space").score(2, 1).score(3, 0).finished(3)

    assert first.scores == {"clip1-m0": 2, "clip1-m1": 1, "clip1-m2": 0}
    assert len(first.events) == 3
    assert second.sent == []


def test_an_answer_from_the_older_device_is_refused_and_shown_beside_what_is_stored(
    new_rater, new_context, make_study
):
    old = new_rater(make_study()).begin()
    old.press("Space").watched(1)
    new = old.in_another(new_context().new_page()).begin()
    new.press("Space").score(1, 3).saved()

    old.press("1")
    expect(old.cover.locator("h2")).to_have_text("This study is open in another tab")
    expect(old.cover).to_contain_text("1 answer waits in this browser and will be sent.")
    assert old.replies == [409]
    assert old.said == [("answer", "clip1-m0", 3)]

    old.cover.get_by_role("button", name="Use this tab").click()
    expect(old.note).to_contain_text(
        "Moment 1: 3 Peak is what is stored, from another tab or device. Your 1 Mild was not saved."
    )
    expect(old.card(3)).to_have_attribute("aria-checked", "true")
    assert old.replies == [409, 409]
    assert old.said == [("answer", "clip1-m0", 3)]
    assert old.scores == {"clip1-m0": 3}

    old.rescore(1, 1).saved()
    expect(old.note).to_be_hidden()
    assert old.scores == {"clip1-m0": 1}
    stored, changed = old.events
    assert changed.replaces == stored

    new.press("ArrowLeft", "0")
    expect(new.cover.locator("h2")).to_have_text("This study is open in another tab")
    assert new.replies == [201, 409]
    assert new.scores == {"clip1-m0": 1}
    assert len(new.events) == 2
