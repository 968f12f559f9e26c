"""What a media file really holds, measured from its packets rather than believed from its header.

PyAV is loaded inside the functions, so that web processes can name the types here without paying for it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

CLOCK_TOLERANCE_MS = 5
"""A start this close to zero is zero: far below a frame, above the rounding of a millisecond clock."""

LENGTH_TOLERANCE_MS = 500
"""How far the measured end may fall short of the declared one before the file counts as cut off."""

PICTURE_CODECS = frozenset({"h264", "vp8", "vp9", "av1"})
SOUND_CODECS = frozenset({"aac", "mp3", "opus", "vorbis", "flac"})
H264_PIXELS = frozenset({"yuv420p", "yuvj420p"})
TECHNICAL_TAGS = frozenset({"major_brand", "minor_version", "compatible_brands", "encoder", "duration"})
"""Container tags that say how a file was written, never what is on it."""


class MediaUnreadable(Exception):
    """The file cannot be used; `reason` is a sentence for the person who handed it in."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class MediaFacts:
    """What was measured. Times are whole milliseconds on the clock a browser shows.

    `start_ms` is when the first decoded frame or sound of any stream is due, `duration_ms` the time from
    there to the end of the last; `video_ms` is the same for the picture alone (0 without one). Codec names
    are FFmpeg's, "" where the stream is absent. `tagged`: the container carries text that could name people.
    """

    duration_ms: int
    start_ms: int
    video_ms: int
    has_video: bool
    has_audio: bool
    width: int
    height: int
    video_codec: str
    audio_codec: str
    content_type: str
    tagged: bool
    bytes: int
    sha256: str

    @property
    def needs_normalising(self) -> str | None:
        """Why the file should go through `normalise` before annotators see it; None when it is ready."""
        if abs(self.start_ms) > CLOCK_TOLERANCE_MS:
            return f"its clock starts at {self.start_ms / 1000:.3f} s instead of 0"
        if self.content_type not in ("video/mp4", "video/webm"):
            return f"its container is {self.content_type}, which not every browser plays"
        if self.tagged:
            return "it carries metadata that could tell annotators where it comes from"
        return None


@dataclass
class _Track:
    """One stream while it is being measured; times in seconds as exact fractions.

    Plain values only: a PyAV stream must not be touched once its container is closed.
    """

    index: int
    codec: str
    width: int
    height: int
    declared_end: Fraction | None
    first: Fraction | None = None
    end: Fraction | None = None
    hidden: bool = False  # an edit list hides packets after the first visible one

    def take(self, packet: Any) -> None:
        if self.first is None:
            frames = packet.decode()
            if frames and frames[0].pts is not None:
                self.first = frames[0].pts * frames[0].time_base
        if packet.pts is None or packet.is_corrupt:
            return
        if packet.is_discard:
            self.hidden = self.hidden or self.end is not None
            return
        end = (packet.pts + (packet.duration or 0)) * packet.time_base
        self.end = end if self.end is None else max(self.end, end)


@dataclass
class _Measured:
    content_type: str
    tagged: bool
    video: _Track | None
    audio: _Track | None
    declared_end: Fraction | None
    tracks: list[_Track] = field(default_factory=list)

    @property
    def start(self) -> Fraction:
        return min(track.first for track in self.tracks if track.first is not None)

    @property
    def end(self) -> Fraction:
        return max(track.end for track in self.tracks if track.end is not None)


def probe(path: Path) -> MediaFacts:
    """Measure a media file by reading every packet and decoding the first frame of each stream.

    A file without a picture is measured too (`has_video` False); the caller decides. MediaUnreadable says
    why when the file is missing, empty, cut off, damaged, not a container that can be served, or in a codec
    that common browsers do not play. The file is read twice (once for its SHA-256), never held in memory.
    """
    _require_file(path)
    measured = _measure(path)
    video, audio = measured.video, measured.audio
    return MediaFacts(
        duration_ms=_ms(measured.end - measured.start),
        start_ms=_ms(measured.start),
        video_ms=_ms(video.end - video.first) if video and video.end and video.first is not None else 0,
        has_video=video is not None,
        has_audio=audio is not None,
        width=video.width if video else 0,
        height=video.height if video else 0,
        video_codec=video.codec if video else "",
        audio_codec=audio.codec if audio else "",
        content_type=measured.content_type,
        tagged=measured.tagged,
        bytes=path.stat().st_size,
        sha256=file_sha256(path),
    )


def normalise(src: Path, dst: Path) -> MediaFacts:
    """Rewrite `src` as `dst` without touching picture or sound, its earliest stream starting at 0.

    The offset between picture and sound stays as it was, so a second of media time shows and sounds the
    same in every browser. MP4 with the index in front (WebM stays WebM), first picture and first sound
    stream only, no metadata. The result is measured again; where it does not hold what the source held
    (an edit list that hides part of the recording, a codec the container cannot carry), `dst` is removed
    and MediaUnreadable says so. Returns the facts of `dst`.
    """
    _require_file(src)
    before = _measure(src)
    if any(track.hidden for track in before.tracks):
        raise MediaUnreadable(
            "An edit list hides part of the recording, so its clock cannot be moved without re-encoding; "
            "export the clip again as H.264 and AAC in MP4."
        )
    try:
        _remux(src, dst, before)
        after = probe(dst)
        _require_same(before, after)
    except MediaUnreadable as problem:
        dst.unlink(missing_ok=True)
        raise MediaUnreadable(
            f"The clip could not be normalised without re-encoding: {problem.reason}"
        ) from problem
    return after


def file_sha256(path: Path) -> str:
    """SHA-256 of a file's bytes as 64 hex digits, read in blocks."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _ms(seconds: Fraction) -> int:
    return round(seconds * 1000)


def _require_file(path: Path) -> None:
    if not path.is_file():
        raise MediaUnreadable("There is no file at this path.")
    if path.stat().st_size == 0:
        raise MediaUnreadable("The file is empty (0 bytes).")


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """The open container; every fault of FFmpeg becomes MediaUnreadable with its words."""
    import av

    try:
        with av.open(str(path), metadata_errors="replace") as container:
            yield container
    except av.FFmpegError as fault:
        raise MediaUnreadable(
            f"The file cannot be read as video; it may be cut off, damaged or of another kind "
            f"(FFmpeg: {fault.strerror})."
        ) from fault


def _measure(path: Path) -> _Measured:
    with _opened(path) as container:
        content_type = _content_type(container, path)
        video, audio = _chosen(container)
        tracks = [track for track in (video, audio) if track is not None]
        if not tracks:
            raise MediaUnreadable("The file holds neither a picture nor a sound stream.")
        by_index = {track.index: track for track in tracks}
        for packet in container.demux([container.streams[index] for index in by_index]):
            by_index[packet.stream.index].take(packet)
        declared = None if container.duration is None else Fraction(container.duration, 1_000_000)
        measured = _Measured(content_type, _is_tagged(container), video, audio, declared, tracks)
        _require_whole(measured)
        return measured


def _content_type(container: Any, path: Path) -> str:
    names = set(container.format.name.split(","))
    if "mp4" in names:
        is_quicktime = container.metadata.get("major_brand", "qt").strip() == "qt"
        return "video/quicktime" if is_quicktime else "video/mp4"
    if "webm" in names:
        # FFmpeg reads both with one reader; the document type stands in the first bytes of the file.
        with path.open("rb") as stream:
            return "video/webm" if b"webm" in stream.read(64) else "video/x-matroska"
    raise MediaUnreadable(f"The file is {container.format.long_name}; expected MP4 or WebM.")


def _chosen(container: Any) -> tuple[_Track | None, _Track | None]:
    """The first real picture and the first sound stream, refused when browsers cannot play them."""
    from av.stream import Disposition

    pictures = [s for s in container.streams.video if not s.disposition & Disposition.attached_pic]
    video = _track(pictures[0], "picture", PICTURE_CODECS) if pictures else None
    sounds = container.streams.audio
    audio = _track(sounds[0], "sound", SOUND_CODECS) if sounds else None
    return video, audio


def _track(stream: Any, noun: str, playable: frozenset[str]) -> _Track:
    context = stream.codec_context
    # FFmpeg's reader names AV1 and VP9 after whichever library decodes them; the codec's own name is stable.
    codec = "unknown to FFmpeg" if context is None else context.codec.canonical_name
    if codec not in playable:
        raise MediaUnreadable(
            f"The {noun} is {codec}, which not every browser plays; expected one of "
            f"{', '.join(sorted(playable))}."
        )
    if codec == "h264" and context.pix_fmt not in H264_PIXELS:
        raise MediaUnreadable(
            f"The H.264 picture is {context.pix_fmt}, which not every browser plays; expected yuv420p."
        )
    declared = None
    if stream.duration is not None:
        declared = Fraction((stream.start_time or 0) + stream.duration) * stream.time_base
    return _Track(
        index=stream.index,
        codec=codec,
        width=context.width if noun == "picture" else 0,
        height=context.height if noun == "picture" else 0,
        declared_end=declared,
    )


def _is_tagged(container: Any) -> bool:
    return any(key.lower() not in TECHNICAL_TAGS for key in container.metadata)


def _require_whole(measured: _Measured) -> None:
    for track in measured.tracks:
        noun = "picture" if track is measured.video else "sound"
        if track.first is None or track.end is None:
            raise MediaUnreadable(f"No frame of the {noun} can be decoded.")
        _require_reached(noun, track.declared_end, track.end)
    # WebM declares one length for the whole file; a sound track may well be shorter than it.
    _require_reached("recording", measured.declared_end, measured.end)


def _require_reached(noun: str, declared: Fraction | None, end: Fraction) -> None:
    if declared is not None and _ms(declared - end) > LENGTH_TOLERANCE_MS:
        raise MediaUnreadable(
            f"The file is cut off: its header promises {noun} until {float(declared):.3f} s, "
            f"but it ends at {float(end):.3f} s."
        )


def _remux(src: Path, dst: Path, before: _Measured) -> None:
    import av

    is_webm = before.content_type == "video/webm"
    options = {"fflags": "+bitexact"} if is_webm else {"fflags": "+bitexact", "movflags": "+faststart"}
    with _opened(src) as source:
        try:
            with av.open(str(dst), "w", format="webm" if is_webm else "mp4", options=options) as target:
                _copy_packets(source, target, before)
        except (av.FFmpegError, ValueError) as fault:
            raise MediaUnreadable(f"the container cannot carry these streams ({fault}).") from fault


def _copy_packets(source: Any, target: Any, before: _Measured) -> None:
    chosen = [source.streams[track.index] for track in before.tracks]
    outputs = {stream.index: target.add_stream_from_template(stream) for stream in chosen}
    shifts = {stream.index: round(before.start / stream.time_base) for stream in chosen}
    for packet in source.demux(chosen):
        if packet.dts is None:  # the demuxer's end-of-stream marker
            continue
        shift = shifts[packet.stream.index]
        packet.dts -= shift
        packet.pts = None if packet.pts is None else packet.pts - shift
        packet.stream = outputs[packet.stream.index]
        target.mux_one(packet)


def _require_same(before: _Measured, after: MediaFacts) -> None:
    had = (before.video is not None, before.audio is not None)
    if had != (after.has_video, after.has_audio):
        raise MediaUnreadable("a stream was lost on the way.")
    if abs(after.start_ms) > CLOCK_TOLERANCE_MS:
        raise MediaUnreadable(f"the clock still starts at {after.start_ms / 1000:.3f} s.")
    expected = _ms(before.end - before.start)
    if abs(after.duration_ms - expected) > LENGTH_TOLERANCE_MS // 10:
        raise MediaUnreadable(f"{expected / 1000:.3f} s became {after.duration_ms / 1000:.3f} s.")
