"""Reads of the dashboards. They run on the read-only alias; see `monitoring.readonly`."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import Count, Q
from django.utils import timezone

from monitoring.readonly import ALIAS
from studies.counting import why_left_out
from studies.kinds import kind_named
from studies.models import Assignment, Enrolment, ResponseEvent, Study, StudyUnit
from studies.queries import kind_of, study_parameters
from studies.repeats import Agreement, agreement_by_rater, repeat_agreement, repeat_pairs


@dataclass(frozen=True, slots=True)
class StudyLine:
    """A study in the list."""

    study: Study
    kind: str
    people: int
    units: int


@dataclass(frozen=True, slots=True)
class PoolLine:
    """A pool: how many people have come from it, and how many of their answers count."""

    pool: str
    people: int
    ratings: int


@dataclass(frozen=True, slots=True)
class RepeatLine:
    """How far one person agrees with themselves. `number` counts such people in the order of joining."""

    number: int
    agreement: Agreement


@dataclass(frozen=True, slots=True)
class Overview:
    """What the first page of a study's dashboard shows."""

    study: Study
    kind: str
    as_of: datetime
    questions: int
    reached: int
    people: dict[str, int]
    units_done: int
    reported: int
    pools: list[PoolLine] = field(default_factory=list)
    repeats: list[RepeatLine] = field(default_factory=list)
    repeats_together: Agreement | None = None
    figures: dict[str, Any] = field(default_factory=dict)

    @property
    def coverage_percent(self) -> int:
        """Share of questions with as many answers as the study wants, rounded down so 100 means all."""
        return 100 * self.reached // self.questions if self.questions else 0


def study_lines() -> list[StudyLine]:
    """Every study that has been opened, with its people and units."""
    studies = Study.objects.filter(version__gt=0).annotate(
        people=Count("enrolments", distinct=True), unit_count=Count("units", distinct=True)
    )
    return [
        StudyLine(study=s, kind=kind_named(s.kind).title, people=s.people, units=s.unit_count)
        for s in studies
    ]


def study_overview(study: Study) -> Overview:
    """Coverage and distribution of one study as they are now."""
    kind = kind_of(study)
    units = StudyUnit.objects.filter(study=study, wave__pilot=False)
    keys = list(units.exclude(state=StudyUnit.State.WITHDRAWN).values_list("key", flat=True))
    built = kind.units(keys, study_parameters(study, study.version))
    figures = {d.key: d.value for d in kind.diagnostics([study.pk], using=ALIAS)}
    by_ratings = figures.get("moments_by_ratings", {})
    people = dict(
        Enrolment.objects.filter(study=study)
        .values("state")
        .annotate(n=Count("pk"))
        .values_list("state", "n")
    )
    work = Assignment.objects.filter(enrolment__study=study, purpose=Assignment.Purpose.STUDY)
    pairs = repeat_pairs([study.pk])
    return Overview(
        study=study,
        kind=kind.title,
        as_of=timezone.now(),
        questions=sum(len(unit.questions) for unit in built.values()),
        reached=sum(n for ratings, n in by_ratings.items() if ratings >= study.raters_per_unit),
        people=people,
        units_done=work.filter(state__in=Assignment.WORK_DONE).count(),
        reported=units.filter(state=StudyUnit.State.REPORTED).count(),
        pools=pool_lines(study),
        repeats=[
            RepeatLine(number, agreement)
            for number, agreement in enumerate(agreement_by_rater(kind, pairs).values(), 1)
        ],
        repeats_together=repeat_agreement(kind, pairs) if pairs else None,
        figures=figures,
    )


def pool_lines(study: Study) -> list[PoolLine]:
    """People and the answers that count by the pool that the people come from, in the order of its name."""
    enrolments = Enrolment.objects.filter(study=study).order_by()
    people = enrolments.values("pool").annotate(n=Count("participant", distinct=True))
    standing = Q(action=ResponseEvent.Action.ANSWER) | Q(restores__isnull=False)
    counted = (
        ResponseEvent.objects.filter(
            standing,
            enrolment__study=study,
            scope=ResponseEvent.Scope.QUESTION,
            replaced_by__isnull=True,
        )
        .annotate(left_out=why_left_out("assignment__"))
        .filter(left_out="")
        .order_by()
        .values("enrolment__pool")
        .annotate(n=Count("pk"))
    )
    ratings = dict(counted.values_list("enrolment__pool", "n"))
    return [PoolLine(row["pool"], row["n"], ratings.get(row["pool"], 0)) for row in people.order_by("pool")]
