"""Reads of the studies app."""

import difflib
from datetime import datetime
from typing import Any

from django.db.models import Count, F, Q, QuerySet

from studies.history import Head, history_of
from studies.kinds import StudyKind, Unit, kind_named
from studies.models import Assignment, Enrolment, Invitation, Path, Place, Study, StudyUnit, StudyVersion
from studies.tokens import token_hash


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


def consent_text(study: Study, version: int) -> str:
    """The text that people agree to, as frozen in a version of the study; empty without that version."""
    frozen = StudyVersion.objects.filter(study=study, number=version).values_list("frozen", flat=True).first()
    return str(frozen.get("consent", study.consent)) if frozen else ""


def invitation_of(token: str) -> Invitation | None:
    """The invitation that a personal link stands for, revoked or not; None when there is none."""
    invitations = Invitation.objects.select_related("study", "enrolment__study")
    return invitations.filter(token_hash=token_hash(token)).first()


def unit_of(assignment: Assignment, parameters: dict[str, Any], *, blocked: bool = False) -> Unit | None:
    """The unit of an assignment as its kind builds it; None when it may no longer be shown.

    `blocked` asks for it all the same: what was said about it is still taken, and left out of the figures.
    """
    key = assignment.unit.key
    return kind_of(assignment.enrolment.study).units([key], parameters, blocked=blocked).get(key)


def free(now: datetime) -> QuerySet[Place, Place]:
    """Places that somebody can take: held by nobody, or with a reservation that has lapsed."""
    return Place.objects.filter(free_now(now))


def free_now(now: datetime) -> Q:
    """The condition of `free`."""
    return Q(enrolment=None) | Q(until__lte=now)


def held(now: datetime, at: str = "") -> Q:
    """Which places are filled, or held by a reservation that still runs.

    `at` is the lookup path to the place, for instance `places__`.
    """
    running = Q(**{f"{at}until": None}) | Q(**{f"{at}until__gt": now})
    return Q(**{f"{at}enrolment__isnull": False}) & running


def units_given_out(study: Study) -> QuerySet[StudyUnit, StudyUnit]:
    """The units of a study that people can be given: neither reported nor withdrawn, in an issued wave."""
    return StudyUnit.objects.filter(
        study=study, purpose=StudyUnit.Purpose.STUDY, state=StudyUnit.State.ACTIVE, wave__issued=True
    )


def units_wanted(enrolment: Enrolment, now: datetime) -> list[tuple[int, str, int]]:
    """Units that still need raters and that this person can be given: (places held, key, pk).

    In a panel everybody with a seat does every unit, so the first number is always 0. What the person has
    opened in an earlier visit never comes again.
    """
    study = enrolment.study
    lapsed = [Assignment.State.EXPIRED, Assignment.State.RELEASED]
    work = Assignment.objects.filter(purpose=Assignment.Purpose.STUDY)
    given = work.filter(enrolment=enrolment).exclude(state__in=lapsed)
    before = work.filter(
        enrolment__participant=enrolment.participant_id, enrolment__study=study, opened_at__isnull=False
    ).exclude(enrolment=enrolment)
    units = (
        units_given_out(study)
        .exclude(pk__in=given.values("unit_id"))
        .exclude(pk__in=before.values("unit_id"))
        .order_by()
    )
    if study.mode == Study.Mode.PANEL:
        return [(0, key, pk) for key, pk in units.values_list("key", "pk")]
    counted = units.annotate(
        places_held=Count("places", filter=held(now, "places__")), places_there=Count("places")
    ).filter(places_held__lt=F("places_there"))
    return list(counted.values_list("places_held", "key", "pk"))


def place_is_free(study: Study, now: datetime) -> bool:
    """Whether somebody new would find anything to do: a place of a unit, or a seat."""
    places = free(now).filter(study=study)
    if study.mode == Study.Mode.PANEL:
        return places.filter(unit=None).exists()
    return places.filter(unit__in=units_given_out(study)).exists()


def room(enrolment: Enrolment) -> int | None:
    """How many more units of the study this person may be given now; None: as many as there are.

    Bounded by the portion of one visit and by what one person may do over all visits, reservations included.
    """
    study = enrolment.study
    lapsed = [Assignment.State.EXPIRED, Assignment.State.RELEASED]
    given = Assignment.objects.filter(
        enrolment__study=study,
        enrolment__participant=enrolment.participant_id,
        purpose=Assignment.Purpose.STUDY,
    ).exclude(state__in=lapsed)
    bounds = []
    if study.units_per_participant is not None:
        bounds.append(study.units_per_participant - given.filter(enrolment=enrolment).count())
    if study.units_most is not None:
        bounds.append(study.units_most - given.count())
    return max(0, min(bounds)) if bounds else None


def work_state(enrolment: Enrolment) -> str:
    """Whether this person may go on.

    `working`, or why not: `handed_in`, `returned` (their submission on Prolific), `halted`, `closed`, or
    `device_check`, which comes before the work.
    """
    study = enrolment.study
    if enrolment.state != Enrolment.State.ACTIVE:
        return "handed_in"
    if enrolment.returned_at is not None:
        return "returned"
    if study.state in (Study.State.HALTED, Study.State.CLOSED):
        return study.state
    return "device_check" if study.device_check and enrolment.device_passed_at is None else "working"


def last_deed(enrolment: Enrolment, *, before: Assignment | None) -> Head | None:
    """What Z would undo in the unit before this one: the newest effective answer or report there."""
    previous = (
        Assignment.objects.filter(enrolment=enrolment, state__in=Assignment.WORK_DONE)
        .exclude(purpose=Assignment.Purpose.PRACTICE)
        .exclude(pk=before.pk if before else 0)
        .order_by("-closed_at", "-pk")
        .first()
    )
    if previous is None:
        return None
    standing = [head for head in history_of(previous).heads.values() if head.event.standing]
    return max(standing, key=lambda head: head.event.pk, default=None)


def seat_complete(enrolment: Enrolment) -> bool:
    """In a panel: whether every unit given out has been finished or reported by this person."""
    done = work_of(enrolment, Assignment.Purpose.STUDY).values("unit_id")
    units = StudyUnit.objects.filter(
        study=enrolment.study, purpose=StudyUnit.Purpose.STUDY, state=StudyUnit.State.ACTIVE
    )
    return not units.exclude(pk__in=done).exists()


def path_at_hand_in(enrolment: Enrolment, now: datetime) -> Path:
    """How somebody's part ends who hands in now.

    `completed`: a whole portion, or all there was for them where the study gives no portions;
    `nothing_left`: less, because there was no more for them; `halted`; `stopped_early`: by their own choice.
    """
    study = enrolment.study
    done = work_of(enrolment, Assignment.Purpose.STUDY).count()
    if study.units_per_participant is not None and done >= study.units_per_participant:
        return Path.COMPLETED
    if study.state in (Study.State.HALTED, Study.State.CLOSED):
        return Path.HALTED
    waiting = enrolment.assignments.filter(state__in=[Assignment.State.OPEN, Assignment.State.RESERVED])
    if waiting.exists() or work_state(enrolment) != "working" or _more(enrolment, now):
        return Path.STOPPED_EARLY
    everything = done > 0 and study.units_per_participant is None
    return Path.COMPLETED if everything else Path.NOTHING_LEFT


def _more(enrolment: Enrolment, now: datetime) -> bool:
    """Whether this person could be given another unit of the study."""
    if room(enrolment) == 0:
        return False
    if enrolment.study.mode == Study.Mode.PANEL:
        seat = Place.objects.filter(study=enrolment.study, unit=None)
        if not seat.filter(Q(enrolment=enrolment) | free_now(now)).exists():
            return False
    wanted = [key for _, key, _ in units_wanted(enrolment, now)]
    parameters = study_parameters(enrolment.study, enrolment.study.version)
    return bool(kind_of(enrolment.study).units(wanted, parameters))


def work_done(enrolment: Enrolment) -> int:
    """How many units this person has done, checks and repeats too: what progress and pay count."""
    return work_of(enrolment).count()


def work_of(enrolment: Enrolment, *purposes: str) -> QuerySet[Assignment, Assignment]:
    """The units that a person has finished or reported, of these purposes (none named: all but practice)."""
    work = Assignment.objects.filter(enrolment=enrolment, state__in=Assignment.WORK_DONE)
    if purposes:
        return work.filter(purpose__in=purposes)
    return work.exclude(purpose=Assignment.Purpose.PRACTICE)
