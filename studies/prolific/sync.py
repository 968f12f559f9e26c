"""Submissions as Prolific has them: fetched, compared with ours, and what follows for the work.

Fetching again changes nothing. Each submission is a transaction of its own, so that a fetch that breaks off
keeps what it has learnt. Locks go in the order of the house: visit, then submission.
"""

import logging
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import DatabaseError, transaction
from django.db.models import QuerySet

from studies.identity import PROLIFIC, ParticipantIdentity, Payment, ProlificSubmission, ProlificSync
from studies.models import CompletionCode, Enrolment, Study
from studies.prolific.answers import (
    AWAY,
    GOING_ON,
    NOCODE,
    PAID,
    TERMINAL,
    FetchedSubmission,
    NoAnswer,
    ProlificError,
)
from studies.services.assignment import enrolment_locked
from studies.services.enrolment import enrolment_returned

if TYPE_CHECKING:
    from studies.prolific.client import Prolific

logger = logging.getLogger(__name__)


@dataclass
class SyncResult:
    """What a look at Prolific found.

    `statuses` counts the submissions that are ours by their state, `unknown` those of people who never
    agreed or declined here, and `oddities` names by kind our rows that do not fit.
    """

    statuses: Counter[str] = field(default_factory=Counter)
    changed: int = 0
    unknown: int = 0
    oddities: dict[str, list[Any]] = field(default_factory=dict)
    fault: str = ""

    def odd(self, kind: str, what: object) -> None:
        """One more thing of that kind that does not fit."""
        found = self.oddities.setdefault(kind, [])
        if what not in found:
            found.append(what)

    @property
    def sentence(self) -> str:
        """The whole in words, without an id."""
        ours = sum(self.statuses.values())
        states = ", ".join(f"{number} {name.lower().replace('_', ' ')}" for name, number in _listed(self))
        said = f"{ours} submission{'' if ours == 1 else 's'}{f' ({states})' if states else ''}."
        if self.unknown:
            said += f" {self.unknown} more on Prolific never started here."
        return (f"{self.fault}. Until then: {said}" if self.fault else said)[:400]


def _listed(result: SyncResult) -> list[tuple[str, int]]:
    return sorted(result.statuses.items(), key=lambda item: (-item[1], item[0]))


ODDITIES = {
    "mismatch": "of another person or study on Prolific than here; left as they were",
    "code": "entered a code that is not that of their path here",
    "nocode": "submitted without a completion code",
    "went_back": "back in an earlier state on Prolific; kept as they were",
    "new_status": "states that are not known here",
    "not_found": "study ids that Prolific does not know",
    "not_stored": "could not be stored just now; tried again at the next look",
}
"""What each kind of oddity means, for managers."""


def submissions_sync(study: Study, client: "Prolific", now: datetime) -> SyncResult:
    """Fetch the submissions of a study from Prolific and follow them; the record of it is `ProlificSync`.

    Raises nothing for what goes wrong at Prolific: it is said in the result and in the record.
    """
    result = SyncResult()
    try:
        for study_id in study_ids(study):
            _study_sync(study, study_id, client, now, result)
    except (ProlificError, NoAnswer) as error:
        result.fault = str(error).rstrip(".")
    ProlificSync.objects.update_or_create(
        study=study,
        defaults={
            "at": now,
            "ok": not result.fault,
            "sentence": result.sentence,
            "oddities": result.oddities | ({"unknown": result.unknown} if result.unknown else {}),
        },
    )
    return result


def study_ids(study: Study) -> list[str]:
    """The ids of a study on Prolific: those of its settings, else those that its links have brought."""
    named = study.prolific_study_ids.split()
    if named:
        return list(dict.fromkeys(named))
    seen = (
        ProlificSubmission.objects.filter(study=study).order_by().values_list("prolific_study_id", flat=True)
    )
    return sorted(set(seen))


def _study_sync(study: Study, study_id: str, client: "Prolific", now: datetime, result: SyncResult) -> None:
    stored = _Stored(study)
    settled: list[int] = []
    try:
        for fetched in client.submissions(study_id):
            row = stored.settled(fetched)
            if row is not None:
                _tell(row, stored.codes.get(row.pk), result)
                settled.append(row.pk)
                continue
            try:
                submission_apply(study, fetched, now, result)
            except DatabaseError as error:  # of one submission; its text may hold ids
                logger.warning("A submission of %s was not stored: %s", study.slug, type(error).__name__)
                result.odd("not_stored", type(error).__name__)
    except ProlificError as error:
        # Without ids in the settings, what a link brought may be anything.
        if error.status not in (400, 404):
            raise
        result.odd("not_found", f"number {study_ids(study).index(study_id) + 1}")
        if study.prolific_study_ids:
            result.fault = "Prolific does not know a study id of the settings, or not for this token"
    finally:
        ProlificSubmission.objects.filter(pk__in=settled).update(synced_at=now)


class _Stored:
    """What is stored of a study's submissions, read in one go: most of them have not changed since.

    Following each of them in a transaction of its own, every few minutes and for good, would keep the
    database from those who are at work.
    """

    def __init__(self, study: Study) -> None:
        rows = list(ProlificSubmission.objects.filter(study=study).select_related("enrolment"))
        self.rows = {row.session_id: row for row in rows}
        self.codes = codes_expected(rows)
        self._asked = set(
            _open_approvals().filter(submission__study=study).values_list("submission", flat=True)
        )
        self._going_on = {row.enrolment_id for row in rows if row.status not in AWAY}
        self._people = set(
            ParticipantIdentity.objects.filter(
                source=PROLIFIC,
                participant__in=ProlificSubmission.objects.filter(study=study).values("participant"),
            ).values_list("participant_id", "external_id")
        )

    def settled(self, fetched: FetchedSubmission) -> ProlificSubmission | None:
        """The row of a submission about which nothing is new and from which all has followed, else None."""
        row = self.rows.get(fetched.session_id)
        if row is None or row.synced_at is None or row.pk in self._asked:
            return None
        here = (row.prolific_study_id, row.status, row.entered_code, row.started_at, row.completed_at)
        there = (
            fetched.study_id,
            fetched.status,
            fetched.entered_code,
            fetched.started_at,
            fetched.completed_at,
        )
        if here != there or (row.participant_id, fetched.pid) not in self._people:
            return None
        visit = row.enrolment
        if visit is not None and (visit.returned_at is None) != (visit.pk in self._going_on):
            return None
        return row


@transaction.atomic
def submission_apply(study: Study, fetched: FetchedSubmission, now: datetime, result: SyncResult) -> None:
    """Follow one fetched submission: keep how it stands, and release or give back its visit."""
    known = ProlificSubmission.objects.filter(session_id=fetched.session_id).first()
    if known is None:
        result.unknown += 1
        return
    visit = enrolment_locked(Enrolment(pk=known.enrolment_id)) if known.enrolment_id else None
    row = ProlificSubmission.objects.select_for_update(no_key=True).get(pk=known.pk)
    if not _same(row, study, fetched):
        result.odd("mismatch", row.pk)
        return
    before = row.status
    _follow(row, fetched, now, result)
    result.changed += row.status != before
    if row.status in PAID:
        _settle(row)
    if visit is not None and visit.pk == row.enrolment_id:  # else somebody just went on: the next time
        enrolment_returned(enrolment=visit, returned=_away(visit), now=now)
    _tell(row, codes_expected([row]).get(row.pk), result)


def _tell(row: ProlificSubmission, code: str | None, result: SyncResult) -> None:
    """Count a row, and say what does not fit about it. `code` is the one of its path here."""
    result.statuses[row.status or "unknown"] += 1
    if row.status not in TERMINAL | GOING_ON:
        result.odd("new_status", row.status)
    if row.entered_code == NOCODE:
        result.odd("nocode", row.pk)
    elif row.entered_code and row.entered_code != code:
        result.odd("code", row.pk)


def _same(row: ProlificSubmission, study: Study, fetched: FetchedSubmission) -> bool:
    """Whether a fetched submission is of the person and the study that brought it here."""
    person = ParticipantIdentity.objects.filter(
        participant=row.participant_id, source=PROLIFIC, external_id=fetched.pid
    )
    here = (row.study_id, row.prolific_study_id) == (study.pk, fetched.study_id)
    return here and person.exists()


def _follow(row: ProlificSubmission, fetched: FetchedSubmission, now: datetime, result: SyncResult) -> None:
    """Keep what Prolific says, unless it says that something ended goes on again (an old answer of theirs).

    A word that is not known here is kept as it stands, but not in place of an end that is known.
    """
    known = fetched.status in TERMINAL or fetched.status in GOING_ON
    if not known:
        result.odd("new_status", fetched.status)
    if row.status in TERMINAL and fetched.status not in TERMINAL:
        if known:
            result.odd("went_back", row.pk)
    else:
        row.status = fetched.status
    row.entered_code = fetched.entered_code or row.entered_code
    row.started_at = fetched.started_at or row.started_at
    row.completed_at = fetched.completed_at or row.completed_at
    row.synced_at = now
    row.save(update_fields=["status", "entered_code", "started_at", "completed_at", "synced_at"])


def _away(visit: Enrolment) -> bool:
    """Whether nothing is left of a visit on Prolific: each submission that leads to it has gone."""
    statuses = ProlificSubmission.objects.filter(enrolment=visit).values_list("status", flat=True)
    return all(status in AWAY for status in statuses)


def _settle(row: ProlificSubmission) -> None:
    """An approval that was asked for, or still to be, has happened in full or part: Prolific shows it."""
    _open_approvals().filter(submission=row).update(
        state=Payment.State.DONE, said=f"Seen as {row.status.lower().replace('_', ' ')} on Prolific."
    )


def _open_approvals() -> QuerySet[Payment, Payment]:
    """Approvals that are still to be sent, or were sent without an answer."""
    return Payment.objects.filter(
        what=Payment.What.APPROVE, state__in=[Payment.State.SENT, Payment.State.PLANNED]
    )


def path_of(row: ProlificSubmission) -> str:
    """The path on which somebody's part ended here; empty while it goes on."""
    return row.enrolment.path if row.enrolment else row.path


def codes_expected(rows: Iterable[ProlificSubmission]) -> dict[int, str]:
    """The completion code that belongs to each submission's path, by primary key; none while it goes on."""
    paths = {row.pk: (row.study_id, path_of(row)) for row in rows}
    codes = CompletionCode.objects.filter(study__in={study for study, _ in paths.values()})
    by_path = {(study, path): code for study, path, code in codes.values_list("study_id", "path", "code")}
    return {pk: by_path[key] for pk, key in paths.items() if key in by_path}
