"""Who somebody is that comes to a study, and joining.

What is said about a person on Prolific rests on evidence. A submission's id is known to its owner alone, so
whoever brings the person's id together with a known submission is that person. A new submission with the
id of a known person is that person too, but sees nothing of earlier visits: those ids are no secret. The
same browser, or Prolific's word (a signed link, or a submission that was fetched from Prolific), opens the
visit that goes on.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from studies.arrival import TOKEN, ProlificIds, Query, ids_read, plain_ids
from studies.errors import Refused
from studies.identity import PROLIFIC, ParticipantIdentity, ProlificSubmission
from studies.models import Enrolment, Participant, Path, Study
from studies.prolific import signed
from studies.queries import place_is_free
from studies.services.enrolment import CANNOT_JOIN, enrolment_join, key_new

POOL = "prolific"
"""The pool of people from Prolific."""


@dataclass(frozen=True, slots=True)
class Browser:
    """What a browser's cookies say: the visit they open, and whether they open one of a study kept apart."""

    enrolment: Enrolment | None = None
    kept_out: bool = False


@dataclass(frozen=True, slots=True)
class Next:
    """What comes next for somebody: a visit to go on with, the end on a path, or neither: the consent page.

    `token` is a new key to the visit for a browser that has none; `words` say why a study takes nobody.
    """

    enrolment: Enrolment | None = None
    token: str = ""
    path: Path | None = None
    words: str = ""


# --- the link -----------------------------------------------------------------------------------------


def ids_of_link(study: Study, query: Query) -> ProlificIds:
    """The ids that a study link brings, checked against the study and, where it is signed, the signature.

    Raises `BadLink` for parameters that are not as Prolific sends them and `Refused` (not_for_prolific,
    not_signed, other_study) for links that this study does not take.
    """
    if not study.prolific:
        raise Refused(
            "not_for_prolific",
            "This study is not set up for Prolific",
            text="If you came from Prolific, please return your submission there and write to the "
            "researcher. If this is your study: turn on Prolific in its settings and give a completion code "
            "for each path.",
        )
    ids = _signed_ids(query) if study.prolific_signed or TOKEN in query else ids_read(query)
    allowed = study.prolific_study_ids.split()
    if allowed and ids.study_id not in allowed:
        raise Refused(
            "other_study",
            "This link belongs to another study on Prolific",
            text="Please open the study from Prolific again. If you are the researcher: the STUDY_ID of the "
            "link is not among the Prolific study ids in this study's settings.",
        )
    return ids


def _signed_ids(query: Query) -> ProlificIds:
    refused = Refused(
        "not_signed",
        "This link has expired or was changed on its way",
        text="Please open the study from Prolific again: each link works for a short time only.",
    )
    try:
        vouched = signed.read(query[TOKEN][0] if TOKEN in query else "")
    except signed.SignedRefused as error:
        raise refused from error
    ids = ProlificIds(vouched.pid, vouched.study_id, vouched.session_id, signed=True)
    said = {"PROLIFIC_PID": ids.pid, "STUDY_ID": ids.study_id, "SESSION_ID": ids.session_id}
    if any(said[name] != value for name, value in plain_ids(query).items()):
        raise refused
    return ids


# --- people from Prolific -----------------------------------------------------------------------------


@transaction.atomic
def prolific_arrive(*, study: Study, ids: ProlificIds, browser: Browser, now: datetime | None = None) -> Next:
    """Somebody has come from Prolific: recognise them. A new person is not stored yet."""
    participant = _known(ids.pid)
    if participant is not None:
        participant = _locked(participant.pk)  # another tab may just be agreeing
    submission = ProlificSubmission.objects.filter(session_id=ids.session_id).first()
    coming = _coming(study, ids, browser, participant, submission, now or timezone.now())
    if participant is None:
        return coming
    return _kept(coming, study, ids, browser, participant)


@transaction.atomic
def prolific_agree(*, study: Study, ids: ProlificIds, browser: Browser, now: datetime | None = None) -> Next:
    """Somebody from Prolific agrees: they join, once, however often and from how many tabs they say so."""

    def joined(participant: Participant) -> Next:
        enrolment, token = enrolment_join(study=study, participant=participant, pool=POOL, now=now)
        return Next(enrolment=enrolment, token=token)

    return _answered(study, ids, browser, now, joined)


@transaction.atomic
def prolific_decline(
    *, study: Study, ids: ProlificIds, browser: Browser, now: datetime | None = None
) -> Next:
    """Somebody from Prolific does not agree: stored is that they did not, and nothing else."""
    return _answered(study, ids, browser, now, lambda _: Next(path=Path.NO_CONSENT))


def _answered(
    study: Study,
    ids: ProlificIds,
    browser: Browser,
    now: datetime | None,
    then: Callable[[Participant], Next],
) -> Next:
    participant = _participant(ids.pid)
    submission = _submission(participant, study, ids)
    coming = _coming(study, ids, browser, participant, submission, now or timezone.now())
    if coming.enrolment is None and coming.path is None:
        coming = then(participant)
    return _kept(coming, study, ids, browser, participant)


def _known(pid: str) -> Participant | None:
    identity = ParticipantIdentity.objects.filter(source=PROLIFIC, external_id=pid)
    return Participant.objects.filter(pk__in=identity.values("participant_id")).first()


def _participant(pid: str) -> Participant:
    """The participant of that id, made where there is none, and locked until the transaction ends.

    Two who come with the same id at once are one: the second waits for the first. Nothing is raised on the
    way that could put an id into a log.
    """
    if _known(pid) is None:
        made = Participant.objects.create()
        ParticipantIdentity.objects.bulk_create(
            [ParticipantIdentity(participant=made, source=PROLIFIC, external_id=pid)], ignore_conflicts=True
        )
        if not ParticipantIdentity.objects.filter(participant=made).exists():
            made.delete()
    identity = ParticipantIdentity.objects.get(source=PROLIFIC, external_id=pid)
    return _locked(identity.participant_id)


def _locked(participant: int) -> Participant:
    """A participant, locked until the transaction ends: what one person's tabs say comes one by one."""
    return Participant.objects.select_for_update(no_key=True).get(pk=participant)


def _submission(participant: Participant, study: Study, ids: ProlificIds) -> ProlificSubmission:
    """The row of a submission, made where there is none. It may be somebody else's."""
    row = ProlificSubmission(
        participant=participant, study=study, session_id=ids.session_id, prolific_study_id=ids.study_id
    )
    ProlificSubmission.objects.bulk_create([row], ignore_conflicts=True)
    return ProlificSubmission.objects.select_related("enrolment").get(session_id=ids.session_id)


def _coming(
    study: Study,
    ids: ProlificIds,
    browser: Browser,
    participant: Participant | None,
    submission: ProlificSubmission | None,
    now: datetime,
) -> Next:
    """What comes next for these ids. Reads only."""
    if submission is not None:
        _own_or_refused(study, ids, participant, submission)
        if submission.enrolment is not None:
            return Next(enrolment=submission.enrolment)
        if submission.path == Path.NO_CONSENT:
            return Next(path=Path.NO_CONSENT)
    if participant is not None:
        vouched = ids.signed or (submission is not None and submission.synced_at is not None)
        running = _running(study, participant, browser, vouched=vouched)
        if running is not None:
            return Next(enrolment=running)
    return entry(study, browser, participant, now)


def _own_or_refused(
    study: Study, ids: ProlificIds, participant: Participant | None, submission: ProlificSubmission
) -> None:
    owner = participant is not None and submission.participant_id == participant.pk
    if not (owner and submission.study_id == study.pk and submission.prolific_study_id == ids.study_id):
        raise Refused(
            "mismatch",
            "The ids in this link do not belong together",
            text="Please open the study from Prolific again. If that does not help, write to the researcher.",
        )


def _running(study: Study, participant: Participant, browser: Browser, *, vouched: bool) -> Enrolment | None:
    """The visit of a known person that goes on here, if any; in a panel nobody has two at once."""
    visits = Enrolment.objects.select_related("study").filter(study=study, participant=participant)
    if visits.filter(state=Enrolment.State.WITHDRAWN).exists():
        raise Refused(
            "withdrawn",
            "You have withdrawn from this study",
            text="You cannot take part again. Please return this submission on Prolific.",
        )
    active = visits.filter(state=Enrolment.State.ACTIVE, returned_at=None).order_by("-attempt")
    here = browser.enrolment and active.filter(pk=browser.enrolment.pk).first()
    running = here or (active.first() if vouched else None)
    if running is None and study.mode == Study.Mode.PANEL and active.exists():
        raise Refused(
            "elsewhere",
            "You have already started this study",
            text="Go on in the browser where you started, or open the personal return address that you were "
            "shown there. Your earlier work is kept.",
        )
    return running


def _kept(coming: Next, study: Study, ids: ProlificIds, browser: Browser, participant: Participant) -> Next:
    """Keep with the submission where it leads, and give this browser a key to the visit if it has none."""
    if coming.enrolment is None and coming.path is None:
        return coming
    submission = _submission(participant, study, ids)
    submission.enrolment = coming.enrolment
    submission.path = "" if coming.enrolment or coming.path is None else coming.path
    submission.save(update_fields=["enrolment", "path"])
    return opened(coming, browser)


# --- everybody ----------------------------------------------------------------------------------------


def opened(coming: Next, browser: Browser) -> Next:
    """The same with a new key, where there is a visit to go on with that this browser cannot open yet."""
    enrolment = coming.enrolment
    if enrolment is None or coming.token or enrolment.state == Enrolment.State.WITHDRAWN:
        return coming
    if browser.enrolment is not None and browser.enrolment.pk == enrolment.pk:
        return coming
    return Next(enrolment=enrolment, token=key_new(enrolment))


def entry(study: Study, browser: Browser, participant: Participant | None, now: datetime) -> Next:
    """Whether a new visit can begin: `Next()` when it can, else the path on which it ends at once.

    A study that has never been open refuses.
    """
    state = Study.State(study.state)
    if state is Study.State.DRAFT:
        raise Refused("not_open", CANNOT_JOIN[state])
    if state in (Study.State.HALTED, Study.State.CLOSED):
        return Next(path=Path.HALTED, words=CANNOT_JOIN[state])
    if state is Study.State.PAUSED:
        return Next(path=Path.STUDY_FULL, words=CANNOT_JOIN[state])
    if browser.kept_out or (participant is not None and _kept_apart(study, participant).exists()):
        return Next(path=Path.KEPT_OUT)
    return Next() if place_is_free(study, now) else Next(path=Path.STUDY_FULL)


def _kept_apart(study: Study, participant: Participant) -> QuerySet[Enrolment, Enrolment]:
    """A person's visits, ended or not, to studies whose people this one does not take."""
    return Enrolment.objects.filter(study__in=study.keeps_out.all(), participant=participant)


def shared_arrive(*, study: Study, browser: Browser, now: datetime | None = None) -> Next:
    """Somebody has come by the shared link. Reads only."""
    if browser.enrolment is not None:
        return Next(enrolment=browser.enrolment)
    return entry(study, browser, None, now or timezone.now())


def shared_agree(*, study: Study, browser: Browser, now: datetime | None = None) -> Next:
    """Somebody agrees who came by the shared link: a new participant, unless this browser has a visit."""
    coming = shared_arrive(study=study, browser=browser, now=now)
    if coming.enrolment is not None or coming.path is not None:
        return coming
    enrolment, token = enrolment_join(study=study, now=now)
    return Next(enrolment=enrolment, token=token)
