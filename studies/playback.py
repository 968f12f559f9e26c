"""Was it watched? Arithmetic on watched stretches, and the server's own bound on the claim.

A page claims which stretches it played, visible, audible and at normal speed. The claim can be forged;
the server's clock cannot: nobody can have watched more media than the time since the unit was opened.
Stretches are [start, end] in whole milliseconds of media time.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from studies.kinds import Window

Stretch = tuple[int, int]
Played = Mapping[str, Sequence[Sequence[int]]]

COVERAGE = 0.95  # share of a window that must have been played
EDGE_MS = 100  # slack at either edge: players seldom stop on the exact frame
CLOCK_SLACK_MS = 500  # what the server's bound forgives


def merged(stretches: Iterable[Sequence[int]]) -> list[Stretch]:
    """The union as disjoint stretches in order of time."""
    union: list[Stretch] = []
    for start, end in sorted((s[0], s[1]) for s in stretches if s[1] > s[0]):
        if union and start <= union[-1][1]:
            union[-1] = (union[-1][0], max(union[-1][1], end))
        else:
            union.append((start, end))
    return union


def merged_by_role(*claims: Played) -> dict[str, list[Stretch]]:
    """Several claims as one, role by role."""
    roles = sorted({role for claim in claims for role in claim})
    return {role: merged(s for claim in claims for s in claim.get(role, ())) for role in roles}


def length_ms(windows: Iterable[Window]) -> int:
    """Length of the union of windows. Roles play at once, so the longest role counts."""
    by_role: dict[str, list[Stretch]] = {}
    for window in windows:
        by_role.setdefault(window.role, []).append((window.start_ms, window.end_ms))
    return max((sum(b - a for a, b in merged(s)) for s in by_role.values()), default=0)


def missing(window: Window, played: Played) -> list[Stretch]:
    """What of a window is still to be played; empty when enough of it has been.

    A window with start 0 or with its end at the clip's end completes like any other.
    """
    start, end = window.start_ms, window.end_ms
    edge = min(EDGE_MS, (end - start) // 4)
    gaps: list[Stretch] = []
    at = start + edge
    for a, b in merged(played.get(window.role, ())):
        if a > at:
            gaps.append((at, min(a, end - edge)))
        at = max(at, b)
        if at >= end - edge:
            break
    if at < end - edge:
        gaps.append((at, end - edge))
    gaps = [(a, b) for a, b in gaps if b > a]
    lost = sum(b - a for a, b in gaps)
    return gaps if lost > (1 - COVERAGE) * (end - start) else []


def wait_ms(windows: Iterable[Window], opened_at: datetime, now: datetime) -> int:
    """How long the server would still have to wait before it can believe that all windows were watched.

    Compares the time since the unit was first opened with the union of all windows answered in it, less
    half a second. Reloads, stalls and other devices never reset that time.
    """
    since_opened = int((now - opened_at).total_seconds() * 1000)
    return max(0, length_ms(windows) - CLOCK_SLACK_MS - since_opened)
