"""What the contract suite needs of the intensity kind: a catalogue with a canary in every private field."""

from collections.abc import Mapping
from typing import Any

from tests.studies.canaries import Canaries, planted_clip

KIND = "intensity"
FREEZE: Mapping[str, Any] = {}


def build(plant: Canaries) -> None:
    """Four clips of three moments each."""
    for clip in "abcd":
        windows = [(0, 2000), (4000, 6500), (10_000, 12_000)]
        planted_clip(plant, {f"{clip}{n}": window for n, window in enumerate(windows)})
