"""What the catalogue already holds of the things an import names: looked up by id, in chunks.

The cost depends on the folder alone, never on the size of the catalogue.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from django.db.models import Model

from catalogue.importing.lines import FolderLines
from catalogue.models import Channel, Clip, Creator, MediaVersion, Moment, Nomination, StimulusWindow
from catalogue.queries import CHUNK, chunked, current_media, moments_of

Key = TypeVar("Key", bound=Hashable)

CreatorKey = tuple[str, str]
"""Channel and creator: one name on two channels is two creators."""


@dataclass(slots=True)
class Stored:
    """Rows by their imported ids. `parents` follows each named clip's line of parents to its end."""

    channels: dict[str, Channel]
    creators: dict[CreatorKey, Creator]
    clips: dict[str, Clip]
    parents: dict[str, str | None]
    media: dict[tuple[str, str], MediaVersion]
    moments: dict[str, Moment]
    windows: dict[str, StimulusWindow]
    nominations: dict[str, Nomination]

    @property
    def values(self) -> list[object]:
        """Every value of every row, to be compared with the same rows read later."""
        return [
            self.parents,
            _values(self.channels),
            _values(self.creators),
            _values(self.clips),
            _values(self.media),
            _values(self.moments),
            _values(self.windows),
            _values(self.nominations),
        ]


def _values(rows: Mapping[Key, Model]) -> dict[Key, list[object]]:
    return {key: [getattr(row, f.attname) for f in row._meta.concrete_fields] for key, row in rows.items()}


def stored_load(lines: FolderLines, *, lock: bool = False) -> Stored:
    """The stored side of an import. `lock` keeps other imports off these clips until the transaction ends."""
    named = lines.named_clips
    clips = _clips(named, lock=lock)
    moments = {m.moment_id: m for group in moments_of(named).values() for m in group}
    for chunk in chunked(lines.moments.keys() - moments.keys()):
        # Known under another clip.
        for moment in Moment.objects.filter(moment_id__in=chunk).select_related("clip"):
            moments[moment.moment_id] = moment
    return Stored(
        channels=_channels(lines),
        creators=_creators(lines),
        clips=clips,
        parents=_parents(clips),
        media=current_media(named),
        moments=moments,
        windows=_windows(lines),
        nominations=_nominations(lines),
    )


def _channels(lines: FolderLines) -> dict[str, Channel]:
    names = {line.channel for line in lines.clips.values()}
    return {c.name: c for chunk in chunked(names) for c in Channel.objects.filter(name__in=chunk)}


def _creators(lines: FolderLines) -> dict[CreatorKey, Creator]:
    wanted = sorted({(line.channel, line.creator) for line in lines.clips.values()})
    found: dict[CreatorKey, Creator] = {}
    for start in range(0, len(wanted), CHUNK):
        chunk = wanted[start : start + CHUNK]
        channels, names = {channel for channel, _ in chunk}, {name for _, name in chunk}
        rows = Creator.objects.filter(channel__name__in=channels, name__in=names).select_related("channel")
        found |= {(c.channel.name, c.name): c for c in rows if (c.channel.name, c.name) in chunk}
    return found


def _clips(clip_ids: set[str], *, lock: bool) -> dict[str, Clip]:
    rows = Clip.objects.select_related("creator__channel", "parent_clip")
    if lock:
        rows = rows.select_for_update(of=("self",))
    found: dict[str, Clip] = {}
    for chunk in chunked(clip_ids):
        # In one order everywhere, so that two imports cannot wait for each other.
        found |= {clip.clip_id: clip for clip in rows.filter(clip_id__in=chunk).order_by("pk")}
    return found


def _parents(clips: dict[str, Clip]) -> dict[str, str | None]:
    parents = {
        clip_id: clip.parent_clip.clip_id if clip.parent_clip else None for clip_id, clip in clips.items()
    }
    while unknown := {parent for parent in parents.values() if parent and parent not in parents}:
        for chunk in chunked(unknown):
            rows = Clip.objects.filter(clip_id__in=chunk)
            parents |= dict(rows.values_list("clip_id", "parent_clip__clip_id"))
    return parents


def _windows(lines: FolderLines) -> dict[str, StimulusWindow]:
    return {
        window.window_id: window
        for chunk in chunked(lines.windows.keys())
        for window in StimulusWindow.objects.filter(window_id__in=chunk).select_related("clip")
    }


def _nominations(lines: FolderLines) -> dict[str, Nomination]:
    return {
        nomination.moment.moment_id: nomination
        for chunk in chunked(lines.moments.keys())
        for nomination in Nomination.objects.filter(moment__moment_id__in=chunk).select_related("moment")
    }
