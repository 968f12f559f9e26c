"""The seats of a panel, for managers to look at."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Q
from django.utils import timezone

from studies.models import Assignment, Place, Study, StudyUnit


@dataclass(frozen=True, slots=True)
class Seat:
    """One seat: its number, who holds it (None: nobody), how much of the work is done, until when it is kept.

    `lapsed` when it waits no longer: somebody new may take it, and until then its holder may go on.
    """

    n: int
    holder: str | None
    done: int
    of: int
    until: datetime | None
    lapsed: bool

    @property
    def complete(self) -> bool:
        """Whether its holder has done every clip or item."""
        return self.holder is not None and self.of > 0 and self.done >= self.of


def seats_of(study: Study, now: datetime | None = None) -> list[Seat]:
    """The seats of a panel in their order; none in a pool."""
    now = now or timezone.now()
    active = {"state": StudyUnit.State.ACTIVE, "purpose": StudyUnit.Purpose.STUDY}
    of = study.units.filter(**active).count()
    done = Count(
        "enrolment__assignments",
        filter=Q(
            enrolment__assignments__purpose=Assignment.Purpose.STUDY,
            enrolment__assignments__state__in=Assignment.WORK_DONE,
            **{f"enrolment__assignments__unit__{name}": value for name, value in active.items()},
        ),
    )
    places = (
        Place.objects.filter(study=study, unit=None)
        .select_related("enrolment__participant")
        .annotate(done=done)
        .order_by("n")
    )
    return [
        Seat(
            n=place.n,
            holder=place.enrolment.participant.public_id if place.enrolment else None,
            done=place.done,
            of=of,
            until=place.until,
            lapsed=place.enrolment is not None and place.until is not None and place.until <= now,
        )
        for place in places
    ]
