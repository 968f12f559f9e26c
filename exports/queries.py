"""Reads of the exports app."""

from exports.models import GoldSetVersion


def goldset_newest(set: str, name: str) -> GoldSetVersion | None:  # noqa: A002 - the files' own word
    """The newest version of the set of that name, or None."""
    return GoldSetVersion.objects.filter(set=set, name=name).order_by("-version").first()
