"""What somebody's device check comes to: sounds heard or not, passed, or the end of their part.

The number of beeps is checked against what only the server knows. That the window is wide enough and that
pictures were shown are the page's claims; they are taken at their word.
"""

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from studies.device import FRAMES, TRIES, WIDE, Sound, beeps, sounds_of
from studies.errors import Invalid, Refused
from studies.models import Enrolment, Path
from studies.queries import work_state
from studies.services.assignment import enrolment_locked
from studies.services.enrolment import enrolment_end

REASONS = ("sound", "video", "window", "other")
"""What somebody who gives up says does not work."""


@transaction.atomic
def device_answer(
    *, enrolment: Enrolment, role: str, number: int, said: int, now: datetime | None = None
) -> Enrolment:
    """Take the number of beeps that somebody heard in try `number` of a sound.

    The last wrong try ends their part on the path `device_failed`. A try that was answered already, as in
    another tab, is refused (`stale`); a sound that was heard stays heard.
    """
    enrolment = _checking(enrolment)
    sound = next((sound for sound in sounds_of(enrolment) if sound.role == role), None)
    if sound is None:
        asked = ", ".join(sound.role for sound in sounds_of(enrolment))
        raise Invalid("No such sound.", [{"field": "role", "found": role, "expected": f"one of {asked}"}])
    if sound.heard:
        return enrolment
    if sound.current != number:
        raise Refused("stale", "This try was answered already, perhaps in another tab.")
    right = said == beeps(enrolment, role, number)
    _keep(enrolment, sound, right=right)
    if not right and sound.current >= TRIES:
        return device_fail(enrolment=enrolment, reason="sound", now=now)
    return enrolment


def _keep(enrolment: Enrolment, sound: Sound, *, right: bool) -> None:
    heard = [*enrolment.device.get("heard", []), *([sound.role] if right else [])]
    tries = enrolment.device.get("tries", {}) | {sound.role: sound.current}
    enrolment.device = enrolment.device | {"tries": tries, "heard": heard}
    enrolment.save(update_fields=["device"])


@transaction.atomic
def device_pass(
    *, enrolment: Enrolment, width: int, frames: int, browser: str, now: datetime | None = None
) -> Enrolment:
    """Let somebody on to the work, once every sound was heard, in a window wide enough, with pictures.

    Keeps the browser's family and version, the class of the screen and the tries, and nothing finer.
    """
    enrolment = _checking(enrolment)
    unheard = [sound.role for sound in sounds_of(enrolment) if not sound.heard]
    least = enrolment.study.screen_min_width
    if unheard:
        raise Refused("not_heard", f"Not heard yet: {', '.join(unheard)}.")
    if width < least:
        raise Refused("too_narrow", f"The window is {width} pixels wide; this study needs {least}.")
    if frames < FRAMES:
        raise Refused("no_pictures", "The video has not been seen to play.")
    enrolment.device_passed_at = now or timezone.now()
    enrolment.device = {
        "browser": browser,
        "screen": "wide" if width >= WIDE else "narrow",
        "tries": enrolment.device.get("tries", {}),
    }
    enrolment.save(update_fields=["device", "device_passed_at"])
    return enrolment


@transaction.atomic
def device_fail(
    *, enrolment: Enrolment, reason: str, browser: str = "", now: datetime | None = None
) -> Enrolment:
    """End somebody's part on the path `device_failed`: it does not work, or the tries are used up."""
    enrolment = _checking(enrolment)
    facts = {"tries": enrolment.device.get("tries", {}), "failed": reason}
    enrolment.device = facts | ({"browser": browser} if browser else {})
    enrolment.save(update_fields=["device"])
    return enrolment_end(enrolment=enrolment, path=Path.DEVICE_FAILED, now=now)


def _checking(enrolment: Enrolment) -> Enrolment:
    """The enrolment, locked, as long as the device check is what comes next for it."""
    enrolment = enrolment_locked(enrolment)
    if work_state(enrolment) != "device_check":
        raise Refused("no_check", "The device check is over. Open the study again to go on.")
    return enrolment
