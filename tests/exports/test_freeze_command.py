"""`manage.py freeze`: what it prints, where the zip goes, and how it refuses."""

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from evaluator.formats import Findings
from evaluator.validate import ip_set_read
from exports.models import GoldSetVersion
from tests.exports.conftest import World


def run(*words: str, capsys) -> str:
    """What the command prints."""
    call_command("freeze", *words)
    return capsys.readouterr().out


def test_it_prints_the_rules_the_version_the_hash_and_the_place(world: World, releases: Path, capsys):
    out = run("ip", "laughs", "--name", "demo", "--size", "3", "--cap", "2", capsys=capsys)
    frozen = GoldSetVersion.objects.get()
    assert (frozen.parameters["size"], frozen.parameters["cap"], frozen.seed) == (3, 2, 0)
    for line in (
        "1 clip dropped: consensus range below 0.25.",
        "demo v1 (ip, line main)",
        f"content_sha256 {frozen.content_sha256}",
        f"bundle {releases / 'ip' / 'demo-v1.zip'}",
    ):
        assert line in out.splitlines()


def test_it_takes_seed_line_and_pilot_waves(world: World, capsys):
    words = ("ip", "laughs", "--name", "demo", "--seed", "9", "--line", "paper", "--include-pilot")
    run(*words, capsys=capsys)
    frozen = GoldSetVersion.objects.get()
    assert (frozen.seed, frozen.line, frozen.parameters["include_pilot"]) == (9, "paper", True)


def test_out_writes_a_copy_that_the_evaluator_accepts(world: World, tmp_path: Path, capsys):
    out = run("ip", "laughs", "--name", "demo", "--out", str(tmp_path), capsys=capsys)
    copy = tmp_path / "demo-v1.zip"
    assert f"bundle {copy}" in out.splitlines()
    findings = Findings(strict=True)
    assert ip_set_read(copy, findings) is not None, findings.problems


def test_a_second_run_says_that_nothing_has_changed(world: World, capsys):
    run("ip", "laughs", "--name", "demo", capsys=capsys)
    assert "Nothing has changed since demo v1." in run("ip", "laughs", "--name", "demo", capsys=capsys)
    assert GoldSetVersion.objects.count() == 1


def test_a_set_without_a_name_is_called_after_its_first_study(world: World, capsys):
    assert "laughs v1 (ip, line main)" in run("ip", "laughs", capsys=capsys)


def test_a_mistyped_study_is_answered_with_near_ones(world: World):
    with pytest.raises(CommandError) as refused:
        call_command("freeze", "ip", "lauhgs", "--name", "demo")
    assert str(refused.value) == 'No study is called "lauhgs". Did you mean laughs?'
    assert refused.value.returncode == 1


def test_an_output_folder_that_is_not_there_is_refused_before_freezing(world: World, tmp_path: Path):
    with pytest.raises(CommandError, match="expected a folder"):
        call_command("freeze", "ip", "laughs", "--name", "demo", "--out", str(tmp_path / "nowhere"))
    assert not GoldSetVersion.objects.exists()
