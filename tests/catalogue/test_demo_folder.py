"""The demo: self-made clips whose truth is known, and a folder made from one's own pairs."""

import json
import re
import shutil
import unicodedata
from itertools import combinations, pairwise

import av
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalogue.demo import PairsUnusable, folder_from_pairs, write_demo_folder
from catalogue.demo.pairs import evenly_spaced
from catalogue.demo.plan import CREATORS, plan_demo
from catalogue.probe import probe
from tests.catalogue.filming import film


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo") / "import"
    ticks = []
    truth = write_demo_folder(
        folder, clips=2, seed=4, progress=lambda done, total: ticks.append((done, total))
    )
    assert ticks == [(1, 2), (2, 2)]
    return folder, truth


@pytest.fixture(scope="module")
def watched(demo):
    """Per moment: how much the picture moved and how loud it was, seen by decoding the reaction files."""
    folder, _truth = demo
    seen = {}
    for clip in lines(folder / "clips.jsonl"):
        with av.open(str(folder / clip["reaction"])) as source:
            frames = [f.to_ndarray(format="gray").astype(float) for f in source.decode(video=0)]
        with av.open(str(folder / clip["reaction"])) as source:
            sound = np.concatenate([f.to_ndarray()[0] for f in source.decode(audio=0)])
        for moment in lines(folder / "moments.jsonl"):
            if moment["clip_id"] != clip["clip_id"]:
                continue
            first, last = round(moment["start_s"] * 25), round(moment["end_s"] * 25) - 1
            away = max(np.abs(frame - frames[first]).mean() for frame in frames[first : last + 1])
            part = sound[round(moment["start_s"] * 48_000) : round(moment["end_s"] * 48_000)]
            seen[moment["moment_id"]] = (away, float(np.sqrt((part**2).mean())))
    return seen


def test_every_file_is_playable_as_it_is_and_both_of_a_pair_are_exactly_as_long_as_said(demo):
    folder, _truth = demo
    for clip in lines(folder / "clips.jsonl"):
        for kind in ("reaction", "stimulus"):
            facts = probe(folder / clip[kind])
            assert facts.needs_normalising is None
            assert facts.duration_ms == facts.video_ms == round(clip["duration_s"] * 1000)
            assert (facts.width, facts.height, facts.has_audio) == (640, 360, True)
            assert facts.bytes < 600_000
            content = (folder / clip[kind]).read_bytes()
            assert content.index(b"moov") < content.index(b"mdat")
            with av.open(str(folder / clip[kind])) as source:
                keys = [float(p.pts * p.time_base) for p in source.demux(video=0) if p.is_keyframe]
            assert max(b - a for a, b in pairwise(keys)) < 1.001


def test_stronger_reactions_move_more_and_are_louder_as_the_scale_says(demo, watched):
    _folder, truth = demo
    assert set(truth.strength) == set(watched)
    by_strength = {s: [watched[m] for m, known in truth.strength.items() if known == s] for s in range(4)}
    assert all(by_strength.values()), "these two clips were chosen to show all four strengths"
    movement = {s: [away for away, _loud in found] for s, found in by_strength.items()}
    loudness = {s: [loud for _away, loud in found] for s, found in by_strength.items()}
    assert max(movement[0]) < min(movement[1])
    assert max(movement[1]) < min(movement[2] + movement[3]) / 1.5
    assert max(loudness[0] + loudness[1]) < 0.02, "nothing audible below a clear reaction"
    assert max(loudness[0] + loudness[1]) * 3 < min(loudness[2])
    assert max(loudness[2]) < min(loudness[3])
    assert min(loudness[0]) > 0.001, "the room itself can be heard, so that the track is not silent"


def test_an_event_can_be_heard_in_the_stimulus_before_the_reaction_begins(demo):
    folder, truth = demo
    for clip in lines(folder / "clips.jsonl"):
        with av.open(str(folder / clip["stimulus"])) as source:
            sound = np.abs(np.concatenate([f.to_ndarray()[0] for f in source.decode(audio=0)]))
        for moment in lines(folder / "moments.jsonl"):
            if moment["clip_id"] == clip["clip_id"] and truth.strength[moment["moment_id"]] >= 2:
                event = round((moment["start_s"] + 0.32) * 48_000)
                before, after = sound[max(0, event - 9_600) : event - 480], sound[event : event + 9_600]
                assert after.max() > 3 * before.max()


def test_the_same_seed_draws_the_same_bytes_and_another_seed_another_film(demo, tmp_path):
    folder, _truth = demo
    again = tmp_path / "again"
    write_demo_folder(again, clips=1, seed=4)
    assert (again / "reaction/d01.mp4").read_bytes() == (folder / "reaction/d01.mp4").read_bytes()
    assert plan_demo(1, 5) != plan_demo(1, 4)


def test_the_import_folder_does_not_give_the_truth_away(demo):
    folder, _truth = demo
    assert "strength" not in "".join(path.read_text() for path in folder.glob("*.jsonl"))
    assert sorted(p.name for p in folder.iterdir()) == [
        "clips.jsonl",
        "moments.jsonl",
        "reaction",
        "stimulus",
        "windows.jsonl",
    ]
    nominated = [m for m in lines(folder / "moments.jsonl") if "nomination" in m]
    assert nominated
    assert len(nominated) < len(lines(folder / "moments.jsonl"))
    assert sorted(m["nomination"]["rank"] for m in nominated) == list(range(1, len(nominated) + 1))
    assert all({"selector", "score", "rank", "evidence"} == set(m["nomination"]) for m in nominated)


@settings(deadline=None)
@given(clips=st.integers(1, 40), seed=st.integers(0, 10_000))
def test_every_script_keeps_the_promises_of_the_demo(clips, seed):
    plans = plan_demo(clips, seed)
    assert len({p.clip_id for p in plans}) == clips
    for plan in plans:
        assert 12_000 <= plan.duration_ms <= 26_000
        assert 2 <= len(plan.moments) <= 4
        assert len({m.strength for m in plan.moments}) == len(plan.moments)
        for moment in plan.moments:
            assert 0 <= moment.start_ms < moment.end_ms <= plan.duration_ms
            assert 2_000 <= moment.end_ms - moment.start_ms <= 4_000
            assert moment.start_ms % 40 == moment.end_ms % 40 == 0, "whole frames at 25 a second"
        assert all(a.end_ms <= b.start_ms for a, b in pairwise(plan.moments))
        names = [name for creator in CREATORS for name in creator]
        ids = [plan.clip_id, *(m.moment_id for m in plan.moments), *(w.window_id for w in plan.windows)]
        assert not any(name.casefold() in some_id.casefold() for name in names for some_id in ids)
        assert len(plan.windows) >= 4
        assert all(3_000 <= w.end_ms - w.start_ms <= 6_000 for w in plan.windows)
        assert all(w.end_ms <= plan.duration_ms for w in plan.windows)
    if clips >= 6:
        assert any(p.moments[0].start_ms == 0 for p in plans)
        assert any(p.moments[-1].end_ms == p.duration_ms for p in plans)
        assert {m.strength for p in plans for m in p.moments} == {0, 1, 2, 3}
        assert len({p.channel for p in plans}) == len({p.category for p in plans}) == 3
        assert any(min(b.start_ms - a.start_ms for a, b in pairwise(p.windows)) >= 6_000 for p in plans)


def test_window_descriptions_of_a_clip_can_be_told_apart(demo):
    # The separation that stimulus-matching items need: token Jaccard below one half (000 B.5).
    folder, _truth = demo
    windows = lines(folder / "windows.jsonl")
    for clip_id in {w["clip_id"] for w in windows}:
        tokens = [
            set(re.findall(r"\w+", unicodedata.normalize("NFKC", w["description"]).casefold()))
            for w in windows
            if w["clip_id"] == clip_id
        ]
        assert all(len(a & b) / len(a | b) < 0.5 for a, b in combinations(tokens, 2))


@pytest.fixture
def own(tmp_path):
    source = tmp_path / "own"
    source.mkdir()
    film(source / "beach day.reaction.mp4", seconds=13)
    film(source / "beach day.stimulus.mp4", seconds=13)
    film(source / "short.reaction.mp4", seconds=2)
    film(source / "short.stimulus.mp4", seconds=2)
    return source


def test_own_pairs_become_an_import_folder_with_the_files_in_it(own, tmp_path):
    assert folder_from_pairs(own, tmp_path / "import") == 2
    clips = lines(tmp_path / "import/clips.jsonl")
    assert [c["clip_id"] for c in clips] == ["beach day", "short"]
    assert clips[0]["reaction"] == "beach day.reaction.mp4"
    inside = tmp_path / "import" / "beach day.reaction.mp4"
    assert inside.read_bytes() == (own / "beach day.reaction.mp4").read_bytes()
    assert (clips[0]["creator"], clips[0]["category"], clips[0]["source_group"]) == (
        "own",
        "own",
        "beach day",
    )
    moments = lines(tmp_path / "import/moments.jsonl")
    assert [(m["start_s"], m["end_s"]) for m in moments if m["clip_id"] == "short"] == [(0.0, 2.0)]
    spans = [(m["start_s"], m["end_s"]) for m in moments if m["clip_id"] == "beach day"]
    assert spans == [(0.666, 3.666), (5.0, 8.0), (9.333, 12.333)]


@given(st.integers(1, 4_000_000))
def test_evenly_spaced_moments_stay_inside_the_clip_and_never_overlap(duration_ms):
    spans = evenly_spaced(duration_ms)
    assert 1 <= len(spans) <= 3
    assert spans[0][0] >= 0
    assert spans[-1][1] <= duration_ms
    assert all(0 < end - start <= 3_000 for start, end in spans)
    assert all(a[1] <= b[0] for a, b in pairwise(spans))


def test_all_unpaired_and_unreadable_files_are_named_at_once_and_nothing_is_written(own, tmp_path):
    shutil.copy(own / "short.reaction.mp4", own / "alone.reaction.mp4")
    shutil.copy(own / "short.stimulus.mp4", own / "widow.stimulus.mp4")
    (own / "short.stimulus.mp4").write_bytes(b"")
    with pytest.raises(PairsUnusable) as caught:
        folder_from_pairs(own, tmp_path / "import")
    text = "\n".join(caught.value.problems)
    assert len(caught.value.problems) == 3
    assert "alone.reaction.mp4: has no partner; expected alone.stimulus.mp4" in text
    assert "widow.stimulus.mp4: has no partner; expected widow.reaction.mp4" in text
    assert "short.stimulus.mp4: The file is empty" in text
    assert not (tmp_path / "import").exists()


def test_an_empty_or_absent_folder_is_explained(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(PairsUnusable, match=r"found no pair; expected NAME\.reaction\.mp4"):
        folder_from_pairs(tmp_path / "empty", tmp_path / "import")
    with pytest.raises(PairsUnusable, match="no folder at this path"):
        folder_from_pairs(tmp_path / "absent", tmp_path / "import")
