"""`make screenshots`: run a demo in a folder of its own, rate in it, and take the pictures of the README."""

import os
import signal
import sys
import tempfile
from pathlib import Path
from urllib.parse import urljoin

from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from scripts.device_clips import BEEPS, FOLDER
from tests.services import chromium
from tests.services.processes import Process, free_port

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs"
SIZE = ViewportSize(width=1280, height=720)
QUALITY = 80  # of JPEG: a few dozen kilobytes a picture
MOMENT_MS = 60_000  # the longest that a moment of the demo takes to unlock
REPLAYED_MS = 4_000  # two seconds of lead-in, then into the reaction


def take(page: Page, name: str) -> None:
    """Save what the page shows as `docs/NAME.jpg`."""
    page.screenshot(path=PICTURES / f"{name}.jpg", type="jpeg", quality=QUALITY)


def pass_the_check(page: Page) -> None:
    """Pass the device check. Nobody listens here: the test clip is compared with those there are."""
    played = page.locator("#play:enabled")
    played.wait_for()
    address = page.locator("#film").get_attribute("src") or ""
    film = page.request.get(urljoin(page.url, address)).body()
    number = next(number for number in BEEPS if (FOLDER / f"beeps{number}.mp4").read_bytes() == film)
    played.click()
    page.locator("#beeps:enabled").wait_for()
    page.keyboard.press(str(number))
    page.get_by_role("button", name="Go on").click()


def rater(browser: Browser, site: str) -> None:
    """Join, rate a clip's first moments honestly watched, and picture the third, replayed."""
    page = browser.new_page(viewport=SIZE)
    page.goto(f"{site}/join/demo/")
    page.get_by_role("button", name="I agree and start").click()
    page.get_by_role("link", name="Continue").click()
    pass_the_check(page)
    page.locator("#big-play").wait_for()
    page.keyboard.press("Space")
    for key in ("1", "2"):
        page.locator("#scale:not(.locked)").wait_for(timeout=MOMENT_MS)
        page.keyboard.press(key)
    page.locator("#scale:not(.locked)").wait_for(timeout=MOMENT_MS)
    page.keyboard.press("r")  # picture the reaction itself, from the replay: the score stays unlocked
    page.wait_for_timeout(REPLAYED_MS)
    take(page, "rater")
    page.close()


def monitor(browser: Browser, site: str, password: str) -> None:
    """Sign in as the demo's monitor and picture the overview of the demo study."""
    page = browser.new_page(viewport=SIZE)
    page.goto(f"{site}/monitor/")
    page.locator("input[name=username]").fill("monitor")
    page.locator("input[name=password]").fill(password)
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Reaction intensity").click()
    page.wait_for_load_state()
    take(page, "monitor")
    page.close()


def main() -> None:
    """Take every picture anew."""
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="touchstone-pictures-") as folder:
        port, log = free_port(), Path(folder) / "demo.log"
        demo = Process(
            [sys.executable, "-m", "scripts.demo", "--port", str(port)],
            log=log,
            environment=os.environ | {"TOUCHSTONE_VAR": f"{folder}/var"},
            ready=lambda: "Ctrl-C stops the demo" in log.read_text(errors="replace"),
            timeout_s=300,
            cwd=ROOT,
        )
        try:
            site = f"http://localhost:{port}"
            password = demo.log.partition("monitor / ")[2].split()[0]
            with sync_playwright() as playwright:
                browser = chromium.launch(playwright)
                rater(browser, site)
                monitor(browser, site, password)
                browser.close()
        finally:
            demo.stop(signal.SIGINT, patience_s=25)
    for picture in sorted(PICTURES.glob("*.jpg")):
        print(f"{picture.relative_to(ROOT)}  {picture.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    main()
