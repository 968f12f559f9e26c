"""What an import would do: the lines held against what is stored. Nothing is written here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from catalogue.importing.lines import (
    CLIPS,
    MOMENTS,
    ClipLine,
    FolderLines,
    MomentLine,
    NominationValue,
    WindowLine,
)
from catalogue.importing.media import MediaFile, MediaKey
from catalogue.importing.stored import CreatorKey, Stored
from catalogue.inuse import clips_with_answers
from catalogue.models import Clip, Moment, Nomination, StimulusWindow
from catalogue.queries import chunked
from evaluator.formats import Findings, Problem, shown


@dataclass(frozen=True, slots=True)
class Changes:
    """The ids of one kind of thing by what happens to them; `changed` names the fields."""

    new: tuple[str, ...]
    changed: Mapping[str, tuple[str, ...]]
    unchanged: int


@dataclass(frozen=True, slots=True)
class Plan:
    """All that an import would write; `channels` and `creators` are the new ones."""

    channels: tuple[str, ...]
    creators: tuple[CreatorKey, ...]
    clips: Changes
    media: tuple[MediaKey, ...]
    replaced_media: tuple[MediaKey, ...]
    moments: Changes
    windows: Changes

    @property
    def touched_clips(self) -> dict[str, list[str]]:
        """Clip ids whose own fields change, with those fields; a new length comes with new media."""
        replaced = {clip_id for clip_id, role in self.replaced_media if role == "reaction"}
        touched: dict[str, list[str]] = {}
        for clip_id, fields in self.clips.changed.items():
            judged = [field for field in fields if not (field == "duration_s" and clip_id in replaced)]
            if judged:
                touched[clip_id] = judged
        return touched


def plan_make(lines: FolderLines, media: Mapping[MediaKey, MediaFile], stored: Stored) -> Plan:
    """The plan for these lines; every clip line must have its media."""
    fresh = tuple(key for key, file in media.items() if not file.stored)
    creators = {(line.channel, line.creator) for line in lines.clips.values()}
    channels = {channel for channel, _ in creators}
    return Plan(
        channels=tuple(sorted(channels - stored.channels.keys())),
        creators=tuple(sorted(creators - stored.creators.keys())),
        clips=_changes(
            lines.clips,
            stored.clips,
            lambda line: clip_values(line, media[line.clip_id, "reaction"]),
            stored_clip_values,
        ),
        media=fresh,
        replaced_media=tuple(key for key in fresh if key in stored.media),
        moments=_changes(
            lines.moments,
            stored.moments,
            moment_values,
            lambda moment: stored_moment_values(moment, stored.nominations.get(moment.moment_id)),
        ),
        windows=_changes(lines.windows, stored.windows, window_values, stored_window_values),
    )


def _changes(
    lines: Mapping[str, Any],
    stored: Mapping[str, Any],
    wanted: Callable[[Any], dict[str, object]],
    present: Callable[[Any], dict[str, object]],
) -> Changes:
    new: list[str] = []
    changed: dict[str, tuple[str, ...]] = {}
    for own_id, line in lines.items():
        if own_id not in stored:
            new.append(own_id)
            continue
        before = present(stored[own_id])
        fields = tuple(field for field, value in wanted(line).items() if before[field] != value)
        if fields:
            changed[own_id] = fields
    return Changes(tuple(new), changed, len(lines) - len(new) - len(changed))


def clip_values(line: ClipLine, reaction: MediaFile) -> dict[str, object]:
    """A clip line by the names of its fields in the file; the creator together with the channel."""
    return {
        "creator": (line.channel, line.creator),
        "category": line.category,
        "domain": line.domain,
        "source_group": line.source_group,
        "parent_clip": line.parent_clip,
        "duration_s": reaction.duration_ms,
    }


def stored_clip_values(clip: Clip) -> dict[str, object]:
    """A stored clip in the same terms."""
    return {
        "creator": (clip.creator.channel.name, clip.creator.name),
        "category": clip.category,
        "domain": clip.domain,
        "source_group": clip.source_group,
        "parent_clip": clip.parent_clip.clip_id if clip.parent_clip else None,
        "duration_s": clip.duration_ms,
    }


def moment_values(line: MomentLine) -> dict[str, object]:
    """A moment line by the names of its fields."""
    return {
        "clip_id": line.clip_id,
        "start_s": line.start_ms,
        "end_s": line.end_ms,
        "nomination": line.nomination,
    }


def stored_moment_values(moment: Moment, nomination: Nomination | None) -> dict[str, object]:
    """A stored moment in the same terms."""
    value = None
    if nomination is not None:
        value = NominationValue(nomination.selector, nomination.score, nomination.rank, nomination.evidence)
    return {
        "clip_id": moment.clip.clip_id,
        "start_s": moment.start_ms,
        "end_s": moment.end_ms,
        "nomination": value,
    }


def window_values(line: WindowLine) -> dict[str, object]:
    """A window line by the names of its fields."""
    return {
        "clip_id": line.clip_id,
        "start_s": line.start_ms,
        "end_s": line.end_ms,
        "description": line.description,
    }


def stored_window_values(window: StimulusWindow) -> dict[str, object]:
    """A stored window in the same terms."""
    return {
        "clip_id": window.clip.clip_id,
        "start_s": window.start_ms,
        "end_s": window.end_ms,
        "description": window.description,
    }


def plan_respects_answers(plan: Plan, lines: FolderLines, stored: Stored, findings: Findings) -> None:
    """Note a problem for every change of what somebody has judged, naming the clip.

    Replaced media is no such change: it becomes a version of its own, and answers keep the hash they saw.
    Windows are judged by nobody.
    """
    places = _clips_of_moments(plan, lines, stored)
    touched = plan.touched_clips
    replaced = {clip_id for clip_id, _ in plan.replaced_media}
    asked = touched.keys() | {place for clip_ids in places.values() for place in clip_ids} | replaced
    answered = {clip_id for chunk in chunked(asked) for clip_id in clips_with_answers(chunk)}
    for clip_id, fields in touched.items():
        if clip_id in answered:
            line = lines.clips[clip_id]
            for field in fields:
                _refuse(findings, CLIPS, line.line, field, f"a changed {field}", clip_id)
    for moment_id, clip_ids in places.items():
        judged = sorted(clip_ids & answered)
        if judged:
            changed = ", ".join(plan.moments.changed.get(moment_id, ()))
            what = f"moment {shown(moment_id)} with a changed {changed}" if changed else "a new moment"
            _refuse(findings, MOMENTS, lines.moments[moment_id].line, "moment_id", what, judged[0])
    for clip_id, role in plan.replaced_media:
        if clip_id in answered:
            found = f"other bytes than those that answers to clip {shown(clip_id)} were given to"
            expected = "nothing; a new version is stored, and answers keep the hash they saw"
            findings.warnings.append(Problem(CLIPS, lines.clips[clip_id].line, role, found, expected))


def _refuse(findings: Findings, file: str, line: int, field: str, found: str, clip_id: str) -> None:
    findings.problem(
        file, line, field, found=found, expected=f"no change, since clip {shown(clip_id)} has answers"
    )


def _clips_of_moments(plan: Plan, lines: FolderLines, stored: Stored) -> dict[str, set[str]]:
    """For each new or changed moment, the stored clips that it comes into or leaves."""
    places: dict[str, set[str]] = {}
    for moment_id in (*plan.moments.new, *plan.moments.changed):
        clip_ids = {lines.moments[moment_id].clip_id}
        if moment_id in stored.moments:
            clip_ids.add(stored.moments[moment_id].clip.clip_id)
        places[moment_id] = clip_ids & stored.clips.keys()
    return places
