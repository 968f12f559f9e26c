"""Ratings files from everywhere: read to the last cell, or refused by name and line, never half."""

import json

import pytest

from evaluator.formats.problems import Findings
from evaluator.formats.ratings import ratings_read

ROWS = [("m1", "R1", 2), ("m1", "R2", 3), ("m2", "R1", 0)]
CSV = "moment_id,rater,score\nm1,R1,2\nm1,R2,3\nm2,R1,0\n"
JSONL = "".join(
    json.dumps(dict(zip(("moment_id", "rater", "score"), row, strict=True))) + "\n" for row in ROWS
)


def read(data, file="ratings.csv", strict=False):
    findings = Findings(strict=strict)
    rows = ratings_read(file, data.encode() if isinstance(data, str) else data, findings)
    values = [(row.moment_id, row.rater, row.score) for row in rows]
    return values, [str(problem) for problem in findings.problems], [str(own) for own in findings.warnings]


@pytest.mark.parametrize(
    ("data", "file"),
    [
        (CSV, "r.csv"),
        (CSV.encode("utf-8-sig"), "r.csv"),
        (CSV.replace(",", ";"), "r.csv"),
        (CSV.replace(",", "\t"), "r.tsv"),
        (CSV.replace("\n", "\r\n"), "r.csv"),
        (CSV.replace("m1", '"m1"'), "r.csv"),
        (CSV.replace(",2\n", ",2.0\n"), "r.csv"),
        (CSV.replace("\nm2", "\n\nm2"), "r.csv"),
        (CSV, "answers"),
        (JSONL, "r.jsonl"),
        (JSONL.encode("utf-8-sig"), "r.jsonl"),
        (JSONL, "answers.txt"),
        (JSONL.encode("utf-8-sig"), "answers"),
    ],
)
def test_the_same_rows_are_read_alike_from_every_form(data, file):
    assert read(data, file) == (ROWS, [], [])


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32"])
@pytest.mark.parametrize("file", ["r.csv", "r.jsonl", "answers"])
def test_other_unicode_encodings_are_refused_by_name(encoding, file):
    rows, problems, _ = read((JSONL if file == "r.jsonl" else CSV).encode(encoding), file)
    assert rows == []
    assert len(problems) == 1
    assert "UTF-16" in problems[0] or "UTF-32" in problems[0]


def test_windows_text_is_refused_with_its_line():
    rows, problems, _ = read(CSV.replace("R2", "Zoë").encode("cp1252"))
    assert rows == []
    assert "r" in problems[0]
    assert "ratings.csv line 3: found byte 0xEB, which is not UTF-8 (Windows-1252" in problems[0]


def test_text_comes_through_as_it_stands():
    raters = ["a,b", 'say "hi"', "two\nlines", "🙂", "سلام", "nan", "007", "12.0", " x "]
    quoted = ['"' + rater.replace('"', '""') + '"' for rater in raters]
    rows, problems, _ = read("moment_id,rater,score\n" + "".join(f"m,{rater},1\n" for rater in quoted))
    assert ([rater for _, rater, _ in rows], problems) == (raters, [])


def test_a_line_after_a_quoted_line_break_keeps_its_number():
    data = 'moment_id,rater,score\nm1,"two\nlines",1\nm1,R2,9\n'
    _, problems, _ = read(data)
    assert problems == ["ratings.csv line 4, score: found 9; expected an integer from 0 to 3"]


@pytest.mark.parametrize("score", ["4", "-1", "1.5", "", "two", "nan", "02", " 2", "1e400", "NaN"])
def test_a_score_that_is_none_is_refused_with_its_line(score):
    _, problems, _ = read(f"moment_id,rater,score\nm1,R1,2\nm1,R2,{score}\n")
    assert len(problems) == 1
    assert problems[0].startswith("ratings.csv line 3, score: found ")


@pytest.mark.parametrize("score", ["true", '"2"', "2.5", "null", "[2]", "-1", "NaN"])
def test_a_json_score_that_is_no_integer_is_refused(score):
    _, problems, _ = read(f'{{"moment_id":"m","rater":"R","score":{score}}}\n', "r.jsonl")
    assert len(problems) == 1
    assert problems[0].startswith("r.jsonl line 1, score")


def test_all_faults_are_told_at_once():
    data = 'moment_id,rater,score\nm1,R1,7\n,R1,1\nm1,,1\nm2,R1\nm3,R1,1\nm3,R1,2\n"m4" x,R1,1\n'
    rows, problems, _ = read(data)
    assert [problem.partition(":")[0] for problem in problems] == [
        "ratings.csv line 8",
        "ratings.csv line 5",
        "ratings.csv line 2, score",
        "ratings.csv line 3, moment_id",
        "ratings.csv line 4, rater",
        "ratings.csv line 7, rater",
    ]
    assert "the other is on line 6" in problems[-1]
    assert rows == [("m3", "R1", 1)]


def test_the_same_moment_id_in_two_items_is_two_moments():
    data = "item_id,moment_id,rater,score\na,m,R1,1\nb,m,R1,2\n"
    findings = Findings()
    rows = ratings_read("r.csv", data.encode(), findings)
    assert [row.moment for row in rows] == [("a", "m"), ("b", "m")]
    assert not findings.problems


def test_items_on_some_lines_only_are_refused():
    data = (
        '{"item_id":"a","moment_id":"m","rater":"R1","score":1}\n{"moment_id":"m","rater":"R2","score":1}\n'
    )
    _, problems, _ = read(data, "r.jsonl")
    assert problems == ["r.jsonl line 2, item_id: found nothing; expected text that is not empty"]


def test_ids_that_look_like_numbers_are_different_when_they_are_written_differently():
    rows, problems, _ = read("moment_id,rater,score\nm,1,1\nm,01,2\n")
    assert ([rater for _, rater, _ in rows], problems) == (["1", "01"], [])


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("", "found an empty file; expected a header with the columns moment_id, rater, score"),
        ("moment_id,rater,score\n", "found no rating; expected at least one"),
        ("moment,rater,score\nm,R,1\n", 'line 1, moment_id: found no such column among "moment", "rater"'),
        ("moment_id,rater,score,score\nm,R,1,1\n", "line 1, score: found the column twice"),
        ("moment_id,rater,score\nm,R,1,x\n", "line 2: found 4 cells; expected 3 cells, as in the header"),
    ],
)
def test_a_file_without_its_columns_or_rows_is_refused(data, expected):
    rows, problems, _ = read(data)
    assert rows == []
    assert len(problems) == 1
    assert expected in problems[0]


def test_unknown_columns_and_keys_are_told_once_and_refused_when_strict():
    csv = "moment_id,rater,score,wave\nm1,R1,1,w\nm1,R2,1,w\n"
    rows, problems, warnings = read(csv)
    assert (len(rows), problems, len(warnings)) == (2, [], 1)
    assert warnings[0].startswith("ratings.csv line 1, wave: found an unknown column")
    first = '{"moment_id":"m","rater":"R1","score":1,"wave":1}\n'
    jsonl = first + first.replace("R1", "R2")
    assert len(read(jsonl, "r.jsonl")[2]) == 1
    assert len(read(jsonl, "r.jsonl", strict=True)[1]) == 1
    assert len(read(csv, strict=True)[1]) == 1
