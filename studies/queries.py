"""Reads of the studies app."""

import difflib
from datetime import datetime
from typing import Any

from django.db.models import Count, Q

from studies.history import Head, history_of
from studies.kinds import StudyKind, Unit, kind_named
from studies.models import Assignment, Enrolment, Study, StudyUnit, StudyVersion


def study_named(slug: str) -> Study:
    """The study of that address; `Study.DoesNotExist` names near ones otherwise."""
    study = Study.objects.filter(slug=slug).first()
    if study is None:
        near = difflib.get_close_matches(slug, Study.objects.values_list("slug", flat=True))
        hint = f"; near: {', '.join(near)}" if near else ""
        raise Study.DoesNotExist(f"no study has the address {slug!r}{hint}")
    return study


def kind_of(study: Study) -> StudyKind:
    """The kind of a study."""
    return kind_named(study.kind)


def study_parameters(study: Study, version: int) -> dict[str, Any]:
    """The kind's parameters as frozen in a version of the study, defaults filled in."""
    frozen = StudyVersion.objects.only("frozen").get(study=study, number=version).frozen
    return {**kind_of(study).defaults(), **frozen["parameters"]}


def unit_of(assignment: Assignment, parameters: dict[str, Any], *, blocked: bool = False) -> Unit | None:
    """The unit of an assignment as its kind builds it; None when it may no longer be shown.

    `blocked` asks for it all the same: what was said about it is still taken, and left out of the figures.
    """
    key = assignment.unit.key
    return kind_of(assignment.enrolment.study).units([key], parameters, blocked=blocked).get(key)


def holding(now: datetime, at: str = "") -> Q:
    """Which assignments fill or hold a place: counted finished ones and reservations that still run.

    `at` is the lookup path to the assignment, for instance `assignments__`.
    """
    reserved = [Assignment.State.RESERVED, Assignment.State.OPEN]
    running = Q(**{f"{at}state__in": reserved, f"{at}reserved_until__gt": now})
    finished = Q(**{f"{at}state": Assignment.State.FINISHED})
    places = Q(**{f"{at}purpose": Assignment.Purpose.STUDY, f"{at}surplus": False})
    return (finished | running) & places


def place_taken(assignment: Assignment, study: Study, now: datetime) -> bool:
    """Whether others hold every place of the assignment's unit."""
    others = Assignment.objects.filter(holding(now), unit=assignment.unit).exclude(pk=assignment.pk)
    return others.count() >= study.raters_per_unit


def may_go_on(assignment: Assignment, study: Study, now: datetime) -> bool:
    """Whether work in an assignment that lapsed may go on: its unit is given out, and a place is left."""
    return assignment.unit.state == StudyUnit.State.ACTIVE and not place_taken(assignment, study, now)


def units_wanted(enrolment: Enrolment, now: datetime) -> list[tuple[int, str, int]]:
    """Units that still need raters and that this enrolment can be given: (places held, key, pk)."""
    given = Assignment.objects.filter(enrolment=enrolment).exclude(
        state__in=[Assignment.State.EXPIRED, Assignment.State.RELEASED]
    )
    wanted = (
        StudyUnit.objects.filter(study=enrolment.study, state=StudyUnit.State.ACTIVE)
        .exclude(pk__in=given.values("unit_id"))
        .annotate(held=Count("assignments", filter=holding(now, "assignments__")))
        .filter(held__lt=enrolment.study.raters_per_unit)
    )
    return list(wanted.order_by().values_list("held", "key", "pk"))


def work_state(enrolment: Enrolment) -> str:
    """Whether this person may go on: `working`, `halted`, `closed` or `handed_in`."""
    if enrolment.state != Enrolment.State.ACTIVE:
        return "handed_in"
    stopped = enrolment.study.state in (Study.State.HALTED, Study.State.CLOSED)
    return enrolment.study.state if stopped else "working"


def last_deed(enrolment: Enrolment, *, before: Assignment | None) -> Head | None:
    """What Z would undo in the unit before this one: the newest effective answer or report there."""
    previous = (
        Assignment.objects.filter(enrolment=enrolment, state__in=Assignment.WORK_DONE)
        .exclude(pk=before.pk if before else 0)
        .order_by("-closed_at", "-pk")
        .first()
    )
    if previous is None:
        return None
    standing = [head for head in history_of(previous).heads.values() if head.event.standing]
    return max(standing, key=lambda head: head.event.pk, default=None)


def work_done(enrolment: Enrolment) -> int:
    """How many units this person has finished or reported: what progress and pay count."""
    return Assignment.objects.filter(enrolment=enrolment, state__in=Assignment.WORK_DONE).count()
