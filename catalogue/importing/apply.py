"""Writing a plan. The caller holds the transaction."""

from collections.abc import Mapping

from catalogue.importing.lines import FolderLines
from catalogue.importing.media import MediaFile, MediaKey
from catalogue.importing.plan import Plan
from catalogue.importing.stored import CreatorKey, Stored
from catalogue.models import Channel, Clip, Creator, MediaVersion, Moment, Nomination, StimulusWindow
from catalogue.queries import CHUNK, chunked


def plan_apply(
    plan: Plan,
    *,
    lines: FolderLines,
    media: Mapping[MediaKey, MediaFile],
    keys: Mapping[MediaKey, str],
    stored: Stored,
) -> None:
    """Write all that the plan names; `keys` are the storage keys of its media."""
    creators = _creators(plan, stored)
    clips = dict(stored.clips)
    _clips(plan, lines, media, creators, clips)
    _media(plan, media, keys, clips)
    _moments(plan, lines, clips, stored)
    _windows(plan, lines, clips, stored)


def _creators(plan: Plan, stored: Stored) -> dict[CreatorKey, Creator]:
    """Every creator that the lines name, the new ones made."""
    new_channels = [Channel(name=name) for name in plan.channels]
    channels = stored.channels | {
        channel.name: channel for channel in Channel.objects.bulk_create(new_channels, batch_size=CHUNK)
    }
    new_creators = [Creator(channel=channels[channel], name=name) for channel, name in plan.creators]
    return stored.creators | {
        (creator.channel.name, creator.name): creator
        for creator in Creator.objects.bulk_create(new_creators, batch_size=CHUNK)
    }


def _clips(
    plan: Plan,
    lines: FolderLines,
    media: Mapping[MediaKey, MediaFile],
    creators: Mapping[CreatorKey, Creator],
    clips: dict[str, Clip],
) -> None:
    """Create and change clips; `clips` grows by the new ones."""

    def fill(clip: Clip) -> Clip:
        line = lines.clips[clip.clip_id]
        clip.creator = creators[line.channel, line.creator]
        clip.category, clip.domain, clip.source_group = line.category, line.domain, line.source_group
        clip.duration_ms = media[clip.clip_id, "reaction"].duration_ms
        return clip

    new = [fill(Clip(clip_id=clip_id)) for clip_id in plan.clips.new]
    clips |= {clip.clip_id: clip for clip in Clip.objects.bulk_create(new, batch_size=CHUNK)}
    changed = [fill(clips[clip_id]) for clip_id in plan.clips.changed]
    fields = ["creator", "category", "domain", "source_group", "duration_ms"]
    Clip.objects.bulk_update(changed, fields, batch_size=CHUNK)
    # Parents last: a line may name a clip that stands further down in the same file.
    moved = [clip for clip in new if lines.clips[clip.clip_id].parent_clip] + changed
    for clip in moved:
        parent = lines.clips[clip.clip_id].parent_clip
        clip.parent_clip = clips[parent] if parent else None
    Clip.objects.bulk_update(moved, ["parent_clip"], batch_size=CHUNK)


def _media(
    plan: Plan,
    media: Mapping[MediaKey, MediaFile],
    keys: Mapping[MediaKey, str],
    clips: Mapping[str, Clip],
) -> None:
    for role in MediaVersion.Role.values:
        for chunk in chunked({clip_id for clip_id, its_role in plan.replaced_media if its_role == role}):
            replaced = MediaVersion.objects.filter(clip__clip_id__in=chunk, role=role, current=True)
            replaced.update(current=False)
    versions = [
        MediaVersion(
            clip=clips[clip_id],
            role=role,
            storage_key=keys[clip_id, role],
            sha256=media[clip_id, role].sha256,
            source_sha256=media[clip_id, role].source_sha256,
            size=media[clip_id, role].size,
            content_type=media[clip_id, role].content_type,
            duration_ms=media[clip_id, role].duration_ms,
            has_audio=media[clip_id, role].has_audio,
            width=media[clip_id, role].width,
            height=media[clip_id, role].height,
        )
        for clip_id, role in plan.media
    ]
    MediaVersion.objects.bulk_create(versions, batch_size=CHUNK)


def _moments(plan: Plan, lines: FolderLines, clips: Mapping[str, Clip], stored: Stored) -> None:
    def fill(moment: Moment) -> Moment:
        line = lines.moments[moment.moment_id]
        moment.clip, moment.start_ms, moment.end_ms = clips[line.clip_id], line.start_ms, line.end_ms
        return moment

    new = [fill(Moment(moment_id=moment_id)) for moment_id in plan.moments.new]
    changed = [fill(stored.moments[moment_id]) for moment_id in plan.moments.changed]
    Moment.objects.bulk_create(new, batch_size=CHUNK)
    Moment.objects.bulk_update(changed, ["clip", "start_ms", "end_ms"], batch_size=CHUNK)
    moved = [m for m in changed if "nomination" in plan.moments.changed[m.moment_id]]
    _nominations([*new, *moved], lines, stored)


def _nominations(moments: list[Moment], lines: FolderLines, stored: Stored) -> None:
    """Make each moment's nomination what its line says, which may be none."""
    created: list[Nomination] = []
    updated: list[Nomination] = []
    dropped: list[int] = []
    for moment in moments:
        value = lines.moments[moment.moment_id].nomination
        present = stored.nominations.get(moment.moment_id)
        if value is None:
            dropped += [present.pk] if present else []
            continue
        nomination = present or Nomination(moment=moment)
        nomination.selector, nomination.score = value.selector, value.score
        nomination.rank, nomination.evidence = value.rank, value.evidence
        (updated if present else created).append(nomination)
    Nomination.objects.bulk_create(created, batch_size=CHUNK)
    fields = ["selector", "score", "rank", "evidence"]
    Nomination.objects.bulk_update(updated, fields, batch_size=CHUNK)
    for start in range(0, len(dropped), CHUNK):
        Nomination.objects.filter(pk__in=dropped[start : start + CHUNK]).delete()


def _windows(plan: Plan, lines: FolderLines, clips: Mapping[str, Clip], stored: Stored) -> None:
    def fill(window: StimulusWindow) -> StimulusWindow:
        line = lines.windows[window.window_id]
        window.clip, window.description = clips[line.clip_id], line.description
        window.start_ms, window.end_ms = line.start_ms, line.end_ms
        return window

    new = [fill(StimulusWindow(window_id=window_id)) for window_id in plan.windows.new]
    changed = [fill(stored.windows[window_id]) for window_id in plan.windows.changed]
    StimulusWindow.objects.bulk_create(new, batch_size=CHUNK)
    fields = ["clip", "start_ms", "end_ms", "description"]
    StimulusWindow.objects.bulk_update(changed, fields, batch_size=CHUNK)
