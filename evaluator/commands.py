"""What each command does: read everything, refuse or score, and only then write."""

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

from evaluator import __version__
from evaluator.compare import compare_score
from evaluator.formats.canonical import json_document
from evaluator.formats.ip import IpSet
from evaluator.formats.problems import Findings, InputRefused, Problem
from evaluator.html import html_available, html_page
from evaluator.report import Result, report_write
from evaluator.resample import Resampling
from evaluator.tasks.agreement import agreement_score
from evaluator.tasks.ip import ip_score
from evaluator.tasks.ip.parse import MODES, Mode
from evaluator.usage import WrongUsage, check_target
from evaluator.validate import ip_set_read


def agreement(options: argparse.Namespace) -> None:
    """Report how far the raters of a ratings file agree."""
    _check_targets(options)
    findings = Findings(strict=options.strict)
    data = _bytes(options.file, "a readable ratings file", findings)
    findings.raise_if_any()
    _score(
        options,
        findings,
        lambda plan: agreement_score(str(options.file), data, plan, findings, group=options.group),
    )


def ip(options: argparse.Namespace) -> None:
    """Score intensity profiles against a set."""
    paths: dict[Mode, Path] = {mode: getattr(options, mode) for mode in MODES if getattr(options, mode)}
    if not paths:
        raise WrongUsage("ip needs --joint F, --independent F or both")
    _check_targets(options)
    findings = Findings(strict=options.strict)
    ip_set = ip_set_read(options.set, findings)
    predictions = {
        mode: (str(path), _bytes(path, "a readable predictions file", findings))
        for mode, path in paths.items()
    }
    if ip_set is None:
        raise InputRefused(findings.problems)
    findings.raise_if_any()
    _score(options, findings, lambda plan: ip_score(ip_set, predictions, plan, findings, group=options.group))


def compare(options: argparse.Namespace) -> None:
    """Compare reports on one set over the items they all cover."""
    paths: list[Path] = options.reports
    if len(paths) < 2:
        raise WrongUsage("compare needs two reports or more")
    names = [path.name for path in paths]
    if len(set(names)) < len(names):
        names = [str(path) for path in paths]
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise WrongUsage(f"the same report twice: {', '.join(twice)}")
    _check_targets(options)
    findings = Findings(strict=options.strict)
    files = {
        name: _bytes(path, "a readable report", findings) for name, path in zip(names, paths, strict=True)
    }
    findings.raise_if_any()
    _score(options, findings, lambda plan: compare_score(files, plan, findings, group=options.group))


def validate(options: argparse.Namespace) -> None:
    """Name every fault of a gold set."""
    check_target("--json", options.json)
    findings = Findings(strict=options.strict)
    ip_set = ip_set_read(options.set, findings)
    say_all("warning", findings.warnings)
    if ip_set is None:
        raise InputRefused(findings.problems)
    report = _validation(ip_set)
    _write("--json", options.json, lambda: json_document(report))
    counts = ", ".join(
        f"{report[key]} {key[2:]}" for key in ("n_items", "n_moments", "n_ratings", "n_raters")
    )
    print(f"{report['set']}: no fault found ({counts})")


def _validation(ip_set: IpSet) -> dict[str, object]:
    return {
        "task": "validate",
        "set": ip_set.manifest.label,
        "content_sha256": ip_set.manifest.content_sha256,
        "v": __version__,
        "n_items": len(ip_set.tasks),
        "n_moments": sum(len(task.item.moments) for task in ip_set.tasks),
        "n_ratings": len(ip_set.ratings),
        "n_raters": len({rating.rater for rating in ip_set.ratings}),
    }


def _score(options: argparse.Namespace, findings: Findings, score: Callable[[Resampling], Result]) -> None:
    """Score, tell what was ignored, write the files asked for, print the tables."""
    try:
        result = score(Resampling(options.resamples, options.seed))
    finally:
        say_all("warning", findings.warnings)
    _write("--json", options.json, lambda: json_document(result.report))
    _write("--html", options.html, lambda: html_page(result))
    print(result.text)


def _check_targets(options: argparse.Namespace) -> None:
    check_target("--json", options.json)
    check_target("--html", options.html)
    if options.html is not None and not html_available():
        raise WrongUsage(
            "--html draws with Plotly, which is not installed: pip install 'touchstone-eval[html]'"
        )


def _bytes(path: Path, expected: str, findings: Findings) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        reason = error.strerror or "an unreadable file"
        findings.problem(str(path), None, None, found=reason, expected=expected)
        return b""


def _write(flag: str, path: Path | None, data: Callable[[], bytes]) -> None:
    if path is None:
        return
    try:
        report_write(path, data())
    except OSError as error:
        raise WrongUsage(f"{flag} {path}: {error.strerror}") from None
    say(f"report written to {path}")


def say_all(what: str, problems: Iterable[Problem]) -> None:
    """Tell problems on stderr, one a line."""
    for problem in problems:
        say(f"{what}: {problem.text}")


def say(text: str) -> None:
    """Talk to people: on stderr, so that stdout holds reports alone."""
    print(text, file=sys.stderr)
