"""Importing into a catalogue of 120,000 moments costs what it costs into an empty one."""

import json
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from django.db import connection

from bench.table import Figure
from catalogue.importing import catalogue_import
from catalogue.models import Channel, Clip, Creator, MediaVersion, Moment
from tests.catalogue.filming import film

CLIPS, MOMENTS_EACH = 2, 1000
CROWD_CLIPS, CROWD_MOMENTS_EACH = 12_000, 10
REPEATS = 4
PROMISED_RATIO = 1.3


def imports(database: str, folder: Path) -> Iterator[Figure]:
    """Seconds of the same import into an empty and into a full catalogue, and their ratio."""
    _timed(_folder(folder, "warm"))  # first use loads the media library
    _empty()
    alone = min(_emptied(_folder(folder, f"alone{i}")) for i in range(REPEATS))
    _crowd()
    crowded = min(_timed(_folder(folder, f"crowd{i}")) for i in range(REPEATS))
    yield Figure(database, "import of 2,000 moments into nothing", alone, "s")
    yield Figure(database, "the same beside 120,000 moments", crowded, "s")
    yield Figure(database, "ratio of the two", crowded / alone, "", PROMISED_RATIO)


def _folder(parent: Path, name: str) -> Path:
    """An import folder of short real clips with many moments."""
    folder = parent / name
    folder.mkdir()
    length = 1.5 * MOMENTS_EACH
    clip_file = parent / "clip.mp4"
    if not clip_file.exists():
        film(clip_file, seconds=length + 1, fps=1, sound=False)  # reading media is not the question
    clips: list[dict[str, object]] = []
    moments: list[dict[str, object]] = []
    for number in range(CLIPS):
        clip = f"{name}-{number}"
        for role in ("reaction", "stimulus"):
            (folder / f"{clip}.{role}.mp4").hardlink_to(clip_file)
        files: dict[str, object] = {role: f"{clip}.{role}.mp4" for role in ("reaction", "stimulus")}
        clips.append(files | {"clip_id": clip, "creator": "a", "channel": "b", "category": "c"})
        clips[-1]["source_group"] = clip
        moments += [
            {"moment_id": f"{clip}-{i}", "clip_id": clip, "start_s": 1.5 * i, "end_s": 1.5 * i + 1.2}
            for i in range(MOMENTS_EACH)
        ]
    for file, lines in [("clips.jsonl", clips), ("moments.jsonl", moments)]:
        (folder / file).write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def _timed(folder: Path) -> float:
    began = time.perf_counter()
    catalogue_import(folder)
    return time.perf_counter() - began


def _emptied(folder: Path) -> float:
    seconds = _timed(folder)
    _empty()
    return seconds


def _empty() -> None:
    Clip.objects.all().delete()


def _crowd() -> None:
    """A catalogue as large as 000's pool of nominations, without files."""
    channel, _ = Channel.objects.get_or_create(name="crowd")
    creator, _ = Creator.objects.get_or_create(channel=channel, name="crowd")
    clips = Clip.objects.bulk_create(
        Clip(clip_id=f"c{i}", creator=creator, category="c", source_group=f"c{i}", duration_ms=60_000)
        for i in range(CROWD_CLIPS)
    )
    media = (
        MediaVersion(
            clip=clip,
            role=role,
            sha256=f"{clip.pk:064x}",
            source_sha256=f"{clip.pk:064x}",
            size=1,
            content_type="video/mp4",
            duration_ms=60_000,
            has_audio=True,
            width=16,
            height=9,
        )
        for clip in clips
        for role in MediaVersion.Role.values
    )
    moments = (
        Moment(moment_id=f"{clip.clip_id}-{i}", clip=clip, start_ms=i * 2000, end_ms=i * 2000 + 1500)
        for clip in clips
        for i in range(CROWD_MOMENTS_EACH)
    )
    while batch := list(islice(media, 5000)):
        MediaVersion.objects.bulk_create(batch)
    while batch_of_moments := list(islice(moments, 5000)):
        Moment.objects.bulk_create(batch_of_moments)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")  # as PostgreSQL does by itself within a minute
