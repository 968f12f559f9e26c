"""Filming a clip of the script: pictures and sound into H.264 and AAC."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray

from catalogue.demo.acting import Performance
from catalogue.demo.canvas import HEIGHT, WIDTH, pixels
from catalogue.demo.face import draw_reaction
from catalogue.demo.looks import LOOKS
from catalogue.demo.plan import FRAME_RATE, ClipPlan, held
from catalogue.demo.rooms import paint_room
from catalogue.demo.sound import SAMPLE_RATE, Sound, reaction_sound, stimulus_sound
from catalogue.demo.stage import build_stage


def film_clip(plan: ClipPlan, reaction: Path, stimulus: Path) -> None:
    """Write both files of one clip; their folders exist."""
    look = LOOKS[plan.creator]
    write_film(reaction, _reaction_frames(plan), reaction_sound(plan, look))
    write_film(stimulus, _stimulus_frames(plan), stimulus_sound(plan))


def _reaction_frames(plan: ClipPlan) -> Iterator[NDArray[np.uint8]]:
    look = LOOKS[plan.creator]
    room = paint_room(look)
    performance = Performance(plan, look.resting)
    canvas = np.empty_like(room)
    shown = picture = None
    for number in range(plan.frames):
        pose = performance.pose(number / FRAME_RATE)
        if picture is None or pose != shown:
            draw_reaction(room, look, pose, canvas)
            shown, picture = pose, pixels(canvas)
        yield picture


def _stimulus_frames(plan: ClipPlan) -> Iterator[NDArray[np.uint8]]:
    stage = build_stage(plan)
    canvas = np.empty((3, HEIGHT, WIDTH), np.float32)
    shown = picture = None
    for number in range(plan.frames):
        t = number / FRAME_RATE
        t = held(t) if stage.still(t) else t
        if picture is None or t != shown:
            stage.draw(t, canvas)
            shown, picture = t, pixels(canvas)
        yield picture


def write_film(
    path: Path,
    frames: Iterator[NDArray[np.uint8]],
    sound: Sound,
    *,
    size: tuple[int, int] = (WIDTH, HEIGHT),
    sound_bits: int = 64_000,
) -> None:
    """Encode for every browser: constant rate, a key frame each second, index in front, no metadata.

    One encoder thread and no reordered frames: the bytes do not depend on the machine's cores, and the
    picture's clock starts at 0 without an edit list.
    """
    options = {"movflags": "+faststart", "fflags": "+bitexact"}
    with av.open(str(path), "w", format="mp4", options=options) as target:
        video = target.add_stream(
            "libx264",
            rate=FRAME_RATE,
            options={"preset": "veryfast", "crf": "27", "g": str(FRAME_RATE), "bf": "0", "threads": "1"},
        )
        video.width, video.height, video.pix_fmt = *size, "yuv420p"
        audio = target.add_stream("aac", rate=SAMPLE_RATE, options={"flags": "+bitexact"})
        audio.layout = "mono"
        audio.bit_rate = sound_bits
        for number, picture in enumerate(frames):
            frame = av.VideoFrame.from_ndarray(picture, "rgb24")
            frame.pts, frame.time_base = number, Fraction(1, FRAME_RATE)
            target.mux(video.encode(frame))
        target.mux(video.encode())
        tone = av.AudioFrame.from_ndarray(sound[None, :], "fltp", "mono")
        tone.sample_rate, tone.pts, tone.time_base = SAMPLE_RATE, 0, Fraction(1, SAMPLE_RATE)
        target.mux(audio.encode(tone))
        target.mux(audio.encode())
