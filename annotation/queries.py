"""Reads of the intensity kind."""

from collections.abc import Collection

from studies.models import ResponseEvent


def clips_with_answers(clip_ids: Collection[str]) -> set[str]:
    """Of the clip ids given, those that any event of an intensity study is about."""
    return set(
        ResponseEvent.objects.filter(kind="intensity", assignment__unit__key__in=clip_ids)
        .values_list("assignment__unit__key", flat=True)
        .distinct()
    )
