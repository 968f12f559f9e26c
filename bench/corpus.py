"""A corpus of the paper's size (000 §B.2): 1,999 clips, 3,257 moments, 8 raters, 14,894 ratings."""

import random

CLIPS, MOMENTS, RATERS, RATINGS = 1_999, 3_257, 8, 14_894


def clips() -> dict[str, list[str]]:
    """Moment ids by clip id: one or two a clip, then more for the first ones until there are enough."""
    made = {f"c{number:05d}": [f"c{number:05d}_m0"] for number in range(CLIPS)}
    names = list(made)
    for extra in range(MOMENTS - CLIPS):
        clip = names[extra % CLIPS]
        made[clip].append(f"{clip}_m{len(made[clip])}")
    return made


def ratings(seed: int = 0) -> list[tuple[str, str, int]]:
    """(moment, rater, score): at least three each, scores around a strength of the moment's own."""
    rng = random.Random(seed)  # noqa: S311 - made up, and the same every time
    moments = [moment for keys in clips().values() for moment in keys]
    counts = [3] * MOMENTS
    for _ in range(RATINGS - 3 * MOMENTS):
        while True:
            chosen = rng.randrange(MOMENTS)
            if counts[chosen] < RATERS:
                counts[chosen] += 1
                break
    lines = []
    for moment, count in zip(moments, counts, strict=True):
        strength = rng.choices(range(4), weights=[7, 31, 48, 14])[0]
        for rater in rng.sample(range(RATERS), count):
            score = min(3, max(0, strength + rng.choices([-1, 0, 1], weights=[2, 6, 2])[0]))
            lines.append((moment, f"r{rater}", score))
    return lines
