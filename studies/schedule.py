"""When an attention check or a repeat comes up among somebody's work: seeded, so always the same for them.

Counted in units of the study that the person has done. Nothing here touches the database.
"""

import hashlib


def drawn(seed: str, below: int) -> int:
    """A number from 0 up to, not including, `below`, decided by the seed alone."""
    return int.from_bytes(hashlib.sha256(seed.encode()).digest()[:8], "big") % below


def checks_due(seed: str, every: int, done: int) -> int:
    """How many checks should have come when `done` units are done: one inside each block of `every`.

    The place inside a block is drawn; never before its first unit, and after its last one only when the
    block is a single unit. `every` 0 means no checks.
    """
    if not every:
        return 0
    blocks = done // every + 1
    return sum(
        block * every + 1 + drawn(f"{seed}:check:{block}", max(1, every - 1)) <= done
        for block in range(blocks)
    )


def repeats_due(seed: str, repeats: int, gap: int, done: int) -> int:
    """How many repeats should have come when `done` units are done: spread out, the first after `gap` units.

    The n-th has its place drawn among the `gap` units that follow n times `gap`.
    """
    step = max(1, gap)
    places = (gap * (n + 1) + 1 + drawn(f"{seed}:repeat:{n}", step) for n in range(repeats))
    return sum(place <= done for place in places)
