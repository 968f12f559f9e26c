"""Models against single raters: the nested averages once more in pandas, and what must not move them."""

import json
import math
from datetime import UTC, datetime
from itertools import combinations

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from evaluator.formats.goldset import manifest_read
from evaluator.formats.ip import IpItem, IpSet, IpSource, Moment, Rating, ip_goldset_files, ip_tasks
from evaluator.formats.problems import Findings
from evaluator.resample import Resampling
from evaluator.tasks.ip import ip_score
from evaluator.tasks.ip.matched import units_by_item

PLAN = Resampling(60, 0)
MODES = ("joint", "independent")


@st.composite
def worlds(draw):
    """A small set with predictions: {item: (channel, {rater: [score or None]}, {mode: [score] or None})}."""
    world = {}
    for at in range(draw(st.integers(1, 5))):
        m = draw(st.integers(2, 4))
        cells = st.lists(st.sampled_from([0, 1, 2, 3, None]), min_size=m, max_size=m)
        raters = {f"R{n}": draw(cells) for n in range(draw(st.integers(1, 3)))}
        if draw(st.booleans()):
            raters["R8"] = list(raters["R0"])
        if draw(st.booleans()):
            raters["R9"] = [draw(st.integers(0, 3))] * m
        if any(all(own[place] is None for own in raters.values()) for place in range(m)):
            raters["R7"] = [draw(st.integers(0, 3)) for _ in range(m)]
        profile = st.none() | st.lists(st.sampled_from([0, 20, 20.5, 80]), min_size=m, max_size=m)
        predictions = {mode: draw(profile) for mode in MODES}
        world[f"v{at}"] = (draw(st.sampled_from(["C1", "C2", "C3"])), raters, predictions)
    return world


def score(world, *, modes=MODES, rename=str, rater_name=str, shuffle=list, group=None, plan=PLAN):
    """The report of a world; items and raters may be renamed and everything shuffled."""
    items, ratings, lines = [], [], {mode: [] for mode in modes}
    for item, (channel, raters, predictions) in world.items():
        own = rename(item)
        m = len(next(iter(raters.values())))
        moments = tuple(Moment(f"{own}_c{at}", 2.0 * at, 2.0 * at + 1) for at in range(m))
        items.append(IpItem(own, 60.0, moments, IpSource("P1", channel, "game", f"S{channel}")))
        ratings += [
            Rating(own, moments[at].moment_id, rater_name(rater), cell)
            for rater, cells in raters.items()
            for at, cell in enumerate(cells)
            if cell is not None
        ]
        for mode in modes:
            if predictions[mode] is not None:
                pairs = zip(moments, predictions[mode], strict=True)
                values = {moment.moment_id: value for moment, value in pairs}
                lines[mode].append(json.dumps({"item_id": own, "scores": values}) + "\n")
    items, ratings = shuffle(items), shuffle(ratings)
    files = ip_goldset_files(
        items=items,
        ratings=ratings,
        name="w",
        version=1,
        seed=0,
        parameters={},
        counts={},
        supersedes=None,
        software="t",
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
        datasheet="",
    )
    manifest = manifest_read(files["manifest.json"], Findings())
    ip_set = IpSet(manifest, tuple(ip_tasks(items, ratings)), tuple(ratings))
    given_lines = {mode: (f"{mode}.jsonl", "".join(shuffle(own)).encode()) for mode, own in lines.items()}
    return ip_score(ip_set, given_lines, plan, Findings(), group=group).report


def plain_units(world):
    """One row for each eligible unit and predictor, by loops; ties are decided by cross products."""
    rows = []
    for item, (channel, raters, predictions) in world.items():
        m = len(next(iter(raters.values())))
        for rater, cells in raters.items():
            if None in cells:
                continue
            rest = [
                [own[at] for name, own in raters.items() if name != rater and own[at] is not None]
                for at in range(m)
            ]
            if not all(rest):
                continue
            pairs = [
                (a, b, sum(rest[b]) * len(rest[a]) - sum(rest[a]) * len(rest[b]))
                for a, b in combinations(range(m), 2)
            ]
            if not any(sign for _, _, sign in pairs):
                continue
            means = pd.Series([round(sum(own) / len(own), 9) for own in rest])
            for who, profile in (("rater", cells), *predictions.items()):
                if profile is None:
                    continue
                points = [
                    0.5 if profile[a] == profile[b] else float((profile[b] - profile[a]) * sign > 0)
                    for a, b, sign in pairs
                    if sign
                ]
                constant = len(set(profile)) == 1
                rho = None if constant else stats.spearmanr(profile, means).statistic
                rows.append((item, channel, rater, who, sum(points) / len(points), constant, rho))
    names = ["item", "channel", "rater", "who", "pairwise", "constant", "rho"]
    frame = pd.DataFrame(rows, columns=names)
    frame["rho0"] = frame["rho"].astype(float).fillna(0.0)
    frame["rho"] = frame["rho"].astype(float)
    return frame


def nested(frame, column):
    """Mean over raters within items, then over items."""
    return None if frame.empty else frame.groupby("item")[column].mean().mean()


def near(value):
    return None if value is None else pytest.approx(value, abs=1e-12)


def versus(frame, mode):
    """Rater and model rows on the units the mode has a prediction for."""
    model = frame[frame.who == mode].set_index(["item", "rater"], drop=False)
    human = frame[frame.who == "rater"].set_index(["item", "rater"], drop=False).loc[model.index]
    return human.reset_index(drop=True), model.reset_index(drop=True)


def lead(human, model, column):
    value, other = nested(model, column), nested(human, column)
    return None if value is None else value - other


@settings(max_examples=150, deadline=None)
@given(worlds())
def test_every_nested_average_is_that_of_a_plain_pandas_computation(world):
    human = score(world)["human"]
    frame = plain_units(world)
    raters = frame[frame.who == "rater"]
    varied = raters[~raters.constant.astype(bool)]
    assert human["units"] == len(raters)
    assert human["videos"] == raters["item"].nunique()
    assert human["constant_units"] == len(raters) - len(varied)
    assert human["pairwise_accuracy"] == near(nested(raters, "pairwise"))
    assert human["nonconstant"] == {
        "units": len(varied),
        "videos": varied["item"].nunique(),
        "rho_unit_weighted": near(None if varied.empty else varied["rho"].mean()),
        "rho_video_weighted": near(nested(varied, "rho")),
    }
    for mode in MODES:
        own, model = versus(frame, mode)
        report = human[mode]
        assert (report["units"], report["videos"]) == (len(own), own["item"].nunique())
        assert report["human"] == near(nested(own, "pairwise"))
        assert report["model"] == near(nested(model, "pairwise"))
        assert report["delta"]["mean"] == near(lead(own, model, "pairwise"))
        assert report["rho0"]["human"] == near(nested(own, "rho0"))
        assert report["rho0"]["model"] == near(nested(model, "rho0"))
        assert report["rho0"]["delta"]["mean"] == near(lead(own, model, "rho0"))
        keep = ~(own.constant.astype(bool) | model.constant.astype(bool))
        ranked, ranked_model = own[keep], model[keep]
        part = report["conditional"]
        assert (part["units"], part["videos"]) == (len(ranked), ranked["item"].nunique())
        assert part["human_rho"] == near(nested(ranked, "rho"))
        assert part["model_rho"] == near(nested(ranked_model, "rho"))
        assert part["delta"]["mean"] == near(lead(ranked, ranked_model, "rho"))
        assert part["pairwise"]["human"] == near(nested(ranked, "pairwise"))
        assert part["pairwise"]["model"] == near(nested(ranked_model, "pairwise"))


@settings(deadline=None)
@given(worlds())
def test_channels_are_averaged_alone_and_left_out_in_turn(world):
    human = score(world)["human"]
    frame = plain_units(world)
    channels = {channel for channel, _, _ in world.values()}
    assert set(human["by_channel"]) == set(human["leave_one_channel_out"]) == channels
    for channel in channels:
        for mode in MODES:
            own, model = versus(frame, mode)
            inside, outside = own.channel == channel, own.channel != channel
            assert human["by_channel"][channel][mode] == {
                "videos": own[inside]["item"].nunique(),
                "human": near(nested(own[inside], "pairwise")),
                "model": near(nested(model[inside], "pairwise")),
                "delta": near(lead(own[inside], model[inside], "pairwise")),
            }
            left = human["leave_one_channel_out"][channel][mode]
            assert left == near(lead(own[outside], model[outside], "pairwise"))


@settings(max_examples=60, deadline=None)
@given(worlds(), st.randoms(), st.sampled_from([None, "channel"]))
def test_order_and_names_of_raters_and_items_change_no_figure(world, random, group):
    def shuffle(things):
        mixed = list(things)
        random.shuffle(mixed)
        return mixed

    items = dict(zip(world, shuffle([f"w{at}" for at in range(len(world))]), strict=True))
    raters = dict(zip((f"R{at}" for at in range(10)), shuffle([f"q{at}" for at in range(10)]), strict=True))
    first = score(world, group=group)
    assert score(world, shuffle=shuffle, group=group) == first
    second = score(world, rename=items.get, rater_name=raters.get, shuffle=shuffle, group=group)
    for key in (*MODES, "paired", "human"):
        assert second[key] == first[key], key
    for item, name in items.items():
        assert {**second["items"][name], "source": None, **scores_of(second, name)} == {
            **first["items"][item],
            "source": None,
            **scores_of(first, item),
        }


def scores_of(report, item):
    return {mode: report["items"][item][mode] for mode in MODES}


@settings(max_examples=60, deadline=None)
@given(worlds())
def test_one_mode_alone_has_the_figures_it_has_beside_the_other(world):
    both = score(world)
    for mode in MODES:
        alone = score(world, modes=(mode,))
        assert "paired" not in alone
        assert alone[mode] == both[mode]
        assert alone["human"][mode] == both["human"][mode]


def nulls(value, path=""):
    if value is None:
        yield path
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key != "notes":
                yield from nulls(inner, f"{path}.{key}" if path else key)


@settings(deadline=None)
@given(worlds())
def test_every_null_has_its_reason(world):
    report = score(world)
    notes = report["notes"]
    for path in nulls(report):
        parts = path.split(".")
        ways = [".".join(parts[:length]) for length in range(1, len(parts) + 1)]
        assert any(way in notes for way in ways), path


@settings(deadline=None)
@given(worlds())
def test_every_mean_can_be_computed_again_from_the_items(world):
    report = score(world)
    items = report["items"].values()

    def mean(values):
        kept = [value for value in values if value is not None]
        return math.fsum(kept) / len(kept) if kept else None

    for mode in MODES:
        assert report[mode]["rho0"]["mean"] == mean([own[mode]["rho0"] for own in items])
        assert report[mode]["n_rho0"] == sum(own[mode]["rho0"] is not None for own in items)
        assert report["human"][mode]["human"] == mean([own["human"][mode]["human"] for own in items])
        conditional = [own["human"][mode]["conditional"]["model_rho"] for own in items]
        assert report["human"][mode]["conditional"]["model_rho"] == mean(conditional)
    assert report["human"]["pairwise_accuracy"] == mean([own["human"]["pairwise_accuracy"] for own in items])
    changes = [
        own["independent"]["rho0"] - own["joint"]["rho0"]
        for own in items
        if own["joint"]["rho0"] is not None and own["independent"]["rho0"] is not None
    ]
    assert report["paired"]["delta_rho0"]["mean"] == mean(changes)
    assert report["paired"]["n"] == len(changes)


def one(raters, prediction=None):
    return {"v": ("C1", raters, {"joint": prediction, "independent": None})}


def test_means_of_different_numbers_of_ratings_tie_exactly():
    """Without R1, 4/3 and 8/6 remain: a tie, so the only pair orders nothing."""
    raters = {
        "R1": [3, 0],
        **{f"A{at}": [own, None] for at, own in enumerate((1, 1, 2))},
        **{f"B{at}": [None, own] for at, own in enumerate((1, 1, 1, 1, 2, 2))},
    }
    assert score(one(raters))["human"]["units"] == 0
    raters["B0"] = [None, 2]
    human = score(one(raters, [0, 1]))["human"]
    assert (human["units"], human["pairwise_accuracy"], human["joint"]["model"]) == (1, 0.0, 1.0)


def test_raters_who_skipped_a_moment_still_count_among_the_others():
    raters = {"R1": [0, 3], "R2": [0, None], "R3": [None, 2]}
    human = score(one(raters))["human"]
    assert (human["units"], human["pairwise_accuracy"]) == (1, 1.0)


def test_a_moment_that_nobody_else_rated_makes_the_unit_ineligible():
    assert score(one({"R1": [0, 3], "R2": [0, None]}))["human"]["units"] == 0


def test_a_copy_shifts_the_consensus_towards_the_copied_and_a_constant_rater_gets_half():
    alone = score(one({"R1": [0, 3], "R2": [1, 0]}))["human"]
    assert (alone["units"], alone["pairwise_accuracy"]) == (2, 0.0)
    copied = score(one({"R1": [0, 3], "R2": [1, 0], "R3": [0, 3]}))["human"]
    assert copied["units"] == 3
    assert copied["pairwise_accuracy"] == pytest.approx(2 / 3)
    constant = score(one({"R1": [0, 3], "R2": [2, 2]}))["human"]
    assert (constant["units"], constant["constant_units"], constant["pairwise_accuracy"]) == (1, 1, 0.5)


def test_a_constant_prediction_stays_eligible_and_a_missing_one_does_not(demo_set, evaluate, jsonl):
    lines = [{"item_id": "70001", "scores": {"70001_c00": 5, "70001_c01": 5}}]
    human = evaluate("ip", demo_set, "--joint", jsonl(*lines))[3]["human"]
    assert human["units"] > human["joint"]["units"] == 3
    assert (human["joint"]["videos"], human["joint"]["model"], human["joint"]["human"]) == (1, 0.5, 1.0)
    assert human["joint"]["conditional"]["units"] == 0


def test_the_remaining_consensus_is_scaled_to_whole_numbers():
    tasks_ratings = [
        Rating("v", f"c{at}", rater, own[at])
        for rater, own in {"A": (0, 1), "B": (1, 1), "C": (3, 2)}.items()
        for at in (0, 1)
    ]
    item = IpItem("v", 9.0, (Moment("c0", 0, 1), Moment("c1", 2, 3)), IpSource("P", "C", "g", "S"))
    units = units_by_item(ip_tasks([item], tasks_ratings), tasks_ratings)[0]
    assert [(unit.rater, unit.remaining) for unit in units] == [("A", (4, 3)), ("C", (1, 2))]
