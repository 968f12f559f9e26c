"""A folder with faults is refused whole: every problem is told, nothing is changed."""

import json
from pathlib import Path

import pytest
from django.core.files.storage import FileSystemStorage
from django.core.management import CommandError, call_command

from catalogue.importing import ImportRefused, catalogue_import
from catalogue.models import Channel, Clip, MediaVersion, Moment
from tests.catalogue.folders import Folder, clip_line, moment_line, window_line

pytestmark = pytest.mark.django_db


def problems_of(folder: Folder, **options) -> list[tuple[str, int | None, str | None]]:
    with pytest.raises(ImportRefused) as refused:
        catalogue_import(folder.path, **options)
    assert not Clip.objects.exists()
    assert not Channel.objects.exists()
    assert all(problem.found and problem.expected for problem in refused.value.problems)
    return [(problem.file, problem.line, problem.field) for problem in refused.value.problems]


def test_every_problem_of_every_file_is_told_in_one_go(folder: Folder, clips_folder: Path) -> None:
    folder.clips(
        clip_line("c1"),
        clip_line("c2", reaction="media/absent.mp4", stimulus=folder.use("blind.mp4")),
        clip_line("c1", category=""),
    )
    folder.moments(
        moment_line("m1", "nowhere"), moment_line("m2", start_s=2, end_s=1), moment_line("m3", end_s=9)
    )
    folder.windows(window_line("w1", start_s=-1))
    assert problems_of(folder) == [
        ("clips.jsonl", 2, "reaction"),
        ("clips.jsonl", 2, "stimulus"),
        ("clips.jsonl", 3, "category"),
        ("clips.jsonl", 3, "clip_id"),
        ("moments.jsonl", 1, "clip_id"),
        ("moments.jsonl", 2, "end_s"),
        ("moments.jsonl", 3, "end_s"),
        ("windows.jsonl", 1, "start_s"),
    ]
    assert not clips_folder.exists()


def test_an_id_twice_names_both_lines(folder: Folder) -> None:
    folder.clips(clip_line()).moments(
        moment_line("m1"), moment_line("m2", start_s=1.5, end_s=2.9), moment_line("m1")
    )
    with pytest.raises(ImportRefused) as refused:
        catalogue_import(folder.path)
    (problem,) = refused.value.problems
    assert (problem.line, problem.found) == (3, '"m1" again, first on line 1')


@pytest.mark.parametrize(
    "start",
    ["1", "1.5", True, None, [1], {"s": 1}, -0.5, 1e308, 10**400],
)
def test_a_time_is_a_finite_json_number(folder: Folder, start: object) -> None:
    folder.clips(clip_line())
    folder.raw("moments.jsonl", json.dumps(moment_line("m1", start_s=start)).encode())
    assert problems_of(folder) == [("moments.jsonl", 1, "start_s")]


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
def test_nan_and_infinity_are_no_numbers(folder: Folder, word: str) -> None:
    folder.clips(clip_line())
    folder.raw("moments.jsonl", json.dumps(moment_line("m1", end_s=float(word))).encode())
    assert problems_of(folder) == [("moments.jsonl", 1, "end_s")]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("clip_id", 1),
        ("clip_id", ""),
        ("clip_id", " c1"),
        ("clip_id", "a/b"),
        ("clip_id", "c\u00001"),
        ("clip_id", "c" * 201),
        ("creator", None),
        ("channel", ["x"]),
        ("category", 3),
        ("source_group", True),
        ("domain", 7),
        ("parent_clip", 7),
        ("duration_s", "3"),
        ("duration_s", 3.9),
        ("reaction", 5),
        ("stimulus", ""),
    ],
)
def test_a_clip_field_of_the_wrong_sort_is_named(folder: Folder, field: str, value: object) -> None:
    folder.clips(clip_line(**{field: value}))
    assert problems_of(folder) == [("clips.jsonl", 1, field)]


@pytest.mark.parametrize(
    "field", ["clip_id", "creator", "channel", "category", "source_group", "reaction", "stimulus"]
)
def test_a_missing_clip_field_is_named(folder: Folder, field: str) -> None:
    line = clip_line()
    del line[field]
    folder.clips(line)
    assert problems_of(folder) == [("clips.jsonl", 1, field)]


@pytest.mark.parametrize(
    ("nomination", "field"),
    [
        ("high", "nomination"),
        ({"selector": "s", "score": "0.9", "rank": 1, "evidence": ""}, "nomination.score"),
        ({"selector": "s", "score": 0.9, "rank": 1.5, "evidence": ""}, "nomination.rank"),
        ({"selector": "s", "score": 0.9, "rank": True, "evidence": ""}, "nomination.rank"),
        ({"selector": "s", "score": 0.9, "rank": 1}, "nomination.evidence"),
        ({"selector": "s", "score": 0.9, "rank": 1, "evidence": "a\u0000"}, "nomination.evidence"),
        ({"score": 0.9, "rank": 1, "evidence": ""}, "nomination.selector"),
    ],
)
def test_a_nomination_is_whole_or_absent(folder: Folder, nomination: object, field: str) -> None:
    folder.clips(clip_line()).moments(moment_line("m1", nomination=nomination))
    assert problems_of(folder) == [("moments.jsonl", 1, field)]


@pytest.mark.parametrize(
    ("film", "reason"),
    [
        ("blind.mp4", "no video stream"),
        ("broken.mp4", "cut off"),
        ("text.mp4", "cannot be read as video"),
        ("absent.mp4", "no file"),
    ],
)
def test_unusable_media_is_refused_with_the_reason(folder: Folder, film: str, reason: str) -> None:
    if film != "absent.mp4":
        folder.use(film)
    folder.clips(clip_line(reaction=f"media/{film}"))
    with pytest.raises(ImportRefused) as refused:
        catalogue_import(folder.path)
    (problem,) = refused.value.problems
    assert (problem.line, problem.field) == (1, "reaction")
    assert reason in problem.found


@pytest.mark.parametrize(
    "path",
    [
        "../film.mp4",
        "media/../../film.mp4",
        "/etc/hostname",
        "media",
        "link.mp4",
        "loop.mp4",
        "a" * 300,
        "a\u0000b",
    ],
)
def test_a_path_that_leaves_the_folder_or_leads_nowhere_is_refused(folder: Folder, path: str) -> None:
    (folder.path.parent / "film.mp4").write_bytes((folder.films / "film.mp4").read_bytes())
    (folder.path / "link.mp4").symlink_to(folder.path.parent / "film.mp4")
    (folder.path / "loop.mp4").symlink_to("loop.mp4")
    folder.clips(clip_line(stimulus=path))
    assert problems_of(folder) == [("clips.jsonl", 1, "stimulus")]


def test_a_link_that_stays_inside_is_followed(folder: Folder) -> None:
    (folder.path / "link.mp4").symlink_to("media/film.mp4")
    folder.clips(clip_line(stimulus="link.mp4"))
    catalogue_import(folder.path)


@pytest.mark.parametrize(
    ("encoding", "named"),
    [("utf-16", "UTF-16"), ("utf-16-le", "UTF-16"), ("cp1252", "Windows-1252"), ("utf-32", "UTF-32")],
)
def test_another_encoding_is_refused_by_name_and_nothing_else_is_said(
    folder: Folder, encoding: str, named: str
) -> None:
    text = json.dumps(clip_line(creator="José"), ensure_ascii=False)
    folder.raw("clips.jsonl", text.encode(encoding)).moments(moment_line("m1"))
    with pytest.raises(ImportRefused) as refused:
        catalogue_import(folder.path)
    (problem,) = refused.value.problems
    assert problem.file == "clips.jsonl"
    assert named in problem.found


@pytest.mark.parametrize(
    "text", [b"{", b"[]", b'"c1"', b"clip_id;creator\nc1;Ada", b'{"clip_id": "a", "clip_id": "b"}']
)
def test_a_line_that_is_no_json_object_is_refused_by_line(folder: Folder, text: bytes) -> None:
    folder.raw("clips.jsonl", b"\n" + text)
    assert problems_of(folder)[0][:2] == ("clips.jsonl", 2)


@pytest.mark.parametrize(
    "lines",
    [
        [clip_line("c1", parent_clip="c1")],
        [clip_line("c1", parent_clip="nowhere")],
        [
            clip_line("c1", parent_clip="c2"),
            clip_line("c2", parent_clip="c3"),
            clip_line("c3", parent_clip="c1"),
        ],
    ],
)
def test_a_parent_is_another_known_clip_and_never_a_descendant(folder: Folder, lines: list[dict]) -> None:
    folder.clips(*lines)
    assert problems_of(folder) == [
        ("clips.jsonl", number, "parent_clip") for number in range(1, len(lines) + 1)
    ]


def test_a_circle_through_the_catalogue_is_found(folder: Folder, tmp_path: Path) -> None:
    folder.clips(clip_line("c1", parent_clip="c2"), clip_line("c2", parent_clip="c3"), clip_line("c3"))
    catalogue_import(folder.path)
    later = Folder(tmp_path / "later", folder.films).clips(clip_line("c3", parent_clip="c1"))
    with pytest.raises(ImportRefused) as refused:
        catalogue_import(later.path)
    assert [problem.field for problem in refused.value.problems] == ["parent_clip"]


def test_strict_refuses_unknown_keys_but_not_what_merely_deserves_a_look(folder: Folder) -> None:
    folder.clips(clip_line()).moments(moment_line("m1", end_s=0.5))
    assert catalogue_import(folder.path, strict=True, dry_run=True).warnings
    folder.clips(clip_line(mood="good"))
    assert problems_of(folder, strict=True) == [("clips.jsonl", 1, "mood")]


def test_a_folder_that_is_none_or_holds_nothing_is_refused(folder: Folder, tmp_path: Path) -> None:
    assert len(problems_of(folder)) == 1
    folder.path = tmp_path / "absent"
    assert len(problems_of(folder)) == 1


def test_a_failing_storage_leaves_neither_rows_nor_files(
    folder: Folder, clips_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is full at the third file."""
    save = FileSystemStorage._save

    def save_twice(self, name, content):
        if len(list(clips_folder.glob("*"))) == 2:
            raise OSError("No space left on device")
        return save(self, name, content)

    monkeypatch.setattr(FileSystemStorage, "_save", save_twice)
    folder.clips(clip_line("c1"), clip_line("c2"))
    with pytest.raises(CommandError, match="No space left on device"):
        call_command("import_catalogue", str(folder.path))
    assert not list(clips_folder.iterdir())
    assert not Clip.objects.exists()


def test_a_database_that_refuses_leaves_no_files(
    folder: Folder, clips_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(*args, **kwargs):
        raise RuntimeError("the database is gone")

    monkeypatch.setattr(MediaVersion.objects.__class__, "bulk_create", lost)
    folder.clips(clip_line())
    with pytest.raises(RuntimeError, match="gone"):
        catalogue_import(folder.path)
    assert not list(clips_folder.iterdir())


def test_a_file_that_changes_during_the_import_is_noticed(folder: Folder, clips_folder: Path) -> None:
    folder.clips(clip_line(reaction="media/mine.mp4"))
    mine = folder.path / "media/mine.mp4"
    mine.write_bytes((folder.films / "film.mp4").read_bytes())

    def meddle(doing: str, done: int, total: int) -> None:
        if doing == "Storing media" and done == 0:
            mine.write_bytes(b"other bytes")

    with pytest.raises(ImportRefused, match="changed during the import"):
        catalogue_import(folder.path, progress=meddle)
    assert not Clip.objects.exists()
    assert not list(clips_folder.iterdir())


def test_another_import_in_between_is_noticed(folder: Folder, clips_folder: Path, tmp_path: Path) -> None:
    folder.clips(clip_line()).moments(moment_line("m1"))
    rival = Folder(tmp_path / "rival", folder.films).clips(clip_line(category="other"))

    def meddle(doing: str, done: int, total: int) -> None:
        if doing == "Storing media" and done == 0:
            catalogue_import(rival.path)

    with pytest.raises(ImportRefused, match="by someone else during the import"):
        catalogue_import(folder.path, progress=meddle)
    assert Clip.objects.get().category == "other"
    assert not Moment.objects.exists()
    assert len(list(clips_folder.iterdir())) == 2
