"""How a face moves: calm between the moments, and after each event as strongly as the script says."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, fields

from catalogue.demo.plan import ClipPlan, MomentPlan, held

SYLLABLES_PER_S = 4.6
"""The beat of laughter, shared by the mouth and the voice."""


@dataclass(frozen=True)
class Pose:
    """One frame of a performance. Lengths are pixels, the rest 0-1 unless said otherwise."""

    dx: float = 0.0
    dy: float = 0.0
    lean: float = 0.0  # towards the camera; negative recoils
    tilt: float = 0.0  # radians
    smile: float = 0.0  # negative turns the corners down
    open: float = 0.0
    round: float = 0.0  # of the mouth: 0 a laugh's half moon, 1 a scream's oval
    brow: float = 0.0
    wide: float = 0.0  # eyes torn open
    squeeze: float = 0.0  # eyes closed by laughing
    blink: float = 0.0
    hands: float = 0.0  # 0 out of the picture, 1 at the cheeks
    gaze_x: float = 0.0
    gaze_y: float = 0.0

    def plus(self, other: Pose, share: float) -> Pose:
        return Pose(**{f.name: getattr(self, f.name) + share * getattr(other, f.name) for f in fields(Pose)})


class Performance:
    """The poses of one creator over one clip, a function of time alone."""

    def __init__(self, plan: ClipPlan, resting: Pose) -> None:
        self._plan = plan
        self._resting = resting
        dice = random.Random(plan.seed)
        self._phase = dice.uniform(0, 6)
        self._blinks: list[float] = []
        at = dice.uniform(0.8, 2.0)
        while at * 1000 < plan.duration_ms:
            self._blinks.append(at)
            at += dice.uniform(2.2, 4.2)

    def pose(self, t: float) -> Pose:
        """The pose `t` seconds into the clip."""
        pose = self._resting.plus(self._idle(t), 1.0)
        for moment in self._plan.moments:
            share = envelope(moment, t)
            if share > 0:
                since = t - moment.onset_ms / 1000
                pose = pose.plus(_REACTIONS[moment.strength](since), share)
        return pose

    def _idle(self, t: float) -> Pose:
        wave = held(t) + self._phase
        blink = max((max(0.0, 1 - abs(t - at) / 0.1) for at in self._blinks), default=0.0)
        return Pose(
            dx=1.6 * math.sin(wave * 0.7),
            dy=1.4 * math.sin(wave * 1.6),
            tilt=0.012 * math.sin(wave * 0.9),
            blink=blink,
            gaze_x=0.12 * math.sin(wave * 0.8),
            gaze_y=0.06 * math.sin(wave * 1.3),
        )


def envelope(moment: MomentPlan, t: float) -> float:
    """How much of a moment's reaction shows at `t`: quick in, held, back to calm before the moment ends."""
    onset, end = moment.onset_ms / 1000, moment.end_ms / 1000
    attack = 0.34 if moment.strength < 3 else 0.16
    rise = _ease((t - onset) / attack)
    fall = _ease((end - 0.08 - t) / 0.45)
    return min(rise, fall)


def _ease(x: float) -> float:
    x = min(max(x, 0.0), 1.0)
    return x * x * (3 - 2 * x)


def _calm(_since: float) -> Pose:
    return Pose()


def _mild(since: float) -> Pose:
    nod = math.sin(2 * math.pi * 1.3 * since) * math.exp(-1.1 * since)
    return Pose(smile=0.85, dy=8 * nod, tilt=0.05, brow=0.12, squeeze=0.12)


def _clear(since: float) -> Pose:
    beat = 0.5 + 0.5 * math.cos(2 * math.pi * SYLLABLES_PER_S * since)
    return Pose(
        smile=1.0,
        open=0.48 + 0.3 * beat,
        brow=0.75,
        squeeze=0.75,
        lean=0.20,
        dy=10 + 6 * beat,
        tilt=0.06 * math.sin(2 * math.pi * 0.8 * since),
    )


def _peak(since: float) -> Pose:
    jump = math.exp(-5 * since) * math.sin(min(since * 9, math.pi))
    tremble = math.exp(-0.6 * since)
    return Pose(
        smile=-0.25,
        open=1.0,
        round=1.0,
        brow=1.0,
        wide=1.0,
        lean=-0.10,
        dy=-4 - 56 * jump,
        dx=4 * tremble * math.sin(2 * math.pi * 9 * since),
        tilt=-0.04 + 0.03 * tremble * math.sin(2 * math.pi * 5 * since),
        hands=min(1.0, since / 0.3),
    )


_REACTIONS = (_calm, _mild, _clear, _peak)
