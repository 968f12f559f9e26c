"""Validating a set: a sound one passes, and every kind of fault is named where it is."""

import json
from pathlib import Path

import pytest

from evaluator.formats import Findings, zip_bytes
from evaluator.validate import ip_set_read


def problems_of(path: Path, strict=False) -> list[str]:
    findings = Findings(strict=strict)
    ip_set = ip_set_read(path, findings)
    assert (ip_set is None) == bool(findings.problems)
    return [problem.text for problem in findings.problems]


def test_a_sound_set_passes_as_folder_as_zip_and_as_zip_of_its_folder(demo_set, demo_files, tmp_path):
    flat, nested = tmp_path / "flat.zip", tmp_path / "nested.zip"
    flat.write_bytes(zip_bytes(demo_files))
    nested.write_bytes(zip_bytes({f"demo-1/{name}": data for name, data in demo_files.items()}))
    for path in (demo_set, flat, nested):
        assert problems_of(path, strict=True) == []


def test_what_was_written_is_what_is_read(demo_set, items_of, ratings_of):
    ip_set = ip_set_read(demo_set, Findings())
    assert [task.item for task in ip_set.tasks] == items_of()
    assert set(ip_set.ratings) == set(ratings_of())
    assert ip_set.tasks[0].gold.consensus == (1.5, 2.0, 1.25)
    assert ip_set.manifest.label == f"demo-1@{ip_set.manifest.content_sha256[:4]}"


@pytest.mark.parametrize(
    "name", ["manifest.json", "tasks.json", "ratings.jsonl", "schema.json", "DATASHEET.md"]
)
def test_a_missing_file_is_named(demo_set, name):
    (demo_set / name).unlink()
    assert [text.split(":")[0] for text in problems_of(demo_set)] == [name]


def test_a_set_that_is_not_there_or_no_zip_is_refused(tmp_path):
    assert "no such file or folder" in problems_of(tmp_path / "nothing")[0]
    (tmp_path / "x.zip").write_text("hello")
    assert "nothing that can be read (File is not a zip file)" in problems_of(tmp_path / "x.zip")[0]


def test_an_empty_folder_lacks_every_file(tmp_path):
    assert len(problems_of(tmp_path)) == 5


def test_a_changed_byte_is_found_by_hash_and_a_longer_file_by_length_too(demo_set):
    sheet = demo_set / "DATASHEET.md"
    sheet.write_text("# Dem0\n")
    (wrong,) = problems_of(demo_set)
    assert wrong.startswith("DATASHEET.md: found SHA-256")
    sheet.write_text("# Demo and more\n")
    assert any("16 bytes; expected 7 bytes" in text for text in problems_of(demo_set))


def test_a_wrong_content_hash_is_found(tampered):
    (wrong,) = problems_of(tampered(manifest=lambda m: m.update(content_sha256="0" * 64)))
    assert wrong.startswith("manifest.json, content_sha256")


def test_a_file_the_manifest_does_not_list_is_a_warning_and_strictly_a_fault(demo_set):
    (demo_set / "notes.txt").write_text("hello")
    assert problems_of(demo_set) == []
    assert [text.split(":")[0] for text in problems_of(demo_set, strict=True)] == ["notes.txt"]


MANIFEST_FAULTS = {
    "schema": lambda m: m.update(schema="touchstone/manifest/9"),
    "set": lambda m: m.update(set="srm"),
    "name": lambda m: m.update(name="a|b"),
    "version": lambda m: m.update(version=0),
    "seed": lambda m: m.pop("seed"),
    "parameters": lambda m: m.update(parameters=[]),
    "counts": lambda m: m.update(counts=None),
    "counts.items": lambda m: m["counts"].update(items=5),
    "counts.ratings": lambda m: m["counts"].update(ratings=1),
    "content_sha256": lambda m: m.update(content_sha256="abc"),
    "files.tasks.json.sha256": lambda m: m["files"]["tasks.json"].update(sha256="XYZ"),
    "files.tasks.json.bytes": lambda m: m["files"]["tasks.json"].update(bytes="12"),
    "files.../tasks.json": lambda m: m["files"].update({"../tasks.json": {}}),
    "supersedes": lambda m: m.update(supersedes="demo"),
    "supersedes.version": lambda m: m.update(
        supersedes={"name": "demo", "version": "0", "content_sha256": "0" * 64}
    ),
    "software": lambda m: m.update(software=""),
    "created_at": lambda m: m.update(created_at="yesterday"),
}


@pytest.mark.parametrize("field", MANIFEST_FAULTS)
def test_a_fault_of_the_manifest_is_named_by_its_field(tampered, field):
    assert [text.split(":")[0] for text in problems_of(tampered(manifest=MANIFEST_FAULTS[field]))] == [
        f"manifest.json, {field}"
    ]


def first(part):
    """The first item, or one compartment of it."""
    return lambda tasks: tasks["items"][0][part] if part else tasks["items"][0]


TASK_FAULTS = {
    "schema": lambda t: t.update(schema="touchstone/srm/1"),
    "name": lambda t: t.update(name="other"),
    "version": lambda t: t.update(version=2),
    "items": lambda t: t.update(items={}),
    "items[0]": lambda t: t["items"].__setitem__(0, 7),
    "items[1].item_id": lambda t: t["items"][1].update(
        item_id="66324", input={**t["items"][1]["input"], "reaction": "66324/reaction"}
    ),
    "items[0].gold": lambda t: t["items"][0].pop("gold"),
    "items[0].input.reaction": lambda t: first("input")(t).update(reaction="66324/stimulus"),
    "items[0].input.duration_s": lambda t: first("input")(t).update(duration_s="64"),
    "items[0].input.moments": lambda t: first("input")(t)["moments"].reverse(),
    "items[0].input.moments[1].end_s": lambda t: first("input")(t)["moments"][1].update(end_s=34.0),
    "items[0].input.moments[2].end_s": lambda t: first("input")(t)["moments"][2].update(end_s=70),
    "items[0].input.moments[2].start_s": lambda t: first("input")(t)["moments"][2].update(start_s=-1),
    "items[0].gold.consensus": lambda t: first("gold")(t).update(consensus=[1.5, 2.0]),
    "items[0].gold.consensus[1]": lambda t: first("gold")(t)["consensus"].__setitem__(1, 2.01),
    "items[3].gold.consensus[0]": lambda t: t["items"][3]["gold"]["consensus"].__setitem__(0, 0.333333333333),
    "items[0].gold.consensus[2]": lambda t: first("gold")(t)["consensus"].__setitem__(2, 4),
    "items[0].gold.consensus_debiased[0]": lambda t: first("gold")(t)["consensus_debiased"].__setitem__(
        0, 1.6
    ),
    "items[0].gold.n_ratings[0]": lambda t: first("gold")(t)["n_ratings"].__setitem__(0, 3),
    "items[0].gold.n_ratings[1]": lambda t: first("gold")(t)["n_ratings"].__setitem__(1, 3.5),
    "items[0].gold.rater_sd[0]": lambda t: first("gold")(t)["rater_sd"].__setitem__(0, 0.5),
    "items[0].gold.rater_sd[1]": lambda t: first("gold")(t)["rater_sd"].__setitem__(1, None),
    "items[0].source.creator": lambda t: first("source")(t).update(creator=""),
}


@pytest.mark.parametrize("field", TASK_FAULTS)
def test_a_fault_of_the_tasks_is_named_by_its_field(tampered, field):
    texts = problems_of(tampered(tasks=TASK_FAULTS[field]))
    assert f"tasks.json, {field}" in [text.split(":")[0] for text in texts]


def test_nan_in_the_labels_is_named(demo_files, save):
    files = {**demo_files, "tasks.json": demo_files["tasks.json"].replace(b"1.25", b"NaN")}
    assert any("gold.consensus[2]: found NaN" in text for text in problems_of(save(files)))


def line_of(**changes):
    rating = {"item_id": "66324", "moment_id": "66324_c00", "rater": "R1", "score": 1}
    return json.dumps({**rating, **changes})


RATING_FAULTS = {
    "score, too high": ("line 1, score", line_of(score=4)),
    "score, a fraction": ("line 1, score", line_of(score=1.5)),
    "score, a digit string": ("line 1, score", line_of(score="1")),
    "score, true": ("line 1, score", line_of(score=True)),
    "moment of another item": ("line 1, moment_id", line_of(moment_id="70001_c00")),
    "unknown item": ("line 1, moment_id", line_of(item_id="99999")),
    "no rater": ("line 1, rater", line_of(rater=None)),
    "no JSON": ("line 1", "oops"),
}


@pytest.mark.parametrize("fault", RATING_FAULTS)
def test_a_fault_of_a_rating_is_named_by_its_line(tampered, fault):
    place, line = RATING_FAULTS[fault]
    texts = problems_of(tampered(ratings=lambda lines: lines.__setitem__(0, line)))
    assert [text.split(":")[0] for text in texts] == [f"ratings.jsonl {place}"]


def test_a_rater_twice_on_a_moment_names_both_lines(tampered):
    (text,) = problems_of(tampered(ratings=lambda lines: lines.append(lines[1])))
    assert text.startswith("ratings.jsonl line 37, rater")
    assert "line 2" in text


def test_two_is_two_even_when_written_with_a_point(tampered):
    def with_points(lines):
        lines[:] = [line.replace('"score":2', '"score":2.0') for line in lines]

    assert problems_of(tampered(ratings=with_points)) == []


def test_a_changed_rating_shows_as_labels_that_do_not_fit(tampered):
    def change(lines):
        lines[0] = lines[0].replace('"score":1', '"score":3')

    texts = problems_of(tampered(ratings=change))
    assert any("items[0].gold.consensus[0]: found 1.5; expected 2.0" in text for text in texts)


def test_a_moment_without_ratings_is_named(tampered):
    def drop(lines):
        lines[:] = [line for line in lines if "66324_c02" not in line]

    texts = problems_of(tampered(ratings=drop))
    assert sum('"66324_c02", which has no rating' in text for text in texts) == 1


def test_all_faults_of_a_set_are_told_in_one_go(demo_files, save):
    files = {
        **demo_files,
        "tasks.json": demo_files["tasks.json"].replace(b'"C1"', b"7"),
        "ratings.jsonl": demo_files["ratings.jsonl"] + b"{}\nnonsense\n",
    }
    files.pop("DATASHEET.md")
    texts = problems_of(save(files))
    assert {text.split(":")[0] for text in texts} == {
        "DATASHEET.md",
        "tasks.json",
        "tasks.json, items[0].source.channel",
        "tasks.json, items[1].source.channel",
        "ratings.jsonl",
        *(f"ratings.jsonl line 37, {key}" for key in ("item_id", "moment_id", "rater", "score")),
        "ratings.jsonl line 38",
    }


def test_unknown_keys_are_warnings_and_strictly_faults(tampered):
    def add(tasks):
        first("input")(tasks).update(fps=30)

    path = tampered(tasks=add)
    findings = Findings()
    assert ip_set_read(path, findings) is not None
    assert [warning.field for warning in findings.warnings] == ["items[0].input.fps"]
    assert len(problems_of(path, strict=True)) == 1


def test_a_file_twice_in_a_zip_is_named(tmp_path, demo_files):
    import zipfile

    path = tmp_path / "twice.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in demo_files.items():
            archive.writestr(name, data)
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("tasks.json", demo_files["tasks.json"])
    assert any("the file twice in the zip" in text for text in problems_of(path))
