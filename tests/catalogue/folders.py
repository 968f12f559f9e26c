"""Building import folders for tests: real files, small, and lines that a test bends to its purpose."""

import json
import os
from pathlib import Path
from typing import Any


def clip_line(clip_id: str = "c1", **changes: Any) -> dict[str, Any]:
    """A sound line of clips.jsonl, whose media is the shared film of three seconds."""
    return {
        "clip_id": clip_id,
        "creator": "Ada Example",
        "channel": "Example Reacts",
        "category": "comedy",
        "source_group": "g1",
        "reaction": "media/film.mp4",
        "stimulus": "media/film.mp4",
    } | changes


def moment_line(
    moment_id: str, clip_id: str = "c1", start_s: Any = 0.0, end_s: Any = 1.5, **more: Any
) -> dict:
    """A sound line of moments.jsonl."""
    return {"moment_id": moment_id, "clip_id": clip_id, "start_s": start_s, "end_s": end_s} | more


def window_line(
    window_id: str, clip_id: str = "c1", start_s: Any = 0.0, end_s: Any = 2.0, **more: Any
) -> dict:
    """A sound line of windows.jsonl."""
    line = {"window_id": window_id, "clip_id": clip_id, "start_s": start_s, "end_s": end_s}
    return line | {"description": "A cake falls."} | more


class Folder:
    """An import folder under construction."""

    def __init__(self, path: Path, films: Path) -> None:
        self.path = path
        self.films = films
        (path / "media").mkdir(parents=True)
        self.use("film.mp4")

    def use(self, film: str, as_name: str | None = None) -> str:
        """Put one of the shared films into the folder; returns its path as a line would name it."""
        name = f"media/{as_name or film}"
        (self.path / name).unlink(missing_ok=True)
        os.link(self.films / film, self.path / name)
        return name

    def clips(self, *lines: dict) -> "Folder":
        return self.write("clips.jsonl", *lines)

    def moments(self, *lines: dict) -> "Folder":
        return self.write("moments.jsonl", *lines)

    def windows(self, *lines: dict) -> "Folder":
        return self.write("windows.jsonl", *lines)

    def write(self, name: str, *lines: dict) -> "Folder":
        return self.raw(name, "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines).encode())

    def raw(self, name: str, data: bytes) -> "Folder":
        (self.path / name).write_bytes(data)
        return self
