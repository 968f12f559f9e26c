"""Comparing reports on one set: means over common coverage and paired differences (000 section D.7).

Reports hold the figures of every item, so neither the set nor the predictions are needed again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from evaluator.formats.fields import Fields
from evaluator.formats.problems import Findings, shown
from evaluator.formats.strictjson import read_json
from evaluator.report import (
    Chart,
    IntervalChart,
    Result,
    Table,
    estimate_notes,
    estimate_text,
    estimate_value,
    number_text,
    report_head,
)
from evaluator.resample import Estimate, Resampling, mean_estimates

# By task: the parts of a report that are compared, each by one per-item figure in [low, high].
_FIGURES = {"ip": {"joint": "rho0", "independent": "rho0"}}
_LOW, _HIGH = -1, 1
_CONVENTIONS = {"ip": {"figure": "rho0", "coverage": "common"}}


@dataclass(frozen=True, slots=True)
class _Report:
    """What comparing needs of one report: the set, and by part each item's figure (``None`` if undefined)."""

    name: str
    task: str
    label: str
    content_sha256: str
    parts: Mapping[str, Mapping[str, float | None]]
    sources: Mapping[str, Mapping[str, object]]


@dataclass(frozen=True, slots=True)
class _Part:
    """One part compared: each report's figures on the common items, and the difference of every pair.

    A difference is the later report's figure minus the earlier one's, in the order of the command line.
    """

    item_ids: tuple[str, ...]
    values: Mapping[str, Sequence[float]]
    means: Mapping[str, float | None]
    deltas: Mapping[tuple[str, str], Estimate]


def compare_score(
    files: Mapping[str, bytes], plan: Resampling, findings: Findings, *, group: str | None = None
) -> Result:
    """Compare two or more reports, given by name as the bytes ``--json`` wrote; the first is the reference.

    ``group`` names the source field by which items are resampled together. Raises
    :class:`~evaluator.formats.problems.InputRefused` when a file is no report, or the reports are not of one
    task and one set (equal ``content_sha256``), or have no part in common.
    """
    read = [_read(name, data, group, findings) for name, data in files.items()]
    reports = [report for report in read if report is not None]
    _check_alike(reports, findings)
    findings.raise_if_any()
    first = reports[0]
    names = [name for name in _FIGURES[first.task] if all(name in report.parts for report in reports)]
    parts = {name: _part(name, reports, plan, group) for name in names}
    notes: dict[str, str] = {}
    for name, part in parts.items():
        notes |= _notes(name, part)
    report = {
        **report_head("compare", _CONVENTIONS[first.task], first.label, plan, group),
        "content_sha256": first.content_sha256,
        "compared": first.task,
        "reports": [own.name for own in reports],
        **{name: _value(part) for name, part in parts.items()},
        "items": _items(parts),
        "notes": notes,
    }
    title = f"Comparison of {len(reports)} reports · {first.label}"
    return Result(report, title, tuple(_tables(parts)), tuple(_charts(parts)))


def _read(name: str, data: bytes, group: str | None, findings: Findings) -> _Report | None:
    value = read_json(name, data, findings)
    if value is None:
        return None
    before = len(findings.problems)
    fields = Fields(value, findings, file=name)
    task = fields.choice("task", tuple(_FIGURES))
    label, content = fields.text("set"), fields.text("content_sha256")
    items = fields.nested("items")
    if task is None or label is None or content is None or items is None:
        return None
    members = [(item_id, items.nested(item_id)) for item_id in items.value]
    present = [(item_id, member) for item_id, member in members if member is not None]
    parts = {
        part: {item_id: _figure(member, part, figure) for item_id, member in present}
        for part, figure in _FIGURES[task].items()
        if part in value
    }
    if not parts:
        expected = " or ".join(_FIGURES[task])
        findings.problem(name, None, None, found="a report without any", expected=expected)
    sources = {item_id: _source(member, group) for item_id, member in present if group is not None}
    if len(findings.problems) > before:
        return None
    return _Report(name, task, label, content, parts, sources)


def _figure(item: Fields, part: str, figure: str) -> float | None:
    own = item.nested(part)
    return None if own is None else own.number(figure, low=_LOW, high=_HIGH, optional=True)


def _source(item: Fields, group: str | None) -> dict[str, object]:
    source = item.nested("source")
    if source is None or group is None:
        return {}
    source.text(group)
    return source.value


def _check_alike(reports: Sequence[_Report], findings: Findings) -> None:
    if not reports:
        return
    first = reports[0]
    for other in reports[1:]:
        if other.task != first.task:
            expected = f"{shown(first.task)} as in {first.name}"
            findings.problem(other.name, None, "task", found=shown(other.task), expected=expected)
        elif other.content_sha256 != first.content_sha256:
            findings.problem(
                other.name,
                None,
                "content_sha256",
                found=f"{other.content_sha256} ({other.label})",
                expected=f"{first.content_sha256} ({first.label}) as in {first.name}: the same set",
            )
    common = set.intersection(*(set(report.parts) for report in reports))
    if not common and not findings.problems:
        having = "; ".join(f"{report.name} has {', '.join(report.parts)}" for report in reports)
        findings.problem(first.name, None, None, found=having, expected="a part that all reports have")


def _part(name: str, reports: Sequence[_Report], plan: Resampling, group: str | None) -> _Part:
    figures = {report.name: report.parts[name] for report in reports}
    known = sorted(set.intersection(*(set(own) for own in figures.values())))
    common = [item_id for item_id in known if all(own[item_id] is not None for own in figures.values())]
    values = {
        report: [value for item_id in common if (value := own[item_id]) is not None]
        for report, own in figures.items()
    }
    sources = reports[0].sources
    groups = None if group is None else [str(sources[item_id][group]) for item_id in common]
    pairs = [(later, earlier) for earlier, later in combinations(values, 2)]
    differences = [
        [ours - theirs for ours, theirs in zip(values[later], values[earlier], strict=True)]
        for later, earlier in pairs
    ]
    estimates = mean_estimates([*values.values(), *differences], plan, groups)
    means = {report: own.mean for report, own in zip(values, estimates, strict=False)}
    deltas = dict(zip(pairs, estimates[len(values) :], strict=True))
    return _Part(tuple(common), values, means, deltas)


def _value(part: _Part) -> dict[str, object]:
    deltas: dict[str, dict[str, object]] = {}
    for (later, earlier), estimate in part.deltas.items():
        deltas.setdefault(later, {})[earlier] = estimate_value(estimate)
    return {"n": len(part.item_ids), "mean": dict(part.means), "delta": deltas}


def _items(parts: Mapping[str, _Part]) -> dict[str, dict[str, object]]:
    items: dict[str, dict[str, object]] = {}
    for name, part in parts.items():
        for at, item_id in enumerate(part.item_ids):
            items.setdefault(item_id, {})[name] = {report: own[at] for report, own in part.values.items()}
    return items


def _notes(name: str, part: _Part) -> dict[str, str]:
    nothing = "no item is scored in every report"
    notes = {f"{name}.mean.{report}": nothing for report, mean in part.means.items() if mean is None}
    for (later, earlier), estimate in part.deltas.items():
        notes |= estimate_notes(f"{name}.delta.{later}.{earlier}", estimate, nothing)
    return notes


def _tables(parts: Mapping[str, _Part]) -> list[Table]:
    tables = []
    for name, part in parts.items():
        reports = list(part.means)
        rows = [
            (
                report,
                number_text(part.means[report]),
                *(
                    "" if at <= place else estimate_text(part.deltas[report, earlier])
                    for place, earlier in enumerate(reports[:-1])
                ),
            )
            for at, report in enumerate(reports)
        ]
        head = ("", "mean ρ0", *(f"minus {earlier}" for earlier in reports[:-1]))
        tables.append(Table(f"{name}, on {len(part.item_ids)} common items", head, tuple(rows)))
    return tables


def _charts(parts: Mapping[str, _Part]) -> list[Chart]:
    return [
        IntervalChart(
            f"{name}: differences of mean ρ0",
            f"mean over {len(part.item_ids)} common items, 95 % interval",
            tuple((f"{later} − {earlier}", own) for (later, earlier), own in part.deltas.items()),
        )
        for name, part in parts.items()
    ]
