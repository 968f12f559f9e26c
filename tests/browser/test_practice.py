"""The practice before the work: where one is, what each answer was worth, and what a round comes to."""

import pytest
from playwright.sync_api import expect

from annotation.models import Score
from studies.models import Assignment, Enrolment, Path

pytestmark = pytest.mark.browser

ONE = ((0.0, 1.5),)


def item(number: int, *accepted: int, says: str = "") -> dict:
    return {"key": f"clip{number}", "accepts": {f"clip{number}-m0": list(accepted)}, "feedback": says}


PRACTICE = [item(1, 2, 3, says="A laugh aloud is Clear at least."), item(2, 0)]


@pytest.fixture
def rater(new_rater, make_study):
    study = make_study(clips=3, moments=ONE, practice=PRACTICE, training_pass=2, training_attempts=2)
    return new_rater(study).arrive()


def starts(rater, title: str, button: str):
    """What is said before the next clip is read, and left behind with the keyboard."""
    expect(rater.cover.locator("h2")).to_have_text(title)
    expect(rater.cover.get_by_role("button", name=button)).to_be_focused()
    rater.press("Enter")
    expect(rater.cover).to_be_hidden()
    return rater.ready()


def banner(rater):
    return rater.page.locator("#practice")


def feedback(rater):
    return rater.page.locator("#feedback")


def test_each_answer_is_told_whether_it_was_accepted_until_the_next_act(rater):
    starts(rater, "Practice first", "Start the practice")
    expect(banner(rater)).to_have_text(
        "Practice 1 of 2 · try 1 of 2 · 2 of 2 needed · your first answer counts"
    )
    expect(rater.page.locator("#progress")).to_be_hidden()
    expect(rater.page.locator("#count")).to_be_hidden()
    rater.press("Space").score(1, 1)
    said = "Not accepted Moment 1: 1 Mild. Expected: 2 or 3. A laugh aloud is Clear at least."
    expect(feedback(rater)).to_have_text(said, use_inner_text=True)
    expect(rater.page.locator("#announce")).to_have_text(said.replace("accepted ", "accepted. "))
    rater.press("r")  # the next act
    expect(feedback(rater)).to_be_hidden()
    rater.press("Enter")
    expect(banner(rater)).to_contain_text("Practice 2 of 2")
    rater.ready().press("Space").score(1, 0)
    expect(feedback(rater)).to_contain_text("Accepted")
    expect(feedback(rater)).to_have_attribute("data-accepted", "true")


def test_the_first_answer_counts_and_there_is_no_undo(rater):
    starts(rater, "Practice first", "Start the practice").press("Space").score(1, 1)
    expect(feedback(rater)).to_be_visible()
    expect(rater.panel.get_by_role("button", name="Undo")).to_have_count(0)
    expect(rater.page.locator("#key-undo")).to_be_disabled()
    rater.press("z")
    expect(rater.note).to_contain_text("In practice the first answer counts")
    rater.press("ArrowLeft")
    rater.page.wait_for_timeout(300)
    rater.press("3")
    expect(rater.line).to_have_text("Rated 1 Mild. In practice the first answer counts.")
    expect(rater.card(1)).to_have_attribute("aria-checked", "true")
    assert [value for _, _, value in rater.said] == [1]


def round_of(rater, *values: int):
    """Answer the practice clips, one after the other, and ask how it went."""
    for number, value in enumerate(values, 1):
        expect(banner(rater)).to_contain_text(f"Practice {number} of {len(values)}")
        rater.ready().press("Space").score(1, value).saved()
        rater.press("Enter")
    return rater


def test_a_failed_round_says_how_many_were_right_and_a_passed_one_leads_to_the_real_clips(rater):
    starts(rater, "Practice first", "Start the practice")
    round_of(rater, 1, 0)
    expect(rater.cover).to_contain_text("1 of 2 was right, and 2 are needed.")
    expect(rater.cover).to_contain_text("This is the last try.")
    starts(rater, "Practice: try 2 of 2", "Try again")
    round_of(rater, 2, 0)
    expect(rater.cover).to_contain_text("Now the real clips.")
    rater.page.reload()  # what has not been read is said again
    starts(rater, "Practice passed", "Start")
    expect(banner(rater)).to_be_hidden()
    expect(rater.page.locator("#count")).to_have_text("Clip 1 of 1")
    rater.press("Space").score(1, 1)
    expect(feedback(rater)).to_be_hidden()
    rater.rescore(1, 3).finished(1)
    assert rater.scores == {"clip3-m0": 3}
    assert Score.objects.count() == 1


def test_whoever_fails_the_last_round_is_led_to_the_end_page(rater):
    starts(rater, "Practice first", "Start the practice")
    round_of(rater, 1, 0)
    starts(rater, "Practice: try 2 of 2", "Try again")
    round_of(rater, 2, 1)
    rater.page.wait_for_url("**/thanks/")
    enrolment = Enrolment.objects.get()
    assert (enrolment.state, enrolment.path) == ("handed_in", Path.FAILED_TRAINING)
    assert Assignment.objects.filter(purpose="practice").count() == 4


def test_a_reload_in_the_practice_goes_on_at_the_same_item(rater):
    starts(rater, "Practice first", "Start the practice").press("Space").score(1, 2).saved()
    rater.press("Enter")
    expect(banner(rater)).to_contain_text("Practice 2 of 2")
    rater.page.reload()
    expect(banner(rater)).to_contain_text("Practice 2 of 2 · try 1 of 2")
    expect(rater.cover).to_be_hidden()
    rater.ready()
