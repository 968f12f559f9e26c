"""What tells the creators of the demo apart: face, hair, clothes, resting pose, voice and room."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from catalogue.demo.acting import Pose
from catalogue.demo.canvas import Colour

Hair = Literal["bob", "crop", "long", "bun", "cap"]
Room = Literal["lights", "shelf", "window", "frames", "neon", "curtain"]


@dataclass(frozen=True)
class Look:
    skin: Colour
    hair_colour: Colour
    hair: Hair
    shirt: Colour
    iris: Colour
    wall: tuple[Colour, Colour]
    accent: Colour
    room: Room
    resting: Pose
    voice_hz: float
    head_width: float = 0.80
    glasses: bool = False
    beard: bool = False


LOOKS: dict[str, Look] = {
    "Ada": Look(
        skin=(244, 206, 178),
        hair_colour=(124, 58, 38),
        hair="bob",
        shirt=(61, 122, 134),
        iris=(74, 120, 92),
        wall=((88, 76, 98), (48, 42, 60)),
        accent=(255, 206, 130),
        room="lights",
        resting=Pose(dx=-14, tilt=-0.05, smile=0.16),
        voice_hz=245,
    ),
    "Bruno": Look(
        skin=(226, 172, 134),
        hair_colour=(48, 38, 34),
        hair="crop",
        shirt=(186, 84, 62),
        iris=(92, 66, 44),
        wall=((70, 88, 92), (36, 48, 54)),
        accent=(232, 176, 92),
        room="shelf",
        resting=Pose(dx=12, dy=4, tilt=0.03, smile=-0.06),
        voice_hz=150,
        head_width=0.85,
        beard=True,
    ),
    "Chen": Look(
        skin=(240, 204, 164),
        hair_colour=(28, 28, 36),
        hair="crop",
        shirt=(226, 186, 84),
        iris=(58, 42, 34),
        wall=((92, 104, 126), (44, 52, 72)),
        accent=(255, 170, 120),
        room="window",
        resting=Pose(dx=4, dy=-4, tilt=0.0, smile=0.05, gaze_y=0.15),
        voice_hz=185,
        glasses=True,
    ),
    "Divya": Look(
        skin=(186, 124, 86),
        hair_colour=(34, 26, 28),
        hair="long",
        shirt=(150, 74, 120),
        iris=(56, 38, 28),
        wall=((112, 92, 78), (62, 48, 42)),
        accent=(120, 196, 178),
        room="frames",
        resting=Pose(dx=-6, tilt=0.06, smile=0.1),
        voice_hz=255,
        head_width=0.77,
    ),
    "Emeka": Look(
        skin=(122, 78, 56),
        hair_colour=(30, 24, 24),
        hair="cap",
        shirt=(74, 98, 168),
        iris=(40, 28, 22),
        wall=((52, 48, 84), (24, 22, 44)),
        accent=(110, 214, 255),
        room="neon",
        resting=Pose(dx=10, dy=2, tilt=-0.03, smile=0.0),
        voice_hz=140,
        head_width=0.82,
    ),
    "Freya": Look(
        skin=(250, 222, 204),
        hair_colour=(222, 178, 104),
        hair="bun",
        shirt=(96, 132, 92),
        iris=(84, 128, 168),
        wall=((126, 84, 82), (72, 44, 48)),
        accent=(250, 214, 190),
        room="curtain",
        resting=Pose(dx=-2, dy=3, tilt=0.04, smile=0.12, gaze_x=0.1),
        voice_hz=270,
        head_width=0.79,
    ),
}
