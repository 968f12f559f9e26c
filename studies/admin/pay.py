"""The pay view: what an hour came to, one line a visit, and the same as a file."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse
from django.urls import reverse

from studies.admin.desk import IDENTITIES, Desk, StudyPage, csv_file
from studies.models import Path, StudyLog
from studies.pay import COLUMNS, Pay, PayLine, lines_sorted, pay_of
from studies.pay_queries import outside_ids, visits_of


@dataclass(frozen=True, slots=True)
class Heading:
    """The heading of a column: where it leads, and whether the lines stand in its order, up or down."""

    title: str
    url: str
    sorted: str


def _pay(desk: Desk) -> Pay:
    return pay_of(visits_of(desk.study), desk.study.reward, desk.study.pay_floor)


def pay_page(desk: Desk) -> HttpResponse:
    """Median, quartiles and warning, and one line a visit in the order that was asked for."""
    pay = _pay(desk)
    column = desk.request.GET.get("by", "visit")
    column = column if column in COLUMNS else "visit"
    falling = desk.request.GET.get("down") == "1"
    return desk.render(
        "studies/manage/pay.html",
        "Pay",
        pay=pay,
        lines=[_row(line) for line in lines_sorted(pay.lines, column, falling=falling)],
        headings=list(_headings(column, falling)),
        may_see_ids=desk.request.user.has_perm(IDENTITIES),
        may_open_visits=desk.request.user.has_perm("studies.view_enrolment"),
    )


def _headings(column: str, falling: bool) -> Iterator[Heading]:
    for name, title in COLUMNS.items():
        here = name == column
        down = "&down=1" if here and not falling else ""
        order = ("descending" if falling else "ascending") if here else ""
        yield Heading(title, f"?by={name}{down}", order)


def _row(line: PayLine) -> dict[str, Any]:
    visit = line.visit
    return {
        "line": line,
        "visit": visit,
        "path": Path(visit.path).label if visit.path else "at work",
        "url": reverse("admin:studies_enrolment_change", args=[visit.key]),
        "checks": f"{visit.checks_passed} of {visit.checks_given}" if visit.checks_given else "",
    }


_HEADER = (
    *("participant", "visit", "pool", "path", "time_from", "minutes", "active_minutes", "hourly_pay"),
    *("currency", "counts", "items", "opt_outs", "checks_passed", "checks_given", "repeats"),
)


def _cells(line: PayLine, currency: str) -> list[Any]:
    visit = line.visit
    source = "" if line.minutes is None else "prolific" if visit.by_prolific else "touchstone"
    return [
        *(visit.participant, visit.attempt, visit.pool, visit.path, source, line.minutes),
        *(line.active_minutes, line.hourly, currency, "yes" if visit.counts else "no", visit.items),
        *(visit.opt_outs, visit.checks_passed, visit.checks_given, visit.repeats),
    ]


def pay_file(desk: Desk) -> HttpResponse:
    """One line a visit, people by their random ids only."""
    rows = [_cells(line, desk.study.currency) for line in _pay(desk).lines]
    return csv_file(f"{desk.study.slug}-pay.csv", [_HEADER, *rows])


def pay_file_ids(desk: Desk) -> HttpResponse:
    """The same with Prolific's ids, for those who may see them; that it was taken is kept on record."""
    lines = _pay(desk).lines
    ids = outside_ids(line.visit.key for line in lines)
    rows = [[*_cells(line, desk.study.currency), *ids[line.visit.key]] for line in lines]
    what = f"pay exported with Prolific ids: {len(rows)} visits"
    StudyLog.objects.create(study=desk.study, what=what, by=desk.by)
    header = (*_HEADER, "prolific_id", "submission_id")
    return csv_file(f"{desk.study.slug}-pay-with-ids.csv", [header, *rows])


PAGES = (
    StudyPage("pay", "pay/", pay_page, tab="Pay", may="view"),
    StudyPage("pay_file", "pay/file/", pay_file, may="view"),
    StudyPage("pay_ids", "pay/file-with-ids/", pay_file_ids, may=IDENTITIES, writes=True),
)
