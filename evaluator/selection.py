"""Choosing the clips of an intensity set (000 section B.4): who is eligible, and the draw among them.

Nothing here depends on the order of the input or on floating point: ranges, quotas and places are exact, and
the seeded starts come from SHA-256, so the same clips and the same seed give the same choice anywhere.

What the paper leaves open is decided so:

- Quotas follow the categories' eligible clips by largest remainder, equal remainders in code-point order of
  the category. No category gets more than it has.
- Categories draw in code-point order. A category of ``n`` clips in the order (creator, clip) with ``q``
  places takes the clips at ``floor((u + k) * n / q)`` for k = 0 … q-1, where ``u`` in [0, 1) comes from the
  seed, the round and the category.
- A place whose clip is taken, or whose creator already holds the cap, goes to the next clip in the order that
  is free, going round from the end to the beginning. When there is none, the place stays empty.
- Empty places are dealt out again in further rounds, by largest remainder over the clips each category could
  still give, and drawn among those clips in the same way, until none are empty or no clip is free. The set is
  therefore as large as size and cap allow.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from evaluator.consensus import exact_mean

_START_BITS = 64


@dataclass(frozen=True, slots=True)
class Candidate:
    """A rated clip that may be chosen: stable ids, and each moment's integer scores."""

    clip_id: str
    creator: str
    category: str
    moments: Mapping[str, Sequence[int]]


@dataclass(frozen=True, slots=True)
class SelectionRules:
    """The parameters of the choice. ``min_range`` is the least difference of consensus within a clip."""

    size: int = 250
    seed: int = 0
    cap: int = 50
    min_ratings: int = 3
    min_moments: int = 2
    min_range: Fraction = Fraction(1, 4)

    def __post_init__(self) -> None:
        """Refuse parameters under which no set makes sense."""
        for name in ("size", "cap", "min_ratings", "min_moments"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; expected at least 1")
        if self.min_range < 0:
            raise ValueError(f"min_range is {self.min_range}; expected at least 0")


@dataclass(frozen=True, slots=True)
class RuleReport:
    """What one rule did: its name, how many clips, moments or places it touched, and that as a sentence."""

    rule: str
    count: int
    sentence: str


@dataclass(frozen=True, slots=True)
class Selection:
    """The chosen clips in code-point order, the moments kept of each (by id), and each rule's report."""

    clip_ids: tuple[str, ...]
    moments: Mapping[str, tuple[str, ...]]
    report: tuple[RuleReport, ...]


def ip_select(candidates: Iterable[Candidate], rules: SelectionRules) -> Selection:
    """Choose the clips of an intensity set. Raises ``ValueError`` when a clip id stands twice."""
    clips = sorted(candidates, key=lambda clip: clip.clip_id)
    twice = [clip_id for clip_id, times in Counter(clip.clip_id for clip in clips).items() if times > 1]
    if twice:
        raise ValueError(f"clip ids given twice: {', '.join(twice)}")
    report: list[RuleReport] = []
    eligible, moments = _eligible(clips, rules, report)
    draw = _Draw(eligible, rules)
    draw.run()
    report += draw.report()
    chosen = tuple(sorted(draw.taken))
    return Selection(chosen, {clip_id: moments[clip_id] for clip_id in chosen}, tuple(report))


def _eligible(
    clips: Sequence[Candidate], rules: SelectionRules, report: list[RuleReport]
) -> tuple[list[Candidate], dict[str, tuple[str, ...]]]:
    kept: list[Candidate] = []
    moments: dict[str, tuple[str, ...]] = {}
    thin_moments = few = flat = 0
    for clip in clips:
        rated = {name: scores for name, scores in clip.moments.items() if len(scores) >= rules.min_ratings}
        thin_moments += len(clip.moments) - len(rated)
        means = [exact_mean(scores) for scores in rated.values()]
        if len(means) < rules.min_moments:
            few += 1
        elif max(means) - min(means) < rules.min_range:
            flat += 1
        else:
            kept.append(clip)
            moments[clip.clip_id] = tuple(sorted(rated))
    least = f"{float(rules.min_range):g}"
    report += [
        _removed("min_ratings", thin_moments, "moment", f"fewer than {_count(rules.min_ratings, 'rating')}"),
        _removed("min_moments", few, "clip", f"fewer than {_count(rules.min_moments, 'moment')} left"),
        _removed("min_range", flat, "clip", f"consensus range below {least}"),
        RuleReport("eligible", len(kept), f"{_count(len(kept), 'clip')} of {len(clips)} eligible."),
    ]
    return kept, moments


class _Draw:
    """The rounds of the draw, and what happened in them."""

    def __init__(self, eligible: Sequence[Candidate], rules: SelectionRules) -> None:
        self.rules = rules
        self.pools: dict[str, list[Candidate]] = defaultdict(list)
        for clip in sorted(eligible, key=lambda clip: (clip.category, clip.creator, clip.clip_id)):
            self.pools[clip.category].append(clip)
        self.taken: set[str] = set()
        self.held: Counter[str] = Counter()
        self.first_quota: dict[str, int] = {}
        self.capped_draws = 0
        self.redealt = 0

    def run(self) -> None:
        """Deal and draw until every place is filled or no clip is free."""
        round_number = 0
        while (empty := self.rules.size - len(self.taken)) > 0:
            free = {category: self._free(pool) for category, pool in self.pools.items()}
            quotas = largest_remainder(empty, {category: len(pool) for category, pool in free.items()})
            if not any(quotas.values()):
                break
            if round_number == 0:
                self.first_quota = quotas
            else:
                self.redealt += sum(quotas.values())
            for category, quota in quotas.items():
                self._draw_category(category, free[category], quota, round_number)
            round_number += 1

    def _is_free(self, clip: Candidate) -> bool:
        return clip.clip_id not in self.taken and self.held[clip.creator] < self.rules.cap

    def _free(self, pool: Sequence[Candidate]) -> list[Candidate]:
        return [clip for clip in pool if self._is_free(clip)]

    def _draw_category(self, category: str, pool: Sequence[Candidate], quota: int, round_number: int) -> None:
        for place in systematic_places(len(pool), quota, f"{self.rules.seed}|{round_number}|{category}"):
            drawn = pool[place]
            if drawn.clip_id not in self.taken and self.held[drawn.creator] >= self.rules.cap:
                self.capped_draws += 1
            clip = next((c for c in (*pool[place:], *pool[:place]) if self._is_free(c)), None)
            if clip is None:
                return
            self.taken.add(clip.clip_id)
            self.held[clip.creator] += 1

    def report(self) -> list[RuleReport]:
        """One entry for the cap, the dealing again, each category and the outcome."""
        cap, size = self.rules.cap, self.rules.size
        eligible = sum(len(pool) for pool in self.pools.values())
        lines = [
            RuleReport(
                "cap",
                self.capped_draws,
                f"{_count(self.capped_draws, 'place')} passed to the next clip: creator already at the cap "
                f"of {_count(cap, 'clip')}.",
            ),
            RuleReport(
                "redistribution",
                self.redealt,
                f"{_count(self.redealt, 'place')} left empty by a category and dealt out again.",
            ),
        ]
        for category, pool in self.pools.items():
            chosen = sum(clip.clip_id in self.taken for clip in pool)
            lines.append(
                RuleReport(
                    f"category:{category}",
                    chosen,
                    f"{category}: {chosen} chosen of {len(pool)} eligible, quota "
                    f"{self.first_quota.get(category, 0)}.",
                )
            )
        left_out = eligible - len(self.taken)
        lines.append(RuleReport("not_drawn", left_out, f"{_count(left_out, 'eligible clip')} not chosen."))
        lines.append(
            RuleReport(
                "chosen", len(self.taken), f"{_count(len(self.taken), 'clip')} chosen, {size} asked for."
            )
        )
        return lines


def largest_remainder(places: int, weights: Mapping[str, int]) -> dict[str, int]:
    """Divide places in proportion to integer weights, nobody getting more than its weight.

    Whole shares first, the rest one each by falling remainder, equal remainders in code-point order of the
    name. The keys come back in code-point order; the values sum to ``min(places, sum of weights)``.
    """
    total = sum(weights.values())
    places = min(places, total)
    if places == 0:
        return dict.fromkeys(sorted(weights), 0)
    shares = {name: divmod(places * weights[name], total) for name in sorted(weights)}
    quotas = {name: whole for name, (whole, _) in shares.items()}
    by_remainder = sorted(shares, key=lambda name: -shares[name][1])
    for name in by_remainder[: places - sum(quotas.values())]:
        quotas[name] += 1
    return quotas


def systematic_places(n: int, quota: int, key: str) -> list[int]:
    """The indices of a systematic sample of ``quota`` out of ``n``.

    ``key`` fixes the start in [0, n/quota). With ``quota <= n`` the indices are distinct.
    """
    digest = hashlib.sha256(key.encode("utf-8")).digest()
    start = int.from_bytes(digest[: _START_BITS // 8], "big")
    return [(start + (k << _START_BITS)) * n // (quota << _START_BITS) for k in range(quota)]


def _removed(rule: str, count: int, what: str, why: str) -> RuleReport:
    return RuleReport(rule, count, f"{_count(count, what)} dropped: {why}.")


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
