"""What an hour of work came to: exact arithmetic over one line a visit, and the warning under the floor."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studies.models import Path
from studies.pay import COLUMNS, Visit, lines_sorted, pay_of, quartiles

START = datetime(2026, 1, 1, 12, tzinfo=UTC)
POUNDS = Decimal("3.00")


def visit(minutes=20, *, key=1, **changes):
    values = {
        "participant": f"p{key}",
        "attempt": 1,
        "pool": "lab",
        "path": Path.COMPLETED,
        "joined_at": START + timedelta(hours=key),
        "items": 5,
        "active_ms": 600_000,
    }
    values |= changes
    ended = None if minutes is None else values["joined_at"] + timedelta(minutes=minutes)
    return Visit(key=key, ended_at=ended, **values)


def test_pay_an_hour_is_the_reward_over_the_time_from_joining_to_handing_in():
    [line] = pay_of([visit(20)], POUNDS, None).lines
    assert (line.minutes, line.active_minutes, line.hourly) == (
        Decimal("20.0"),
        Decimal("10.0"),
        Decimal("9.00"),
    )


def test_prolifics_own_times_are_taken_where_both_are_known():
    theirs = {"started_at": START, "completed_at": START + timedelta(minutes=30)}
    [line] = pay_of([visit(20, **theirs)], POUNDS, None).lines
    assert (line.minutes, line.hourly) == (Decimal("30.0"), Decimal("6.00"))
    [line] = pay_of([visit(20, started_at=START)], POUNDS, None).lines
    assert line.hourly == Decimal("9.00")


def test_the_warning_compares_the_exact_median_with_the_floor():
    at_floor = pay_of([visit(20)], POUNDS, Decimal("9.00"))
    assert not at_floor.below_floor
    # 3.00 for 20 min and 0.001 s is less than 9.00 an hour, though it is shown as 9.00.
    slower = visit(20)
    slower = replace(slower, ended_at=slower.ended_at + timedelta(milliseconds=1))
    below = pay_of([slower], POUNDS, Decimal("9.00"))
    assert below.below_floor
    assert below.hourly.median == Decimal("9.00")


def test_only_visits_that_ended_with_paid_work_count():
    counted = [visit(20, key=1), visit(30, key=2, path=Path.NOTHING_LEFT), visit(10, key=3, path=Path.HALTED)]
    others = [
        visit(None, key=4, path=""),
        visit(1, key=5, path=Path.DEVICE_FAILED, items=0),
        visit(1, key=6, path=Path.NOTHING_LEFT, items=0),
        visit(2, key=7, path=Path.STOPPED_EARLY),
        visit(2, key=8, path=Path.FAILED_TRAINING),
        visit(2, key=9, returned=True),
        visit(2, key=10, submission="TIMED_OUT"),
        visit(0, key=11),
    ]
    pay = pay_of([*counted, *others], POUNDS, None)
    assert pay.counted == 3
    assert len(pay.lines) == 11
    assert (pay.hourly.lower, pay.hourly.median, pay.hourly.upper) == (
        Decimal("7.50"),
        Decimal("9.00"),
        Decimal("13.50"),
    )
    assert [line.hourly for line in pay.lines[3:]] == [None] * 8


def test_nobody_one_person_and_no_reward_are_all_fine():
    empty = pay_of([], POUNDS, Decimal(9))
    assert (empty.hourly, empty.minutes, empty.counted, empty.below_floor) == (None, None, 0, False)
    one = pay_of([visit(20)], POUNDS, Decimal(9))
    assert one.hourly.lower == one.hourly.median == one.hourly.upper == Decimal("9.00")
    unpaid = pay_of([visit(20)], None, Decimal(9))
    assert (unpaid.hourly, unpaid.below_floor, unpaid.minutes.median) == (None, False, Decimal("20.0"))
    free = pay_of([visit(20)], Decimal(0), Decimal(9))
    assert (free.hourly.median, free.below_floor) == (Decimal("0.00"), True)


@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=30))
def test_quartiles_are_those_of_numpy(values):
    found = quartiles([Decimal(value) / 7 for value in values])
    expected = np.quantile(np.array(values) / 7, [0.25, 0.5, 0.75])
    assert [float(found.lower), float(found.median), float(found.upper)] == pytest.approx(expected)


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("falling", [False, True])
def test_every_column_sorts_with_blanks_last(column, falling):
    visits = [
        visit(20, key=1, checks_given=2, checks_passed=1),
        visit(None, key=2, path=""),
        visit(5, key=3, checks_given=2, checks_passed=2),
        visit(40, key=4, items=2, active_ms=1, opt_outs=1, repeats=1, pool="prolific"),
    ]
    lines = pay_of(visits, POUNDS, None).lines
    ordered = lines_sorted(lines, column, falling=falling)
    assert sorted(line.visit.key for line in ordered) == [1, 2, 3, 4]
    if column == "hourly":
        keys = [line.visit.key for line in ordered]
        assert keys == ([3, 1, 4, 2] if falling else [4, 1, 3, 2])
    if column == "time":
        assert ordered[-1].visit.key == 2
