"""The intensity kind: a unit is a reaction clip, its questions are the clip's moments (000 §B.2)."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation import services
from annotation.answers import rating_lines
from annotation.diagnostics import intensity_diagnostics, scores_current
from annotation.goldset import PARAMETERS, intensity_goldset
from annotation.ratings_in import ratings_import
from catalogue import queries as catalogue
from studies.kinds import (
    InvalidResponse,
    Media,
    Parameter,
    Question,
    RecordedField,
    SimulatedAnswer,
    StudyKind,
    Unit,
    View,
    Window,
    kind_register,
)

ROLE = "reaction"


@dataclass(frozen=True, slots=True)
class MomentView:
    """What a rater sees of a moment: its key and its place on the timeline, in seconds."""

    key: str
    start_s: float
    end_s: float


@dataclass(frozen=True, slots=True)
class ClipView(View):
    """What a rater sees of a clip: how long it is and where its moments are, and nothing else."""

    duration_s: float
    moments: tuple[MomentView, ...]
    lead_in_s: float
    context: str


def units(keys: Sequence[str], parameters: Mapping[str, Any], *, blocked: bool = False) -> dict[str, Unit]:
    """Units by clip id; clips without moments or without a reaction have none, nor have blocked ones unless
    they are asked for."""
    shown = sorted(set(keys) if blocked else set(keys) - catalogue.blocked_clip_ids(keys))
    moments = catalogue.moments_of(shown)
    media = catalogue.current_media(shown)
    built = {}
    for key in shown:
        file = media.get((key, ROLE))
        if file is None or not moments.get(key):
            continue
        whole = (Window(ROLE, 0, file.duration_ms),) if parameters["context"] == "clip" else ()
        questions = tuple(
            Question(m.moment_id, whole or (Window(ROLE, m.start_ms, min(m.end_ms, file.duration_ms)),))
            for m in moments[key]
        )
        built[key] = Unit(key, questions, (Media(ROLE, file.pk, file.sha256),))
    return built


def view(unit: Unit, parameters: Mapping[str, Any]) -> ClipView:
    """What a rater may see of a clip."""
    file = catalogue.current_media([unit.key])[unit.key, ROLE]
    moments = catalogue.moments_of([unit.key])[unit.key]
    return ClipView(
        duration_s=file.duration_ms / 1000,
        moments=tuple(MomentView(m.moment_id, m.start_ms / 1000, m.end_ms / 1000) for m in moments),
        lead_in_s=float(parameters["lead_in_s"]),
        context=str(parameters["context"]),
    )


def validate(question: Question, value: Any, parameters: Mapping[str, Any]) -> int:
    """A score is one of the whole numbers 0, 1, 2, 3; 2.0 is 2, but `True` and "2" are not numbers."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value not in range(4):
        raise InvalidResponse(f"found {value!r}, expected one of 0, 1, 2, 3")
    return int(value)


def simulate(unit: Unit, rng: random.Random) -> list[SimulatedAnswer]:
    """A plausible rater: each moment has a strength of its own, met with some noise."""
    answers = []
    for question in unit.questions:
        strength = random.Random(question.key).randrange(4)  # noqa: S311
        noise = rng.choices([-1, 0, 1], weights=[1, 5, 1])[0]
        answers.append(SimulatedAnswer(question.key, min(3, max(0, strength + noise))))
    return answers


KIND = kind_register(
    StudyKind(
        name="intensity",
        version="1",
        title="Reaction intensity",
        asks="How strong is the reaction?",
        template="annotation/rate.html",
        parameters=(
            Parameter("lead_in_s", 2, "Seconds before a moment at which replaying starts"),
            Parameter(
                "context",
                "moment",
                "What must be watched before the first score: the moment, or the whole clip once",
                ("moment", "clip"),
            ),
        ),
        fields=(RecordedField("value", "integer 0–3", "0 Calm, 1 Mild, 2 Clear, 3 Peak (000 Table 5)"),),
        unit_keys=catalogue.clip_ids_with_moments,
        units=units,
        view=view,
        validate=validate,
        record=services.score_record,
        forget=services.score_forget,
        rebuild=services.scores_rebuild,
        current=scores_current,
        ratings=rating_lines,
        answers_in=ratings_import,
        diagnostics=intensity_diagnostics,
        goldset=intensity_goldset,
        goldset_name="ip",
        goldset_parameters=PARAMETERS,
        simulate=simulate,
        scale=(0, 1, 2, 3),
    )
)
