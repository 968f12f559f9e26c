"""A study manager imports a folder of clips."""

import hashlib
import io
from pathlib import Path

import pytest
from django.core.files.storage import storages
from django.core.management import CommandError, call_command

from catalogue.importing import Counts, catalogue_import
from catalogue.models import Channel, Clip, Creator, MediaVersion, Moment, Nomination, StimulusWindow
from catalogue.probe import probe
from tests.catalogue.filming import first_times
from tests.catalogue.folders import Folder, clip_line, moment_line, window_line

pytestmark = pytest.mark.django_db

NOMINATION = {"selector": "audio", "score": 0.75, "rank": 2, "evidence": 'laughs, "hard"\nنعم 😀'}


def test_all_that_the_lines_say_is_in_the_catalogue(folder: Folder, clips_folder: Path) -> None:
    folder.clips(
        clip_line("c1", domain="pets", parent_clip="c0", duration_s=3.2),
        clip_line("c0", creator="Grace", channel="Another", category="music", source_group="g0"),
    )
    folder.moments(
        moment_line("m1", start_s=0.25, end_s=1.75, nomination=NOMINATION), moment_line("m2", "c0")
    )
    folder.windows(window_line("w1", start_s=1, end_s=2.5))

    report = catalogue_import(folder.path)

    clip = Clip.objects.get(clip_id="c1")
    assert (clip.category, clip.domain, clip.source_group, str(clip.creator)) == (
        "comedy",
        "pets",
        "g1",
        "Ada Example (Example Reacts)",
    )
    assert clip.parent_clip == Clip.objects.get(clip_id="c0")
    assert clip.duration_ms == probe(folder.films / "film.mp4").duration_ms
    moment = Moment.objects.get(moment_id="m1")
    assert (moment.clip.clip_id, moment.start_ms, moment.end_ms) == ("c1", 250, 1750)
    nomination = Nomination.objects.get(moment=moment)
    assert {key: getattr(nomination, key) for key in NOMINATION} == NOMINATION
    window = StimulusWindow.objects.get()
    assert (window.window_id, window.start_ms, window.end_ms) == ("w1", 1000, 2500)
    assert report.counts == {
        "channels": Counts(created=2),
        "creators": Counts(created=2),
        "clips": Counts(created=2),
        "media": Counts(created=4),
        "moments": Counts(created=2),
        "windows": Counts(created=1),
    }


def test_the_stored_files_are_the_given_ones_under_names_that_tell_nothing(
    folder: Folder, clips_folder: Path
) -> None:
    folder.clips(clip_line("c1"))
    catalogue_import(folder.path)
    given = (folder.films / "film.mp4").read_bytes()
    versions = list(MediaVersion.objects.all())
    assert {v.role for v in versions} == {"reaction", "stimulus"}
    for version in versions:
        assert storages["clips"].open(version.storage_key).read() == given
        assert version.sha256 == version.source_sha256 == hashlib.sha256(given).hexdigest()
        assert version.size == len(given)
        assert "c1" not in version.storage_key
        assert "." not in version.storage_key
    assert {path.name for path in clips_folder.iterdir()} == {v.storage_key for v in versions}


def test_a_late_clock_is_set_to_zero_and_the_report_says_so(folder: Folder) -> None:
    folder.clips(clip_line(reaction=folder.use("late.mp4")))
    report = catalogue_import(folder.path)
    version = MediaVersion.objects.get(role="reaction")
    with storages["clips"].open(version.storage_key) as file:
        stored = Path(file.name)
    assert min(first_times(stored).values()) == pytest.approx(0, abs=0.005)
    assert version.source_sha256 == hashlib.sha256((folder.films / "late.mp4").read_bytes()).hexdigest()
    assert version.sha256 == hashlib.sha256(stored.read_bytes()).hexdigest() != version.source_sha256
    (warning,) = [w for w in report.warnings if w.field == "reaction"]
    assert "clock starts at 0.0" in warning.found


def test_one_name_on_two_channels_is_two_creators(folder: Folder) -> None:
    folder.clips(clip_line("c1", channel="One"), clip_line("c2", channel="Two"))
    catalogue_import(folder.path)
    assert Creator.objects.filter(name="Ada Example").count() == 2
    assert Channel.objects.count() == 2


def test_1_and_01_are_different_clips(folder: Folder) -> None:
    folder.clips(clip_line("1"), clip_line("01"))
    folder.moments(moment_line("7", "1"), moment_line("007", "01"))
    catalogue_import(folder.path)
    assert set(Clip.objects.values_list("clip_id", flat=True)) == {"1", "01"}
    assert Moment.objects.get(moment_id="007").clip.clip_id == "01"


def test_a_byte_order_mark_changes_nothing(folder: Folder) -> None:
    folder.clips(clip_line("c1"))
    marked = b"\xef\xbb\xbf" + (folder.path / "clips.jsonl").read_bytes()
    folder.raw("clips.jsonl", marked)
    assert catalogue_import(folder.path).counts["clips"] == Counts(created=1)
    assert Clip.objects.get().clip_id == "c1"


def test_moments_alone_may_speak_of_clips_in_the_catalogue(folder: Folder, tmp_path: Path) -> None:
    folder.clips(clip_line("c1"))
    catalogue_import(folder.path)
    later = Folder(tmp_path / "later", folder.films).moments(moment_line("m1"))
    assert catalogue_import(later.path).counts["moments"] == Counts(created=1)


def test_a_moment_that_ends_a_frame_late_ends_with_the_clip(folder: Folder) -> None:
    length = probe(folder.films / "film.mp4").duration_ms
    folder.clips(clip_line()).moments(moment_line("m1", end_s=(length + 30) / 1000))
    catalogue_import(folder.path)
    assert Moment.objects.get().end_ms == length
    assert catalogue_import(folder.path).nothing_to_do


def test_moments_at_both_ends_of_a_clip_are_welcome(folder: Folder) -> None:
    length = probe(folder.films / "film.mp4").duration_ms
    folder.clips(clip_line())
    folder.moments(
        moment_line("m1", start_s=0.0, end_s=1.5), moment_line("m2", start_s=1.5, end_s=length / 1000)
    )
    assert not catalogue_import(folder.path).warnings
    assert Moment.objects.get(moment_id="m1").start_ms == 0


@pytest.mark.parametrize(
    ("change", "file", "field", "found"),
    [
        (
            lambda f: f.moments(moment_line("m1"), moment_line("m2", start_s=0.4)),
            "moments.jsonl",
            "start_s",
            "overlap",
        ),
        (lambda f: f.moments(moment_line("m1", end_s=0.5)), "moments.jsonl", "end_s", "0.5 s"),
        (lambda f: f.windows(window_line("w1", end_s=60)), "windows.jsonl", "end_s", "60.0"),
        (lambda f: f.clips(clip_line(stimulus=f.use("short.mp4"))), "clips.jsonl", "stimulus", "2.0"),
        (
            lambda f: f.clips(clip_line(reaction=f.use("silent.mp4"))),
            "clips.jsonl",
            "reaction",
            "without sound",
        ),
        (lambda f: f.clips(clip_line("ada_example-3")), "clips.jsonl", "clip_id", "Ada Example"),
        (
            lambda f: f.moments(moment_line("EXAMPLE reacts 9")),
            "moments.jsonl",
            "moment_id",
            "Example Reacts",
        ),
        (lambda f: f.clips(clip_line(mood="good")), "clips.jsonl", "mood", "unknown key"),
        (lambda f: f.write("moment.jsonl", moment_line("m1")), "moment.jsonl", None, "not read"),
        (lambda f: f.write("explanations.jsonl", {}), "explanations.jsonl", None, "not read"),
    ],
)
def test_what_deserves_a_look_is_told_and_imported(folder: Folder, change, file, field, found) -> None:
    folder.clips(clip_line())
    change(folder)
    (warning,) = catalogue_import(folder.path).warnings
    assert (warning.file, warning.field) == (file, field)
    assert found in warning.found
    assert Clip.objects.count() == 1


def test_a_stimulus_without_sound_needs_no_warning(folder: Folder) -> None:
    folder.clips(clip_line(stimulus=folder.use("silent.mp4")))
    assert not catalogue_import(folder.path).warnings


def test_a_dry_run_reports_the_same_and_writes_nothing(folder: Folder, clips_folder: Path) -> None:
    folder.clips(clip_line(reaction=folder.use("late.mp4"))).moments(moment_line("m1")).windows(
        window_line("w1")
    )
    dry = catalogue_import(folder.path, dry_run=True)
    assert not any(m.objects.exists() for m in (Channel, Creator, Clip, MediaVersion, Moment, StimulusWindow))
    assert not clips_folder.exists()
    assert "Dry run" in dry.text
    assert catalogue_import(folder.path).counts == dry.counts


def test_progress_is_told_file_by_file(folder: Folder) -> None:
    told: list[tuple[str, int, int]] = []
    folder.clips(clip_line("c1"), clip_line("c2"))
    catalogue_import(folder.path, progress=lambda *step: told.append(step))
    assert ("Reading media", 4, 4) in told
    assert [step for step in told if step[0] == "Storing media"] == [
        ("Storing media", done, 4) for done in range(5)
    ]


def test_the_command_prints_the_report(folder: Folder) -> None:
    folder.clips(clip_line()).moments(moment_line("m1"))
    out = io.StringIO()
    call_command("import_catalogue", str(folder.path), stdout=out)
    assert "clips: 1 new, 0 changed, 0 unchanged" in out.getvalue()
    again = io.StringIO()
    call_command("import_catalogue", str(folder.path), stdout=again)
    assert "Nothing to do" in again.getvalue()


def test_the_command_lists_every_problem_and_fails(folder: Folder) -> None:
    folder.clips(clip_line()).moments(moment_line("m1", end_s=99), moment_line("m2", "nowhere"))
    with pytest.raises(CommandError) as failed:
        call_command("import_catalogue", str(folder.path))
    assert failed.value.returncode == 1
    assert "moments.jsonl line 1, end_s: found 99.0" in str(failed.value)
    assert 'moments.jsonl line 2, clip_id: found "nowhere"' in str(failed.value)
    assert "2 problems" in str(failed.value)


def test_many_warnings_of_one_sort_are_counted(folder: Folder) -> None:
    folder.clips(clip_line()).moments(*(moment_line(f"m{i}", end_s=0.5) for i in range(30)))
    text = catalogue_import(folder.path, dry_run=True).text
    assert "moments.jsonl, end_s: 10 more of this sort" in text
    assert text.count("a moment of 0.5 s") == 20
