"""Small real media files for tests, made with PyAV: a moving picture and noise."""

from fractions import Fraction
from pathlib import Path

import av
import numpy as np

SOUND_RATE = 48_000


def film(
    path: Path,
    *,
    seconds: float = 2.0,
    start_s: float = 0.0,
    sound_start_s: float | None = None,
    fps: int = 25,
    picture: bool = True,
    sound: bool = True,
    codecs: tuple[str, str] = ("libx264", "aac"),
    pixels: str = "yuv420p",
    container: str = "mp4",
    size: tuple[int, int] = (160, 90),
    b_frames: int = 2,
    tags: dict[str, str] | None = None,
    options: dict[str, str] | None = None,
    grain: bool = False,
) -> Path:
    """Write a file of `seconds`, its picture due from `start_s` and its sound from `sound_start_s`.

    With `grain` the picture is noise, which takes many bytes.
    """
    dice = np.random.default_rng(0)
    with av.open(str(path), "w", format=container, options=options or {}) as target:
        target.metadata.update(tags or {})
        video = audio = None
        if picture:
            extra = {"bf": str(b_frames), "preset": "ultrafast"} if codecs[0] == "libx264" else {}
            video = target.add_stream(codecs[0], rate=fps, options=extra)
            video.width, video.height = size
            video.pix_fmt = pixels
            video.codec_context.time_base = Fraction(1, 1000)
        if sound:
            audio = target.add_stream(codecs[1], rate=SOUND_RATE)
            audio.layout = "mono"
        if video:
            for number in range(round(seconds * fps)):
                pixels_now = np.full((size[1], size[0], 3), number * 5 % 255, np.uint8)
                pixels_now[:, : number % size[0]] = 255
                if grain:
                    pixels_now = dice.integers(0, 256, pixels_now.shape, np.uint8)
                frame = av.VideoFrame.from_ndarray(pixels_now, "rgb24")
                frame.pts = round((start_s + number / fps) * 1000)
                frame.time_base = Fraction(1, 1000)
                target.mux(video.encode(frame))
            target.mux(video.encode())
        if audio:
            noise = np.random.default_rng(0).normal(size=(1, round(seconds * SOUND_RATE))) * 0.1
            tone = av.AudioFrame.from_ndarray(noise.astype(np.float32), "fltp", "mono")
            tone.sample_rate = SOUND_RATE
            begin = start_s if sound_start_s is None else sound_start_s
            tone.pts = round(begin * SOUND_RATE)
            tone.time_base = Fraction(1, SOUND_RATE)
            target.mux(audio.encode(tone))
            target.mux(audio.encode())
    return path


def first_times(path: Path) -> dict[str, float]:
    """When the first decoded frame of each stream is due, asked of FFmpeg stream by stream."""
    times = {}
    for kind in ("video", "audio"):
        with av.open(str(path)) as source:
            streams = getattr(source.streams, kind)
            if streams:
                times[kind] = next(source.decode(streams[0])).time
    return times


def pictures(path: Path) -> list[bytes]:
    """The coded picture packets in file order: equal lists mean that nothing was re-encoded."""
    with av.open(str(path)) as source:
        return [bytes(packet) for packet in source.demux(source.streams.video[0]) if packet.size]
