"""The labels of a release line: R1, P1, C1, S1 in place of people, creators, channels and recordings.

A label is fixed by the first set of its line that needs it and holds for all later ones. Numbers follow the
order of HMAC-SHA256(line key, stable id) among the ids that are new, so they tell nothing about names, and
nobody without the secret key can link the labels of two lines.
"""

import hashlib
import hmac
from collections.abc import Iterable, Mapping
from functools import partial

from django.conf import settings

from exports.models import ReleaseLabel, ReleaseLine
from studies.kinds import Labels

_DOMAIN = "touchstone/release-line/1:"
RATER, CREATOR, CHANNEL, SOURCE_GROUP = "R", "P", "C", "S"


class LineMoved(Exception):
    """Another freeze fixed labels of the line since this plan was begun; plan again."""


def line_key(line: str) -> bytes:
    """The secret key of a release line, derived from the installation's `LABEL_KEY`."""
    return hmac.digest(settings.LABEL_KEY.encode(), f"{_DOMAIN}{line}".encode(), hashlib.sha256)


class LabelPlan:
    """The labels that a set of the line will carry. Asking writes nothing; `fix` makes them lasting.

    Between the two lies the long part of a freeze, which must not hold up the saving of answers.
    """

    def __init__(self, line: str) -> None:
        self.line = line
        self._key = line_key(line)
        self._held: dict[str, dict[str, int]] = {}
        self._new: dict[str, dict[str, int]] = {}

    def labels(self) -> Labels:
        """The plan as a study kind asks it."""
        return Labels(
            raters=partial(self.label, RATER),
            creators=partial(self.label, CREATOR),
            channels=partial(self.label, CHANNEL),
            source_groups=partial(self.label, SOURCE_GROUP),
        )

    def label(self, letter: str, stable_ids: Iterable[str]) -> Mapping[str, str]:
        """The label of every id: those fixed already, and new numbers after them for the others."""
        held = self._held_of(letter)
        new = self._new.setdefault(letter, {})
        wanted = set(stable_ids)
        unknown = sorted(wanted - held.keys() - new.keys(), key=self._place)
        last = max([*held.values(), *new.values()], default=0)
        for number, stable_id in enumerate(unknown, start=last + 1):
            new[stable_id] = number
        return {stable_id: f"{letter}{held.get(stable_id) or new[stable_id]}" for stable_id in wanted}

    def fix(self) -> None:
        """Write the new labels in the caller's transaction. `LineMoved` when another freeze was first."""
        ReleaseLine.objects.get_or_create(name=self.line)
        # Two freezes of one line queue here; the second sees what the first has fixed.
        ReleaseLine.objects.select_for_update().get(name=self.line)
        for letter, held in self._held.items():
            if ReleaseLabel.objects.filter(line=self.line, type=letter).count() != len(held):
                raise LineMoved(self.line)
        ReleaseLabel.objects.bulk_create(
            [
                ReleaseLabel(line=self.line, type=letter, stable_id=stable_id, number=number)
                for letter, new in self._new.items()
                for stable_id, number in new.items()
            ],
            batch_size=500,
        )

    def _held_of(self, letter: str) -> dict[str, int]:
        if letter not in self._held:
            rows = ReleaseLabel.objects.filter(line=self.line, type=letter)
            self._held[letter] = dict(rows.values_list("stable_id", "number"))
        return self._held[letter]

    def _place(self, stable_id: str) -> bytes:
        return hmac.digest(self._key, stable_id.encode(), hashlib.sha256)
