"""The rooms behind the creators, painted once per clip."""

from __future__ import annotations

import random

from catalogue.demo.canvas import Colour, Pen, Picture, mix, sky, vignette
from catalogue.demo.looks import Look

DARK: Colour = (18, 16, 22)


def paint_room(look: Look) -> Picture:
    """The still background of a reaction: wall, one piece of furniture, soft light."""
    picture = sky(*look.wall)
    pen = Pen(picture)
    pen.glow(470, 60, 330, mix(look.wall[0], (255, 255, 255), 0.5), 0.35)
    _ROOMS[look.room](pen, look)
    vignette(picture)
    return picture


def _lights(pen: Pen, look: Look) -> None:
    pen.bow((-10, 30), (160, 110), (330, 34), 1.3, DARK, 0.6)
    pen.bow((330, 34), (500, 104), (650, 22), 1.3, DARK, 0.6)
    for left, through, right in ((-10, 110, 330), (330, 104, 650)):
        for step in range(1, 8):
            t = step / 8
            x = left + (right - left) * t
            y = (1 - t) ** 2 * 32 + 2 * t * (1 - t) * through + t * t * 30
            pen.glow(x, y + 7, 34, look.accent, 0.5)
            pen.ellipse(x, y + 7, 4.5, 6, mix(look.accent, (255, 255, 255), 0.5))
    pen.box(500, 210, 700, 400, mix(look.wall[1], look.accent, 0.22), round_=40)


def _shelf(pen: Pen, look: Look) -> None:
    dice = random.Random("shelf")
    wood = mix(look.wall[1], (120, 84, 56), 0.6)
    shades: tuple[Colour, ...] = (
        (168, 92, 72),
        (86, 128, 128),
        (206, 164, 92),
        (112, 96, 140),
        (198, 188, 170),
    )
    for side in (0, 440):
        for board in (96, 196, 296):
            x = side + 8.0
            while x < side + 176:
                width, height = dice.uniform(10, 20), dice.uniform(44, 74)
                colour = mix(dice.choice(shades), look.wall[1], 0.45)
                pen.box(x, board - height, x + width, board, colour, round_=2)
                x += width + dice.choice((1.5, 1.5, 1.5, 16))
            pen.box(side, board, side + 200, board + 7, wood, round_=2)


def _window(pen: Pen, look: Look) -> None:
    frame = mix(look.wall[0], (255, 255, 255), 0.55)
    pen.box(408, 22, 612, 236, frame, round_=6)
    for row in range(20):
        shade = mix((62, 72, 128), look.accent, row / 19)
        pen.box(418, 32 + row * 9.7, 602, 42.2 + row * 9.7, shade)
    pen.ellipse(545, 178, 22, 22, (255, 226, 178))
    pen.box(506, 32, 514, 226, frame)
    pen.box(418, 124, 602, 131, frame)
    pen.box(64, 262, 132, 372, mix(look.wall[1], (190, 120, 88), 0.6), round_=10)
    for lean in (-58, -34, -8, 20, 48):
        leaf = mix((58, 112, 84), (110, 160, 110), (lean + 58) / 106)
        pen.bow((98, 268), (98 + lean * 0.3, 190), (98 + lean, 150 + abs(lean) * 0.6), 6, leaf)


def _frames(pen: Pen, look: Look) -> None:
    for x, y, w, h in ((44, 44, 96, 124), (158, 70, 70, 70), (442, 40, 74, 92), (532, 56, 84, 112)):
        pen.box(x + 4, y + 6, x + w + 4, y + h + 6, DARK, round_=4, alpha=0.35, soft=8)
        pen.box(x, y, x + w, y + h, (226, 214, 196), round_=3)
        pen.box(x + 8, y + 8, x + w - 8, y + h - 8, mix(look.accent, look.wall[1], 0.35))
        pen.ellipse(x + w * 0.4, y + h * 0.55, w * 0.2, w * 0.2, mix(look.accent, (255, 240, 210), 0.6))
        pen.ellipse(x + w * 0.62, y + h * 0.68, w * 0.16, w * 0.16, mix(look.accent, (160, 70, 60), 0.6))


def _neon(pen: Pen, look: Look) -> None:
    pink: Colour = (255, 96, 170)
    for points, colour in (
        ([(70, 250), (70, 90), (150, 40)], look.accent),
        ([(560, 40), (590, 130), (540, 130), (580, 240)], pink),
    ):
        for radius, alpha in ((26, 0.10), (14, 0.16), (7, 0.35)):
            pen.line(points, radius, colour, alpha)
        pen.line(points, 2.6, mix(colour, (255, 255, 255), 0.7))
    pen.glow(80, 150, 220, look.accent, 0.22)
    pen.glow(570, 140, 220, pink, 0.22)


def _curtain(pen: Pen, look: Look) -> None:
    for fold in range(16):
        x = fold * 42 - 14
        pen.box(x, -20, x + 21, 380, mix(look.wall[0], DARK, 0.26), round_=10, alpha=0.55, soft=16)
        pen.box(
            x + 22, -20, x + 34, 380, mix(look.wall[0], (255, 226, 206), 0.2), round_=6, alpha=0.4, soft=12
        )
    pen.box(520, 120, 528, 380, (70, 54, 50))
    pen.glow(524, 108, 150, look.accent, 0.55)
    pen.at(524, 84).between(
        46, lambda u: -30 + 0 * u, lambda u: 26 + 0 * u, 30, mix(look.accent, (255, 255, 255), 0.25)
    )


_ROOMS = {
    "lights": _lights,
    "shelf": _shelf,
    "window": _window,
    "frames": _frames,
    "neon": _neon,
    "curtain": _curtain,
}
