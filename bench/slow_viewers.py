"""An answer is saved within 200 ms while forty viewers hold media connections that they do not read."""

import os
import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from statistics import median

from bench.table import Figure
from studies.models import Study
from tests.services.annotator import HttpAnnotator
from tests.services.filler import clip_of_bytes, open_study
from tests.services.platform import start_site

VIEWERS = 40
ANSWERS = 60
PROMISED_MS = 200.0
SCENES = {"alone": None, "beside 40 unread ranges": True, "beside 40 unread files": False}


def slow_viewers(database: str, folder: Path) -> Iterator[Figure]:
    """Sixty saves alone, beside forty unread ranges, beside forty unread whole files; the slowest is held."""
    clip_of_bytes("big", moments=ANSWERS, size=8 * 1024 * 1024)
    study = open_study()
    site = start_site(folder / "web.log", os.environ)
    try:
        _warm(site.url, study)
        for what, ranges in SCENES.items():
            ms = sorted(1000 * second for second in _saves(HttpAnnotator(site.url, study), ranges))
            yield Figure(database, f"median save {what}", median(ms), "ms")
            yield Figure(database, f"slowest save {what}", ms[-1], "ms", PROMISED_MS)
    finally:
        site.process.stop()


def _warm(url: str, study: Study) -> None:
    """Let every server process load what it loads at its first requests."""
    for _ in range(8):
        annotator = HttpAnnotator(url, study)
        opened = annotator.open()
        annotator.answer(opened, opened["view"]["moments"][0]["key"], 1)


def _saves(annotator: HttpAnnotator, ranges: bool | None) -> list[float]:
    """Seconds that each answer took; `ranges` None leaves nobody reading slowly."""
    opened = annotator.open()
    address = opened["media"]["reaction"]["url"]
    seconds = []
    with nullcontext() if ranges is None else annotator.unread(address, VIEWERS, ranges=ranges):
        for moment in opened["view"]["moments"]:
            began = time.perf_counter()
            status, body = annotator.answer(opened, moment["key"], 1)
            seconds.append(time.perf_counter() - began)
            if status != 201:
                raise RuntimeError(f"an answer was refused with {status}: {body}")
    return seconds
