"""The drawn creator: one `Look` in one `Pose`, painted over a room.

The head lives in units of half its height around its centre; v grows downwards.
"""

from __future__ import annotations

import numpy as np

from catalogue.demo.acting import Pose
from catalogue.demo.canvas import Colour, Grid, Pen, Picture, mix
from catalogue.demo.looks import Look

HEAD_PIXELS = 96.0
HEAD_AT = (320.0, 168.0)
WHITE: Colour = (250, 248, 246)
INK: Colour = (44, 30, 34)
MOUTH: Colour = (96, 26, 36)
TONGUE: Colour = (214, 98, 104)


def draw_reaction(room: Picture, look: Look, pose: Pose, picture: Picture) -> None:
    """Paint the creator in the room into `picture`, whatever it held before."""
    np.copyto(picture, room)
    head = Pen(
        picture,
        HEAD_AT[0] + pose.dx,
        HEAD_AT[1] + pose.dy,
        HEAD_PIXELS * (1 + pose.lean),
        pose.tilt,
    )
    body = Pen(
        picture,
        HEAD_AT[0] + 0.5 * pose.dx,
        HEAD_AT[1] + 0.45 * pose.dy,
        HEAD_PIXELS * (1 + 0.6 * pose.lean),
    )
    _back_hair(head, look)
    _body(body, head, look)
    _skull(head, look)
    _eyes(head, look, pose)
    _nose(head, look)
    _mouth(head, look, pose)
    _front_hair(head, look)
    _brows(head, look, pose)
    if look.glasses:
        _glasses(head)
    if pose.hands > 0.02:
        _hands(head, look, pose)


def _shade(colour: Colour, share: float) -> Colour:
    return mix(colour, (60, 20, 40), share)


def _light(colour: Colour, share: float) -> Colour:
    return mix(colour, (255, 246, 226), share)


def _back_hair(head: Pen, look: Look) -> None:
    wide, dark = look.head_width, _shade(look.hair_colour, 0.18)
    if look.hair == "long":
        head.box(-wide - 0.22, -0.75, wide + 0.22, 1.62, dark, round_=0.5)
    elif look.hair == "bob":
        head.box(-wide - 0.24, -0.9, wide + 0.24, 0.78, dark, round_=0.46)
    elif look.hair == "bun":
        head.ellipse(0, -1.18, 0.36, 0.34, look.hair_colour)
        head.ellipse(0.06, -1.22, 0.2, 0.18, _light(look.hair_colour, 0.25), 0.5, soft=8)
        head.ellipse(0, -0.28, wide + 0.1, 0.86, dark)


def _body(body: Pen, head: Pen, look: Look) -> None:
    fold = _shade(look.shirt, 0.22)
    body.box(-1.55, 1.28, 1.55, 3.4, look.shirt, round_=0.62)
    body.box(0.72, 1.34, 1.5, 3.4, fold, round_=0.5, alpha=0.45, soft=26)
    neck = _shade(look.skin, 0.20)
    u, v = (head.x - body.x) / body.scale, (head.y - body.y) / body.scale
    body.line([(u, v + 0.55), (0, 1.32)], 0.30, neck)
    body.bow((-0.46, 1.26), (0, 1.72), (0.46, 1.26), 0.075, fold)
    body.ellipse(0, 1.30, 0.36, 0.17, neck)


def _skull(head: Pen, look: Look) -> None:
    wide, skin = look.head_width, look.skin
    for side in (-1, 1):
        head.ellipse(side * wide, 0.02, 0.15, 0.21, _shade(skin, 0.10))
        head.ellipse(side * wide, 0.03, 0.075, 0.12, _shade(skin, 0.24))
    head.shape((-wide, -1.0, wide, 1.02), lambda u, v: _head_distance(u, v, wide), skin)
    head.ellipse(-0.3, -0.35, 0.55, 0.5, _light(skin, 0.5), 0.28, soft=70)
    head.ellipse(wide * 0.72, 0.35, 0.3, 0.6, _shade(skin, 0.4), 0.16, soft=60)
    if look.beard:
        head.shape(
            (-wide, 0.2, wide, 1.03),
            lambda u, v: np.asarray(
                np.maximum(_head_distance(u, v, wide), 0.30 + 0.28 * np.cos(u * 3.6) - v), np.float32
            ),
            mix(look.hair_colour, skin, 0.18),
        )


def _head_distance(u: Grid, v: Grid, wide: float) -> Grid:
    """A rounded head, narrower towards the chin."""
    narrowing = np.clip(v, 0, 1)
    across = (u / (wide * (1 - 0.16 * narrowing * narrowing))) ** 2
    along = v * v
    return np.asarray((np.sqrt(across + along - 0.22 * across * along) - 1) * 0.85, np.float32)


def _eyes(head: Pen, look: Look, pose: Pose) -> None:
    shut = max(pose.blink * (1 - pose.wide), min(1.0, pose.squeeze * 1.25))
    tall = 0.165 * (1 + 0.45 * pose.wide)
    across = 0.165 * (1 + 0.16 * pose.wide)
    for side in (-1, 1):
        eye = head.at(side * 0.34, -0.06)
        if pose.squeeze > 0.05:
            cheek = min(1.0, pose.squeeze)
            eye.ellipse(side * 0.08, 0.34, 0.2, 0.13, (232, 110, 104), 0.34 * cheek, soft=22)
        if shut > 0.72:
            # Laughing lids bow upwards, blinking ones hang down.
            bend = -0.16 if pose.squeeze > 0.4 else 0.07
            eye.bow((-0.16, 0.05), (0, 0.03 + bend), (0.16, 0.05), 0.026, INK)
            continue
        eye.ellipse(0, 0, across, tall, WHITE)
        size = 0.098 * (1 - 0.22 * pose.wide)
        u, v = 0.05 * pose.gaze_x, 0.02 + 0.06 * pose.gaze_y
        eye.ellipse(u, v, size, size, look.iris)
        eye.ellipse(u, v, size * 0.55, size * 0.55, (18, 14, 18))
        eye.ellipse(u - 0.035, v - 0.04, 0.026, 0.026, WHITE)
        lid = tall * (1 - 0.32 * (1 - pose.wide) - 1.1 * shut)
        eye.between(
            across * 1.08,
            lambda gu: np.full_like(gu, -1.25 * tall),
            lambda gu, lid=lid: -lid * np.sqrt(np.clip(1.06 - (gu / (across * 1.08)) ** 2, 0, 1)),  # type: ignore[misc]
            tall * 1.3,
            look.skin,
        )
        edge = -lid
        eye.bow((-across, edge * 0.35), (0, edge * 1.5), (across, edge * 0.35), 0.022, INK)


def _brows(head: Pen, look: Look, pose: Pose) -> None:
    colour = _shade(look.hair_colour, 0.25)
    lift = 0.23 * pose.brow
    for side in (-1, 1):
        inner = -0.36 - lift * (1.15 if pose.round > 0.5 else 0.9)
        head.bow(
            (side * 0.17, inner + 0.02),
            (side * 0.36, -0.45 - lift * 1.25),
            (side * 0.55, -0.31 - lift * 0.8),
            0.042,
            colour,
        )


def _nose(head: Pen, look: Look) -> None:
    shade = _shade(look.skin, 0.28)
    head.bow((0.02, 0.06), (0.15, 0.27), (-0.03, 0.29), 0.026, shade)


def _mouth(head: Pen, look: Look, pose: Pose) -> None:
    lips = mix(mix(look.skin, (150, 50, 60), 0.5), (204, 84, 92), 0.6)
    smile, gape = pose.smile, min(1.0, max(0.0, pose.open))
    wide = 0.24 + 0.17 * max(0.0, smile) - 0.03 * pose.round * gape
    mouth = head.at(0, 0.52 + 0.06 * gape * pose.round)
    lift = 0.20 * smile
    if gape < 0.04:
        _closed_lips(mouth, look, wide, lift, lips)
    else:
        _open_mouth(mouth, pose, wide, lift, lips)


def _closed_lips(mouth: Pen, look: Look, wide: float, lift: float, lips: Colour) -> None:
    mouth.bow((-wide, -lift * 0.75), (0, lift * 0.95), (wide, -lift * 0.75), 0.03, lips)
    if lift > 0.1:
        for side in (-1, 1):
            mouth.bow(
                (side * (wide + 0.03), -lift - 0.03),
                (side * (wide + 0.08), -lift * 0.6),
                (side * (wide + 0.02), -lift * 0.2),
                0.014,
                _shade(look.skin, 0.3),
            )


def _open_mouth(mouth: Pen, pose: Pose, wide: float, lift: float, lips: Colour) -> None:
    gape = min(1.0, pose.open)
    up = (0.05 + 0.26 * pose.round) * gape
    down = (0.40 - 0.04 * pose.round) * gape

    def arch(u: Grid, size: float) -> Grid:
        return np.asarray(size * np.sqrt(np.clip(1 - (u / wide) ** 2, 0, 1)), np.float32)

    def corners(u: Grid) -> Grid:
        return np.asarray(-lift * (u / wide) ** 2, np.float32)

    def upper(u: Grid) -> Grid:
        return corners(u) - arch(u, up)

    def lower(u: Grid) -> Grid:
        return corners(u) + arch(u, down)

    reach = max(up, down) + abs(lift)
    rim = 0.035
    mouth.between(wide + rim, lambda u: upper(u) - rim, lambda u: lower(u) + rim, reach + rim, lips)
    mouth.between(wide, upper, lower, reach, MOUTH)
    tongue = 0.45 * down
    mouth.between(
        wide,
        lambda u: np.maximum(upper(u), down - tongue + 0.5 * (u / wide) ** 2),
        lower,
        reach,
        TONGUE,
    )
    teeth = 0.07 + 0.03 * (1 - pose.round)
    mouth.between(
        wide * 0.9,
        upper,
        lambda u: np.minimum(upper(u) + teeth, lower(u)),
        reach,
        WHITE,
        alpha=min(1.0, gape * 3),
    )


def _front_hair(head: Pen, look: Look) -> None:
    wide, colour = look.head_width, look.hair_colour
    shine = _light(colour, 0.3)
    hairline = {"crop": -0.52, "bob": -0.42, "long": -0.5, "bun": -0.56, "cap": -0.46}[look.hair]
    bend = {"crop": 0.1, "bob": 0.16, "long": 0.62, "bun": 0.42, "cap": 0.0}[look.hair]
    grown = wide + (0.05 if look.hair in ("crop", "cap") else 0.1)

    def cap(u: Grid, v: Grid) -> Grid:
        outer = _head_distance(u * (wide / grown), v * 0.93, wide)
        return np.asarray(np.maximum(outer, v - hairline - bend * u * u), np.float32)

    head.shape((-grown, -1.12, grown, 0.2), cap, colour)
    head.bow((-0.5, -0.8), (-0.1, -1.02), (0.3, -0.88), 0.035, shine, 0.45)
    if look.hair == "bob":
        head.bow((-0.62, -0.52), (-0.1, -0.2), (0.66, -0.62), 0.12, colour)
        for side in (-1, 1):
            head.line([(side * (wide + 0.06), -0.45), (side * (wide + 0.04), 0.42)], 0.13, colour)
    elif look.hair == "long":
        for side in (-1, 1):
            head.bow((side * 0.1, -0.9), (side * 0.95, -0.6), (side * (wide + 0.06), 0.5), 0.12, colour)
            head.line([(side * (wide + 0.06), 0.45), (side * (wide + 0.02), 1.35)], 0.14, colour)
    elif look.hair == "cap":
        head.shape((-grown - 0.05, -1.18, grown + 0.05, -0.4), cap, look.accent)
        head.box(-grown - 0.02, -0.58, grown + 0.02, -0.42, mix(look.accent, INK, 0.45), round_=0.07)
        head.ellipse(0, -0.98, 0.07, 0.05, mix(look.accent, INK, 0.45))
    elif look.hair == "crop":
        for u, v in ((-0.5, -0.86), (-0.22, -1.0), (0.1, -1.02), (0.42, -0.92)):
            head.ellipse(u, v, 0.26, 0.17, colour)


def _glasses(head: Pen) -> None:
    for side in (-1, 1):
        lens = head.at(side * 0.34, -0.04)

        def ring(u: Grid, v: Grid) -> Grid:
            return np.asarray(np.abs(np.sqrt((u / 1.12) ** 2 + v * v) - 0.235) - 0.018, np.float32)

        lens.shape((-0.32, -0.28, 0.32, 0.28), ring, INK)
        lens.ellipse(0, 0, 0.25, 0.225, (220, 236, 255), 0.10)
        head.line([(side * 0.6, -0.06), (side * 0.8, -0.1)], 0.018, INK)
    head.bow((-0.09, -0.08), (0, -0.13), (0.09, -0.08), 0.018, INK)


def _hands(head: Pen, look: Look, pose: Pose) -> None:
    """Both hands rise along the face until the palms lie on the cheeks."""
    away = 1 - pose.hands
    skin, seam = _light(look.skin, 0.06), _shade(look.skin, 0.24)
    for side in (-1, 1):
        u, v = side * (look.head_width * 0.93 + 0.4 * away), 0.42 + 2.2 * away
        head.line([(u + side * 0.34, v + 1.7), (u + side * 0.05, v + 0.3)], 0.25, look.shirt)
        head.line([(u + side * 0.08, v + 0.5), (u, v + 0.2)], 0.17, skin)
        for reach, spread in ((0.40, -0.26), (0.50, -0.13), (0.50, 0.01), (0.40, 0.14)):
            tip = (u + side * spread, v - reach)
            root = (u + side * (spread * 0.7 + 0.02), v + 0.02)
            head.line([root, tip], 0.082, seam)
            head.line([root, tip], 0.07, skin)
        head.ellipse(u, v + 0.08, 0.23, 0.26, skin)
        head.line([(u - side * 0.12, v + 0.12), (u - side * 0.3, v - 0.06)], 0.072, skin)
