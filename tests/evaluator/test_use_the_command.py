"""The command line: exit status, where things are written, and help when a name is wrong."""

import json
import subprocess
import sys

import pytest

from evaluator.cli import main


def full(clip, *scores):
    return {"item_id": clip, "scores": {f"{clip}_c{at:02}": score for at, score in enumerate(scores)}}


@pytest.fixture
def said(capsys):
    """Runs the command; gives exit status, stdout and stderr."""

    def run(*arguments):
        status = main([str(argument) for argument in arguments])
        return (status, *capsys.readouterr())

    return run


def test_a_sound_set_validates_with_its_numbers(said, demo_set):
    status, out, err = said("validate", demo_set)
    assert status == 0
    assert "no fault found (4 items, 11 moments, 36 ratings, 4 raters)" in out
    assert err == ""


def test_a_faulty_set_is_refused_with_every_problem_on_stderr_and_nothing_on_stdout(said, demo_set, tmp_path):
    (demo_set / "ratings.jsonl").write_text("x\n")
    (demo_set / "schema.json").unlink()
    status, out, err = said("validate", demo_set, "--json", tmp_path / "r.json")
    assert (status, out) == (1, "")
    assert "ratings.jsonl line 1: found text that is not JSON" in err
    assert "schema.json: found no such file" in err
    assert "Traceback" not in err
    assert not (tmp_path / "r.json").exists()


def test_a_faulty_set_is_not_scored(said, demo_set, jsonl, tmp_path):
    (demo_set / "DATASHEET.md").write_text("changed")
    target = tmp_path / "r.json"
    status, out, err = said("ip", demo_set, "--joint", jsonl(full("66324", 1, 2, 3)), "--json", target)
    assert (status, out) == (1, "")
    assert "DATASHEET.md" in err
    assert not target.exists()


def test_faults_of_set_and_predictions_files_are_told_together(said, tmp_path):
    status, _, err = said("ip", tmp_path / "noset", "--joint", tmp_path / "nofile.jsonl")
    assert status == 1
    assert "noset" in err
    assert "nofile.jsonl" in err


def test_a_faulty_predictions_file_names_its_lines(said, demo_set, jsonl):
    status, out, err = said(
        "ip", demo_set, "--joint", jsonl("{", full("66324", 1, 2, 3), full("66324", 1, 2, 3))
    )
    assert (status, out) == (1, "")
    assert "predictions.jsonl line 1" in err
    assert "predictions.jsonl line 3" in err
    assert "2 problems; nothing was scored or written" in err


def test_a_terminal_that_cannot_show_greek_still_gets_its_table(demo_set, jsonl):
    run = subprocess.run(
        [
            sys.executable,
            "-m",
            "evaluator",
            "ip",
            str(demo_set),
            "--joint",
            str(jsonl(full("66324", 1, 2, 3))),
        ],
        env={"PYTHONIOENCODING": "latin-1", "PYTHONPATH": "."},
        capture_output=True,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, b"")
    assert b"mean \\u03c10" in run.stdout


def test_text_that_can_be_written_nowhere_costs_its_item_only(said, demo_set, jsonl, tmp_path):
    predictions = jsonl('{"item_id": "70001", "scores": {"70001_c00": "\\ud800", "70001_c01": 2}}')
    status, _, _ = said("ip", demo_set, "--joint", predictions, "--json", tmp_path / "r.json")
    assert status == 0
    assert "70001_c00" in json.loads((tmp_path / "r.json").read_text())["notes"]["items.70001.joint"]


def test_warnings_go_to_stderr_and_become_problems_when_strict(said, demo_set, jsonl):
    predictions = jsonl(full("99999", 1, 2))
    status, out, err = said("ip", demo_set, "--joint", predictions)
    assert status == 0
    assert err.startswith("warning: ")
    assert "99999" not in out
    assert said("ip", demo_set, "--joint", predictions, "--strict")[0] == 1


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["vaildate", "x"], "did you mean validate?"),
        (["frobnicate"], "there are agreement, compare, ip, validate"),
        (["ip", "x", "--jiont", "y"], "did you mean --joint"),
        (["ip", "x", "--joint", "y", "--group", "source"], "did you mean source_group?"),
        (
            ["ip", "x", "--joint", "y", "--group", "mood"],
            "there are category, channel, creator, source_group",
        ),
        (["ip", "x"], "--joint F, --independent F or both"),
        (["ip", "x", "--joint", "y", "--resamples", "0"], "not an integer of at least 1"),
        (["ip", "x", "--joint", "y", "--seed", "-1"], "not an integer of at least 0"),
        (["ip", "x", "--joint", "y", "--json", "/nowhere/at/all.json"], "a folder that exists"),
        (["--strict", "ip", "x", "--joint", "y"], "expected after the command 'ip'"),
        (["ip"], "required: SET"),
        ([], "required: COMMAND"),
    ],
)
def test_wrong_usage_is_answered_with_what_there_is(said, arguments, expected):
    status, out, err = said(*arguments)
    assert (status, out) == (2, "")
    assert expected in err


@pytest.mark.parametrize("command", ["agreement", "ip", "compare", "validate"])
def test_every_command_explains_itself_with_examples(capsys, command):
    with pytest.raises(SystemExit) as leaving:
        main([command, "--help"])
    assert leaving.value.code == 0
    text = capsys.readouterr().out
    assert f"examples:\n  touchstone-eval {command} " in text


def test_a_report_replaces_an_older_one_whole(said, demo_set, jsonl, tmp_path):
    target = tmp_path / "r.json"
    target.write_text("old")
    assert said("ip", demo_set, "--joint", jsonl(full("66324", 1, 2, 3)), "--json", target)[0] == 0
    assert json.loads(target.read_text())["task"] == "ip"
    assert [path.name for path in tmp_path.glob(".r.json*")] == []


def test_reading_and_choosing_need_no_scipy():
    """Web processes use the formats and must stay light."""
    program = (
        "import sys, evaluator.formats, evaluator.selection, evaluator.consensus, evaluator.validate;"
        "sys.exit('scipy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_it_runs_as_a_module_without_the_platform_being_imported(demo_set, jsonl):
    program = (
        "import sys; from evaluator.cli import main; status = main(sys.argv[1:]);"
        "loaded = {name.split('.')[0] for name in sys.modules};"
        "heavy = {'django', 'celery', 'rest_framework', 'pandas'} & loaded;"
        "sys.exit(f'imported {heavy}' if heavy else status)"
    )
    arguments = ["ip", str(demo_set), "--joint", str(jsonl(full("66324", 15, 75, 25)))]
    clean = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False
    )
    assert (clean.returncode, clean.stderr) == (0, "")
    module = subprocess.run(
        [sys.executable, "-m", "evaluator", *arguments], capture_output=True, text=True, check=False
    )
    assert module.stdout == clean.stdout
