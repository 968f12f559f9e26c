"""Finding people's names inside ids, which are published as imported."""

import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator

SHORTEST = 3
"""Names of fewer letters and digits would be found everywhere by chance."""


def ids_with_names(ids: Iterable[str], names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each id that contains a name, with the longest such name, in the order of the ids.

    Case, accents' encoding, spaces and punctuation do not count: "jane_doe-07" contains "Jane Doe". All
    ids are searched as one text, so that hundreds of names over 100,000 ids take a second, not minutes.
    """
    listed = list(ids)
    squeezed = [_squeezed(own_id) for own_id in listed]
    starts = [0]
    for text in squeezed:
        starts.append(starts[-1] + len(text) + 1)
    everything = "\n".join(squeezed)
    found: dict[int, str] = {}
    for name in sorted(names, key=lambda name: (len(_squeezed(name)), name)):
        needle = _squeezed(name)
        at = everything.find(needle) if len(needle) >= SHORTEST else -1
        while at >= 0:
            index = bisect_right(starts, at) - 1
            found[index] = name
            at = everything.find(needle, starts[index + 1])
    for index in sorted(found):
        yield listed[index], found[index]


def _squeezed(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())
