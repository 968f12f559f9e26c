"""Catalogue content where only its bytes and numbers matter, not what can be seen in it."""

import os

from django.core.files.base import ContentFile
from django.core.files.storage import storages

from catalogue.models import Channel, Clip, Creator, MediaVersion, Moment
from studies.models import Study
from studies.services.study import study_add_units, study_set_state


def clip_of_bytes(clip_id: str, *, moments: int, size: int) -> Clip:
    """A clip whose reaction is `size` random bytes, with that many moments of a few milliseconds.

    All moments together are shorter than the slack of the server's clock, so each can be answered at once.
    """
    channel, _ = Channel.objects.get_or_create(name="filler channel")
    creator, _ = Creator.objects.get_or_create(channel=channel, name="filler creator")
    clip = Clip.objects.create(
        clip_id=clip_id, creator=creator, category="filler", source_group=clip_id, duration_ms=60_000
    )
    length = max(1, 400 // moments)
    Moment.objects.bulk_create(
        Moment(moment_id=f"{clip_id}-{i}", clip=clip, start_ms=i * 1000, end_ms=i * 1000 + length)
        for i in range(moments)
    )
    media = MediaVersion(
        clip=clip,
        role=MediaVersion.Role.REACTION,
        sha256="0" * 64,
        source_sha256="0" * 64,
        size=size,
        content_type="video/mp4",
        duration_ms=60_000,
        has_audio=True,
        width=16,
        height=16,
    )
    storages["clips"].save(media.storage_key, ContentFile(os.urandom(size)))
    media.save()
    return clip


def open_study(slug: str = "filler") -> Study:
    """An open intensity study over everything in the catalogue."""
    study = Study.objects.create(
        slug=slug,
        title="Filler",
        kind="intensity",
        consent="Yes?",
        contact="nobody",
        raters_per_unit=1000,
        device_check=False,
    )
    study_add_units(study=study)
    return study_set_state(study=study, state=Study.State.OPEN)
