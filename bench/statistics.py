"""The evaluator beside the packages that one would use instead, on the paper's corpus. Needs no database."""

import json
import random
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import krippendorff
import numpy as np
from numpy.typing import NDArray

from bench import corpus
from bench.table import Figure
from evaluator.alpha import alpha, alpha_interval, score_counts
from evaluator.formats import IpItem, IpSource, Moment, Rating, ip_goldset_files, zip_bytes
from evaluator.resample import Resampling, mean_estimates

ROOT = Path(__file__).resolve().parent.parent
COLUMNS, ITEMS, CHANNELS = 14, 250, 5
NOWHERE = "none"

INTERVALS = f"""
import numpy as np
from evaluator.resample import Resampling, mean_estimates
columns = np.random.default_rng(0).normal(size=({COLUMNS}, {ITEMS})).tolist()
mean_estimates(columns, Resampling())
"""
# Linux's own count of this program's peak: `getrusage` would tell its parent's too.
PEAK = "\nprint(next(line for line in open('/proc/self/status') if line.startswith('VmHWM')).split()[1])"


def statistics(folder: Path) -> Iterator[Figure]:
    """Alpha's interval, intervals of many columns, their memory, and the `ip` command from a cold start."""
    yield from _alpha()
    yield from _columns()
    idle, busy = _peak_mib(""), _peak_mib(INTERVALS)
    yield Figure(NOWHERE, f"memory of {COLUMNS} intervals beyond an idle process", busy - idle, "MiB", 140)
    yield Figure(NOWHERE, f"`ip` on {ITEMS} items, everything on, cold", _command(folder), "s", 5)


def _alpha() -> Iterator[Figure]:
    counts = _counts()
    ours = min(_timed(lambda: alpha_interval(counts, Resampling(1000))) for _ in range(3))
    rng = np.random.default_rng(0)

    def loop() -> None:
        for _ in range(1000):
            drawn = counts[rng.integers(0, len(counts), len(counts))]
            krippendorff.alpha(value_counts=drawn, level_of_measurement="ordinal")

    theirs = _timed(loop)
    known = krippendorff.alpha(value_counts=counts, level_of_measurement="ordinal")
    apart = abs(known - (alpha(counts) or 0.0))
    yield Figure(NOWHERE, "alpha's interval, 1,000 resamples", ours, "s")
    yield Figure(NOWHERE, "krippendorff in a loop", theirs, "s")
    yield Figure(NOWHERE, "ours as a share of theirs", ours / theirs, "", 1 / 80)
    yield Figure(NOWHERE, "alpha, ours and theirs apart by", apart, "", 1e-12)


def _columns() -> Iterator[Figure]:
    from scipy.stats import bootstrap

    values = np.random.default_rng(0).normal(size=(COLUMNS, ITEMS))
    columns = values.tolist()
    ours = min(_timed(lambda: mean_estimates(columns, Resampling())) for _ in range(3))

    def scipys() -> None:
        bootstrap((values,), np.mean, axis=1, n_resamples=10_000, method="percentile", rng=0)

    theirs = min(_timed(scipys) for _ in range(2))
    yield Figure(NOWHERE, f"{COLUMNS} intervals over {ITEMS} items", ours, "s")
    yield Figure(NOWHERE, "scipy.stats.bootstrap", theirs, "s")
    yield Figure(NOWHERE, "ours as a share of SciPy's", ours / theirs, "", 1 / 4)


def _counts() -> NDArray[np.int64]:
    scores = defaultdict(list)
    for moment, _, score in corpus.ratings():
        scores[moment].append(score)
    return score_counts(scores.values(), range(4))


def _timed(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def _peak_mib(code: str) -> float:
    """Peak resident memory of a Python process that runs some code."""
    command = [sys.executable, "-c", code + PEAK]
    run = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return int(run.stdout) / 1024


def _command(folder: Path) -> float:
    """Seconds of `touchstone-eval ip` in a new process, with both modes and every output."""
    rng = random.Random(0)  # noqa: S311 - made up, and the same every time
    clips = {f"v{number:03d}": rng.choice([2, 2, 2, 3, 3, 4, 5]) for number in range(ITEMS)}
    gold, joint, alone = folder / "set.zip", folder / "joint.jsonl", folder / "independent.jsonl"
    gold.write_bytes(zip_bytes(_goldset(clips, rng)))
    for file in (joint, alone):
        lines = (
            {"item_id": c, "scores": {f"{c}_m{i}": rng.randrange(101) for i in range(n)}}
            for c, n in clips.items()
        )
        file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    words = ["ip", str(gold), "--joint", str(joint), "--independent", str(alone)]
    words += ["--json", str(folder / "report.json"), "--html", str(folder / "report.html")]
    command = [sys.executable, "-m", "evaluator", *words]
    return _timed(lambda: subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL))


def _goldset(clips: dict[str, int], rng: random.Random) -> dict[str, bytes]:
    items, ratings = [], []
    for number, (clip, size) in enumerate(clips.items()):
        moments = tuple(Moment(f"{clip}_m{i}", 4.0 * i, 4.0 * i + 3) for i in range(size))
        source = IpSource(f"P{number % 7}", f"C{number % CHANNELS}", "games", f"S{number}")
        items.append(IpItem(clip, 60.0, moments, source))
        for moment in moments:
            strength = rng.randrange(4)
            for rater in rng.sample(range(corpus.RATERS), rng.choice([3, 4, 5])):
                score = min(3, max(0, strength + rng.choice([-1, 0, 0, 0, 1])))
                ratings.append(Rating(clip, moment.moment_id, f"R{rater}", score))
    return ip_goldset_files(
        items=items,
        ratings=ratings,
        name="bench",
        version=1,
        seed=0,
        parameters={},
        counts={},
        supersedes=None,
        software="bench",
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
        datasheet="Made by the bench.\n",
    )
