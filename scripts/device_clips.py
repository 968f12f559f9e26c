"""`python -m scripts.device_clips`: draw the test clips of the device check anew.

Each lasts four seconds and plays two to five beeps. All show the same picture and have the same size in
bytes, so that neither the picture nor the transfer tells how many beeps there are.
"""

import math
import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from catalogue.demo.film import write_film
from catalogue.demo.plan import FRAME_RATE
from catalogue.demo.sound import SAMPLE_RATE, Sound

FOLDER = Path(__file__).resolve().parent.parent / "studies" / "device_clips"
BEEPS = (2, 3, 4, 5)
WIDTH, HEIGHT = 320, 180
SECONDS = 4.0
FIRST_S, APART_S, LONG_S = 0.6, 0.6, 0.22
HERTZ = 620  # well inside what small speakers play and most people hear
GROUND, TRACK, BALL = (24, 22, 19), (70, 64, 56), (224, 164, 58)


def pictures() -> Iterator[NDArray[np.uint8]]:
    """A ball that rolls to and fro on a line: plainly moving, and nothing in it keeps time with the beeps."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float32)
    line = np.clip(2.5 - np.abs(y - 118), 0, 1) * (np.abs(x - WIDTH / 2) < 130)
    for number in range(round(SECONDS * FRAME_RATE)):
        at = WIDTH / 2 + 112 * math.sin(2 * math.pi * number / FRAME_RATE / 2.6)
        ball = np.clip(18.5 - np.hypot(x - at, y - 98), 0, 1)
        picture = np.empty((HEIGHT, WIDTH, 3), np.float32)
        for channel in range(3):
            plane = GROUND[channel] + (TRACK[channel] - GROUND[channel]) * line
            picture[..., channel] = plane + (BALL[channel] - plane) * ball
        yield picture.astype(np.uint8)


def beeps(number: int) -> Sound:
    """So many soft-edged tones, and silence to the end."""
    track = np.zeros(round(SECONDS * SAMPLE_RATE), np.float32)
    t = np.arange(round(LONG_S * SAMPLE_RATE), dtype=np.float32) / SAMPLE_RATE
    edge = np.minimum(1, np.minimum(t, LONG_S - t) / 0.02)
    tone = 0.5 * edge * (np.sin(2 * np.pi * HERTZ * t) + 0.25 * np.sin(4 * np.pi * HERTZ * t))
    for index in range(number):
        start = round((FIRST_S + index * APART_S) * SAMPLE_RATE)
        track[start : start + len(tone)] = tone
    return track


def padded(body: bytes, size: int) -> bytes:
    """An MP4 brought to `size` bytes by an empty `free` box at its end, which players pass over."""
    spare = size - len(body)
    return body + struct.pack(">I4s", spare, b"free") + bytes(spare - 8)


def main() -> None:
    """Write all of them."""
    FOLDER.mkdir(exist_ok=True)
    paths = {number: FOLDER / f"beeps{number}.mp4" for number in BEEPS}
    for number, path in paths.items():
        write_film(path, pictures(), beeps(number), size=(WIDTH, HEIGHT), sound_bits=32_000)
    size = max(path.stat().st_size for path in paths.values()) + 8
    for path in paths.values():
        path.write_bytes(padded(path.read_bytes(), size))
        print(f"{path.relative_to(FOLDER.parent.parent)}  {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
