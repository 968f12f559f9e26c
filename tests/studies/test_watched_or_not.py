"""Was it watched? The arithmetic of played stretches, held against counting milliseconds one by one."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studies.kinds import Window
from studies.playback import length_ms, merged, merged_by_role, missing, wait_ms

OPENED = datetime(2026, 1, 1, tzinfo=UTC)
CLIP = 12_000


def window(start, end, role="reaction"):
    return Window(role, start, end)


def played(*stretches):
    return {"reaction": list(stretches)}


def gap(window_, *stretches):
    return missing(window_, played(*stretches))


# --- one window -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "window_",
    [window(0, 6000), window(6000, CLIP), window(0, CLIP), window(3000, 3400)],
    ids=["from 0.0", "to the clip's end", "the whole clip", "very short"],
)
def test_a_window_that_was_played_whole_is_watched_wherever_it_lies(window_):
    assert gap(window_, (window_.start_ms, window_.end_ms)) == []
    assert gap(window_, (0, CLIP)) == []


def test_nothing_played_means_that_all_of_it_is_missing():
    assert gap(window(0, 6000)) == [(100, 5900)]
    assert missing(window(0, 6000), {"stimulus": [(0, 6000)]}) == [(100, 5900)]


def test_a_player_that_starts_or_stops_a_frame_beside_the_edge_has_shown_it():
    assert gap(window(1000, 3000), (1100, 2900)) == []
    assert gap(window(0, 6000), (80, 5920)) == []


def test_ninety_five_per_cent_is_enough_and_less_is_not():
    # 300 of 6,000 ms may be lost, besides the 100 ms at either edge.
    assert gap(window(0, 6000), (0, 3000), (3300, 6000)) == []
    assert gap(window(0, 6000), (0, 3000), (3301, 6000)) == [(3000, 3301)]
    assert gap(window(0, 6000), (0, 5600)) == []
    assert gap(window(0, 6000), (0, 5599)) == [(5599, 5900)]


def test_small_losses_add_up():
    holes = [(0, 1000), (1151, 3000), (3151, 6000)]
    assert gap(window(0, 6000), *holes) == [(1000, 1151), (3000, 3151)]
    assert gap(window(0, 6000), (0, 1000), (1150, 3000), (3150, 6000)) == []


def test_the_same_second_played_twice_covers_nothing_else():
    assert gap(window(0, 2000), (0, 1000), (0, 1000), (200, 900)) == [(1000, 1900)]


def test_a_window_may_be_watched_in_pieces_and_in_any_order():
    assert gap(window(0, 3000), (2000, 3000), (0, 1200), (1100, 2100)) == []


# --- the union ----------------------------------------------------------------------------------------


def test_overlapping_windows_are_counted_once():
    assert length_ms([window(1000, 3000), window(2000, 4000), window(6000, 7000)]) == 4000


def test_media_that_play_at_once_cost_the_time_of_the_longer():
    assert length_ms([window(0, 4000), window(0, 3000, "stimulus")]) == 4000


def test_no_window_has_no_length():
    assert length_ms([]) == 0


# --- the server's clock -------------------------------------------------------------------------------


def test_the_server_waits_for_the_length_of_all_answered_windows_less_half_a_second():
    windows = [window(1000, 3000), window(2000, 4000)]
    for since, expected in [(0, 2500), (1000, 1500), (2499, 1), (2500, 0), (99_000, 0)]:
        assert wait_ms(windows, OPENED, OPENED + timedelta(milliseconds=since)) == expected


def test_a_clock_that_went_backwards_asks_for_patience_and_never_for_a_crash():
    assert wait_ms([window(0, 2000)], OPENED, OPENED - timedelta(seconds=1)) == 2500


# --- against the naive computation --------------------------------------------------------------------

stretches = st.lists(
    st.tuples(st.integers(0, 900), st.integers(0, 900)).map(lambda pair: (min(pair), max(pair))), max_size=12
)
windows = st.tuples(st.integers(0, 800), st.integers(1, 400)).map(lambda w: window(w[0], w[0] + w[1]))


def milliseconds(of):
    return {ms for a, b in of for ms in range(a, b)}


@given(stretches)
def test_merging_keeps_exactly_the_milliseconds_and_leaves_no_overlap(given_stretches):
    union = merged(given_stretches)
    assert milliseconds(union) == milliseconds(given_stretches)
    assert all(a < b for a, b in union)
    assert all(before[1] < after[0] for before, after in pairwise(union))
    assert merged(union) == union


@given(stretches, stretches)
def test_claims_of_several_devices_are_one_union_in_any_order(one, other):
    both = merged_by_role(played(*one), played(*other))
    assert both == merged_by_role(played(*other), played(*one))
    assert milliseconds(both["reaction"]) == milliseconds(one) | milliseconds(other)


@given(windows, stretches)
def test_a_window_is_watched_when_counting_its_milliseconds_says_so(asked, claim):
    edge = min(100, (asked.end_ms - asked.start_ms) // 4)
    needed = set(range(asked.start_ms + edge, asked.end_ms - edge))
    lost = needed - milliseconds(claim)
    gaps = gap(asked, *claim)
    if 20 * len(lost) > asked.end_ms - asked.start_ms:  # more than 5 %
        assert milliseconds(gaps) == lost
    else:
        assert gaps == []


@given(windows, stretches, stretches)
def test_playing_more_never_makes_a_watched_window_unwatched(asked, claim, more):
    assert milliseconds(gap(asked, *claim, *more)) <= milliseconds(gap(asked, *claim)) or not gap(
        asked, *claim, *more
    )


@given(st.lists(windows, max_size=6), st.integers(0, 3000))
def test_the_wait_is_what_is_left_of_the_union(asked, since):
    now = OPENED + timedelta(milliseconds=since)
    union = len(milliseconds((w.start_ms, w.end_ms) for w in asked))
    assert length_ms(asked) == union
    assert wait_ms(asked, OPENED, now) == max(0, union - 500 - since)


@given(st.lists(windows, min_size=1, max_size=6))
def test_a_further_answer_never_shortens_the_wait(asked):
    waits = [wait_ms(asked[:n], OPENED, OPENED) for n in range(len(asked) + 1)]
    assert waits == sorted(waits)
