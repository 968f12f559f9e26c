"""The published wheel: the evaluator alone, running where neither Django nor Celery can be imported."""

import email
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Runs the evaluator as a module while every package of the platform is out of reach.
PROGRAM = """
import runpy, sys
for name in ("django", "celery", "rest_framework", "redis", "psycopg", "pandas", "plotly"):
    sys.modules[name] = None  # importing it fails as if it were not installed
import evaluator
print(evaluator.__file__, file=sys.stderr)
sys.argv[0] = "touchstone-eval"
runpy.run_module("evaluator", run_name="__main__")
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    target = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(target), str(ROOT)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    (path,) = target.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def unpacked(wheel, tmp_path_factory):
    folder = tmp_path_factory.mktemp("unpacked")
    zipfile.ZipFile(wheel).extractall(folder)
    return folder


@pytest.fixture
def installed(unpacked, tmp_path):
    """Runs touchstone-eval from the unpacked wheel, far from the repository."""

    def run(*arguments):
        command = [sys.executable, "-c", PROGRAM, *(str(argument) for argument in arguments)]
        env = {**os.environ, "PYTHONPATH": str(unpacked), "PYTHONSAFEPATH": "1"}
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
        assert str(unpacked) in done.stderr
        return done

    return run


def test_it_holds_the_evaluator_and_nothing_else(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"evaluator"}
    assert wheel.name.startswith("touchstone_eval-")


def test_its_metadata_ask_for_little_and_give_the_command(unpacked):
    (info,) = unpacked.glob("*.dist-info")
    metadata = email.message_from_string((info / "METADATA").read_text(encoding="utf-8"))
    needed = [line for line in metadata.get_all("Requires-Dist") if "extra ==" not in line]
    assert sorted(line.partition(">")[0] for line in needed) == ["numpy", "scipy"]
    assert metadata.get_all("Provides-Extra") == ["html"]
    assert "touchstone-eval = evaluator.cli:main" in (info / "entry_points.txt").read_text()


def test_it_explains_itself(installed):
    done = installed("--help")
    assert done.returncode == 0, done.stderr
    assert "touchstone-eval ip demo-1.zip" in done.stdout


def test_it_scores_a_set_and_ratings_as_the_repository_does(installed, evaluate, demo_set, jsonl, tmp_path):
    joint = jsonl({"item_id": "70001", "output": '{"m0": 10, "m1": 90}'}, name="joint.jsonl")
    single = jsonl(
        {"item_id": "70001", "moment_id": "70001_c00", "output": "80"},
        {"item_id": "70001", "moment_id": "70001_c01", "output": "20"},
        name="single.jsonl",
    )
    for arguments in (
        ("ip", demo_set, "--joint", joint, "--independent", single, "--resamples", "200"),
        ("agreement", demo_set / "ratings.jsonl", "--resamples", "200"),
        ("validate", demo_set),
    ):
        target = tmp_path / "wheel.json"
        done = installed(*arguments, "--json", target)
        assert done.returncode == 0, done.stderr
        status, out, _, _ = evaluate(*arguments)
        assert (status, out) == (0, done.stdout)
        assert target.read_bytes() == (tmp_path / "report.json").read_bytes()


def test_it_says_how_to_get_pages(installed, demo_set, jsonl, tmp_path):
    done = installed("ip", demo_set, "--joint", jsonl(), "--html", tmp_path / "p.html")
    assert done.returncode == 2
    assert "touchstone-eval[html]" in done.stderr
