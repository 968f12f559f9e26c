"""A rater at a browser: what they see on the page, what they press, and what the database has of them."""

import re
from collections.abc import Callable, Sequence
from typing import Any, Self

from playwright.sync_api import Locator, Page, Request, Response, expect

from annotation.models import Score
from studies.models import Assignment, Enrolment, ResponseEvent, Study
from studies.services.enrolment import enrolment_join
from tests.services.processes import wait_until

PATIENCE_MS = 30_000
"""How long a test waits for what should come at once: the machine may be busy."""


class Rater:
    """One person in one browser tab. `sent` and `replies` are what went to and came from the events API."""

    def __init__(self, page: Page, url: str, study: Study, enrolment: Enrolment, token: str) -> None:
        page.set_default_timeout(PATIENCE_MS)
        self.page, self.url, self.study = page, url, study
        self.enrolment, self.return_address = enrolment, f"{url}/return/{token}/"
        self.sent: list[Any] = []
        self.replies: list[int] = []
        page.on("request", self._note_request)
        page.on("response", self._note_reply)

    @classmethod
    def joining(cls, page: Page, url: str, study: Study) -> Self:
        """Somebody new who has agreed to take part."""
        return cls(page, url, study, *enrolment_join(study=study))

    def in_another(self, page: Page) -> Self:
        """The same person in another tab or browser."""
        return type(self)(page, self.url, self.study, self.enrolment, self.return_address.split("/")[-2])

    def _note_request(self, request: Request) -> None:
        if request.url.endswith("/events"):
            self.sent.append(request.post_data_json)

    def _note_reply(self, response: Response) -> None:
        if response.url.endswith("/events"):
            self.replies.append(response.status)

    # --- what is on the page ---------------------------------------------------------------------------

    @property
    def line(self) -> Locator:
        """The line above the scale, which says what has to happen first."""
        return self.page.locator("#line-text")

    @property
    def pill(self) -> Locator:
        """The pill that says where the answers are."""
        return self.page.locator("#saved")

    @property
    def panel(self) -> Locator:
        """The panel over the clip: what is done, what comes next."""
        return self.page.locator("#panel")

    @property
    def cover(self) -> Locator:
        """The notice that takes the whole page."""
        return self.page.locator("#cover")

    @property
    def note(self) -> Locator:
        """What was not saved, and what is stored instead."""
        return self.page.locator("#note")

    @property
    def current(self) -> Locator:
        """The blue moment on the timeline."""
        return self.page.locator('#marks button[aria-current="true"]')

    def moment(self, number: int) -> Locator:
        """A moment on the timeline, counted from 1."""
        return self.page.locator("#marks button").nth(number - 1)

    def card(self, value: int) -> Locator:
        """A point of the scale."""
        return self.page.locator(f'#scale [data-value="{value}"]')

    def video(self, expression: str) -> Any:
        """A JavaScript expression about the video, called `video`."""
        return self.page.evaluate(
            f"() => {{ const video = document.querySelector('video'); return {expression}; }}"
        )

    def until(self, what: Callable[[], Any]) -> None:
        """Wait until a condition holds while the browser goes on."""

        def holds() -> bool:
            self.page.wait_for_timeout(20)  # hands over to the browser's events
            return bool(what())

        wait_until(holds, PATIENCE_MS / 1000)

    # --- what they do ----------------------------------------------------------------------------------

    def arrive(self) -> Self:
        """Come through the personal return address; a clip is on the desk."""
        self.page.goto(self.return_address)
        expect(self.current).to_be_visible()
        return self

    def begin(self) -> Self:
        """Come through the personal return address; a clip is on the desk and its film is there."""
        return self.arrive().ready()

    def ready(self) -> Self:
        """Wait until the clip on the desk has been loaded whole, so that it plays without the network."""
        expect(self.current).to_be_visible()
        self.until(lambda: self.video("video.readyState > 3 && video.buffered.length === 1"))
        self.until(lambda: self.video("video.buffered.end(0) > video.duration - 0.2"))
        return self

    def press(self, *keys: str) -> Self:
        """Press keys one after the other."""
        for key in keys:
            self.page.keyboard.press(key)
        return self

    def tab_to(self, target: Locator) -> Self:
        """Press Tab until the focus is there."""
        for _ in range(40):
            self.press("Tab")
            if target.evaluate("element => element === document.activeElement"):
                return self
        raise AssertionError(f"Tab does not reach {target}")

    def watched(self, number: int) -> Self:
        """Wait until that moment, playing now, has been watched and its score is free."""
        expect(self.line).to_have_text(f"Rate moment {number}: 0, 1, 2 or 3")
        return self

    def playing(self) -> Self:
        """Wait until the clip plays."""
        expect(self.page.locator("#play")).to_have_attribute("aria-label", "Pause")
        self.until(lambda: self.video("!video.paused"))
        return self

    def standing(self) -> Self:
        """Wait until the clip stands still."""
        expect(self.page.locator("#play")).to_have_attribute("aria-label", "Play")
        self.until(lambda: self.video("video.paused"))
        return self

    def score(self, number: int, value: int) -> Self:
        """Watch a moment that is playing to its end and score it; the page shows the score."""
        return self.watched(number).press(str(value)).shows(number, value)

    def rescore(self, number: int, value: int) -> Self:
        """Give the current moment, watched before, another score."""
        self.page.wait_for_timeout(300)  # a second digit sooner than a person means one is not taken
        self.press(str(value))
        return self.shows(number, value)

    def shows(self, number: int, value: int) -> Self:
        """Wait until the page shows that score of a moment."""
        expect(self.moment(number)).to_have_attribute("aria-label", re.compile(rf"rated {value} \w+$"))
        return self

    def rate_clip(self, values: Sequence[int]) -> Self:
        """Watch and score the moments of the clip on the desk, from the first on."""
        self.press("Space")
        for number, value in enumerate(values, 1):
            self.score(number, value)
        return self.finished(len(values))

    def finished(self, moments: int) -> Self:
        """Wait until the clip is done and everything is stored."""
        done = "The moment is rated" if moments == 1 else f"All {moments} moments rated"
        expect(self.panel.locator("h2")).to_have_text(done)
        return self.saved()

    def saved(self) -> Self:
        """Wait until the page says that everything is stored."""
        expect(self.pill).to_have_attribute("data-state", "saved")
        return self

    def next_clip(self) -> Self:
        """Go on to the next clip, which is then on the desk."""
        before = self.page.locator("#count").inner_text()
        self.press("Enter")
        expect(self.page.locator("#count")).not_to_have_text(before)
        return self.ready()

    # --- what the database has -------------------------------------------------------------------------

    @property
    def events(self) -> list[ResponseEvent]:
        """Everything this person said, in the order it was stored."""
        found = ResponseEvent.objects.filter(enrolment=self.enrolment)
        return list(found.select_related("assignment", "replaces", "restores").order_by("id"))

    @property
    def said(self) -> list[tuple[str, str, Any]]:
        """The same in short: (action, moment or clip, value)."""
        return [(event.action, event.question, event.payload) for event in self.events]

    @property
    def scores(self) -> dict[str, int]:
        """This person's current scores by moment."""
        return dict(Score.objects.filter(enrolment=self.enrolment).values_list("moment__moment_id", "score"))

    @property
    def assignment(self) -> Assignment:
        """The first unit this person was given."""
        return Assignment.objects.get(enrolment=self.enrolment, position=1)
