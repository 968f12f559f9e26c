"""How people come from Prolific: three ids in the query of the study link, read strictly.

An id is 24 lower-case hexadecimal digits. Everything else is refused with what was found and what was
expected: a placeholder that Prolific did not fill (a researcher previews the study), a name in other
letters, an id twice.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

PARAMETERS = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
TOKEN = "prolific_token"  # noqa: S105  (the name of a parameter)
STUDY_URL_QUERY = "&".join(f"{name}={{{{%{name}%}}}}" for name in PARAMETERS)
"""What a researcher puts behind the study link on Prolific, which fills the placeholders in."""

_ID = re.compile(r"[0-9a-f]{24}")
_SHOWN = 60  # characters of what was found that a page repeats

Query = Mapping[str, Sequence[str]]
"""A query string: every value of every parameter."""


@dataclass(frozen=True, slots=True)
class ProlificIds:
    """A person, a study and a submission on Prolific; `signed` when Prolific has vouched for them."""

    pid: str
    study_id: str
    session_id: str
    signed: bool = False


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with a link: the parameter, what was found there, what was expected."""

    name: str
    found: str
    expected: str


class BadLink(Exception):
    """The link is not one that Prolific makes for a participant. `preview`: a placeholder was not filled."""

    def __init__(self, faults: Sequence[Fault], *, preview: bool) -> None:
        super().__init__("; ".join(f"{fault.name}: expected {fault.expected}" for fault in faults))
        self.faults = faults
        self.preview = preview


def comes_from_prolific(query: Query) -> bool:
    """Whether a query holds anything that Prolific adds, however wrong."""
    return any(name.upper() in PARAMETERS or name == TOKEN for name in query)


def plain_ids(query: Query) -> dict[str, str]:
    """The ids that a query gives as they stand, by parameter; those that are absent or empty left out."""
    return {name: query[name][0] for name in PARAMETERS if any(query.get(name, ()))}


def ids_read(query: Query) -> ProlificIds:
    """The ids of a query, compared exactly; raises `BadLink` with everything that is wrong."""
    faults = list(_faults(query))
    if faults:
        raise BadLink(faults, preview=any(_placeholder(value) for value in plain_ids(query).values()))
    pid, study_id, session_id = (query[name][0] for name in PARAMETERS)
    return ProlificIds(pid, study_id, session_id)


def _faults(query: Query) -> Iterator[Fault]:
    for name in PARAMETERS:
        values = query.get(name, ())
        if len(values) > 1:
            yield Fault(name, f"{len(values)} values", "one value")
        elif not any(values):
            alike = next((other for other in query if other.upper() == name and other != name), "")
            found = f"nothing, but a parameter {alike}" if alike else "nothing"
            yield Fault(name, found, f"the parameter {name}, in capitals, with an id")
        elif _placeholder(values[0]):
            yield Fault(name, _shown(values[0]), f"the id that Prolific puts in place of {{{{%{name}%}}}}")
        elif not _ID.fullmatch(values[0]):
            yield Fault(name, _shown(values[0]), "24 digits of 0 to 9 and a to f")


def _placeholder(value: str) -> bool:
    """Whether this is a placeholder that was never filled, encoded however often on its way."""
    for _ in range(3):
        value = unquote(value)
    return "{" in value or "%" in value


def _shown(value: str) -> str:
    return value if len(value) <= _SHOWN else f"{value[:_SHOWN]}…"
