"""Reading JSON and JSONL: one encoding, one meaning, every fault with its line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.formats import Fields, Findings, InputRefused, json_lines, read_json, read_jsonl


def read(data, **options):
    findings = Findings()
    rows = read_jsonl("f.jsonl", data, findings, **options)
    return [row.value for row in rows], [problem.text for problem in findings.problems]


def test_a_byte_order_mark_windows_line_ends_and_empty_lines_are_tolerated():
    plain = read(b'{"id": "1"}\n{"id": "2"}\n')
    assert read(b'\xef\xbb\xbf{"id": "1"}\r\n\r\n{"id": "2"}') == plain == ([{"id": "1"}, {"id": "2"}], [])


@pytest.mark.parametrize(
    ("encoding", "said"),
    [
        ("utf-16", "f.jsonl: found UTF-16 text"),
        ("utf-16-le", "f.jsonl line 1: found a zero byte"),
        ("utf-32", "f.jsonl: found UTF-32 text"),
        ("cp1252", "f.jsonl line 2: found byte 0xE9, which is not UTF-8 (Windows-1252"),
    ],
)
def test_other_encodings_are_refused_by_name(encoding, said):
    rows, problems = read('{"id": "1"}\n{"id": "é"}\n'.encode(encoding))
    assert rows == []
    assert problems[0].startswith(said)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"{", "text that is not JSON"),
        (b"[1]", "found an array; expected one JSON object"),
        (b'"x"', "found a string"),
        (b"3", "found a number"),
        (b'{"a": NaN}', "a: found NaN; expected a finite number"),
        (b'{"a": [0, {"b": -Infinity}]}', "a[1].b: found -Infinity"),
        (b'{"a": 1e999}', "a: found Infinity"),
        (b'{"a": 1, "b": 2, "a": 1}', "a: found the key twice"),
        (b'{"x": {"a": 1, "a": 2}}', "x.a: found the key twice"),
        (b'{"a": "\\ud800"}', "a: found half of a surrogate pair"),
        (b'{"a":' * 2000 + b"1" + b"}" * 2000, "nest"),
        (b'{"a": 1} {"b": 2}', "text that is not JSON"),
    ],
)
def test_a_faulty_line_is_named_and_the_others_are_still_read(line, said):
    rows, problems = read(b'{"id": 1}\n' + line + b'\n{"id": 2}\n')
    assert rows == [{"id": 1}, {"id": 2}]
    assert len(problems) == 1
    assert problems[0].startswith("f.jsonl line 2")
    assert said in problems[0]


def test_line_separators_inside_strings_do_not_end_a_line():
    assert read('{"a": "x\u2028y\u0085z"}\n'.encode())[0] == [{"a": "x\u2028y\u0085z"}]


def test_a_file_that_should_hold_one_object_is_refused_when_it_holds_two():
    findings = Findings()
    assert read_json("m.json", b'{"a": 1}\n{"a": 2}', findings) is None
    assert findings.problems[0].file == "m.json"


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**15), 10**15)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(st.dictionaries(st.text(), VALUES, max_size=4), max_size=5))
def test_what_is_written_is_read_back_identical(objects):
    assert read(json_lines(objects)) == (objects, [])


@given(st.binary())
def test_no_bytes_can_break_the_reader(data):
    read(data)
    read(data, lenient=True)


def test_reading_leniently_keeps_faults_inside_values_for_the_caller():
    rows, problems = read(b'{"id": "a", "scores": {"m": NaN}}\n{"id": "a", "id": "b"}\n', lenient=True)
    assert len(rows) == 1
    assert len(problems) == 1


def fields_of(**value):
    return Fields(value, Findings(), file="f.jsonl", line=3)


@pytest.mark.parametrize("value", [True, "2", None, [2], float("nan"), float("inf"), 2.5])
def test_only_whole_finite_numbers_are_integers(value):
    fields = fields_of(a=value)
    assert fields.integer("a") is None
    assert fields.findings.problems[0].text.startswith("f.jsonl line 3, a: found ")


def test_two_with_a_point_is_an_integer_and_zero_is_a_value():
    assert fields_of(a=2.0).integer("a") == 2
    fields = fields_of(a=0.0)
    assert fields.number("a", low=0) == 0.0
    assert fields.findings.problems == []


def test_a_problem_says_file_line_field_found_and_expected():
    fields = fields_of(score=7)
    fields.integer("score", low=0, high=3)
    (problem,) = fields.findings.problems
    assert problem.text == "f.jsonl line 3, score: found 7; expected an integer from 0 to 3"


def test_a_missing_field_is_told_from_an_optional_one():
    fields = fields_of()
    assert fields.text("name", optional=True) is None
    assert fields.findings.problems == []
    fields.text("name")
    assert fields.findings.problems[0].found == "nothing"


def test_a_refusal_lists_every_problem_file_by_file_in_order_of_lines():
    findings = Findings()
    for file, line in (("b", 2), ("a", 1), ("b", 1), ("b", None)):
        findings.problem(file, line, None, found="x", expected="y")
    with pytest.raises(InputRefused) as refusal:
        findings.raise_if_any()
    assert [(p.file, p.line) for p in refusal.value.problems] == [("b", None), ("b", 1), ("b", 2), ("a", 1)]
    assert str(refusal.value).count("\n") == 3
