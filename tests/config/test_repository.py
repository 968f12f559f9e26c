"""What is in the repository holds for everybody, not for one machine."""

import re
import subprocess

import pytest

from tests.services.platform import ROOT


def tracked():
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True)
    return [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


@pytest.mark.parametrize("lock", ["requirements/platform.txt", "requirements/dev.txt"])
def test_a_lock_pins_every_package_with_hashes_and_names_no_address(lock):
    text = (ROOT / lock).read_text()
    packages = re.findall(r"^[a-z0-9].*?(?=^[a-z0-9]|\Z)", text, re.MULTILINE | re.DOTALL)
    assert len(packages) > 30
    for package in packages:
        assert re.match(r"[a-z0-9._-]+(\[[a-z,]+\])?==", package)
        assert "--hash=sha256:" in package
    assert not re.search(r"://|--(extra-)?index-url|--find-links|^-[if] ", text, re.MULTILINE)


def test_the_developers_lock_holds_the_platforms_in_the_same_versions():
    def pins(lock):
        text = (ROOT / lock).read_text()
        return set(re.findall(r"^[a-z0-9][^\s;]*", text, re.MULTILINE))

    assert pins("requirements/platform.txt") <= pins("requirements/dev.txt")


def test_no_file_names_a_place_on_somebodys_machine():
    own = re.compile(rb"/(?:home|Users)/[a-z]|/root/|/opt/(?:pypi|wheels)|[A-Z]:\\\\Users")
    named = [name for name in tracked() if own.search((ROOT / name).read_bytes())]
    assert [name for name in named if name != "tests/config/test_repository.py"] == []
