"""Writes of the catalogue: taking clips and creators out of sight, and back.

Nothing is deleted. A block holds from the next request on, for every study at once.
"""

from collections.abc import Collection

from django.db import transaction
from django.utils import timezone

from catalogue.models import Clip, Creator


@transaction.atomic
def clip_block(*, clip_ids: Collection[str]) -> int:
    """Show these clips to nobody; returns how many were not blocked before (earlier times stay)."""
    return Clip.objects.filter(clip_id__in=clip_ids, blocked_at=None).update(blocked_at=timezone.now())


@transaction.atomic
def clip_unblock(*, clip_ids: Collection[str]) -> int:
    """Show these clips again, unless their creator is blocked; returns how many were blocked."""
    return Clip.objects.filter(clip_id__in=clip_ids, blocked_at__isnull=False).update(blocked_at=None)


@transaction.atomic
def creator_block(*, creators: Collection[int]) -> int:
    """Show no clip of these creators (primary keys); returns how many were not blocked before."""
    return Creator.objects.filter(pk__in=creators, blocked_at=None).update(blocked_at=timezone.now())


@transaction.atomic
def creator_unblock(*, creators: Collection[int]) -> int:
    """Show the clips of these creators again, but for those blocked themselves; returns how many changed."""
    return Creator.objects.filter(pk__in=creators, blocked_at__isnull=False).update(blocked_at=None)
