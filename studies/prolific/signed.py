"""Reading the token with which Prolific signs a study link."""

from dataclasses import dataclass


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
    raise SignedRefused("signed links are not read yet")
