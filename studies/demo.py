"""The demo study: made from an import folder, with three simulated raters already in."""

import json
import random
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path

from django.utils import timezone

from studies.kinds import SimulatedAnswer, Unit, kind_named
from studies.models import Enrolment, Study
from studies.services.study import study_add_units, study_set_state
from studies.simulation import Answerer, SimulatedAnnotator

SLUG = "demo"
RATERS = 3
CONSENT = """\
In this study you watch short clips of people who react to a video, and say how strong each marked reaction
is. It takes about ten minutes.

- Taking part is voluntary. You can stop at any time; you can also skip any clip.
- We keep your scores, when you gave them and what was played. We do not ask for your name.
- Scores are published without anything that could identify you.
"""
INSTRUCTIONS = """\
Each clip has a few marked moments. Watch a moment to its end, with the sound on, and give it a score
from **0 Calm** to **3 Peak**. Compare with how this viewer behaves around it, not with other people.

Score all moments, weak and absent reactions too. There are no right answers: we want your judgement.
"""


def demo_study(strengths: Mapping[str, int], *, seed: int = 0) -> Study:
    """Open the demo study over every clip of the catalogue and let three simulated raters work in it.

    `strengths` is the true strength 0–3 of each moment, as drawn; moments that it does not name (the
    user's own clips) are answered by the kind's own simulation.
    """
    study, _ = Study.objects.get_or_create(
        slug=SLUG,
        defaults={
            "title": "Reaction intensity",
            "kind": "intensity",
            "consent": CONSENT,
            "instructions": INSTRUCTIONS,
            "contact": "the demo's owner (you)",
            "raters_per_unit": 8,
            "seed": seed,
        },
    )
    study_add_units(study=study)
    study = study_set_state(study=study, state=Study.State.OPEN)
    start = timezone.now() - timedelta(hours=6)
    for number in range(simulated_raters(), RATERS):
        rng = random.Random(f"{seed}:{number}")  # noqa: S311
        annotator = SimulatedAnnotator.join(study, start + timedelta(minutes=number))
        annotator.work(_rater(strengths, rng))
        annotator.hand_in()
    return study


def simulated_raters() -> int:
    """How many simulated raters have done the demo study to its end."""
    return Enrolment.objects.filter(study__slug=SLUG, simulated=True, state=Enrolment.State.HANDED_IN).count()


def _rater(strengths: Mapping[str, int], rng: random.Random) -> Answerer:
    """An attentive person: right seven times in ten, else one step beside, with a leaning of their own."""
    kind = kind_named("intensity")
    leaning = rng.choice([-1, 1])

    def answer(unit: Unit) -> Sequence[SimulatedAnswer]:
        if not all(question.key in strengths for question in unit.questions):
            return kind.simulate(unit, rng)
        return [
            SimulatedAnswer(q.key, min(3, max(0, strengths[q.key] + (leaning if rng.random() < 0.3 else 0))))
            for q in unit.questions
        ]

    return answer


def demo_predictions(
    folder: Path, moments: Mapping[str, Sequence[str]], strengths: Mapping[str, int], *, seed: int = 0
) -> list[Path]:
    """Write sample predictions of two models for `touchstone-eval ip --joint`.

    `moments` maps clip ids to moment ids. "attentive" follows the true strengths with noise and answers in
    raw text now and then; "drowsy" gives every moment of most clips the same score.
    """
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(f"predictions:{seed}")  # noqa: S311
    lines: dict[str, list[dict[str, object]]] = {"attentive": [], "drowsy": []}
    for clip, keys in sorted(moments.items()):
        truth = [strengths.get(key, rng.randrange(4)) for key in keys]
        seen = [min(100, max(0, round(33 * strength + rng.gauss(0, 14)))) for strength in truth]
        if rng.random() < 0.3:
            text = json.dumps({f"m{i}": score for i, score in enumerate(seen)})
            lines["attentive"].append(
                {"item_id": clip, "output": f"Here are the scores:\n```json\n{text}\n```"}
            )
        else:
            lines["attentive"].append({"item_id": clip, "scores": dict(zip(keys, seen, strict=True))})
        flat = rng.choice([40, 50, 60])
        dozed = [flat] * len(keys) if rng.random() < 0.6 else [rng.randrange(101) for _ in keys]
        lines["drowsy"].append({"item_id": clip, "scores": dict(zip(keys, dozed, strict=True))})
    paths = []
    for model, rows in lines.items():
        path = folder / f"{model}.jsonl"
        path.write_text("".join(json.dumps(row, sort_keys=True) + "\n" for row in rows), encoding="utf-8")
        paths.append(path)
    return paths
