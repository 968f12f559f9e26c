"""The device check before the work: what it asks of somebody's sound, and the small films that it plays.

How many beeps a film plays is known to the server alone: it follows from a secret, the enrolment, the sound
and the try, so it stands in no page, no address and no table.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.conf import settings
from django.core import signing
from django.utils.crypto import salted_hmac

from studies.models import Enrolment
from studies.queries import kind_of

BEEPS = (2, 3, 4, 5)
TRIES = 3
"""How often each sound may be tried."""

FRAMES = 10
"""Pictures of the test film that a page must have seen shown; it plays about a hundred."""

WIDE = 1024
"""From this width (CSS pixels) on a window is called wide; no finer fact is kept."""

_FOLDER = Path(__file__).resolve().parent / "device_clips"
_signer = signing.TimestampSigner(salt="touchstone.device")


@dataclass(frozen=True, slots=True)
class Sound:
    """One sound of the check: the role it stands for, the tries made so far, whether it was heard."""

    role: str
    tries: int
    heard: bool

    @property
    def current(self) -> int:
        """The number of the try that is on now, from 1."""
        return self.tries + 1


def sounds_of(enrolment: Enrolment) -> list[Sound]:
    """The sounds that the study's kind needs, in order, as far as this person has come with each."""
    tries, heard = enrolment.device.get("tries", {}), enrolment.device.get("heard", [])
    roles = kind_of(enrolment.study).roles
    return [Sound(role, int(tries.get(role, 0)), role in heard) for role in roles]


def beeps(enrolment: Enrolment, role: str, number: int) -> int:
    """How many beeps try `number` of a sound plays to this person."""
    digest = salted_hmac("touchstone.device", f"{enrolment.public_id}:{role}:{number}", algorithm="sha256")
    return BEEPS[digest.digest()[0] % len(BEEPS)]


def film_token(enrolment: Enrolment, sound: Sound) -> str:
    """The signed part of the address of the film that a sound's current try plays; it expires."""
    return _signer.sign_object([enrolment.pk, sound.role, sound.current])


def film_asked(token: str) -> tuple[int, str, int] | None:
    """Enrolment, role and try of a film's address; None when it is forged or too old."""
    try:
        pk, role, number = _signer.unsign_object(token, max_age=settings.MEDIA_ADDRESS_SECONDS)
    except signing.BadSignature:
        return None
    return int(pk), str(role), int(number)


@cache
def film(number: int) -> bytes:
    """The film with so many beeps (drawn by `scripts.device_clips`)."""
    return (_FOLDER / f"beeps{number}.mp4").read_bytes()
