"""Canaries: texts planted in every field that annotators must not see, and the search for them."""

import itertools
import secrets
from base64 import urlsafe_b64decode
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from django.apps import apps
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.db import models
from django.http import HttpResponseBase
from django.test import Client

from catalogue.models import Channel, Clip, Creator, MediaVersion, Moment, Nomination, StimulusWindow

MEDIA_BYTES = bytes(range(256)) * 8
_number = itertools.count(1)

# What an annotator's browser may learn, field by field, and why. Everything else is planted.
PUBLIC = {
    "catalogue.Moment.moment_id": "the key of a question",
    "catalogue.MediaVersion.role": "the page knows its players by it",
    "catalogue.MediaVersion.content_type": "the browser has to know it",
    "catalogue.MediaVersion.sha256": "the entity tag of what is played anyway",
    "studies.Study.slug": "its address",
    "studies.Study.title": "its name",
    "studies.Study.state": "a stopped study says so",
    "studies.Study.kind": "the page is the kind's",
    "studies.Study.parameters": "the view shows those that shape it",
    "studies.Study.instructions": "read before the work",
    "studies.Study.consent": "agreed to",
    "studies.Study.contact": "on every page",
    "studies.Study.content_warning": "read before agreeing",
    "studies.Study.language": "the language of the page",
    "studies.Study.partial": "one of two fixed words",
    "studies.Study.late": "one of two fixed words",
    "studies.Study.mode": "one of two fixed words",
    "studies.Study.returned": "one of two fixed words",
    "studies.Study.currency": "part of the reward that is announced",
    "studies.StudyVersion.frozen": "what the page shows, as frozen",
    "studies.StudyUnit.state": "one of three fixed words",
    "studies.StudyUnit.purpose": "one of three fixed words",
    "studies.Enrolment.state": "the person's own",
    "studies.Enrolment.path": "the person's own",
    "studies.Enrolment.device": "the person's own",
    "studies.CompletionCode.path": "one of ten fixed words",
    "studies.ProlificSubmission.path": "the same fixed words",
    "studies.Payment.what": "one of two fixed words",
    "studies.Payment.state": "one of four fixed words",
    "studies.Assignment.state": "the person's own",
    "studies.Assignment.purpose": "one of four fixed words",
    "studies.Assignment.media": "primary keys and hashes of what is shown",
    "studies.ResponseEvent.action": "one of three fixed words",
    "studies.ResponseEvent.scope": "one of two fixed words",
    "studies.ResponseEvent.question": "the key of a question; reports carry the unit's, which is planted",
    "studies.ResponseEvent.kind": "the page is the kind's",
    "studies.ResponseEvent.kind_version": "the same for everybody",
    "studies.ResponseEvent.payload": "others' answers are looked for where answers stand",
    "studies.ResponseEvent.played": "others' are looked for where the person's own stand",
    "studies.ResponseEvent.media_sha256": "hashes of what is shown",
    "studies.ResponseEvent.language": "the language of the page",
    "studies.TechnicalFault.role": "the page told it",
    "studies.TechnicalFault.code": "the page told it",
    "studies.TechnicalFault.browser": "the page told it",
}
_SECRETIVE = (models.CharField, models.TextField, models.JSONField, models.FloatField, models.UUIDField)


@dataclass
class Canaries:
    """What was planted: where, and the text that must turn up nowhere."""

    planted: dict[str, str] = field(default_factory=dict)

    def text(self, where: str) -> str:
        """A text that occurs nowhere else."""
        return self.watch(where, f"canary{secrets.token_hex(5)}")

    def watch(self, where: str, text: str) -> str:
        """Look for a text that is there already."""
        self.planted[f"{where} #{next(_number)}"] = text
        return text

    def number(self, where: str) -> int:
        """A number that occurs nowhere else."""
        return int(self.watch(where, str(10**8 + secrets.randbelow(9 * 10**8))))

    def found_in(self, text: str) -> list[str]:
        """Which canaries a text gives away."""
        return [where for where, canary in self.planted.items() if canary in text]


def planted_clip(
    plant: Canaries, moments: Mapping[str, tuple[int, int]], *, roles: Sequence[str] = ("reaction",)
) -> Clip:
    """A clip of 12 s with files, whose every private field holds a canary. Moments by id, in ms."""
    channel = Channel.objects.create(name=plant.text("channel"))
    parent = Clip.objects.create(
        clip_id=plant.text("parent clip"),
        creator=Creator.objects.create(channel=channel, name=plant.text("creator")),
        category=plant.text("category"),
        domain=plant.text("domain"),
        source_group=plant.text("source group"),
        duration_ms=60_000,
    )
    clip = Clip.objects.create(
        clip_id=plant.text("clip id"),
        creator=parent.creator,
        category=plant.text("category"),
        domain=plant.text("domain"),
        source_group=plant.text("source group"),
        parent_clip=parent,
        duration_ms=12_000,
    )
    for role in ("reaction", "stimulus"):
        _planted_file(plant, clip, role, shown=role in roles)
    for moment_id, (start, end) in moments.items():
        moment = Moment.objects.create(moment_id=moment_id, clip=clip, start_ms=start, end_ms=end)
        Nomination.objects.create(
            moment=moment,
            selector=plant.text("selector"),
            score=plant.number("nomination score") + 0.5,
            rank=plant.number("nomination rank"),
            evidence=plant.text("evidence"),
        )
    StimulusWindow.objects.create(
        window_id=plant.text("window id"),
        clip=clip,
        start_ms=0,
        end_ms=6000,
        description=plant.text("window description"),
    )
    return clip


def _planted_file(plant: Canaries, clip: Clip, role: str, *, shown: bool) -> None:
    digest = secrets.token_hex(32)
    media = MediaVersion.objects.create(
        clip=clip,
        role=role,
        sha256=digest if shown else plant.watch("hash of a file that is not shown", digest),
        source_sha256=plant.watch("hash of the imported file", secrets.token_hex(32)),
        size=len(MEDIA_BYTES),
        content_type="video/mp4",
        duration_ms=12_000,
        has_audio=True,
        width=320,
        height=180,
    )
    plant.watch("storage key", media.storage_key)
    storages["clips"].save(media.storage_key, ContentFile(MEDIA_BYTES))


def fields_without_canary(plant: Canaries, labels: Iterable[str]) -> list[str]:
    """Fields of these apps that hold text and neither are public by decision nor hold a canary."""
    lacking = []
    for model in (model for label in labels for model in apps.get_app_config(label).get_models()):
        for column in model._meta.get_fields():
            name = f"{model._meta.app_label}.{model.__name__}.{column.name}"
            if isinstance(column, _SECRETIVE) and not isinstance(column, models.ForeignKey):
                values = " ".join(map(str, model._default_manager.values_list(column.name, flat=True)))
                if name not in PUBLIC and not plant.found_in(values):
                    lacking.append(name)
    return lacking


class Listener(Client):
    """A browser that keeps everything the server ever told it."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.heard: list[tuple[str, str]] = []

    def request(self, **request: Any) -> HttpResponseBase:
        """Pass the request on and keep the answer: status, headers, cookies, body, signed parts opened."""
        response = super().request(**request)
        body = b"".join(response.streaming_content) if response.streaming else response.content
        text = body.decode("utf-8", errors="replace")
        told = f"{response.status_code} {response.headers} {response.cookies} {text}"
        self.heard.append((f"{request['REQUEST_METHOD']} {request['PATH_INFO']}", told + _opened(told)))
        return response


def _opened(text: str) -> str:
    """What a curious person reads in the signed parts of media addresses."""
    inside = []
    for address in text.split("/media/")[1:]:
        payload = address.split(":")[0]
        with suppress(ValueError):
            inside.append(urlsafe_b64decode(payload + "=" * (-len(payload) % 4)).decode(errors="replace"))
    return " ".join(inside)
