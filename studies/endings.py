"""How somebody's part in a study ends, in words, and the way back to Prolific."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote

from studies.models import CompletionCode, Enrolment, Path, Study

COMPLETE_URL = "https://app.prolific.com/submissions/complete?cc="


@dataclass(frozen=True, slots=True)
class Ending:
    """What the last page says. `code` is empty for people who are not from Prolific, or where none is set."""

    heading: str
    text: str
    code: str = ""
    prolific: bool = False

    @property
    def url(self) -> str:
        """Where Prolific takes the code."""
        return COMPLETE_URL + quote(self.code, safe="") if self.code else ""


_STORED = "Everything is stored and your answers can no longer be changed."
WORDS: Mapping[str, tuple[str, str]] = {
    Path.COMPLETED: ("Thank you. Your work is handed in.", _STORED),
    Path.STOPPED_EARLY: (
        "Thank you. You have stopped, and your work is handed in.",
        f"{_STORED} What you did counts.",
    ),
    Path.SCREENED_OUT: (
        "Thank you for coming. This study needs other people.",
        "You do not belong to the group of people that it is about. This is no judgement of you.",
    ),
    Path.FAILED_TRAINING: (
        "Thank you. The practice is over.",
        "The study goes on only with people whose practice answers were close enough to the expected ones. "
        "This happens to many people, and you have done nothing wrong. Your practice is paid as announced.",
    ),
    Path.NO_CONSENT: (
        "You have not agreed to take part.",
        "That is fine, and nobody will ask you why. No answers of yours are stored.",
    ),
    Path.DEVICE_FAILED: (
        "This study does not work on this device.",
        "Thank you for trying. The sound, the video or the screen is not as the study needs it.",
    ),
    Path.KEPT_OUT: (
        "You have taken part in a study that goes before this one.",
        "This study needs people who have not seen that one, so you cannot take part. Thank you for coming.",
    ),
    Path.STUDY_FULL: (
        "The study is full.",
        "Others have just taken the last places, so there is nothing for you to do. Thank you for coming.",
    ),
    Path.NOTHING_LEFT: (
        "Thank you. There is no more work for you, and yours is handed in.",
        f"{_STORED} You did all that was left, so it counts.",
    ),
    Path.HALTED: (
        "The study has been stopped. Your work is handed in.",
        "What you did is stored and counts, and nothing more is needed from you.",
    ),
}
_PLAIN = ("Thank you. Your part in the study is over.", _STORED)


def ending_of(enrolment: Enrolment) -> Ending:
    """The end of a visit that is over. Somebody who has withdrawn is told so, and gets the same code."""
    path = enrolment.path
    heading, text = WORDS.get(path, _PLAIN)
    if enrolment.state == Enrolment.State.WITHDRAWN:
        heading = "You have withdrawn from the study."
        kept = "are stored, but are used for nothing any more"
        gone = "have been deleted"
        text = f"Your answers {gone if enrolment.erased_at else kept}. Thank you for the time you gave."
    return _ending(enrolment.study, path, heading, text, prolific=enrolment.pool == "prolific")


def ending_at_once(study: Study, path: str, *, prolific: bool, words: str = "") -> Ending:
    """The end for somebody who never began. `words` say what the matter is in place of the usual ones."""
    heading, text = (words, "Thank you for coming.") if words else WORDS[path]
    return _ending(study, path, heading, text, prolific=prolific)


def _ending(study: Study, path: str, heading: str, text: str, *, prolific: bool) -> Ending:
    code = ""
    if prolific and path:
        found = CompletionCode.objects.filter(study=study, path=path).values_list("code", flat=True)
        code = found.first() or ""
    return Ending(heading, text, code, prolific)
