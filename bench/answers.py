"""Answers in and out at the paper's size: a file of 14,894 ratings comes in, ratings and events go out."""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from annotation.ratings_in import ratings_import
from bench import corpus
from bench.table import Figure
from catalogue.models import Channel, Clip, Creator, MediaVersion, Moment
from exports.answers import events_lines, ratings_lines
from studies.models import Study

PROMISED_IMPORT_S = 20


def answers(database: str, folder: Path) -> Iterator[Figure]:
    """Seconds of one import into an empty study, of the same file again, and of both exports."""
    _catalogue()
    study = Study.objects.create(slug="bench", title="b", kind="intensity", consent="c", contact="x")
    data = "".join(
        json.dumps({"moment_id": moment, "rater": rater, "score": score}) + "\n"
        for moment, rater, score in corpus.ratings()
    ).encode()

    def bring() -> object:
        return ratings_import(study=study, name="bench", file="ratings.jsonl", data=data)

    size = f"{corpus.RATINGS:,} ratings"
    yield Figure(database, f"import of {size}", _timed(bring), "s", PROMISED_IMPORT_S)
    yield Figure(database, "the same file again", _timed(bring), "s")
    yield Figure(database, f"{size} out", _timed(lambda: b"".join(ratings_lines(study))), "s")
    yield Figure(database, "their events out", _timed(lambda: b"".join(events_lines(study))), "s")


def _timed(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def _catalogue() -> None:
    """The corpus's clips and moments, without files."""
    channel = Channel.objects.create(name="bench")
    creator = Creator.objects.create(channel=channel, name="bench")
    wanted = corpus.clips()
    clips = Clip.objects.bulk_create(
        Clip(clip_id=name, creator=creator, category="c", source_group=name, duration_ms=60_000)
        for name in wanted
    )
    MediaVersion.objects.bulk_create(
        MediaVersion(
            clip=clip,
            role=MediaVersion.Role.REACTION,
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
    )
    Moment.objects.bulk_create(
        Moment(moment_id=key, clip=clip, start_ms=i * 3000, end_ms=i * 3000 + 2500)
        for clip in clips
        for i, key in enumerate(wanted[clip.clip_id])
    )
