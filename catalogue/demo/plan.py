"""The script of the demo: who sits in front of the camera, what happens when, and how strongly they react.

Pure data from one seed. Every time is a whole number of frames, in milliseconds, so that what the files show
is what the import folder says.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

FRAME_RATE = 25
HOLDS_PER_S = 8  # what only breathes and sways is drawn this often, as cartoons are
STEP_MS = 200  # moments start and end on multiples of this: five frames
EVENT_DELAY_MS = 320  # from the start of a moment to its event in the stimulus: eight frames
LATENCY_MS = 240  # from the event to the first sign of a reaction: six frames
WINDOWS_PER_CLIP = 4
LONGEST_WINDOW_MS = 6000

CREATORS = (
    ("Ada", "Sofa Club"),
    ("Bruno", "Night Shift"),
    ("Chen", "Watch Along"),
    ("Divya", "Sofa Club"),
    ("Emeka", "Night Shift"),
    ("Freya", "Watch Along"),
)
SCENES = ("drops", "fireworks", "corridor")
CATEGORIES = {"drops": "slapstick", "fireworks": "spectacle", "corridor": "horror"}


def held(t: float) -> float:
    """The time whose picture a slow movement shows at `t`."""
    return math.floor(t * HOLDS_PER_S + 1e-9) / HOLDS_PER_S


@dataclass(frozen=True)
class MomentPlan:
    """A marked stretch of a clip; `strength` is the known answer on the 0-3 scale (000 Table 5)."""

    moment_id: str
    start_ms: int
    end_ms: int
    strength: int

    @property
    def event_ms(self) -> int:
        return self.start_ms + EVENT_DELAY_MS

    @property
    def onset_ms(self) -> int:
        return self.event_ms + LATENCY_MS


@dataclass(frozen=True)
class WindowPlan:
    """A candidate stretch of the stimulus, with the events that fall into it."""

    window_id: str
    start_ms: int
    end_ms: int
    strengths: tuple[int, ...]


@dataclass(frozen=True)
class ClipPlan:
    clip_id: str
    creator: str
    channel: str
    scene: str
    source_group: str
    duration_ms: int
    moments: tuple[MomentPlan, ...]
    seed: int

    @property
    def category(self) -> str:
        return CATEGORIES[self.scene]

    @property
    def frames(self) -> int:
        return self.duration_ms * FRAME_RATE // 1000

    @property
    def windows(self) -> tuple[WindowPlan, ...]:
        """Four windows spread evenly over the clip; 24 s and more leave 6 s between their starts."""
        spacing = self.duration_ms // WINDOWS_PER_CLIP
        starts = range(0, spacing * WINDOWS_PER_CLIP, spacing)
        return tuple(
            WindowPlan(
                window_id=f"{self.clip_id}_w{number}",
                start_ms=start,
                end_ms=start + min(spacing, LONGEST_WINDOW_MS),
                strengths=tuple(m.strength for m in self.moments if start <= m.event_ms < start + spacing),
            )
            for number, start in enumerate(starts, 1)
        )


def plan_demo(clips: int, seed: int) -> tuple[ClipPlan, ...]:
    """The script for `clips` clips (one or more), the same for the same seed.

    Creators, channels and categories take turns. Every third clip opens with a moment at 0.0, every third
    ends with one exactly at its end, every third is long enough for four windows six seconds apart. Within a
    clip no two moments have the same strength, so each clip has an order to find.
    """
    if clips < 1:
        raise ValueError(f"A demo needs at least one clip; found {clips}.")
    dice = random.Random(seed)
    cast = dice.sample(CREATORS, len(CREATORS))
    width = max(2, len(str(clips)))
    return tuple(
        _plan_clip(
            index, f"d{index + 1:0{width}d}", cast[index % len(cast)], random.Random(f"{seed}/{index}")
        )
        for index in range(clips)
    )


def _plan_clip(index: int, clip_id: str, cast: tuple[str, str], dice: random.Random) -> ClipPlan:
    is_long = index % 3 == 2
    duration_ms = 1000 * (dice.choice((24, 25, 26)) if is_long else dice.choice((14, 16, 18)))
    scene = SCENES[(index + index // len(SCENES)) % len(SCENES)]
    return ClipPlan(
        clip_id=clip_id,
        creator=cast[0],
        channel=cast[1],
        scene=scene,
        source_group=f"{CATEGORIES[scene]}-{index // 6 + 1}",
        duration_ms=duration_ms,
        moments=_plan_moments(clip_id, duration_ms, index, dice),
        seed=dice.randrange(2**31),
    )


def _plan_moments(clip_id: str, duration_ms: int, index: int, dice: random.Random) -> tuple[MomentPlan, ...]:
    count = 4 if index % 3 == 2 else dice.choice((3, 3, 4)) if index else 3
    strengths = dice.sample(range(4), count)
    slot = duration_ms // count // STEP_MS * STEP_MS
    moments = []
    for number, strength in enumerate(strengths):
        longest = min(4000, slot - 2 * STEP_MS)
        length = dice.randrange(max(2000, longest - 1200), longest + 1, STEP_MS)
        start = number * slot + dice.randrange(STEP_MS, slot - length, STEP_MS)
        if index % 3 == 0 and number == 0:
            start = 0
        if index % 3 == 1 and number == count - 1:
            start = duration_ms - length
        moments.append(MomentPlan(f"{clip_id}_m{number + 1}", start, start + length, strength))
    return tuple(moments)
