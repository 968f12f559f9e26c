"""A file of ratings collected elsewhere, brought into an intensity study (design: "Answers out")."""

from typing import Any

from evaluator.formats import Findings, InputRefused, Problem
from evaluator.formats.ratings import ratings_read
from studies.kinds import AnswersIn
from studies.models import Study
from studies.services.answers_in import AnswersRefused, Given, Imported, answers_import

KIND = "intensity"


def ratings_import(
    *, study: Study, name: str, file: str, data: bytes, by: Any = None, strict: bool = False
) -> AnswersIn:
    """Import the ratings of a JSONL or CSV file; all or nothing.

    `name` says where they were collected: its raters are the pool `import:<name>`, and the same id under the
    same name is the same person. InputRefused lists every problem with its line.
    """
    findings = Findings(strict=strict)
    if study.kind != KIND:
        findings.problem(study.slug, None, "kind", found=study.kind, expected=KIND)
    ratings = ratings_read(file, data, findings)
    findings.raise_if_any()
    given = [Given(r.moment_id, r.rater, r.score, r.line) for r in ratings]
    try:
        imported = answers_import(study=study, name=name, given=given, by=by)
    except AnswersRefused as refused:
        raise InputRefused(
            Problem(file, line, field, found, expected) for line, field, found, expected in refused.faults
        ) from refused
    return AnswersIn(_sentence(imported), tuple(warning.text for warning in findings.warnings))


def _sentence(done: Imported) -> str:
    if not done.answers:
        return f"Nothing new: all {done.unchanged} ratings were there already."
    there = f"; {done.unchanged} were there already" if done.unchanged else ""
    return f"{done.answers} ratings imported, {done.people} new raters{there}."
