"""Reading the token with which Prolific signs a study link: a JWT by RS256, for our domain, still valid.

https://docs.prolific.com/api-reference/well-known-endpoints/get-study-jwks. The JWT library and its
cryptography are loaded with the first token, so that processes without signed links stay light.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from django.conf import settings

if TYPE_CHECKING:
    from jwt import PyJWK, PyJWKClient

logger = logging.getLogger(__name__)

ALGORITHM = "RS256"
CLAIM = "prolific"
NAMES = {
    "pid": ("participant_id",),
    "study_id": ("study_id",),
    "session_id": ("session_id", "submission_id"),
}
"""What the ids are called inside the claim; the first name that is there counts."""

KEYS_KEPT = 86_400  # seconds
REFETCH_PAUSE = 20  # seconds from one look at the keys to the next for a key that is not among them
LEEWAY = 10  # seconds by which clocks may differ
_LONGEST = 64


@dataclass(frozen=True, slots=True)
class SignedIds:
    """The ids that Prolific vouches for."""

    pid: str
    study_id: str
    session_id: str


class SignedRefused(Exception):
    """The token is not one of Prolific's for us, or has expired."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def read(token: str) -> SignedIds:
    """The ids of a token; raises `SignedRefused`."""
    import jwt

    if not token:
        raise SignedRefused("the link holds no token")
    try:
        header = jwt.get_unverified_header(token)
        if header.get("alg") != ALGORITHM:
            raise SignedRefused(f"the token is not signed by {ALGORITHM}")
        claims = jwt.decode(
            token,
            _key(str(header.get("kid", ""))),
            algorithms=[ALGORITHM],
            audience=audiences(),
            leeway=LEEWAY,
            options={"require": ["exp", "aud", CLAIM]},
        )
    except jwt.ExpiredSignatureError as error:
        raise SignedRefused("the token has expired") from error
    except jwt.InvalidAudienceError as error:
        raise SignedRefused("the token is for another site") from error
    except (jwt.InvalidTokenError, jwt.PyJWKError) as error:
        raise SignedRefused("the token is not Prolific's") from error
    return _ids(claims[CLAIM])


def audiences() -> list[str]:
    """What `aud` may say: our domain as the setting names it, as a name or as an address of the site."""
    named = settings.PROLIFIC_AUDIENCE or [
        host for host in settings.ALLOWED_HOSTS if host and not host.startswith((".", "*"))
    ]
    hosts = [name.removeprefix("https://").removeprefix("http://").rstrip("/") for name in named]
    return [form for host in hosts for form in (host, f"https://{host}", f"https://{host}/")]


def _ids(claim: object) -> SignedIds:
    if not isinstance(claim, Mapping):
        raise SignedRefused("the token holds no ids")
    found = {field: next((claim[n] for n in names if claim.get(n)), None) for field, names in NAMES.items()}
    for value in found.values():
        if not isinstance(value, str) or not value.isalnum() or len(value) > _LONGEST:
            raise SignedRefused("the token does not hold the three ids")
    return SignedIds(**{field: str(value) for field, value in found.items()})


@lru_cache(maxsize=4)
def _keys(url: str) -> "PyJWKClient":
    """Prolific's public keys: kept for a day, fetched anew once for a key that is not among them."""
    from jwt import PyJWKClient

    return PyJWKClient(url, lifespan=KEYS_KEPT, cooldown_duration=REFETCH_PAUSE, timeout=5)


def _key(kid: str) -> "PyJWK":
    from jwt import PyJWKClientConnectionError, PyJWKClientError, PyJWKSetError

    try:
        return _keys(settings.PROLIFIC_JWKS_URL).get_signing_key(kid)
    except (PyJWKClientConnectionError, PyJWKSetError, OSError, ValueError) as error:
        logger.warning("Prolific's keys could not be fetched: %s", type(error).__name__)
        raise SignedRefused("Prolific's keys could not be fetched") from error
    except PyJWKClientError as error:
        raise SignedRefused("the token is signed with a key that Prolific does not name") from error
