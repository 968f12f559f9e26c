"""Writing a set: the same content gives the same bytes, and nothing inconsistent is written."""

import hashlib
import io
import json
import random
import subprocess
import sys
import zipfile
from datetime import UTC, datetime

import pytest

from evaluator.formats import SetName, content_sha256, json_document, json_line, zip_bytes


def test_the_order_of_what_is_given_changes_no_byte(demo_files, make_files, items_of, ratings_of):
    items, ratings = items_of(), ratings_of()
    random.Random(3).shuffle(items)
    random.Random(4).shuffle(ratings)
    assert make_files(items=items, ratings=ratings) == demo_files


def test_only_the_manifest_knows_the_time(demo_files, make_files):
    later = make_files(created_at=datetime(2027, 1, 1, tzinfo=UTC))
    assert {name for name in later if later[name] != demo_files[name]} == {"manifest.json"}
    assert (
        json.loads(later["manifest.json"])["content_sha256"]
        == json.loads(demo_files["manifest.json"])["content_sha256"]
    )


def test_another_process_with_another_locale_and_hash_seed_writes_the_same(demo_files):
    program = (
        "import sys; sys.path.insert(0, 'tests/evaluator'); from conftest import build_files; import hashlib;"
        "from evaluator.formats import zip_bytes; print(hashlib.sha256(zip_bytes(build_files())).hexdigest())"
    )
    out = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONHASHSEED": "7", "LC_ALL": "C", "TZ": "Asia/Tokyo", "PYTHONPATH": "."},
        capture_output=True,
        text=True,
        check=True,
    )
    assert out.stdout.strip() == hashlib.sha256(zip_bytes(demo_files)).hexdigest()


def test_a_zip_has_sorted_entries_one_time_and_one_mode(demo_files):
    data = zip_bytes(dict(reversed(demo_files.items())))
    assert data == zip_bytes(demo_files)
    entries = zipfile.ZipFile(io.BytesIO(data)).infolist()
    assert [entry.filename for entry in entries] == sorted(demo_files)
    assert {(entry.date_time, entry.external_attr >> 16) for entry in entries} == {
        ((1980, 1, 1, 0, 0, 0), 0o100644)
    }


def test_the_content_hash_is_that_of_sha256sum_lines(demo_files):
    manifest = json.loads(demo_files["manifest.json"])
    lines = [
        f"{hashlib.sha256(data).hexdigest()}  {name}\n"
        for name, data in sorted(demo_files.items())
        if name != "manifest.json"
    ]
    assert manifest["content_sha256"] == hashlib.sha256("".join(lines).encode()).hexdigest()
    assert manifest["content_sha256"] == content_sha256(
        {n: e["sha256"] for n, e in manifest["files"].items()}
    )


def test_json_has_sorted_keys_floats_by_repr_and_text_as_it_is():
    assert json_line({"b": 0.1, "a": "é😀"}) == '{"a":"é😀","b":0.1}\n'.encode()
    assert json_document({"b": [1.0], "a": {}}) == b'{\n  "a": {},\n  "b": [\n    1.0\n  ]\n}\n'
    with pytest.raises(ValueError, match="Out of range"):
        json_line({"a": float("nan")})


def test_the_manifest_counts_and_carries_what_it_was_given(make_files):
    earlier = SetName("demo", 1, "ab" * 32)
    manifest = json.loads(make_files(version=2, supersedes=earlier)["manifest.json"])
    assert manifest["schema"] == "touchstone/manifest/1"
    assert manifest["supersedes"] == {"name": "demo", "version": 1, "content_sha256": "ab" * 32}
    assert manifest["counts"] == {
        "items": 4,
        "moments": 11,
        "ratings": 36,
        "raters": 4,
        "excluded": {"low_effort": 2},
    }
    assert manifest["parameters"] == {"size": 250, "cap": 50}


def test_items_are_in_code_point_order_and_moments_in_time_order(make_files):
    tasks = json.loads(make_files()["tasks.json"])
    assert [item["item_id"] for item in tasks["items"]] == ["66324", "70001", "70002", "70003"]
    starts = [m["start_s"] for m in tasks["items"][0]["input"]["moments"]]
    assert starts == [29.5, 34.0, 55.5]
    assert tasks["items"][0]["gold"]["consensus"] == [1.5, 2.0, 1.25]
    assert tasks["items"][0]["gold"]["n_ratings"] == [4, 4, 4]


def test_the_input_compartment_holds_no_label_and_no_provenance(make_files):
    for item in json.loads(make_files()["tasks.json"])["items"]:
        assert set(item) == {"item_id", "input", "gold", "source"}
        assert set(item["input"]) == {"reaction", "duration_s", "moments"}
        assert item["input"]["reaction"] == f"{item['item_id']}/reaction"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"name": "my set"}, "set name"),
        ({"version": 0}, "version"),
        ({"created_at": datetime(2026, 3, 1)}, "zone"),  # noqa: DTZ001
        ({"counts": {"items": 3}}, "counts: items"),
    ],
)
def test_arguments_the_format_does_not_allow_are_refused(make_files, change, said):
    with pytest.raises(ValueError, match=said):
        make_files(**change)


def test_items_and_ratings_that_do_not_belong_together_are_refused(make_files, items_of, ratings_of):
    for items, ratings, said in [
        (items_of()[1:], ratings_of(), "not a moment of item '66324'"),
        (items_of(), ratings_of()[12:], "moments without a rating: 66324_c00"),
        (items_of() * 2, ratings_of(), "item ids given twice"),
        (items_of(), ratings_of() * 2, "twice"),
        ([], [], "at least one item"),
    ]:
        with pytest.raises(ValueError, match=said):
            make_files(items=items, ratings=ratings)


def conforms(value, schema, defs):
    """Checks a value against the parts of JSON Schema that the published schema uses."""
    if "$ref" in schema:
        return conforms(value, defs[schema["$ref"].rsplit("/", 1)[1]], defs)
    if "const" in schema:
        return value == schema["const"]
    kinds = {
        "object": dict,
        "array": list,
        "string": str,
        "integer": int,
        "number": (int, float),
        "null": type(None),
    }
    allowed = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if not any(isinstance(value, kinds[kind]) for kind in allowed):
        return False
    if isinstance(value, dict):
        known = schema["properties"]
        return (
            schema["additionalProperties"] is False
            and set(value) == set(known) == set(schema["required"])
            and all(conforms(inner, known[key], defs) for key, inner in value.items())
        )
    if isinstance(value, list):
        return len(value) >= schema.get("minItems", 0) and all(
            conforms(v, schema["items"], defs) for v in value
        )
    if isinstance(value, str):
        return len(value) >= schema.get("minLength", 0)
    return value is None or schema.get("minimum", value) <= value <= schema.get("maximum", value)


def test_the_schema_in_a_set_describes_its_files(demo_files):
    schema = json.loads(demo_files["schema.json"])
    assert conforms(json.loads(demo_files["tasks.json"]), schema, schema["$defs"])
    for line in demo_files["ratings.jsonl"].splitlines():
        assert conforms(json.loads(line), schema["$defs"]["rating"], schema["$defs"])
    broken = json.loads(demo_files["tasks.json"])
    broken["items"][0]["gold"]["consensus"][0] = 4
    assert not conforms(broken, schema, schema["$defs"])
