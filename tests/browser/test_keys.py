"""One press, one action, wherever a key stands; none while somebody writes. Mouse and fingers work too."""

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.rater import Rater

pytestmark = pytest.mark.browser

ALT, CONTROL, META, SHIFT = 1, 2, 4, 8
WINDOWS_CODES = {"Digit": 0x30, "Numpad": 0x60}


@pytest.fixture
def rater(new_rater, make_study) -> Rater:
    """Somebody who has watched all three moments and scored none."""
    rater = new_rater(make_study()).begin()
    rater.press("Space")
    for number in (1, 2, 3):
        rater.watched(number).standing()
        if number < 3:
            rater.press("ArrowRight", "Space")
    rater.press("ArrowLeft", "ArrowLeft")
    return rater.watched(1)


def strike(rater: Rater, key: str, code: str, *, modifiers: int = 0, location: int = 0) -> None:
    """Press and release a key of any keyboard: `key` is what it types there, `code` where it stands."""
    devtools = rater.page.context.new_cdp_session(rater.page)
    number = WINDOWS_CODES.get(code[:-1], 0) + int(code[-1]) if code[-1].isdigit() else 0
    event: dict[str, Any] = {"key": key, "code": code, "modifiers": modifiers, "location": location}
    event |= {"windowsVirtualKeyCode": number, "isKeypad": location == 3}
    typed = {"text": key} if len(key) == 1 and not modifiers & ~SHIFT else {}
    devtools.send("Input.dispatchKeyEvent", {"type": "keyDown", **typed, **event})
    devtools.send("Input.dispatchKeyEvent", {"type": "keyUp", **event})
    devtools.detach()


@pytest.mark.parametrize(
    "stroke",
    [
        {"key": "2", "code": "Digit2"},
        {"key": "2", "code": "Numpad2", "location": 3},
        {"key": "ArrowDown", "code": "Numpad2", "location": 3},
        {"key": "é", "code": "Digit2"},
        {"key": "2", "code": "Digit2", "modifiers": SHIFT},
    ],
    ids=["top row", "number pad", "number pad without NumLock", "AZERTY", "AZERTY with Shift"],
)
def test_a_digit_counts_wherever_it_stands(rater, stroke):
    strike(rater, **stroke)
    rater.shows(1, 2).saved()
    assert rater.said == [("answer", "clip1-m0", 2)]


def test_a_key_held_down_acts_once(rater):
    keyboard = rater.page.keyboard
    for _ in range(4):  # every press after the first is a repetition until the key is released
        keyboard.down("2")
    keyboard.up("2")
    rater.shows(1, 2).watched(2).saved()
    rater.page.wait_for_timeout(300)  # or the next digit could be taken for a slip
    for _ in range(4):
        keyboard.down("2")
        rater.page.wait_for_timeout(300)
    keyboard.up("2")
    rater.shows(2, 2).watched(3).saved()
    for _ in range(3):
        keyboard.down("z")
    keyboard.up("z")
    rater.watched(2).shows(1, 2).saved().standing()
    for _ in range(3):
        keyboard.down("Space")
    keyboard.up("Space")
    rater.playing()
    assert [event.action for event in rater.events] == ["answer", "answer", "undo"]
    assert rater.scores == {"clip1-m0": 2}


def test_shortcuts_of_the_browser_are_left_alone(rater):
    for modifiers in (ALT, CONTROL, META, ALT | CONTROL):
        strike(rater, "2", "Digit2", modifiers=modifiers)
    strike(rater, "@", "Digit2", modifiers=SHIFT)
    rater.watched(1)
    assert rater.sent == []


def test_nothing_acts_while_somebody_writes(rater):
    rater.page.evaluate("() => document.querySelector('main').prepend(document.createElement('textarea'))")
    text = rater.page.locator("main > textarea")
    text.focus()
    rater.page.keyboard.type("2 people laugh, z R?")
    expect(text).to_have_value("2 people laugh, z R?")
    rater.standing()
    expect(rater.page.locator("#keys")).to_be_hidden()
    rater.page.locator("body").evaluate(
        """body => {
          document.activeElement.blur();
          const press = { key: "2", code: "Digit2", bubbles: true };
          body.dispatchEvent(new KeyboardEvent("keydown", { ...press, isComposing: true }));
          body.dispatchEvent(new KeyboardEvent("keydown", { ...press, keyCode: 229 }));
        }"""
    )
    rater.watched(1)
    assert rater.sent == []


def test_keys_rest_while_a_dialog_is_open(rater):
    rater.press("?")
    help_ = rater.page.locator("#keys")
    expect(help_).to_be_visible()
    rater.press("2", "z", "r", "ArrowRight")
    rater.press("Escape")
    expect(help_).to_be_hidden()
    rater.watched(1).standing()
    assert rater.sent == []


def test_arrows_on_the_volume_change_the_volume_only(rater):
    volume = rater.page.get_by_role("slider", name="Volume")
    volume.focus()
    rater.press("ArrowLeft")
    expect(volume).to_have_value("95")
    expect(rater.current).to_have_text("1")
    rater.press("2").shows(1, 2)  # digits are free there


def test_space_on_a_focused_button_does_what_the_button_says_once(rater):
    rater.tab_to(rater.page.locator("#sound")).press("Space")
    expect(rater.page.locator("#sound")).to_have_attribute("aria-pressed", "false")
    rater.standing()
    rater.press("Space")
    expect(rater.page.locator("#sound")).to_have_attribute("aria-pressed", "true")
    rater.page.locator("#play").focus()
    rater.press("Space").playing()
    rater.press("Space").standing()


def test_single_keys_can_be_switched_off_and_everything_still_works(rater):
    rater.press("?")
    rater.page.get_by_role("radio", name="nowhere").check()
    rater.press("Escape")
    rater.press("2", "z", "Space", "ArrowRight")
    rater.standing().watched(1)
    assert rater.sent == []
    rater.page.reload()  # and it is remembered
    rater.ready().press("2", "Space")
    rater.standing()
    assert rater.sent == []

    scale = rater.page.get_by_role("radio")
    rater.watched(1).tab_to(scale.first).press("ArrowDown", "ArrowDown", "Enter")
    rater.shows(1, 2).saved()
    rater.tab_to(rater.page.get_by_role("button", name="Keys")).press("Enter")
    rater.page.get_by_role("radio", name="on the whole page").check()
    rater.press("Escape").watched(2).press("1").shows(2, 1)


def test_the_mouse_does_everything(new_rater, make_study):
    rater = new_rater(make_study()).begin()
    rater.page.get_by_role("button", name="Play", exact=True).first.click()
    for number, value in enumerate([3, 0, 1], 1):
        rater.watched(number)
        rater.card(value).click()
        rater.shows(number, value)
    rater.finished(3)
    rater.panel.get_by_role("button", name="Undo").click()
    rater.watched(3)
    rater.moment(2).click()
    expect(rater.current).to_have_text("2")
    rater.card(2).click()
    rater.shows(2, 2).saved()
    assert rater.scores == {"clip1-m0": 3, "clip1-m1": 2}


def test_fingers_do_everything(new_rater, make_study):
    study = make_study()
    rater = new_rater(study, has_touch=True, viewport={"width": 390, "height": 844}).begin()
    rater.page.locator("#big-play").tap()
    for number, value in enumerate([3, 0, 1], 1):
        rater.watched(number)
        rater.card(value).tap()
        rater.shows(number, value)
    rater.finished(3)
    rater.panel.get_by_role("button", name="Next clip").tap()
    expect(rater.cover.locator("h2")).to_have_text("Your work is done")
    assert rater.scores == {"clip1-m0": 3, "clip1-m1": 0, "clip1-m2": 1}


def test_arrows_choose_moments_and_start_two_seconds_before_them(new_rater, make_study):
    moments = ((0.0, 1.5), (5.0, 6.5), (10.5, 12.0))
    rater = new_rater(make_study(film="twelve", moments=moments, parameters={"lead_in_s": 2})).begin()
    time = rater.page.locator("#time")
    for key, number, starts in (
        ("ArrowRight", 2, "0:03.0"),
        ("ArrowRight", 3, "0:08.5"),
        ("ArrowRight", 3, "0:08.5"),
        ("ArrowLeft", 2, "0:03.0"),
        ("ArrowLeft", 1, "0:00.0"),
        ("ArrowLeft", 1, "0:00.0"),
    ):
        rater.press(key)
        expect(rater.current).to_have_text(str(number))
        expect(time).to_have_text(f"{starts} / 0:12.0")
    rater.press("ArrowRight", "ArrowRight", "Space")
    rater.until(lambda: rater.video("video.currentTime > 9"))
    rater.press("r")  # from two seconds before the moment
    rater.until(lambda: rater.video("video.currentTime < 9"))
    rater.score(3, 2).saved()
    assert rater.scores == {"clip1-m2": 2}
