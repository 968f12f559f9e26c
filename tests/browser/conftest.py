"""Real clips, a study over them, one production web server, and raters in real browsers."""

import itertools
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, expect

from catalogue.importing import catalogue_import
from studies.models import Study
from studies.services.study import study_add_units, study_set_items, study_set_state
from tests.browser.rater import PATIENCE_MS, Rater
from tests.catalogue.filming import film
from tests.services import platform
from tests.services.platform import Site

MakeStudy = Callable[..., Study]
NewRater = Callable[..., Rater]

MOMENTS = ((0.0, 1.5), (2.25, 3.75), (4.5, 6.0))
"""Three moments of the clip of six seconds: one from its very start, one to its very end."""

expect.set_options(timeout=PATIENCE_MS)
_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def films(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small real films of 6, 12 and 20 s; `grainy` is heavy: about 0.4 MB a second."""
    folder = tmp_path_factory.mktemp("films")
    film(folder / "six.mp4", seconds=6, size=(320, 180))
    film(folder / "twelve.mp4", seconds=12, size=(320, 180))
    film(folder / "grainy.mp4", seconds=20, fps=10, size=(320, 180), grain=True)
    return folder


@pytest.fixture
def make_study(films: Path, tmp_path: Path, transactional_db: None) -> MakeStudy:
    """Import clips as a manager would, and open a study over them.

    `make_study(clips=2, moments=…, film="twelve", parameters={…}, title=…)`; the clips are called `clip1` …,
    their moments `clip1-m0` … `practice` and `checks` are items in the form of `study_set_items`; their clips
    are no clips of the study.
    """

    def make(
        *,
        clips: int = 1,
        moments: Sequence[tuple[float, float]] = MOMENTS,
        film: str = "six",
        parameters: Mapping[str, Any] | None = None,
        practice: Sequence[Mapping[str, Any]] = (),
        checks: Sequence[Mapping[str, Any]] = (),
        **fields: Any,
    ) -> Study:
        names = [f"clip{number}" for number in range(1, clips + 1)]
        _import(tmp_path / f"import{next(_numbers)}", films / f"{film}.mp4", names, moments)
        values = {
            "slug": f"study{next(_numbers)}",
            "title": "Laughs and gasps",
            "kind": "intensity",
            "consent": "I agree that my scores are kept.",
            "instructions": "Score **all** moments.",
            "contact": "lab@example.org",
            "device_check": False,
            "parameters": {"lead_in_s": 0.5} | dict(parameters or {}),
        }
        study = Study.objects.create(**(values | fields))
        study_set_items(study=study, purpose="practice", items=practice)
        study_set_items(study=study, purpose="check", items=checks)
        study_add_units(study=study)
        return study_set_state(study=study, state=Study.State.OPEN)

    return make


def _import(folder: Path, film: Path, names: Sequence[str], moments: Sequence[tuple[float, float]]) -> None:
    folder.mkdir()
    os.link(film, folder / "film.mp4")
    shared = {"creator": "Ada Example", "channel": "Example Reacts", "category": "comedy"}
    files = {"reaction": "film.mp4", "stimulus": "film.mp4"}
    _write(
        folder / "clips.jsonl", [{"clip_id": name, "source_group": name} | shared | files for name in names]
    )
    lines = [
        {"moment_id": f"{name}-m{index}", "clip_id": name, "start_s": start, "end_s": end}
        for name in names
        for index, (start, end) in enumerate(moments)
    ]
    _write(folder / "moments.jsonl", lines)
    catalogue_import(folder)


def _write(path: Path, lines: Sequence[Mapping[str, Any]]) -> None:
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))


@pytest.fixture(scope="session")
def _shared_site(collected_static: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    site = platform.start_site(tmp_path_factory.mktemp("web") / "web.log", platform.environment())
    yield site
    site.process.stop()


@pytest.fixture
def site(_shared_site: Site, transactional_db: None) -> Iterator[Site]:
    """The production web server, started once for all tests here. It may not fail at any request."""
    before = len(_shared_site.log)
    yield _shared_site
    said = _shared_site.log[before:]
    print(said)  # pytest shows it with a failed test only
    assert "Traceback" not in said


@pytest.fixture
def new_rater(new_context: Callable[..., BrowserContext], site: Site) -> NewRater:
    """Put somebody before a browser of their own: `new_rater(study, **options of the browser)`."""

    def make(study: Study, *, at: Site | None = None, **options: Any) -> Rater:
        return Rater.joining(new_context(**options).new_page(), (at or site).url, study)

    return make
