"""Handing in media: what is measured, what is put right without loss, and what is refused with a reason."""

import hashlib
import subprocess
import sys

import pytest

from catalogue.probe import MediaUnreadable, normalise, probe
from tests.catalogue.filming import film, first_times, pictures


def reason_of(path):
    with pytest.raises(MediaUnreadable) as caught:
        probe(path)
    assert caught.value.reason.endswith((".", ").")), "a reason is a sentence"
    return caught.value.reason


def test_an_ordinary_clip_is_measured_in_milliseconds_and_is_ready_as_it_is(tmp_path):
    clip = film(tmp_path / "clip.mp4", seconds=3.2, size=(320, 180))
    facts = probe(clip)
    assert (facts.duration_ms, facts.start_ms, facts.video_ms) == (3200, 0, 3200)
    assert (facts.width, facts.height) == (320, 180)
    assert (facts.video_codec, facts.audio_codec, facts.content_type) == ("h264", "aac", "video/mp4")
    assert facts.bytes == clip.stat().st_size
    assert facts.sha256 == hashlib.sha256(clip.read_bytes()).hexdigest()
    assert facts.needs_normalising is None


def test_a_clip_whose_clock_starts_at_80_ms_is_found_and_shifted_without_reencoding(tmp_path):
    late = film(tmp_path / "late.mp4", start_s=0.080, sound=False)
    assert probe(late).start_ms == 80
    assert "0.080 s" in probe(late).needs_normalising
    facts = normalise(late, tmp_path / "ready.mp4")
    assert (facts.start_ms, facts.duration_ms) == (0, 2000)
    assert facts.needs_normalising is None
    assert first_times(tmp_path / "ready.mp4") == {"video": 0.0}
    assert pictures(tmp_path / "ready.mp4") == pictures(late)


@pytest.mark.parametrize(("picture_s", "sound_s"), [(0.080, 0.280), (0.480, 0.280), (5.0, 5.0)])
def test_sound_and_picture_keep_their_distance_when_the_clock_is_shifted(tmp_path, picture_s, sound_s):
    late = film(tmp_path / "late.mp4", start_s=picture_s, sound_start_s=sound_s)
    before = first_times(late)
    normalise(late, tmp_path / "ready.mp4")
    after = first_times(tmp_path / "ready.mp4")
    assert min(after.values()) == pytest.approx(0, abs=0.001)
    assert after["video"] - after["audio"] == pytest.approx(before["video"] - before["audio"], abs=0.001)


def test_a_picture_delayed_by_reordered_frames_is_not_mistaken_for_a_late_clock(tmp_path):
    # Without an edit list two B-frames push the picture back by two frames; the sound still starts at 0.
    clip = film(tmp_path / "clip.mp4", options={"use_editlist": "0"})
    assert first_times(clip)["video"] == pytest.approx(0.080)
    assert probe(clip).start_ms == 0
    silent = film(tmp_path / "silent.mp4", options={"use_editlist": "0"}, sound=False)
    assert probe(silent).start_ms == 80
    assert normalise(silent, tmp_path / "ready.mp4").start_ms == 0


def test_normalising_a_ready_clip_changes_no_time_and_no_picture(tmp_path):
    clip = film(tmp_path / "clip.mp4")
    normalise(clip, tmp_path / "again.mp4")
    assert first_times(tmp_path / "again.mp4") == first_times(clip)
    assert pictures(tmp_path / "again.mp4") == pictures(clip)


def test_the_index_stands_in_front_so_that_playback_starts_before_the_download_ends(tmp_path):
    clip = film(tmp_path / "clip.mp4", start_s=0.08)
    normalise(clip, tmp_path / "ready.mp4")
    content = (tmp_path / "ready.mp4").read_bytes()
    assert content.index(b"moov") < content.index(b"mdat")


def test_metadata_that_could_name_the_creator_is_found_and_removed(tmp_path):
    clip = film(tmp_path / "clip.mp4", tags={"title": "Wonderful Wanda reacts"})
    assert "metadata" in probe(clip).needs_normalising
    facts = normalise(clip, tmp_path / "ready.mp4")
    assert facts.needs_normalising is None
    assert b"Wanda" not in (tmp_path / "ready.mp4").read_bytes()


def test_a_quicktime_file_becomes_mp4(tmp_path):
    clip = film(tmp_path / "clip.mov", container="mov")
    assert probe(clip).content_type == "video/quicktime"
    assert "video/quicktime" in probe(clip).needs_normalising
    assert normalise(clip, tmp_path / "ready.mp4").content_type == "video/mp4"


def test_webm_is_served_as_it_is_and_stays_webm_when_shifted(tmp_path):
    clip = film(tmp_path / "a.webm", container="webm", codecs=("libvpx-vp9", "libopus"))
    assert (probe(clip).content_type, probe(clip).needs_normalising) == ("video/webm", None)
    late = film(tmp_path / "b.webm", container="webm", codecs=("libvpx-vp9", "libopus"), start_s=0.5)
    facts = normalise(late, tmp_path / "ready.webm")
    assert (facts.content_type, facts.video_codec, facts.audio_codec) == ("video/webm", "vp9", "opus")
    assert abs(facts.start_ms) <= 5


def test_a_file_without_picture_or_without_sound_says_so(tmp_path):
    deaf = probe(film(tmp_path / "deaf.mp4", sound=False))
    assert (deaf.has_video, deaf.has_audio, deaf.audio_codec) == (True, False, "")
    blind = probe(film(tmp_path / "blind.mp4", picture=False))
    assert (blind.has_video, blind.has_audio, blind.video_codec) == (False, True, "")
    assert (blind.width, blind.height, blind.video_ms, blind.duration_ms) == (0, 0, 0, 2000)


def test_a_webm_recording_cut_off_in_the_middle_is_refused(tmp_path):
    codecs = ("libvpx-vp9", "libopus")
    whole = film(tmp_path / "whole.webm", container="webm", codecs=codecs, seconds=4)
    cut = tmp_path / "cut.webm"
    cut.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    assert "cut off" in reason_of(cut)


@pytest.mark.parametrize(
    ("movflags", "reason"),
    [
        ("faststart", "cut off: its header promises picture until 4.000 s"),
        ("", "cannot be read as video; it may be cut off"),
    ],
    ids=["index in front", "index at the end"],
)
def test_a_file_cut_off_in_the_middle_is_refused(tmp_path, movflags, reason):
    whole = film(tmp_path / "whole.mp4", seconds=4, options={"movflags": movflags} if movflags else None)
    cut = tmp_path / "cut.mp4"
    cut.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    assert reason in reason_of(cut)
    with pytest.raises(MediaUnreadable):
        normalise(cut, tmp_path / "ready.mp4")
    assert not (tmp_path / "ready.mp4").exists()


def test_what_is_not_a_video_at_all_is_refused_in_words(tmp_path):
    (tmp_path / "empty.mp4").write_bytes(b"")
    (tmp_path / "words.mp4").write_text("This is a letter, not a video. " * 50)
    (tmp_path / "words.txt").write_text("This is a letter, not a video. " * 50)
    assert "empty" in reason_of(tmp_path / "empty.mp4")
    assert "cannot be read as video" in reason_of(tmp_path / "words.mp4")
    assert "expected MP4 or WebM" in reason_of(tmp_path / "words.txt")
    assert "no file" in reason_of(tmp_path / "absent.mp4")
    assert "no file" in reason_of(tmp_path)


def test_what_some_browsers_cannot_play_is_refused_by_name(tmp_path):
    assert "mpeg4" in reason_of(film(tmp_path / "old.mp4", codecs=("mpeg4", "aac")))
    assert "yuv444p" in reason_of(film(tmp_path / "fine.mp4", pixels="yuv444p"))
    assert "pcm_s16le" in reason_of(
        film(tmp_path / "pcm.mov", container="mov", codecs=("libx264", "pcm_s16le"))
    )


def test_naming_the_types_does_not_load_pyav():
    code = "import sys, catalogue.probe; sys.exit('av' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_clip_trimmed_by_an_edit_list_is_measured_as_trimmed_and_not_shifted_blindly(tmp_path):
    clip = film(tmp_path / "clip.mp4", seconds=4, sound=False)
    content = bytearray(clip.read_bytes())
    duration_at = content.index(b"elst") + 4 + 8  # behind version and flags and the number of entries
    assert int.from_bytes(content[duration_at : duration_at + 4]) == 4000
    content[duration_at : duration_at + 4] = (2000).to_bytes(4)
    clip.write_bytes(content)
    assert 1950 <= probe(clip).duration_ms <= 2090
    with pytest.raises(MediaUnreadable, match="edit list"):
        normalise(clip, tmp_path / "ready.mp4")
    assert not (tmp_path / "ready.mp4").exists()
