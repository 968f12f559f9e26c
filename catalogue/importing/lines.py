"""What the lines of an import folder say, as typed values; times already in whole milliseconds."""

from dataclasses import dataclass, field

CLIPS, MOMENTS, WINDOWS = "clips.jsonl", "moments.jsonl", "windows.jsonl"


@dataclass(frozen=True, slots=True)
class ClipLine:
    """One line of clips.jsonl. `duration_ms` is what the line claims, if it does."""

    line: int
    clip_id: str
    creator: str
    channel: str
    category: str
    domain: str
    source_group: str
    parent_clip: str | None
    duration_ms: int | None
    reaction: str
    stimulus: str


@dataclass(frozen=True, slots=True)
class NominationValue:
    """Why a pre-screen proposed a moment; never shown to annotators. A line has all four."""

    selector: str
    score: float | None
    rank: int | None
    evidence: str


@dataclass(frozen=True, slots=True)
class MomentLine:
    """One line of moments.jsonl."""

    line: int
    moment_id: str
    clip_id: str
    start_ms: int
    end_ms: int
    nomination: NominationValue | None


@dataclass(frozen=True, slots=True)
class WindowLine:
    """One line of windows.jsonl."""

    line: int
    window_id: str
    clip_id: str
    start_ms: int
    end_ms: int
    description: str


@dataclass(slots=True)
class FolderLines:
    """All usable lines by id. `clip_ids` also holds the ids of clip lines that had faults."""

    clips: dict[str, ClipLine] = field(default_factory=dict)
    moments: dict[str, MomentLine] = field(default_factory=dict)
    windows: dict[str, WindowLine] = field(default_factory=dict)
    clip_ids: set[str] = field(default_factory=set)

    @property
    def named_clips(self) -> set[str]:
        """Every clip that a line mentions, be it as clip, as parent or as the place of a moment."""
        parents = {line.parent_clip for line in self.clips.values() if line.parent_clip}
        moments = {line.clip_id for line in self.moments.values()}
        windows = {line.clip_id for line in self.windows.values()}
        return self.clips.keys() | parents | moments | windows
