"""A small gold set everyone here knows: the paper's Figure 3 clip, and a few around it."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from evaluator.formats import IpItem, IpSource, Moment, Rating, content_sha256, ip_goldset_files, sha256

# Scores of each clip's moments by rater. "66324" has consensus 1.50, 2.00, 1.25 as in 000 Figure 3; its
# windows are those of section D.1.
SCORES = {
    "66324": {"R1": (1, 2, 1), "R2": (2, 2, 1), "R3": (1, 2, 2), "R4": (2, 2, 1)},
    "70001": {"R1": (0, 3), "R2": (1, 3), "R3": (0, 2)},
    "70002": {"R2": (3, 1), "R3": (3, 0), "R4": (2, 0)},
    "70003": {"R1": (0, 1, 2, 3), "R3": (0, 1, 3, 3), "R4": (1, 1, 2, 2)},
}
WINDOWS = ((29.5, 33.0), (34.0, 37.5), (55.5, 58.5), (60.0, 63.0))
SOURCES = {
    "66324": IpSource("P1", "C1", "patreon", "S1"),
    "70001": IpSource("P1", "C1", "game", "S1"),
    "70002": IpSource("P2", "C2", "game", "S2"),
    "70003": IpSource("P3", "C2", "comedy", "S3"),
}


def build_items(scores=SCORES) -> list[IpItem]:
    return [
        IpItem(
            clip,
            64.0,
            tuple(Moment(f"{clip}_c{at:02}", *WINDOWS[at]) for at in range(len(next(iter(raters.values()))))),
            SOURCES.get(clip, IpSource("P9", "C9", "other", "S9")),
        )
        for clip, raters in scores.items()
    ]


def build_ratings(scores=SCORES) -> list[Rating]:
    return [
        Rating(clip, f"{clip}_c{at:02}", rater, score)
        for clip, raters in scores.items()
        for rater, own in raters.items()
        for at, score in enumerate(own)
    ]


def build_files(scores=SCORES, **changes) -> dict[str, bytes]:
    arguments = {
        "items": build_items(scores),
        "ratings": build_ratings(scores),
        "name": "demo",
        "version": 1,
        "seed": 0,
        "parameters": {"size": 250, "cap": 50},
        "counts": {"excluded": {"low_effort": 2}},
        "supersedes": None,
        "software": "touchstone 0.1.0",
        "created_at": datetime(2026, 3, 1, 12, tzinfo=UTC),
        "datasheet": "# Demo\n",
    }
    return ip_goldset_files(**(arguments | changes))


def rehash(files: dict[str, bytes]) -> dict[str, bytes]:
    """The files with a manifest that vouches for them as they now are."""
    manifest = json.loads(files["manifest.json"])
    others = {name: data for name, data in files.items() if name != "manifest.json"}
    manifest["files"] = {n: {"sha256": sha256(d), "bytes": len(d)} for n, d in others.items()}
    manifest["content_sha256"] = content_sha256({n: sha256(d) for n, d in others.items()})
    return {**others, "manifest.json": json.dumps(manifest).encode()}


def write_files(folder: Path, files: dict[str, bytes]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder


@pytest.fixture
def demo_files() -> dict[str, bytes]:
    return build_files()


@pytest.fixture
def make_files() -> Callable[..., dict[str, bytes]]:
    """Builds a set's files; scores and any argument of the builder can be given."""
    return build_files


@pytest.fixture
def items_of() -> Callable[..., list[IpItem]]:
    """The demo set's items, or those of other scores."""
    return build_items


@pytest.fixture
def ratings_of() -> Callable[..., list[Rating]]:
    """The demo set's ratings, or those of other scores."""
    return build_ratings


@pytest.fixture
def tampered(demo_files, save) -> Callable[..., Path]:
    """The demo set with changes made to its parsed files and its hashes put right again."""

    def change(*, tasks=None, ratings=None, manifest=None) -> Path:
        files = dict(demo_files)
        if tasks:
            value = json.loads(files["tasks.json"])
            tasks(value)
            files["tasks.json"] = json.dumps(value).encode()
        if ratings:
            lines = files["ratings.jsonl"].decode().splitlines()
            ratings(lines)
            files["ratings.jsonl"] = "".join(f"{line}\n" for line in lines).encode()
        files = rehash(files)
        if manifest:
            value = json.loads(files["manifest.json"])
            manifest(value)
            files["manifest.json"] = json.dumps(value).encode()
        return save(files)

    return change


@pytest.fixture
def save(tmp_path) -> Callable[[dict[str, bytes]], Path]:
    """Writes a set to disk and returns its folder."""
    return lambda files, name="set": write_files(tmp_path / name, files)


@pytest.fixture
def demo_set(save, demo_files) -> Path:
    return save(demo_files)


@pytest.fixture
def jsonl(tmp_path) -> Callable[..., Path]:
    """Writes objects, or raw text, as a JSONL file and returns its path."""

    def write(*lines: object, name: str = "predictions.jsonl") -> Path:
        path = tmp_path / name
        text = [line if isinstance(line, str) else json.dumps(line) for line in lines]
        path.write_text("".join(f"{line}\n" for line in text), encoding="utf-8")
        return path

    return write


@pytest.fixture
def evaluate(capsys, tmp_path) -> Callable[..., tuple[int, str, str, dict | None]]:
    """Runs the command; gives exit status, stdout, stderr and the JSON report if one was written."""
    from evaluator.cli import main

    def run(*arguments: object):
        target = tmp_path / "report.json"
        target.unlink(missing_ok=True)
        status = main([*(str(argument) for argument in arguments), "--json", str(target)])
        out, err = capsys.readouterr()
        return status, out, err, json.loads(target.read_text()) if target.exists() else None

    return run
