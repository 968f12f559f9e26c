"""A killed server, a killed browser: nothing that was answered is lost, and nothing is stored twice."""

import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from studies.models import ResponseEvent
from tests.browser.rater import Rater
from tests.services import chromium, platform
from tests.services.platform import Site
from tests.services.processes import Process, free_port, wait_until

pytestmark = pytest.mark.browser


class Server:
    """A production web server that can be killed, and comes back at the same address."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.starts = folder, 0
        self.site: Site = self._start(0)

    @property
    def url(self) -> str:
        return self.site.url

    def _start(self, port: int) -> Site:
        self.starts += 1
        log = self.folder / f"web{self.starts}.log"
        return platform.start_site(log, platform.environment(), port=port)

    def kill(self) -> None:
        """Every process of it at once, as when the power fails."""
        self.site.process.kill()

    def comes_back(self) -> None:
        self.site = self._start(urlsplit(self.url).port or 0)


@pytest.fixture
def server(collected_static: Path, transactional_db: None, tmp_path: Path) -> Iterator[Server]:
    made = Server(tmp_path)
    yield made
    made.site.process.stop()


def test_killing_the_server_between_two_answers_loses_nothing(server, new_rater, make_study):
    rater = new_rater(make_study(), at=server).begin()
    rater.press("Space").score(1, 2).saved()
    server.kill()
    rater.score(2, 1)
    expect(rater.pill).to_contain_text("1 answer waiting")
    assert len(rater.events) == 1
    server.comes_back()
    rater.saved()
    rater.score(3, 3).finished(3)
    assert rater.said == [("answer", f"clip1-m{index}", value) for index, value in enumerate([2, 1, 3])]
    assert rater.scores == {"clip1-m0": 2, "clip1-m1": 1, "clip1-m2": 3}


def test_a_server_killed_after_it_stored_an_answer_and_before_it_said_so_stores_it_once(
    server, new_rater, make_study
):
    rater = new_rater(make_study(), at=server).begin()
    rater.press("Space").watched(1)
    stored = []

    def unsaid(route) -> None:
        stored.append(route.fetch().status)
        server.kill()
        route.abort()

    rater.page.route("**/events", unsaid, times=1)
    rater.press("3").shows(1, 3)
    rater.until(lambda: stored)
    assert stored == [201]
    expect(rater.pill).to_contain_text("1 answer waiting")
    server.comes_back()
    rater.saved()
    assert rater.replies[-1] == 200  # known already: the first result again
    assert rater.said == [("answer", "clip1-m0", 3)]


class OwnBrowser:
    """A Chromium with a profile on disk that can be killed, and started again on the same profile."""

    def __init__(self, browser: Browser, folder: Path) -> None:
        self.kind, self.folder = browser.browser_type, folder
        self.processes: list[Process] = []

    @property
    def profile(self) -> Path:
        return self.folder / "profile"

    def opens(self) -> Page:
        port = free_port()
        log = self.folder / f"chromium{len(self.processes)}.log"
        self.processes.append(chromium.start(self.kind, self.profile, port, log))
        page = self.kind.connect_over_cdp(f"http://127.0.0.1:{port}").contexts[0].new_page()
        page.set_viewport_size({"width": 1280, "height": 720})
        return page

    def kill(self) -> None:
        """Every process of it at once: nothing can be written to the profile any more."""
        self.processes[-1].kill()

    def on_disk(self, text: str) -> bool:
        """Whether the browser has written that text from its storage to its profile."""
        files = self.profile.glob("Default/Local Storage/leveldb/*.log")
        return any(text.encode() in file.read_bytes() for file in files)


@pytest.fixture
def own_browser(browser: Browser, tmp_path: Path) -> Iterator[OwnBrowser]:
    made = OwnBrowser(browser, tmp_path)
    yield made
    for process in made.processes:
        process.stop(signal.SIGTERM)


@pytest.fixture
def in_own_browser(own_browser, site, make_study) -> Callable[[], Rater]:
    """Somebody in a browser that can be killed; called again, the same person in it anew."""
    raters: list[Rater] = []

    def opens() -> Rater:
        page = own_browser.opens()
        raters.append(raters[0].in_another(page) if raters else Rater.joining(page, site.url, make_study()))
        return raters[-1]

    return opens


def test_killing_the_browser_between_two_answers_loses_nothing(own_browser, in_own_browser):
    rater = in_own_browser().begin()
    rater.press("Space").score(1, 2).saved()
    own_browser.kill()
    again = in_own_browser().begin()
    expect(again.moment(1)).to_have_attribute("data-state", "done")
    expect(again.current).to_have_text("2")
    again.press("Space").score(2, 1).score(3, 3).finished(3)
    assert again.scores == {"clip1-m0": 2, "clip1-m1": 1, "clip1-m2": 3}
    assert ResponseEvent.objects.count() == 3


def test_an_answer_that_waited_in_a_browser_that_was_killed_goes_out_when_it_comes_back(
    own_browser, in_own_browser
):
    rater = in_own_browser().begin()
    rater.page.route("**/events", lambda route: route.abort())
    rater.press("Space").score(1, 3)
    expect(rater.pill).to_contain_text("1 answer waiting")
    rater.until(lambda: rater.sent)
    event_id = rater.sent[0]["event_id"]
    wait_until(lambda: own_browser.on_disk(event_id))  # Chromium writes its storage every few seconds
    own_browser.kill()
    assert ResponseEvent.objects.count() == 0
    again = in_own_browser().begin()
    again.saved()
    again.until(lambda: ResponseEvent.objects.exists())
    assert str(ResponseEvent.objects.get().event_id) == event_id
    again.shows(1, 3)
    again.press("Space").score(2, 1).score(3, 0).finished(3)
    assert again.scores == {"clip1-m0": 3, "clip1-m1": 1, "clip1-m2": 0}
