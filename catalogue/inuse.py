"""Which clips already carry answers: asked here, answered by the layers above.

The catalogue knows no studies, yet must not change what people have judged. Whoever stores answers
registers a function; the import asks them all.
"""

from collections.abc import Callable, Collection

AnsweredClips = Callable[[Collection[str]], set[str]]

_askers: list[AnsweredClips] = []


def register(answered: AnsweredClips) -> None:
    """Add a function that returns, of the clip ids given, those with answers."""
    if answered not in _askers:
        _askers.append(answered)


def clips_with_answers(clip_ids: Collection[str]) -> set[str]:
    """Of the clip ids given, those whose moments or media somebody has judged."""
    return set().union(*(ask(clip_ids) for ask in _askers)) if clip_ids else set()
