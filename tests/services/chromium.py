"""Where Chromium is, and how tests start it."""

import os
import shutil
from pathlib import Path

from playwright.sync_api import Browser, Playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ABSENT = "no Chromium found: install it (Debian: apt-get install chromium; else: playwright install chromium)"


def executable(playwright: Playwright) -> str:
    """The path of the system's Chromium, else of Playwright's own."""
    own = playwright.chromium.executable_path
    found = next(filter(None, map(shutil.which, NAMES)), own if Path(own).exists() else None)
    if found is None:
        raise RuntimeError(ABSENT)
    return found


def launch(playwright: Playwright) -> Browser:
    """A headless Chromium that talks to nobody but the pages it is sent to."""
    quiet = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
    quiet += ["--disable-component-update", "--disable-sync"]
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []  # Chromium's sandbox refuses root
    return playwright.chromium.launch(executable_path=executable(playwright), args=quiet + sandbox)
