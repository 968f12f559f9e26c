"""Where Chromium is, and how tests start it."""

import os
import shutil
from pathlib import Path

from playwright.sync_api import Browser, BrowserType, Playwright

from tests.services.processes import Process, accepts_connections

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ABSENT = "no Chromium found: install it (Debian: apt-get install chromium; else: playwright install chromium)"


QUIET = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
"""A browser that talks to nobody but the pages it is sent to."""


def executable(kind: BrowserType) -> str:
    """The path of the system's Chromium, else of Playwright's own."""
    own = kind.executable_path
    found = next(filter(None, map(shutil.which, NAMES)), own if Path(own).exists() else None)
    if found is None:
        raise RuntimeError(ABSENT)
    return found


def launch(playwright: Playwright) -> Browser:
    """A headless Chromium that talks to nobody but the pages it is sent to."""
    kind = playwright.chromium
    return kind.launch(executable_path=executable(kind), args=[*QUIET, *_sandbox()])


def _sandbox() -> list[str]:
    return ["--no-sandbox"] if os.geteuid() == 0 else []  # Chromium's sandbox refuses root


def start(kind: BrowserType, profile: Path, port: int, log: Path) -> Process:
    """A headless Chromium of its own that keeps its profile in a folder, to be spoken to through `port`."""
    command = [executable(kind), "--headless=new", f"--user-data-dir={profile}"]
    command += [f"--remote-debugging-port={port}", *QUIET, *_sandbox(), "about:blank"]
    return Process(command, log=log, ready=lambda: accepts_connections(port))
