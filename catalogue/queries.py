"""Reads of the catalogue that the layers above share. All take clip ids as imported, any number of them."""

from collections.abc import Collection, Iterator
from itertools import islice

from django.db.models import Q

from catalogue.models import Clip, MediaVersion, Moment

CHUNK = 500
"""How many ids one query names; databases bound the number of its parameters."""


def chunked(values: Collection[str]) -> Iterator[list[str]]:
    """The values once each, in code-point order, in lists of at most `CHUNK`."""
    ordered = iter(sorted(set(values)))
    while chunk := list(islice(ordered, CHUNK)):
        yield chunk


def moments_of(clip_ids: Collection[str]) -> dict[str, list[Moment]]:
    """Each clip's moments in time order; every clip named has an entry."""
    moments: dict[str, list[Moment]] = {clip_id: [] for clip_id in clip_ids}
    for chunk in chunked(clip_ids):
        rows = Moment.objects.filter(clip__clip_id__in=chunk).select_related("clip")
        for moment in rows.order_by("start_ms", "end_ms", "moment_id"):
            moments[moment.clip.clip_id].append(moment)
    return moments


def current_media(clip_ids: Collection[str]) -> dict[tuple[str, str], MediaVersion]:
    """The media in force, under (clip id, role); a role without a file has no entry."""
    return {
        (media.clip.clip_id, media.role): media
        for chunk in chunked(clip_ids)
        for media in MediaVersion.objects.filter(clip__clip_id__in=chunk, current=True).select_related("clip")
    }


def blocked_clip_ids(clip_ids: Collection[str]) -> set[str]:
    """Of the clips named, those that nobody may see: blocked themselves, or their creator is."""
    blocked = Q(blocked_at__isnull=False) | Q(creator__blocked_at__isnull=False)
    return {
        clip_id
        for chunk in chunked(clip_ids)
        for clip_id in Clip.objects.filter(blocked, clip_id__in=chunk).values_list("clip_id", flat=True)
    }


def clip_ids_with_moments() -> list[str]:
    """Every clip that has something to judge, in code-point order."""
    return sorted(Moment.objects.values_list("clip__clip_id", flat=True).distinct().order_by())
