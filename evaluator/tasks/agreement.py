"""Agreement among raters: a ratings file in, the figures of 000 section 4.2 and Table 6 out."""

from collections.abc import Sequence
from itertools import groupby
from pathlib import PurePath

from evaluator.agreement import SCALE, Agreement, RaterFigures, agreement, rater_figures
from evaluator.alpha import alpha_interval, score_counts
from evaluator.formats.canonical import json_lines, sha256
from evaluator.formats.problems import Findings
from evaluator.formats.ratings import RatingLine, ratings_read
from evaluator.report import BarChart, Chart, IntervalChart, Result, Table, number_text, report_head
from evaluator.resample import Estimate, Resampling

# What moments may be resampled together by.
GROUPS = ("item_id",)
_CONVENTIONS = {"alpha": "coincidence"}
_ALPHAS = ("alpha_ordinal", "alpha_nominal", "alpha_interval")


def agreement_score(
    file: str, data: bytes, plan: Resampling, findings: Findings, *, group: str | None = None
) -> Result:
    """The agreement of a ratings file, given by name and bytes.

    ``group`` is ``"item_id"`` to resample whole clips. Raises
    :class:`~evaluator.formats.problems.InputRefused` when ``findings`` holds problems after reading.
    """
    ratings = ratings_read(file, data, findings)
    if group is not None and ratings and ratings[0].item_id is None:
        findings.problem(
            file, None, "item_id", found="no such field", expected="item_id, to group moments by"
        )
    findings.raise_if_any()
    ordered = sorted(ratings, key=lambda line: (line.moment, line.rater))
    moments = [list(own) for _, own in groupby(ordered, key=lambda line: line.moment)]
    counts = score_counts([[line.score for line in own] for own in moments], SCALE)
    figures = agreement(counts)
    items = None if group is None else [own[0].moment[0] for own in moments]
    interval = alpha_interval(counts, plan, groups=items)
    raters = rater_figures((line.moment, line.rater, line.score) for line in ordered)
    digest = _digest(ordered)
    report = {
        **report_head("agreement", _CONVENTIONS, f"ratings@{digest[:4]}", plan, group),
        "ratings_sha256": digest,
        **_values(figures, interval, raters),
        "notes": _notes(figures, interval),
    }
    return Result(
        report,
        f"Agreement · {PurePath(file).name}",
        _tables(figures, interval, raters),
        _charts(figures, raters),
    )


def _digest(ordered: Sequence[RatingLine]) -> str:
    """A hash of what the file says, whatever its format, encoding and order of lines."""
    return sha256(json_lines([*line.moment, line.rater, line.score] for line in ordered))


def _values(
    figures: Agreement, interval: tuple[float, float] | None, raters: RaterFigures
) -> dict[str, object]:
    return {
        "n_items": figures.n_items,
        "n_raters": len(raters.rater_effects),
        "n_ratings": figures.n_ratings,
        "n_pairs": figures.n_pairs,
        "alpha_ordinal": figures.alpha_ordinal,
        "alpha_nominal": figures.alpha_nominal,
        "alpha_interval": figures.alpha_interval,
        "alpha_ordinal_ci": None if interval is None else list(interval),
        "unanimous_items": figures.unanimous_items,
        "pairwise_exact": figures.pairwise_exact,
        "two_draw": figures.two_draw,
        "pass_unanimous": figures.pass_unanimous,
        "one_step": figures.one_step,
        "distribution": figures.distribution,
        "rater_effects": raters.rater_effects,
        "debias": {"mean_abs_change": raters.mean_abs_change, "max_abs_change": raters.max_abs_change},
    }


def _notes(figures: Agreement, interval: tuple[float, float] | None) -> dict[str, str]:
    notes: dict[str, str] = {}
    if figures.n_pairs == 0:
        nothing = "no moment has two ratings"
        notes |= dict.fromkeys((*_ALPHAS, "unanimous_items", "pairwise_exact", "pass_unanimous"), nothing)
    elif figures.alpha_ordinal is None:
        nothing = "all ratings of moments with two or more are the same score: no variation to explain"
        notes |= dict.fromkeys(_ALPHAS, nothing)
    if figures.alpha_ordinal is None:
        notes["alpha_ordinal_ci"] = notes["alpha_ordinal"]
    elif interval is None:
        notes["alpha_ordinal_ci"] = "fewer than two units to resample"
    if None in figures.one_step.values():
        one_step = "no pair of raters differs by exactly one"
        notes |= {f"one_step.{step}": one_step for step in figures.one_step}
    return notes


def _tables(
    figures: Agreement, interval: tuple[float, float] | None, raters: RaterFigures
) -> tuple[Table, ...]:
    low, high = ("–", "–") if interval is None else (number_text(end) for end in interval)
    rows = [
        ("moments", str(figures.n_items)),
        ("raters", str(len(raters.rater_effects))),
        ("ratings", str(figures.n_ratings)),
        ("pairs of raters within moments", str(figures.n_pairs)),
        ("Krippendorff's α, ordinal", number_text(figures.alpha_ordinal)),
        ("  95 % interval", f"{low} to {high}"),
        ("Krippendorff's α, nominal", number_text(figures.alpha_nominal)),
        ("Krippendorff's α, interval", number_text(figures.alpha_interval)),
        ("moments on which all agree", _percent(figures.unanimous_items)),
        ("pairs that agree exactly", _percent(figures.pairwise_exact)),
        ("two draws from all ratings agree", _percent(figures.two_draw)),
        ("moments all on one side of score ≥ 2", _percent(figures.pass_unanimous)),
        *((f"one-step differences at {step}", _percent(own)) for step, own in figures.one_step.items()),
        ("debiasing moves consensus, mean", number_text(raters.mean_abs_change)),
        ("debiasing moves consensus, at most", number_text(raters.max_abs_change)),
    ]
    scores = [(score, str(count)) for score, count in figures.distribution.items()]
    effects = [(rater, f"{round(effect, 3) + 0.0:+.3f}") for rater, effect in raters.rater_effects.items()]
    return (
        Table("", ("", "all ratings"), tuple(rows)),
        Table("Ratings by score", ("score", "ratings"), tuple(scores)),
        Table("How much higher each rater scores", ("rater", "effect"), tuple(effects)),
    )


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"


def _charts(figures: Agreement, raters: RaterFigures) -> tuple[Chart, ...]:
    return (
        BarChart(
            "Ratings by score",
            "ratings",
            tuple((score, float(count)) for score, count in figures.distribution.items()),
        ),
        IntervalChart(
            "How much higher each rater scores",
            "points of the 0–3 scale",
            tuple((name, Estimate(effect, None, 1)) for name, effect in raters.rater_effects.items()),
        ),
    )
