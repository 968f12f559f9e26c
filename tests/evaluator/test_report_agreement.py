"""The agreement report: every figure against a plain count, and a reason for every figure that is missing."""

import json
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator.agreement import agreement
from evaluator.formats.problems import Findings
from evaluator.resample import Resampling
from evaluator.tasks.agreement import agreement_score

COUNTS = ("n_items", "n_raters", "n_ratings", "n_pairs", "distribution")
ALPHAS = ("alpha_ordinal", "alpha_nominal", "alpha_interval", "alpha_ordinal_ci")
SHARES = ("unanimous_items", "pairwise_exact", "two_draw", "pass_unanimous", "one_step")
KEYS = (*COUNTS, *ALPHAS, *SHARES, "rater_effects", "debias", "notes")


@st.composite
def tables(draw):
    """Scores of a few raters on a few moments, cells missing; at times a rater is copied or constant."""
    n_moments = draw(st.integers(1, 6))
    raters = draw(
        st.lists(
            st.lists(st.sampled_from([None, 0, 1, 2, 3]), min_size=n_moments, max_size=n_moments).filter(
                lambda own: any(cell is not None for cell in own)
            ),
            min_size=1,
            max_size=4,
        )
    )
    if draw(st.booleans()):
        raters.append(list(draw(st.sampled_from(raters))))
    if draw(st.booleans()):
        raters.append([draw(st.integers(0, 3))] * n_moments)
    return [
        (f"m{at}", f"R{rater}", cell)
        for rater, own in enumerate(raters)
        for at, cell in enumerate(own)
        if cell is not None
    ]


def report_of(rows, *, group=None, resamples=40):
    keys = (
        ("moment_id", "rater", "score") if len(rows[0]) == 3 else ("item_id", "moment_id", "rater", "score")
    )
    data = "".join(json.dumps(dict(zip(keys, row, strict=True))) + "\n" for row in rows).encode()
    return agreement_score("r.jsonl", data, Resampling(resamples, 0), Findings(), group=group).report


def plain(rows):
    """The count-based figures once more, by pandas and loops."""
    frame = pd.DataFrame(rows, columns=["moment", "rater", "score"])
    moments = [own["score"].tolist() for _, own in frame.groupby("moment")]
    shared = [own for own in moments if len(own) >= 2]
    pairs = [pair for own in moments for pair in combinations(own, 2)]
    steps = [sorted(pair) for pair in pairs if abs(pair[0] - pair[1]) == 1]
    shares = frame["score"].value_counts(normalize=True)

    def mean(flags):
        return sum(flags) / len(flags) if flags else None

    return {
        "n_items": len(moments),
        "n_raters": frame["rater"].nunique(),
        "n_ratings": len(frame),
        "n_pairs": len(pairs),
        "unanimous_items": mean([len(set(own)) == 1 for own in shared]),
        "pairwise_exact": mean([a == b for a, b in pairs]),
        "two_draw": float((shares**2).sum()),
        "pass_unanimous": mean([len({score >= 2 for score in own}) == 1 for own in shared]),
        "one_step": {f"{low}-{low + 1}": mean([pair[0] == low for pair in steps]) for low in range(3)},
        "distribution": {str(score): int((frame["score"] == score).sum()) for score in range(4)},
    }


def close(value):
    if isinstance(value, dict):
        return {key: close(inner) for key, inner in value.items()}
    return value if value is None or isinstance(value, int) else pytest.approx(value, abs=1e-12)


@settings(deadline=None)
@given(tables())
def test_every_count_and_share_is_that_of_a_plain_computation(rows):
    report = report_of(rows)
    for key, expected in plain(rows).items():
        assert report[key] == close(expected), key


@settings(deadline=None)
@given(tables())
def test_rater_effects_are_those_of_least_squares_on_indicator_columns(rows):
    report = report_of(rows)
    raters = sorted({rater for _, rater, _ in rows})
    moments = sorted({moment for moment, _, _ in rows})
    design = np.zeros((len(rows), len(raters) + len(moments)))
    for at, (moment, rater, _) in enumerate(rows):
        design[at, raters.index(rater)] = design[at, len(raters) + moments.index(moment)] = 1
    scores = np.array([score for _, _, score in rows], dtype=float)
    effects = np.array([report["rater_effects"][rater] for rater in raters])
    # Whatever the solution lstsq picks, fitted values are unique; so is the best fit given our effects.
    fitted = design @ np.linalg.lstsq(design, scores, rcond=None)[0]
    left = scores - design[:, : len(raters)] @ effects
    frame = pd.DataFrame({"moment": [moment for moment, _, _ in rows], "left": left, "score": scores})
    own = frame.groupby("moment")["left"].transform("mean").to_numpy()
    assert own + design[:, : len(raters)] @ effects == pytest.approx(fitted, abs=1e-9)
    changes = frame.groupby("moment").mean().eval("left - score").abs()
    assert report["debias"]["mean_abs_change"] == pytest.approx(changes.mean(), abs=1e-9)
    assert report["debias"]["max_abs_change"] == pytest.approx(changes.max(), abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(tables(), st.randoms())
def test_order_and_names_change_nothing(rows, random):
    first = report_of(rows)
    moments = sorted({moment for moment, _, _ in rows})
    raters = sorted({rater for _, rater, _ in rows})
    moment_names = dict(
        zip(moments, random.sample([f"x{at}" for at in range(99)], len(moments)), strict=True)
    )
    rater_names = dict(zip(raters, random.sample([f"y{at}" for at in range(99)], len(raters)), strict=True))
    other = [(moment_names[moment], rater_names[rater], score) for moment, rater, score in rows]
    random.shuffle(other)
    second = report_of(other)
    for key in KEYS:
        if key == "rater_effects":
            assert {rater_names[name]: value for name, value in first[key].items()} == close(second[key])
        elif key == "debias":
            assert first[key] == close(second[key])
        else:
            assert first[key] == second[key], key
    shuffled = list(rows)
    random.shuffle(shuffled)
    assert report_of(shuffled) == first


def test_raters_who_copy_each_other_agree_and_a_constant_rater_has_no_variation():
    scores = [0, 3, 1, 2]
    copied = report_of([(f"m{at}", rater, score) for at, score in enumerate(scores) for rater in "AB"])
    assert (copied["alpha_ordinal"], copied["pairwise_exact"], copied["unanimous_items"]) == (1.0, 1.0, 1.0)
    assert copied["rater_effects"] == {"A": 0.0, "B": 0.0}
    constant = report_of([(f"m{at}", rater, 2) for at in range(4) for rater in "AB"])
    assert constant["alpha_ordinal"] is None
    assert constant["pairwise_exact"] == 1.0


@settings(deadline=None)
@given(tables())
def test_every_null_has_its_reason_and_every_key_is_there(rows):
    report = report_of(rows)
    assert set(KEYS) <= report.keys()
    for key, value in report.items():
        if value is None:
            assert report["notes"][key]
    for step, value in report["one_step"].items():
        assert (value is None) == (f"one_step.{step}" in report["notes"])


def test_reasons_tell_no_second_rating_from_no_variation():
    single = report_of([("m1", "R1", 0), ("m2", "R1", 1)])
    assert single["notes"]["alpha_ordinal"] == "no moment has two ratings"
    assert single["two_draw"] == 0.5
    same = report_of([("m1", "R1", 2), ("m1", "R2", 2)])
    assert "no variation" in same["notes"]["alpha_ordinal"]
    lone = report_of([("m1", "R1", 2), ("m1", "R2", 1)])
    assert lone["notes"] == {"alpha_ordinal_ci": "fewer than two units to resample"}


def test_a_dashboard_gets_the_same_figures_from_counts_alone():
    rows = [("m1", "A", 0), ("m1", "B", 1), ("m2", "A", 2), ("m2", "B", 2), ("m2", "C", 3), ("m3", "A", 1)]
    counts = np.array([[1, 1, 0, 0], [0, 0, 2, 1], [0, 1, 0, 0], [0, 0, 0, 0]])
    report = report_of(rows)
    figures = agreement(counts)
    for key in ("n_items", "n_pairs", "alpha_ordinal", "unanimous_items", "one_step", "distribution"):
        assert getattr(figures, key) == report[key]
    with pytest.raises(ValueError, match="expected"):
        agreement(counts[:, :3])


def test_the_command_reads_csv_and_jsonl_to_one_report(evaluate, jsonl, tmp_path):
    rows = [("m1", "A", 0), ("m1", "B", 1), ("m2", "A", 2), ("m2", "B", 2), ("m3", "A", 3), ("m3", "B", 3)]
    keys = ("moment_id", "rater", "score")
    lines = jsonl(*(dict(zip(keys, row, strict=True)) for row in rows), name="r.jsonl")
    table = tmp_path / "r.csv"
    table.write_text(
        "\ufeffscore;rater;moment_id\n" + "".join(f"{s};{r};{m}\n" for m, r, s in reversed(rows))
    )
    first = evaluate("agreement", lines, "--resamples", "100")
    second = evaluate("agreement", table, "--resamples", "100")
    assert first[0] == second[0] == 0
    assert first[3] == second[3]
    assert "Krippendorff's α, ordinal" in first[1]
    assert first[3]["signature"].startswith("agreement|alpha:coincidence|ci:pct95|n:100|seed:0|set:ratings@")
    assert first[3]["ratings_sha256"].startswith(first[3]["set"].removeprefix("ratings@"))


def test_whole_clips_are_resampled_on_request(evaluate, jsonl):
    rng = np.random.default_rng(0)
    lines = [
        {"item_id": f"v{item}", "moment_id": f"c{at}", "rater": f"R{rater}", "score": int(rng.integers(0, 4))}
        for item in range(8)
        for at in range(3)
        for rater in range(3)
    ]
    path = jsonl(*lines, name="ratings.jsonl")
    plain, grouped = evaluate("agreement", path)[3], evaluate("agreement", path, "--group", "item_id")[3]
    assert plain["alpha_ordinal"] == grouped["alpha_ordinal"]
    assert plain["alpha_ordinal_ci"] != grouped["alpha_ordinal_ci"]
    assert "|group:item_id|set:" in grouped["signature"]


def test_grouping_by_items_that_are_not_there_is_refused_and_by_anything_else_is_wrong_usage(evaluate, jsonl):
    path = jsonl({"moment_id": "m", "rater": "R", "score": 1}, name="ratings.jsonl")
    status, out, err, report = evaluate("agreement", path, "--group", "item_id")
    assert (status, out, report) == (1, "", None)
    assert "item_id: found no such field" in err
    status, _, err, _ = evaluate("agreement", path, "--group", "source_group")
    assert status == 2
    assert "item_id" in err


def test_a_faulty_file_is_refused_whole(evaluate, jsonl, tmp_path):
    path = jsonl(
        {"moment_id": "m", "rater": "R", "score": 1}, {"moment_id": "m", "rater": "R", "score": 9}, "x"
    )
    status, out, err, report = evaluate("agreement", path)
    assert (status, out, report) == (1, "", None)
    assert "line 2, score" in err
    assert "line 2, rater" in err
    assert "line 3" in err
    assert evaluate("agreement", tmp_path / "nothing.csv")[0] == 1
