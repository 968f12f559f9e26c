"""Settings come from the environment, are documented, and a wrong one is named."""

import os
import re
import subprocess
import sys

import pytest

from config import env
from tests.services.platform import ROOT

ROW = re.compile(r"^\| `(?P<name>[A-Z_]+)` \| (?:`(?P<default>.*?)`)? *\| (?P<meaning>.+?) \|$", re.MULTILINE)


def test_the_table_of_the_readme_lists_every_setting_with_its_default_and_meaning():
    rows = [match.groups(default="") for match in ROW.finditer((ROOT / "README.md").read_text())]
    assert rows == [(d.name, d.default, d.meaning.replace("|", "\\|")) for d in env.DECLARED.values()]


@pytest.mark.parametrize(
    ("name", "found", "expected"),
    [
        ("DEBUG", "maybe", "1 or 0"),
        ("DATABASE_POOL", "0", "a whole number of at least 1"),
        ("DATABASE_POOL", "many", "a whole number of at least 1"),
        ("MEDIA_ADDRESS_SECONDS", "2.5", "a whole number of at least 1"),
    ],
)
def test_a_setting_that_makes_no_sense_stops_the_start_with_what_was_found_and_expected(
    name, found, expected
):
    run = subprocess.run(
        [sys.executable, "-c", "import config.settings"],
        cwd=ROOT,
        env=os.environ | {name: found},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 1
    assert run.stderr.splitlines()[-1].endswith(f"{name}: found {found!r}, expected {expected}")


@pytest.mark.parametrize(
    ("written", "meant"),
    [("1", True), ("TRUE", True), ("on", True), ("no", False), ("", False), (" 0 ", False)],
)
def test_a_switch_may_be_written_in_the_usual_words(monkeypatch, written, meant):
    monkeypatch.setattr(env, "DECLARED", {})
    monkeypatch.setenv("A_SWITCH", written)
    assert env.boolean("A_SWITCH", not meant, "") is meant


def test_a_list_is_separated_by_commas_and_empty_entries_are_dropped(monkeypatch):
    monkeypatch.setattr(env, "DECLARED", {})
    monkeypatch.setenv("A_LIST", "one, two,,")
    assert env.words("A_LIST", "", "") == ["one", "two"]
