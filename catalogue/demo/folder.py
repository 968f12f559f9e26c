"""The demo's import folder: the script filmed, and the same script as JSONL (design.md "Import folder")."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from catalogue.demo.plan import ClipPlan, plan_demo
from catalogue.demo.stage import DESCRIPTIONS, NO_EVENT

Progress = Callable[[int, int], None]
"""Called with (clips done, clips in all)."""


@dataclass(frozen=True)
class DemoTruth:
    """What the import folder does not say: how strong each reaction was drawn.

    `strength` maps moment ids to 0-3; `clips` maps clip ids to their moment ids in time order.
    """

    strength: Mapping[str, int]
    clips: Mapping[str, tuple[str, ...]]


def write_demo_folder(
    target: Path, *, clips: int = 6, seed: int = 0, progress: Progress | None = None
) -> DemoTruth:
    """Draw `clips` pairs of stimulus and reaction and write an import folder to `target`.

    The same arguments give the same folder, byte for byte with the same encoder. Takes a few seconds a clip,
    spread over the machine's cores; files of the same name are replaced.
    """
    plans = plan_demo(clips, seed)
    for kind in ("reaction", "stimulus"):
        (target / kind).mkdir(parents=True, exist_ok=True)
    _film_all(plans, target, progress)
    write_jsonl(target / "clips.jsonl", (_clip_line(plan) for plan in plans))
    write_jsonl(target / "moments.jsonl", _moment_lines(plans, random.Random(seed)))
    write_jsonl(target / "windows.jsonl", (line for plan in plans for line in _window_lines(plan)))
    return DemoTruth(
        strength={m.moment_id: m.strength for plan in plans for m in plan.moments},
        clips={plan.clip_id: tuple(m.moment_id for m in plan.moments) for plan in plans},
    )


def write_jsonl(path: Path, lines: Iterable[Mapping[str, Any]]) -> None:
    """Write one JSON object a line, UTF-8."""
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    path.write_text(text, encoding="utf-8", newline="\n")


def _film_all(plans: tuple[ClipPlan, ...], target: Path, progress: Progress | None) -> None:
    # Fresh processes: forking one that has opened a database or a codec is asking for trouble.
    workers = min(len(plans), os.cpu_count() or 1)
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        jobs = [pool.submit(_film_one, plan, target) for plan in plans]
        for done, job in enumerate(as_completed(jobs), 1):
            job.result()
            if progress:
                progress(done, len(plans))


def _film_one(plan: ClipPlan, target: Path) -> None:
    from catalogue.demo.film import film_clip  # here, so that only the processes that film load PyAV

    film_clip(plan, target / _media(plan, "reaction"), target / _media(plan, "stimulus"))


def _media(plan: ClipPlan, kind: str) -> str:
    return f"{kind}/{plan.clip_id}.mp4"


def _clip_line(plan: ClipPlan) -> dict[str, Any]:
    return {
        "clip_id": plan.clip_id,
        "creator": plan.creator,
        "channel": plan.channel,
        "category": plan.category,
        "source_group": plan.source_group,
        "duration_s": plan.duration_ms / 1000,
        "reaction": _media(plan, "reaction"),
        "stimulus": _media(plan, "stimulus"),
    }


def _moment_lines(plans: tuple[ClipPlan, ...], dice: random.Random) -> Iterable[dict[str, Any]]:
    """Every moment; the loudest of each clip was nominated by an imaginary selector, with a rank over all."""
    nominated: dict[str, dict[str, Any]] = {}
    for plan in plans:
        top = max(plan.moments, key=lambda m: m.strength)
        score = round(0.3 * top.strength + dice.uniform(0, 0.1), 3)
        nominated[top.moment_id] = {
            "selector": "sound-peak",
            "score": score,
            "evidence": f"loudest second at {top.onset_ms / 1000:.2f} s",
        }
    order = sorted(nominated, key=lambda moment_id: (-nominated[moment_id]["score"], moment_id))
    for rank, moment_id in enumerate(order, 1):
        nominated[moment_id]["rank"] = rank
    for plan in plans:
        for moment in plan.moments:
            line: dict[str, Any] = {
                "moment_id": moment.moment_id,
                "clip_id": plan.clip_id,
                "start_s": moment.start_ms / 1000,
                "end_s": moment.end_ms / 1000,
            }
            if moment.moment_id in nominated:
                line["nomination"] = nominated[moment.moment_id]
            yield line


def _window_lines(plan: ClipPlan) -> Iterable[dict[str, Any]]:
    for number, window in enumerate(plan.windows):
        seen = " ".join(DESCRIPTIONS[plan.scene][strength] for strength in window.strengths)
        yield {
            "window_id": window.window_id,
            "clip_id": plan.clip_id,
            "start_s": window.start_ms / 1000,
            "end_s": window.end_ms / 1000,
            "description": seen or NO_EVENT[number],
        }
