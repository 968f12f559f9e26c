"""A small world to freeze: three raters who disagree, six clips, secrets in every corner."""

import json
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import storages
from django.test import override_settings

from catalogue.models import Nomination
from exports.models import GoldSetVersion
from exports.services import goldset_freeze
from studies.models import Enrolment, Study
from tests import factories

SCORES = {
    # clip: one row per moment, one column per rater
    "c1": [[0, 1, 0], [2, 2, 3]],
    "c2": [[1, 1, 2], [3, 3, 3], [0, 0, 1]],
    "c3": [[2, 2, 2], [2, 2, 2]],  # no range: never eligible
    "c4": [[0, 0, 1], [1, 2, 2]],
    "c5": [[3, 2, 3], [1, 0, 0]],
    "c6": [[0, 2, 1], [2, 3, None]],  # one moment short of a rating: only one is left
}
CREATORS = {
    "c1": ("Ana Quatsch", "Kanal Eins"),
    "c2": ("Ana Quatsch", "Kanal Eins"),
    "c3": ("Bo Zweifel", "Kanal Eins"),
    "c4": ("Bo Zweifel", "Kanal Eins"),
    "c5": ("Ana Quatsch", "Kanal Zwei"),
    "c6": ("Ana Quatsch", "Kanal Zwei"),
}
MOMENTS = [(1.0, 3.0), (5.0, 7.25), (9.0, 11.0)]


@dataclass
class World:
    """The study, its raters, and what must never get out."""

    study: Study
    raters: list[Enrolment]

    def freeze(self, **changes: Any) -> GoldSetVersion:
        """Freeze the study as `demo`, with changes to what is asked."""
        asked = {"set": "ip", "studies": [self.study.slug], "name": "demo", "seed": 0, "parameters": {}}
        return goldset_freeze(**(asked | changes))


@pytest.fixture(autouse=True)
def releases(tmp_path: Path) -> Iterator[Path]:
    """A releases folder and a label key of the test's own."""
    from django.conf import settings

    folder = tmp_path / "releases"
    options = {"location": folder}
    own = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": options}
    with override_settings(STORAGES=settings.STORAGES | {"releases": own}, LABEL_KEY="a key for tests"):
        yield folder


def build(*, backwards: bool = False) -> World:
    """The world; `backwards` makes its rows in the opposite order, so that every primary key differs."""
    order = sorted(SCORES, reverse=backwards)
    clips = [
        factories.clip(
            clip_id,
            moments=MOMENTS[: len(SCORES[clip_id])],
            by=factories.creator(*CREATORS[clip_id]),
            category="comedy" if clip_id in ("c1", "c4") else "music",
            source_group=f"geheime Aufnahme {clip_id}",
        )
        for clip_id in order
    ]
    for clip in clips:
        for moment in clip.moments.all():
            Nomination.objects.create(moment=moment, selector="kanarienwahl", evidence="kanarienbeleg")
    study = factories.study("laughs", clips=clips)
    persons = {}
    for number in (2, 1, 0) if backwards else (0, 1, 2):
        person = factories.participant()
        type(person).objects.filter(pk=person.pk).update(public_id=f"kanarienperson{number}")
        person.refresh_from_db()
        persons[number] = factories.enrolment(study, person)
    raters = [persons[number] for number in (0, 1, 2)]
    for clip_id in order:
        columns = {f"{clip_id}-m{i}": row for i, row in enumerate(SCORES[clip_id])}
        factories.rating_round(clip_id, columns, raters)
    return World(study, raters)


@pytest.fixture
def world(db: None) -> World:
    """The world, ready to be frozen."""
    return build()


def files_of(frozen: GoldSetVersion) -> dict[str, bytes]:
    """The files of a frozen set's bundle by name."""
    with storages["releases"].open(frozen.bundle) as file, zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def items_of(frozen: GoldSetVersion) -> dict[str, dict[str, Any]]:
    """The items of a frozen set by id, in file order."""
    return {item["item_id"]: item for item in json.loads(files_of(frozen)["tasks.json"])["items"]}


def ratings_of(frozen: GoldSetVersion) -> list[dict[str, Any]]:
    """The lines of ratings.jsonl."""
    return [json.loads(line) for line in files_of(frozen)["ratings.jsonl"].splitlines()]


def manifest_of(frozen: GoldSetVersion) -> dict[str, Any]:
    """The manifest."""
    return json.loads(files_of(frozen)["manifest.json"])
