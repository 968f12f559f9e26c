"""Reading what models write: which score counts, and when there is none."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.formats import Findings, InputRefused
from evaluator.tasks.ip.parse import Unparsed, independent_score, joint_scores, profiles_read


@pytest.mark.parametrize(
    "text",
    [
        '{"m0": 10, "m1": 20.5}',
        'Sure!\n```json\n{"m0": 10, "m1": 20.5}\n```\nHope that helps {not json}.',
        '{"scores": {"m0": 10, "m1": 20.5}, "why": "a {brace}"}',
        '{"m0": 99, "m1": 99} no, rather {"m1": 20.5, "m0": 10.0, "note": null}',
        'cut off {"scores": {"m0": 10, "m1": 20.5}',
        '{"m0": 10, "m1": 20.5} and {"m0": 3}',
        '{"m0": 10, "m1": 20.5, "why": "the {\\"m0\\": 1, \\"m1\\": 2} of before"}',
    ],
)
def test_the_last_json_object_with_all_keys_counts(text):
    assert joint_scores(text, 2) == (10.0, 20.5)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "10, 20",
        '{"m0": 10}',
        '{"m0": 10, "m1": "20"}',
        '{"m0": 10, "m1": true}',
        '{"m0": 10, "m1": null}',
        '{"m0": 10, "m1": 100.5}',
        '{"m0": -1, "m1": 20}',
        '{"m0": 10, "m1": NaN}',
        '{"m0": 10, "m1": 1e999}',
        '{"m0": 10, "m1": [20]}',
        '{"m0": 10, "m0": 11, "m1": 20}',
        '{"m0": 10, "m1": 20} but finally {"m0": 10, "m1": 2000}',
        "{'m0': 10, 'm1': 20}",
        "{" * 50_000,
        '{"a":' * 5_000,
    ],
)
def test_a_joint_output_with_one_bad_value_is_missing(text):
    with pytest.raises(Unparsed):
        joint_scores(text, 2)


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("85", 85),
        ("85.", 85),
        ("Score: 85%", 85),
        ("**85**", 85),
        ("_85_", 85),
        ("85/100", 85),
        ("I say 62.5, maybe 70", 62.5),
        ("m3 gets 40", 40),
        ("Score (0-100): 85", 85),
        ("GPT-4 says 30", 30),
        ("-5 or 7", 7),
        ("v1.2.3: 9", 9),
        ("3rd moment: 12", 12),
        ("100", 100),
        ("0", 0),
    ],
)
def test_the_first_standalone_number_counts(text, score):
    assert independent_score(text) == score


@pytest.mark.parametrize(
    "text", ["", "high", "-5", "+5", "−5", "m3", "3rd", "120 or 80", "100.01", ".5", "85pts", "1e2"]
)
def test_an_independent_output_without_a_standalone_number_in_range_is_missing(text):
    with pytest.raises(Unparsed):
        independent_score(text)


@given(
    st.lists(st.floats(0, 100), min_size=1, max_size=6), st.text(), st.text().filter(lambda t: "{" not in t)
)
def test_what_json_writes_is_what_is_read(scores, before, after):
    text = json.dumps({f"m{at}": score for at, score in enumerate(scores)})
    assert joint_scores(f"{before}{text}{after}", len(scores)) == tuple(scores)


@given(st.text())
def test_no_output_can_break_the_parsers(text):
    for parse in (independent_score, lambda t: joint_scores(t, 1)):
        with contextlib.suppress(Unparsed):
            parse(text)


@pytest.fixture
def read(items_of):
    def read_lines(*lines, mode="joint", strict=False):
        data = "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines).encode()
        findings = Findings(strict=strict)
        return profiles_read("p.jsonl", data, mode, items_of(), findings), findings

    return read_lines


def scores_of(clip, *values):
    return {f"{clip}_c{at:02}": value for at, value in enumerate(values)}


def test_scores_go_before_output_on_one_line(read):
    line = {"item_id": "70001", "scores": scores_of("70001", 1, 2), "output": '{"m0": 3, "m1": 4}'}
    assert read(line)[0]["70001"].scores == (1.0, 2.0)
    bad = {**line, "scores": scores_of("70001", 1, 200)}
    assert read(bad)[0]["70001"].scores is None


@pytest.mark.parametrize(
    "scores",
    [
        '{"70001_c00": 1}',
        '{"70001_c00": 1, "70001_c01": "2"}',
        '{"70001_c00": 1, "70001_c01": NaN}',
        '{"70001_c00": 1, "70001_c01": 2, "70001_c01": 3}',
        '{"70001_c00": 1, "70001_c01": -0.5}',
        "[1, 2]",
        "7",
    ],
)
def test_bad_scores_cost_that_item_only(read, scores):
    good = {"item_id": "70002", "scores": scores_of("70002", 5, 6)}
    profiles, findings = read(f'{{"item_id": "70001", "scores": {scores}}}', good)
    assert profiles["70001"].scores is None
    assert profiles["70001"].reason
    assert profiles["70002"].scores == (5.0, 6.0)
    assert findings.problems == []


def test_an_item_without_a_line_is_missing_and_says_so(read):
    profile = read()[0]["66324"]
    assert (profile.scores, profile.reason) == (None, "no prediction")


def test_two_lines_for_one_item_refuse_the_file_and_name_both(read):
    line = {"item_id": "70001", "scores": scores_of("70001", 1, 2)}
    _, findings = read(line, {"item_id": "70002"}, line)
    (problem,) = findings.problems
    assert problem.line == 3
    assert "line 1" in problem.text


def test_two_lines_for_one_moment_refuse_the_file_and_name_both(read):
    one = {"item_id": "70001", "moment_id": "70001_c00", "output": "5"}
    _, findings = read(one, {**one, "moment_id": "70001_c01"}, one, mode="independent")
    (problem,) = findings.problems
    assert (problem.line, "line 1" in problem.text) == (3, True)


def test_a_whole_item_and_one_of_its_moments_are_two_lines_for_the_same_thing(read):
    whole = {"item_id": "70001", "scores": scores_of("70001", 1, 2)}
    one = {"item_id": "70001", "moment_id": "70001_c00", "output": "5"}
    for lines in ((whole, one), (one, whole)):
        _, findings = read(*lines, mode="independent")
        assert [problem.line for problem in findings.problems] == [2]


def test_independent_lines_may_carry_structured_scores(read):
    lines = [
        {"item_id": "70001", "moment_id": "70001_c00", "scores": {"70001_c00": 5}, "output": "99"},
        {"item_id": "70001", "moment_id": "70001_c01", "output": "so, 7"},
        {"item_id": "70002", "scores": scores_of("70002", 1, 2)},
    ]
    profiles, findings = read(*lines, mode="independent")
    assert profiles["70001"].scores == (5.0, 7.0)
    assert profiles["70002"].scores == (1.0, 2.0)
    assert findings.problems == []


def test_an_independent_output_must_name_its_moment(read):
    _, findings = read({"item_id": "70001", "output": "5"}, mode="independent")
    assert [problem.field for problem in findings.problems] == ["moment_id"]


def test_unknown_ids_and_keys_are_warned_of_and_ignored_but_refused_when_strict(read):
    lines = [
        {"item_id": "99999", "output": "x"},
        {"item_id": "70001", "scores": {**scores_of("70001", 1, 2), "other": 9}},
        {"item_id": "70002", "scores": scores_of("70002", 1, 2), "temperature": 0},
    ]
    profiles, findings = read(*lines)
    assert [warning.line for warning in findings.warnings] == [1, 2, 3]
    assert (profiles["70001"].scores, profiles["70002"].scores) == ((1.0, 2.0), (1.0, 2.0))
    assert "99999" not in profiles
    _, findings = read(*lines, strict=True)
    assert [problem.line for problem in findings.problems] == [1, 2, 3]


def test_how_the_model_was_run_is_a_known_key(read):
    line = {"item_id": "70001", "scores": scores_of("70001", 1, 2), "run": {"model": "x", "seconds": 2}}
    assert read(line, strict=True)[1].problems == []


def test_lines_that_are_no_predictions_refuse_the_file_all_at_once(read):
    _, findings = read("{", "[1]", '{"output": "x"}', '{"item_id": 5}', '{"item_id": "a", "item_id": "b"}')
    with pytest.raises(InputRefused) as refusal:
        findings.raise_if_any()
    assert [problem.line for problem in refusal.value.problems] == [1, 2, 3, 4, 5]
