"""A study manager imports a folder a second time, the same or changed."""

import json
from pathlib import Path

import pytest
from django.core.files.storage import storages
from django.db import connection
from django.test.utils import CaptureQueriesContext

from catalogue import probe
from catalogue.importing import Counts, ImportRefused, catalogue_import
from catalogue.models import Clip, MediaVersion, Moment, Nomination, StimulusWindow
from tests.catalogue.folders import Folder, clip_line, moment_line, window_line

pytestmark = pytest.mark.django_db

NOMINATION = {"selector": "audio", "score": 0.1, "rank": 2, "evidence": "laughs"}


@pytest.fixture
def imported(folder: Folder) -> Folder:
    """A folder of two clips that is already in the catalogue."""
    folder.clips(
        clip_line("c1", parent_clip="c2", duration_s=3), clip_line("c2", reaction=folder.use("late.mp4"))
    )
    folder.moments(moment_line("m1", nomination=NOMINATION), moment_line("m2", "c2"))
    folder.windows(window_line("w1"))
    catalogue_import(folder.path)
    return folder


def everything() -> list[list[dict]]:
    tables = (Clip, MediaVersion, Moment, Nomination, StimulusWindow)
    return [list(table.objects.order_by("pk").values()) for table in tables]


def refusal(folder: Folder) -> str:
    before = everything()
    with pytest.raises(ImportRefused) as refused:
        catalogue_import(folder.path)
    assert everything() == before
    return str(refused.value)


def test_the_same_folder_changes_nothing_and_says_so(imported: Folder, clips_folder: Path) -> None:
    before, files = everything(), sorted(clips_folder.iterdir())
    report = catalogue_import(imported.path)
    assert report.nothing_to_do
    assert report.counts["moments"] == Counts(unchanged=2)
    assert report.counts["media"] == Counts(unchanged=4)
    assert report.counts["channels"] == Counts(unchanged=1)
    assert everything() == before
    assert sorted(clips_folder.iterdir()) == files


def test_the_same_folder_is_no_change_even_for_answered_clips(imported: Folder, answered: set[str]) -> None:
    answered |= {"c1", "c2"}
    assert catalogue_import(imported.path).nothing_to_do


def test_known_bytes_are_not_measured_again(imported: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    def measured(path):
        raise AssertionError(f"{path} was measured again")

    monkeypatch.setattr(probe, "_measure", measured)
    assert catalogue_import(imported.path).nothing_to_do


def test_changed_lines_update_what_nobody_has_judged(imported: Folder) -> None:
    imported.clips(
        clip_line("c1", category="news", creator="Grace"), clip_line("c2", reaction="media/late.mp4")
    )
    imported.moments(
        moment_line("m1", end_s=2.0), moment_line("m2", "c1", start_s=2.0, end_s=2.9, nomination=NOMINATION)
    )
    imported.windows(window_line("w1", description="A dog."))
    report = catalogue_import(imported.path)
    assert report.counts["clips"] == Counts(changed=1, unchanged=1)
    assert report.counts["moments"] == Counts(changed=2)
    assert report.counts["creators"] == Counts(created=1, unchanged=1)
    assert report.counts["windows"] == Counts(changed=1)
    clip = Clip.objects.get(clip_id="c1")
    assert (clip.category, clip.creator.name, clip.parent_clip) == ("news", "Grace", None)
    assert Moment.objects.get(moment_id="m1").end_ms == 2000
    assert Moment.objects.get(moment_id="m2").clip == clip
    assert [n.moment.moment_id for n in Nomination.objects.all()] == ["m2"]
    assert StimulusWindow.objects.get().description == "A dog."
    assert catalogue_import(imported.path).nothing_to_do


def test_what_the_folder_does_not_mention_stays(imported: Folder) -> None:
    imported.moments(moment_line("m3", start_s=1.5, end_s=2.9))
    (imported.path / "clips.jsonl").unlink()
    assert catalogue_import(imported.path).counts["moments"] == Counts(created=1)
    assert Moment.objects.count() == 3


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("creator", "Grace"),
        ("channel", "Elsewhere"),
        ("category", "news"),
        ("domain", "pets"),
        ("source_group", "g9"),
        ("parent_clip", None),
    ],
)
def test_a_changed_line_of_an_answered_clip_is_refused_by_name(
    imported: Folder, answered: set[str], field: str, value: object
) -> None:
    answered.add("c1")
    imported.clips(
        clip_line("c1", **{"parent_clip": "c2", field: value}), clip_line("c2", reaction="media/late.mp4")
    )
    text = refusal(imported)
    named = "creator" if field == "channel" else field
    assert text.startswith(f"clips.jsonl line 1, {named}: found a changed {named};")
    assert 'clip "c1" has answers' in text


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (moment_line("m1", end_s=2.5, nomination=NOMINATION), 'moment "m1" with a changed end_s'),
        (moment_line("m1", start_s=0.25, nomination=NOMINATION), 'moment "m1" with a changed start_s'),
        (moment_line("m1", nomination=NOMINATION | {"score": 0.2}), 'moment "m1" with a changed nomination'),
        (moment_line("m1", "c2", nomination=NOMINATION), 'moment "m1" with a changed clip_id'),
        (moment_line("m2", "c1"), 'moment "m2" with a changed clip_id'),
        (moment_line("m9", start_s=1.5, end_s=2.9), "a new moment"),
    ],
)
def test_a_changed_or_added_moment_of_an_answered_clip_is_refused_by_name(
    imported: Folder, answered: set[str], line: dict, found: str
) -> None:
    answered.add("c1")
    imported.moments(line)
    text = refusal(imported)
    assert found in text
    assert 'clip "c1" has answers' in text


def test_an_answer_elsewhere_hinders_nothing(imported: Folder, answered: set[str]) -> None:
    answered.add("c1")
    imported.moments(moment_line("m2", "c2", end_s=2.0))
    assert catalogue_import(imported.path).counts["moments"] == Counts(changed=1)


def test_windows_of_an_answered_clip_may_come_later(imported: Folder, answered: set[str]) -> None:
    answered.add("c1")
    imported.windows(window_line("w1", start_s=0.5), window_line("w2"))
    assert catalogue_import(imported.path).counts["windows"] == Counts(created=1, changed=1)


def test_replaced_media_is_a_new_version_and_the_old_one_is_kept(
    imported: Folder, answered: set[str]
) -> None:
    answered.add("c1")
    old = MediaVersion.objects.get(clip__clip_id="c1", role="reaction")
    imported.clips(clip_line("c1", parent_clip="c2", reaction=imported.use("other.mp4")))
    report = catalogue_import(imported.path)
    assert report.counts["media"] == Counts(changed=1, unchanged=1)
    assert any('clip "c1"' in w.found and w.field == "reaction" for w in report.warnings)
    new = MediaVersion.objects.get(clip__clip_id="c1", role="reaction", current=True)
    old.refresh_from_db()
    assert not old.current
    assert new.sha256 != old.sha256
    assert storages["clips"].open(old.storage_key).read() == (imported.films / "film.mp4").read_bytes()
    assert storages["clips"].open(new.storage_key).read() == (imported.films / "other.mp4").read_bytes()
    assert catalogue_import(imported.path).nothing_to_do


def test_replaced_media_of_another_length_gives_the_clip_its_length(
    imported: Folder, answered: set[str]
) -> None:
    answered.add("c1")
    imported.clips(clip_line("c1", parent_clip="c2", reaction=imported.use("short.mp4")))
    catalogue_import(imported.path)
    assert Clip.objects.get(clip_id="c1").duration_ms == probe.probe(imported.films / "short.mp4").duration_ms


def test_replaced_media_that_would_cut_a_moment_is_refused(imported: Folder) -> None:
    imported.moments(moment_line("m1", end_s=2.8, nomination=NOMINATION))
    catalogue_import(imported.path)
    (imported.path / "moments.jsonl").unlink()
    imported.clips(clip_line("c1", parent_clip="c2", reaction=imported.use("short.mp4")))
    assert 'at least 2.8 s, where moment "m1" ends' in refusal(imported)


def test_an_answer_given_while_the_media_are_copied_is_respected(
    imported: Folder, answered: set[str]
) -> None:
    line = clip_line("c1", parent_clip="c2", category="news", stimulus=imported.use("other.mp4"))
    imported.clips(line)

    def rate(doing: str, done: int, total: int) -> None:
        if doing == "Storing media":
            answered.add("c1")

    before = everything()
    with pytest.raises(ImportRefused, match='clip "c1" has answers'):
        catalogue_import(imported.path, progress=rate)
    assert everything() == before


def test_a_row_that_changes_while_the_media_are_copied_is_noticed(
    imported: Folder, clips_folder: Path
) -> None:
    imported.clips(clip_line("c1", parent_clip="c2", stimulus=imported.use("other.mp4")))
    files = len(list(clips_folder.iterdir()))

    def meddle(doing: str, done: int, total: int) -> None:
        if doing == "Storing media":
            Moment.objects.filter(moment_id="m1").update(end_ms=1750)

    with pytest.raises(ImportRefused, match="by someone else during the import"):
        catalogue_import(imported.path, progress=meddle)
    assert not MediaVersion.objects.filter(current=False).exists()
    assert len(list(clips_folder.iterdir())) == files


def test_the_cost_does_not_grow_with_the_catalogue(imported: Folder, tmp_path: Path) -> None:
    def queries_of(prefix: str) -> list[str]:
        folder = Folder(tmp_path / prefix, imported.films)
        folder.clips(*(clip_line(f"{prefix}{i}") for i in range(3)))
        folder.moments(
            *(moment_line(f"{prefix}m{i}", f"{prefix}{i}", nomination=NOMINATION) for i in range(3))
        )
        folder.windows(*(window_line(f"{prefix}w{i}", f"{prefix}{i}") for i in range(3)))
        with CaptureQueriesContext(connection) as queries:
            catalogue_import(folder.path)
        return [query["sql"] for query in queries]

    into_small = queries_of("a")
    creator = Clip.objects.get(clip_id="c1").creator
    others = [Clip(clip_id=f"x{i}", creator=creator, source_group="g", duration_ms=9000) for i in range(500)]
    Clip.objects.bulk_create(others)
    Moment.objects.bulk_create(
        Moment(moment_id=f"x{i}", clip=others[i % 500], start_ms=i, end_ms=i + 1000) for i in range(6000)
    )
    into_large = queries_of("b")
    assert len(into_large) == len(into_small)
    unbounded = [sql for sql in into_large if sql.startswith("SELECT") and " IN (" not in sql]
    assert not unbounded, "a query that is not bounded by the ids of the folder"


def test_many_moments_need_few_queries(folder: Folder) -> None:
    folder.clips(clip_line())
    lines = [moment_line(f"m{i}", start_s=i / 1000, end_s=1 + i / 1000) for i in range(1200)]
    folder.raw("moments.jsonl", "\n".join(json.dumps(line) for line in lines).encode())
    with CaptureQueriesContext(connection) as queries:
        catalogue_import(folder.path)
    assert Moment.objects.count() == 1200
    assert len(queries) < 60
