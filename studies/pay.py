"""What people were paid an hour: plain arithmetic over one line a visit. Nothing here touches the database.

Money and time are decimal. A visit's time is Prolific's, from start to completion, where it is known; else it
runs from joining to handing in. Whether somebody is paid is not decided here.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal

from studies.models import Path

PAID_PATHS = (Path.COMPLETED, Path.NOTHING_LEFT, Path.HALTED)
"""The paths on which the reward is earned in full. Others would distort the median."""

NOT_PAID = frozenset({"RETURNED", "TIMED_OUT", "REJECTED", "SCREENED_OUT"})
"""States of a submission on Prolific in which the reward is not paid."""

_HOUR = Decimal(3600)
_CENT = Decimal("0.01")
_TENTH = Decimal("0.1")


@dataclass(frozen=True, slots=True)
class Visit:
    """One visit as it bears on pay. `submission` is the submission's state on Prolific, empty if unknown."""

    key: int
    participant: str
    attempt: int
    pool: str
    path: str
    joined_at: datetime
    ended_at: datetime | None
    started_at: datetime | None = None
    completed_at: datetime | None = None
    submission: str = ""
    returned: bool = False
    active_ms: int = 0
    items: int = 0
    opt_outs: int = 0
    checks_passed: int = 0
    checks_given: int = 0
    repeats: int = 0

    @property
    def by_prolific(self) -> bool:
        """Whether Prolific's own times are known."""
        return self.started_at is not None and self.completed_at is not None

    @property
    def seconds(self) -> Decimal | None:
        """How long it took; None while it goes on, or when its times do not make sense."""
        if self.started_at is not None and self.completed_at is not None:
            took = self.completed_at - self.started_at
        elif self.ended_at is not None:
            took = self.ended_at - self.joined_at
        else:
            return None
        seconds = Decimal(took.days) * 86400 + Decimal(took.seconds) + Decimal(took.microseconds) / 1_000_000
        return seconds if seconds > 0 else None

    @property
    def counts(self) -> bool:
        """Whether it counts for the median: it has ended with work done, on a path that earns the reward."""
        return (
            self.path in PAID_PATHS
            and self.items > 0
            and not self.returned
            and self.submission not in NOT_PAID
            and self.seconds is not None
        )


@dataclass(frozen=True, slots=True)
class PayLine:
    """One visit with its figures, rounded for reading; None where there is nothing to say."""

    visit: Visit
    minutes: Decimal | None
    active_minutes: Decimal
    hourly: Decimal | None


@dataclass(frozen=True, slots=True)
class Spread:
    """The median of something, and its quartiles."""

    lower: Decimal
    median: Decimal
    upper: Decimal


@dataclass(frozen=True, slots=True)
class Pay:
    """The pay of a study. `hourly` is None without a reward or a visit that counts, `minutes` without one."""

    lines: tuple[PayLine, ...]
    counted: int
    hourly: Spread | None
    minutes: Spread | None
    active: Spread | None
    floor: Decimal | None
    below_floor: bool


def pay_of(visits: Iterable[Visit], reward: Decimal | None, floor: Decimal | None) -> Pay:
    """The pay of a study's visits at this reward, and whether the median hour falls below the floor.

    The floor is compared with the median as it is, before any rounding.
    """
    visits = list(visits)
    counted = [visit for visit in visits if visit.counts]
    hours = [rate for visit in counted if (rate := hourly(visit, reward)) is not None]
    exact = quartiles(hours)
    return Pay(
        lines=tuple(_line(visit, reward) for visit in visits),
        counted=len(counted),
        hourly=_rounded(exact, _CENT),
        minutes=_rounded(quartiles([v.seconds / 60 for v in counted if v.seconds]), _TENTH),
        active=_rounded(quartiles([_active(v) for v in counted]), _TENTH),
        floor=floor,
        below_floor=exact is not None and floor is not None and exact.median < floor,
    )


def hourly(visit: Visit, reward: Decimal | None) -> Decimal | None:
    """What this visit's reward is for an hour; None for visits that do not count, and without a reward."""
    if reward is None or not visit.counts or visit.seconds is None:
        return None
    return reward * _HOUR / visit.seconds


def quartiles(values: Sequence[Decimal]) -> Spread | None:
    """The median and the quartiles, between neighbours by linear interpolation (type 7 of Hyndman and Fan
    1996, which NumPy and R use); None without a value."""
    if not values:
        return None
    ordered = sorted(values)

    def at(quarter: int) -> Decimal:
        whole, part = divmod(quarter * (len(ordered) - 1), 4)
        low = ordered[whole]
        return low if part == 0 else low + (ordered[whole + 1] - low) * part / 4

    return Spread(at(1), at(2), at(3))


def _active(visit: Visit) -> Decimal:
    return Decimal(visit.active_ms) / 60_000


def _line(visit: Visit, reward: Decimal | None) -> PayLine:
    rate, seconds = hourly(visit, reward), visit.seconds
    return PayLine(
        visit=visit,
        minutes=None if seconds is None else _round(seconds / 60, _TENTH),
        active_minutes=_round(_active(visit), _TENTH),
        hourly=None if rate is None else _round(rate, _CENT),
    )


def _round(value: Decimal, to: Decimal) -> Decimal:
    return value.quantize(to, ROUND_HALF_UP)


def _rounded(spread: Spread | None, to: Decimal) -> Spread | None:
    if spread is None:
        return None
    return Spread(_round(spread.lower, to), _round(spread.median, to), _round(spread.upper, to))


COLUMNS = {
    "participant": "participant",
    "visit": "visit",
    "pool": "pool",
    "path": "path",
    "time": "minutes",
    "active": "active minutes",
    "hourly": "pay an hour",
    "items": "clips or items",
    "opt_outs": "opted out",
    "checks": "checks passed",
    "repeats": "repeats",
}
"""The columns of the pay view by name, with their headings."""


def _key(line: PayLine, column: str) -> tuple[bool, object]:
    """What a line is sorted by; what is not there comes last."""
    visit = line.visit
    value = {
        "participant": visit.participant,
        "visit": visit.joined_at,
        "pool": visit.pool,
        "path": visit.path,
        "time": visit.seconds,
        "active": visit.active_ms,
        "hourly": None if line.hourly is None else -(visit.seconds or 0),
        "items": visit.items,
        "opt_outs": visit.opt_outs,
        "checks": Decimal(visit.checks_passed) / visit.checks_given if visit.checks_given else None,
        "repeats": visit.repeats,
    }[column]
    return (value is None, value)


def lines_sorted(lines: Sequence[PayLine], column: str, *, falling: bool) -> list[PayLine]:
    """Lines in the order of a column of `COLUMNS`, of one value in the order of joining; blanks last."""
    first = sorted(lines, key=lambda line: (line.visit.joined_at, line.visit.key))
    filled = [line for line in first if not _key(line, column)[0]]
    blank = [line for line in first if _key(line, column)[0]]
    return [*sorted(filled, key=lambda line: _key(line, column), reverse=falling), *blank]
