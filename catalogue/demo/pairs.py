"""An import folder from somebody's own pairs of files."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from catalogue.demo.folder import write_jsonl
from catalogue.probe import MediaFacts, MediaUnreadable, probe

REACTION, STIMULUS = ".reaction.mp4", ".stimulus.mp4"
MOMENT_MS = 3000


class PairsUnusable(Exception):
    """The folder cannot be made into a demo; `problems` lists every reason, one sentence each."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


def folder_from_pairs(source: Path, target: Path) -> int:
    """Write an import folder for the pairs NAME.reaction.mp4 and NAME.stimulus.mp4 found in `source`.

    The files stay where they are and come into the folder as links (as copies from another disk). Each
    clip gets three moments of 3 s around 1/6, 3/6 and 5/6 of what both files cover, fewer and shorter ones
    where that is brief. Returns the number of pairs. PairsUnusable lists every unpaired and unreadable
    file, or says that there is none; then nothing is written.
    """
    if not source.is_dir():
        raise PairsUnusable([f"{source}: there is no folder at this path."])
    names, problems = _pair_up(source)
    measured = {name: _measure(source, name, problems) for name in names}
    if not problems and not names:
        problems.append(f"{source}: found no pair; expected NAME{REACTION} and NAME{STIMULUS}.")
    if problems:
        raise PairsUnusable(problems)
    target.mkdir(parents=True, exist_ok=True)
    for name in names:
        for ending in (REACTION, STIMULUS):
            _bring(source / (name + ending), target / (name + ending))
    write_jsonl(target / "clips.jsonl", (_clip_line(name) for name in names))
    write_jsonl(
        target / "moments.jsonl",
        (line for name in names for line in _moment_lines(name, min(f.duration_ms for f in measured[name]))),
    )
    return len(names)


def evenly_spaced(duration_ms: int) -> list[tuple[int, int]]:
    """One to three stretches of at most 3 s, spread evenly: centred at 1/6, 3/6 and 5/6 of the duration."""
    count = min(3, max(1, duration_ms // (MOMENT_MS + 1000)))
    length = min(MOMENT_MS, duration_ms)
    centres = [duration_ms * (2 * number + 1) // (2 * count) for number in range(count)]
    return [(centre - length // 2, centre - length // 2 + length) for centre in centres]


def _pair_up(source: Path) -> tuple[list[str], list[str]]:
    found = {
        ending: {p.name.removesuffix(ending) for p in source.iterdir() if p.name.endswith(ending)}
        for ending in (REACTION, STIMULUS)
    }
    problems = [
        f"{source / (name + have)}: has no partner; expected {name}{want} beside it."
        for have, want in ((REACTION, STIMULUS), (STIMULUS, REACTION))
        for name in sorted(found[have] - found[want])
    ]
    return sorted(found[REACTION] & found[STIMULUS]), problems


def _measure(source: Path, name: str, problems: list[str]) -> list[MediaFacts]:
    facts = []
    for ending in (REACTION, STIMULUS):
        try:
            facts.append(probe(source / (name + ending)))
        except MediaUnreadable as fault:
            problems.append(f"{source / (name + ending)}: {fault.reason}")
    return facts


def _bring(file: Path, to: Path) -> None:
    to.unlink(missing_ok=True)
    try:
        os.link(file.resolve(), to)
    except OSError:
        shutil.copyfile(file, to)


def _clip_line(name: str) -> dict[str, Any]:
    return {
        "clip_id": name,
        "creator": "own",
        "channel": "own",
        "category": "own",
        "source_group": name,
        "reaction": name + REACTION,
        "stimulus": name + STIMULUS,
    }


def _moment_lines(name: str, duration_ms: int) -> Iterable[dict[str, Any]]:
    for number, (start, end) in enumerate(evenly_spaced(duration_ms), 1):
        yield {
            "moment_id": f"{name}_m{number}",
            "clip_id": name,
            "start_s": start / 1000,
            "end_s": end / 1000,
        }
