"""Studies, the people in them, what each is given to judge, and the append-only events of their answers."""

from studies.identity import ParticipantIdentity, Payment, ProlificSubmission, ProlificSync
from studies.models.people import Enrolment, EnrolmentKey, Invitation, Participant
from studies.models.study import CompletionCode, Path, Study, StudyLog, StudyUnit, StudyVersion, Wave
from studies.models.work import Assignment, Place, ResponseEvent, TechnicalFault

__all__ = [
    "Assignment",
    "CompletionCode",
    "Enrolment",
    "EnrolmentKey",
    "Invitation",
    "Participant",
    "ParticipantIdentity",
    "Path",
    "Payment",
    "Place",
    "ProlificSubmission",
    "ProlificSync",
    "ResponseEvent",
    "Study",
    "StudyLog",
    "StudyUnit",
    "StudyVersion",
    "TechnicalFault",
    "Wave",
]
