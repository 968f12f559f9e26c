"""What the catalogue's tests share: films made once, a folder of them, and a storage of their own."""

from pathlib import Path

import pytest

from catalogue import inuse
from tests.catalogue.filming import film
from tests.catalogue.folders import Folder


@pytest.fixture(scope="session")
def films(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small real files: sound ones, and one for each fault that a file can have."""
    folder = tmp_path_factory.mktemp("films")
    film(folder / "film.mp4", seconds=3)
    film(folder / "other.mp4", seconds=3, fps=20)
    film(folder / "short.mp4", seconds=2)
    film(folder / "late.mp4", seconds=3, start_s=0.08)
    film(folder / "silent.mp4", seconds=3, sound=False)
    film(folder / "blind.mp4", seconds=3, picture=False)
    (folder / "broken.mp4").write_bytes((folder / "film.mp4").read_bytes()[:4000])
    (folder / "text.mp4").write_text("This is no video.")
    return folder


@pytest.fixture
def folder(tmp_path: Path, films: Path) -> Folder:
    """An empty import folder with the shared film in it."""
    return Folder(tmp_path / "import", films)


@pytest.fixture(autouse=True)
def clips_folder(tmp_path: Path, settings) -> Path:
    """Where the storage of these tests keeps its clips."""
    stored = tmp_path / "stored"
    settings.VAR = tmp_path / "var"
    settings.STORAGES = settings.STORAGES | {
        "clips": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": stored},
        }
    }
    return stored


@pytest.fixture
def answered(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The clips that have answers: a test adds ids, as a study would through `catalogue.inuse`."""
    clips: set[str] = set()
    monkeypatch.setattr(inuse, "_askers", [lambda ids: clips & set(ids)])
    return clips
