"""The stimulus pictures: three small stages on which something happens at every event of the script.

Each stage is a class with a still background and `draw(t, out)`, which paints the picture of second `t`.
The stronger the reaction that the script wants, the bigger the event.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Protocol

import numpy as np

from catalogue.demo.canvas import HEIGHT, WIDTH, Colour, Pen, Picture, mix, sky, vignette
from catalogue.demo.plan import ClipPlan, held


class Stage(Protocol):
    def still(self, t: float) -> bool:
        """Whether nothing but breathing and flickering goes on at `t`."""

    def draw(self, t: float, out: Picture) -> None:
        """Paint the picture of second `t` into `out`."""


def build_stage(plan: ClipPlan) -> Stage:
    """The stage of the clip's scene, dressed by the clip's seed."""
    stages: dict[str, Callable[[ClipPlan], Stage]] = {
        "drops": Drops,
        "fireworks": Fireworks,
        "corridor": Corridor,
    }
    return stages[plan.scene](plan)


DESCRIPTIONS: dict[str, tuple[str, str, str, str]] = {
    "drops": (
        "A pale feather drifts down and settles without a sound.",
        "One small yellow ball plops beside the round creature, which hops aside.",
        "Striped watermelon smashes on the boards; juice flies everywhere.",
        "An enormous steel safe crashes from above, dust bursts, everything shakes.",
    ),
    "fireworks": (
        "A rocket climbs but fizzles out as a dud puff.",
        "Small green shower of sparks pops over the roofs.",
        "Wide golden chrysanthemum bursts with a loud bang.",
        "Gigantic double red-and-white shell explodes, the whole sky flashes.",
    ),
    "corridor": (
        "The ceiling lamp flickers twice, nothing else.",
        "Two glowing eyes blink open behind the far doorway.",
        "Door slams wide; someone stands against bright light.",
        "A screaming white ghost lunges straight into the camera.",
    ),
}
"""What one event of each strength looks like, for the window descriptions."""

NO_EVENT = (
    "Quiet opening before anything begins.",
    "Calm pause, second quarter, no event yet.",
    "Third part stays empty and silent.",
    "Closing seconds: everything has come to rest.",
)


class Drops:
    """Things fall on a stage of warm boards, next to a small round creature."""

    FLOOR = 296.0

    def __init__(self, plan: ClipPlan) -> None:
        dice = random.Random(plan.seed)
        hue: Colour = dice.choice(((238, 196, 150), (190, 212, 206), (228, 186, 186)))
        self._events = [(m.event_ms / 1000, m.strength, dice.uniform(170, 300)) for m in plan.moments]
        self._begins = {0: -1.8, 1: -0.5, 2: -0.5, 3: -0.5}
        self._still = sky(hue, mix(hue, (255, 250, 240), 0.45))
        pen = Pen(self._still)
        for column in range(11):
            pen.box(column * 64 - 20, -10, column * 64 + 10, 250, mix(hue, (120, 80, 70), 0.35), alpha=0.13)
        pen.box(-10, 250, 650, 400, (150, 104, 76))
        for board in range(6):
            pen.box(-10, 250 + board * board * 4, 650, 252 + board * board * 4.2, (112, 74, 56), alpha=0.6)
        pen.glow(320, 30, 420, (255, 250, 230), 0.35)
        vignette(self._still, 0.25)

    def still(self, t: float) -> bool:
        return not any(self._begins[strength] < t - at < 1.9 for at, strength, _x in self._events)

    def draw(self, t: float, out: Picture) -> None:
        np.copyto(out, self._still)
        shake = 0.0
        hop = fright = 0.0
        for at, strength, _x in self._events:
            since = t - at
            if 0 <= since < 1.6:
                decay = math.exp(-2.6 * since)
                hop = max(hop, (0, 10, 34, 92)[strength] * decay * abs(math.sin(since * 6.5)))
                fright = max(fright, strength / 3 * math.exp(-1.2 * since))
                shake += (0, 0, 2, 8)[strength] * math.exp(-4 * since) * math.sin(since * 70)
        pen = Pen(out, 0, shake)
        self._creature(pen.at(452, self.FLOOR - hop), hop, fright, t)
        for at, strength, x in self._events:
            if self._begins[strength] < t - at < 1.9:
                self._fall(pen, t - at, strength, x)

    def _creature(self, pen: Pen, hop: float, fright: float, t: float) -> None:
        breath = 1 + 0.025 * math.sin(held(t) * 3)
        pen.ellipse(0, hop + 2, 46, 8, (60, 36, 32), 0.35, soft=8)
        coat: Colour = (88, 110, 150)
        for side in (-1, 1):
            pen.ellipse(side * 25, -66 * breath, 11, 17, coat)
            pen.ellipse(side * 20, -2, 14, 7, mix(coat, (20, 20, 40), 0.3))
        pen.ellipse(0, -36, 44, 38 * breath, coat)
        pen.ellipse(0, -24, 28, 23, mix(coat, (255, 246, 230), 0.55))
        blink = 0.12 if fright < 0.2 and t % 2.9 < 0.12 else 1.0
        for side in (-1, 1):
            size = 8 + 5 * fright
            pen.ellipse(side * 15, -48, size, size * blink, (252, 250, 246))
            pen.ellipse(side * 15 - 2.5, -47, size * 0.5, size * 0.5 * blink, (24, 20, 28))
        pen.ellipse(-2, -31, 4 + 4 * fright, 2 + 9 * fright, (70, 28, 40))

    def _fall(self, pen: Pen, since: float, strength: int, x: float) -> None:
        fade = min(1.0, max(0.0, (1.9 - since) / 0.4))
        size = (16, 17, 46, 74)[strength]
        if strength == 0:
            drop = max(0.0, -since) * 150
            sway = 34 * math.sin(since * 3.2) * min(1.0, -since / 0.4 if since < 0 else 0.0)
            feather = pen.at(
                x + sway, self.FLOOR - 4 - drop, tilt=0.5 * math.sin(since * 3.2) if since < 0 else 0.1
            )
            feather.ellipse(0, 0, 22, 5, (246, 242, 236), fade)
            feather.line([(-26, 1), (22, 0)], 1.0, (170, 160, 150), fade)
            return
        height = 0.0
        if since < 0:
            height = 2400 * since * since + (260 if since < -0.34 else 0)
        elif strength == 1:
            bounce = since % 0.36
            height = 60 * math.exp(-2.4 * since) * max(0.0, 1 - ((bounce - 0.18) / 0.18) ** 2)
        pen.ellipse(
            x, self.FLOOR + 3, size * 1.1, size * 0.16, (50, 30, 26), 0.4 * fade / (1 + height / 80), soft=10
        )
        thing = pen.at(x, self.FLOOR - height)
        if strength == 1:
            thing.ellipse(0, -size, size, size, (236, 208, 72), fade)
            thing.bow((-size, -size - 4), (0, -size + 8), (size, -size - 4), 1.5, (250, 244, 210), fade)
        elif strength == 2:
            self._melon(thing, size, since, fade)
        else:
            self._safe(thing, size, since, fade)

    def _melon(self, pen: Pen, size: float, since: float, fade: float) -> None:
        rind: Colour = (62, 132, 70)
        if since < 0:
            pen.ellipse(0, -size, size, size * 0.92, rind, fade)
            for stripe in (-0.6, -0.2, 0.2, 0.6):
                pen.ellipse(stripe * size, -size, 4, size * 0.7, (36, 88, 48), fade * 0.8)
            return
        dice = random.Random("melon")
        pen.ellipse(0, -6, size * 1.9 * min(1.0, since * 9), 12, (216, 62, 70), fade * 0.85)
        for _ in range(26):
            angle, speed = dice.uniform(-2.9, -0.25), dice.uniform(140, 460)
            u = math.cos(angle) * speed * since
            v = min(0.0, math.sin(angle) * speed * since + 400 * since * since)
            colour = dice.choice(((222, 66, 74), (238, 104, 100), rind, (40, 26, 24)))
            pen.ellipse(u, v - 4, dice.uniform(3, 9), dice.uniform(3, 7), colour, fade)

    def _safe(self, pen: Pen, size: float, since: float, fade: float) -> None:
        steel: Colour = (84, 92, 104)
        pen.box(-size, -size * 1.8, size, 0, mix(steel, (0, 0, 0), 0.35), round_=8, alpha=fade)
        pen.box(-size + 8, -size * 1.8 + 8, size - 8, -8, steel, round_=6, alpha=fade)
        pen.ellipse(0, -size * 0.95, 24, 24, (54, 58, 68), fade)
        for turn in range(3):
            angle = turn * math.pi / 3 + 0.3
            u, v = 20 * math.cos(angle), 20 * math.sin(angle)
            pen.line([(-u, -size * 0.95 - v), (u, -size * 0.95 + v)], 3, (196, 180, 130), fade)
        if since < 0:
            return
        dice = random.Random("dust")
        for _ in range(16):
            side, speed, swell = dice.choice((-1, 1)), dice.uniform(60, 260), dice.uniform(18, 40)
            u = side * (size * 0.7 + speed * (1 - math.exp(-2.4 * since)))
            pen.ellipse(
                u,
                -10 - dice.uniform(10, 60) * min(1.0, since),
                swell * (0.5 + since),
                swell * (0.4 + 0.7 * since),
                (214, 196, 172),
                0.55 * math.exp(-1.4 * since) * fade,
                soft=14,
            )


class Fireworks:
    """Rockets over a town at night."""

    COLOURS: tuple[Colour, Colour, Colour, Colour] = (
        (150, 150, 160),
        (120, 240, 150),
        (255, 206, 96),
        (255, 92, 92),
    )
    REACH = (16, 66, 128, 190)
    SPARKS = (6, 26, 64, 96)

    def __init__(self, plan: ClipPlan) -> None:
        dice = random.Random(plan.seed)
        self._events = [
            (m.event_ms / 1000, m.strength, dice.uniform(200, 440), dice.uniform(96, 140))
            for m in plan.moments
        ]
        self._still = sky((12, 14, 38), (52, 44, 86))
        pen = Pen(self._still)
        for _ in range(90):
            size = dice.uniform(0.5, 1.4)
            pen.ellipse(dice.uniform(0, WIDTH), dice.uniform(0, 230), size, size, (226, 230, 255), 0.75)
        pen.ellipse(560, 62, 24, 24, (244, 238, 214))
        pen.ellipse(570, 56, 22, 22, (16, 17, 44))
        x = -10.0
        while x < WIDTH:
            wide, tall = dice.uniform(34, 78), dice.uniform(40, 110)
            pen.box(x, HEIGHT - tall, x + wide, HEIGHT + 10, (14, 13, 28))
            for row in range(int(tall // 16)):
                for column in range(int(wide // 14)):
                    if dice.random() < 0.32:
                        u, v = x + 6 + column * 14, HEIGHT - tall + 8 + row * 16
                        pen.box(u, v, u + 6, v + 8, (240, 196, 112), alpha=0.8)
            x += wide + dice.uniform(0, 8)

    def still(self, t: float) -> bool:
        return not any(-1.0 < t - at < 1.9 for at, *_rest in self._events)

    def draw(self, t: float, out: Picture) -> None:
        np.copyto(out, self._still)
        pen = Pen(out)
        for at, strength, x, y in self._events:
            since = t - at
            if -1.0 <= since < 0:
                self._rocket(pen, x, y, since)
            elif 0 <= since < 1.9:
                self._burst(pen.at(x, y), strength, since)

    def _rocket(self, pen: Pen, x: float, y: float, since: float) -> None:
        left = since * since  # slows down as it climbs
        height = y + (HEIGHT - 40 - y) * left
        for puff in range(6):
            pen.ellipse(
                x + math.sin(puff * 2.1 + since * 30) * 1.5,
                height + 7 * puff,
                2.6 - 0.35 * puff,
                4,
                (255, 214, 150),
                0.8 - 0.12 * puff,
            )

    def _burst(self, pen: Pen, strength: int, since: float) -> None:
        colour, reach = self.COLOURS[strength], self.REACH[strength]
        if strength == 3 and since < 0.5:
            pen.picture += (np.float32(255) - pen.picture) * np.float32(0.75 * math.exp(-7 * since))
        pen.glow(0, 0, reach * 1.5, colour, (0.15, 0.35, 0.6, 0.85)[strength] * math.exp(-3 * since))
        spread = reach * (1 - math.exp(-4.5 * since))
        fade = max(0.0, 1 - since / 1.9) ** 1.3
        dice = random.Random(strength)
        for spark in range(self.SPARKS[strength]):
            angle = dice.uniform(0, 2 * math.pi)
            far = math.sqrt(dice.uniform(0.15, 1.0)) * spread
            inner = strength == 3 and spark % 3 == 0
            far *= 0.5 if inner else 1.0
            u, v = far * math.cos(angle), far * math.sin(angle) + 34 * since * since
            tail = 0.12 * far
            shade = (255, 246, 236) if inner else mix(colour, (255, 255, 255), 0.4 * math.exp(-4 * since))
            pen.line(
                [(u - tail * math.cos(angle), v - tail * math.sin(angle)), (u, v)],
                1.1 + 0.5 * strength * fade,
                shade,
                fade,
            )


class Corridor:
    """A dark corridor with a door at its far end."""

    DOOR = (268.0, 116.0, 372.0, 268.0)

    def __init__(self, plan: ClipPlan) -> None:
        dice = random.Random(plan.seed)
        tint: Colour = dice.choice(((96, 112, 108), (110, 98, 92), (92, 98, 124)))
        self._events = [(m.event_ms / 1000, m.strength) for m in plan.moments]
        self._phase = dice.uniform(0, 9)
        self._still = _corridor(tint)

    def still(self, t: float) -> bool:
        return not any(-0.3 < t - at < 1.9 for at, _strength in self._events)

    def draw(self, t: float, out: Picture) -> None:
        lamp = 0.86 + 0.05 * math.sin((held(t) + self._phase) * 1.7)
        door_open = 0.0
        for at, strength in self._events:
            since = t - at
            if strength == 0 and 0 <= since < 0.7:
                lamp *= 0.42 if since % 0.28 < 0.13 else 1.0
            if strength == 2 and 0 <= since < 1.9:
                door_open = max(door_open, min(1.0, since / 0.1, (1.9 - since) / 0.5))
            if strength == 3 and -0.3 < since < 1.5:
                lamp *= 0.45
        np.multiply(self._still, np.float32(lamp), out=out)
        pen = Pen(out)
        self._door(pen, door_open)
        for at, strength in self._events:
            since = t - at
            if strength == 1 and 0 <= since < 1.8:
                self._eyes(pen, min(1.0, since / 0.15, (1.8 - since) / 0.3))
            if strength == 3 and 0 <= since < 1.3:
                self._ghost(pen, since)

    def _door(self, pen: Pen, openness: float) -> None:
        left, top, right, bottom = self.DOOR
        pen.box(left - 8, top - 8, right + 8, bottom, (40, 32, 30))
        if openness <= 0:
            pen.box(left, top, right, bottom, (66, 48, 42))
            for v0, v1 in ((top + 12, top + 66), (top + 80, bottom - 12)):
                pen.box(left + 14, v0, right - 14, v1, (52, 38, 34), round_=3)
            pen.ellipse(right - 12, 196, 4, 4, (190, 160, 96))
            return
        pen.box(left, top, right, bottom, mix((66, 48, 42), (255, 238, 200), openness))
        pen.glow(320, 192, 300, (255, 232, 180), 0.55 * openness)
        figure: Colour = (24, 20, 26)
        pen.ellipse(320, 158, 15, 18, figure, openness)
        pen.box(298, 176, 342, 250, figure, round_=14, alpha=openness)
        pen.box(302, 236, 317, 268, figure, alpha=openness)
        pen.box(323, 236, 338, 268, figure, alpha=openness)
        hinge = 96 * openness
        pen.line(
            [(left, top), (left - hinge * 0.3, top + 8), (left - hinge * 0.3, bottom + 12)], 4, (52, 38, 34)
        )

    def _eyes(self, pen: Pen, openness: float) -> None:
        pen.box(*self.DOOR, (10, 8, 12), alpha=0.92)
        for side in (-1, 1):
            pen.glow(320 + side * 16, 168, 26, (255, 206, 90), 0.4 * openness)
            pen.ellipse(320 + side * 16, 168, 9, 7 * openness, (255, 222, 120))
            pen.ellipse(320 + side * 16, 168, 2.4, 6 * openness, (30, 16, 10))

    def _ghost(self, pen: Pen, since: float) -> None:
        rush = min(1.0, since / 0.22)
        fade = min(1.0, (1.3 - since) / 0.3)
        tremble = 7 * math.sin(since * 61) * rush
        ghost = pen.at(320 + tremble, 180 + 10 * math.sin(since * 43), scale=14 + 118 * rush * rush)
        ghost.ellipse(0, 0.15, 1.05, 1.35, (206, 220, 226), fade, soft=10)
        ghost.ellipse(0, 0.1, 0.9, 1.2, (236, 242, 242), fade, soft=14)
        for side in (-1, 1):
            ghost.ellipse(side * 0.4, -0.3, 0.25, 0.34, (16, 10, 16), fade)
            ghost.ellipse(side * 0.4, -0.28, 0.06, 0.06, (230, 60, 50), fade)
            ghost.bow(
                (side * 0.16, -0.62), (side * 0.42, -0.84), (side * 0.68, -0.56), 0.03, (120, 130, 140), fade
            )
        gape = 0.5 + 0.06 * math.sin(since * 50)
        ghost.ellipse(0, 0.62, 0.34, gape, (14, 6, 12), fade)
        ghost.ellipse(0, 0.84, 0.2, 0.2, (120, 30, 40), fade * 0.8)


def _corridor(tint: Colour) -> Picture:
    """Walls, floor tiles and ceiling in one-point perspective, lit by a ceiling lamp."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float32)
    u, v = (x - 320) / 320, (y - 180) / 180
    near = np.maximum(np.abs(u), np.abs(v))
    depth = 1 / np.maximum(near, 0.3)
    light = np.clip(1.25 - 0.27 * depth, 0.12, 1) * (0.75 + 0.25 * np.cos(depth * 5) ** 2)
    floor, ceiling = (v > 0) & (np.abs(v) >= np.abs(u)), (v < 0) & (np.abs(v) > np.abs(u))
    tiles = (np.floor(u * depth * 3) + np.floor(depth * 4)) % 2
    shade = np.where(floor, 0.52 + 0.22 * tiles, np.where(ceiling, 0.7, 0.95)) * light
    skirting = (~floor) & (~ceiling) & (v * depth > 0.86)
    shade = np.where(skirting, shade * 0.6, shade).astype(np.float32)
    picture = np.ascontiguousarray(
        np.asarray(tint, np.float32)[:, None, None] * shade[None] * np.float32(0.8)
    )
    pen = Pen(picture)
    pen.ellipse(320, 30, 60, 9, (255, 244, 214))
    pen.glow(320, 40, 230, (255, 236, 190), 0.5)
    vignette(picture, 0.6)
    return picture
