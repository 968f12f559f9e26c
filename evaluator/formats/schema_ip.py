"""The JSON Schema (2020-12) that travels in every intensity set as ``schema.json``."""

from collections.abc import Mapping


def _object(properties: Mapping[str, object]) -> dict[str, object]:
    """An object with exactly these properties, all required."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": sorted(properties),
        "additionalProperties": False,
    }


def _array(items: Mapping[str, object]) -> dict[str, object]:
    return {"type": "array", "items": dict(items)}


_TEXT = {"type": "string", "minLength": 1}
_SECONDS = {"type": "number", "minimum": 0}
_SCORE = {"type": "integer", "minimum": 0, "maximum": 3}
_MEAN = {"type": "number", "minimum": 0, "maximum": 3}

_MOMENT = _object({"moment_id": _TEXT, "start_s": _SECONDS, "end_s": _SECONDS})
_ITEM = _object(
    {
        "item_id": _TEXT,
        "input": _object(
            {
                "reaction": {"type": "string", "description": "media key <clip_id>/reaction"},
                "duration_s": {"type": "number", "exclusiveMinimum": 0},
                "moments": {
                    **_array(_MOMENT),
                    "minItems": 1,
                    "description": "in time order; every gold array follows it",
                },
            }
        ),
        "gold": _object(
            {
                "consensus": {**_array(_MEAN), "description": "plain mean of a moment's scores"},
                "consensus_debiased": {
                    **_array({"type": "number"}),
                    "description": "mean after subtracting least-squares rater effects",
                },
                "n_ratings": _array({"type": "integer", "minimum": 1}),
                "rater_sd": {
                    **_array({"type": ["number", "null"], "minimum": 0}),
                    "description": "sample standard deviation; null for a single rating",
                },
            }
        ),
        "source": _object({"creator": _TEXT, "channel": _TEXT, "category": _TEXT, "source_group": _TEXT}),
    }
)

IP_SCHEMA: dict[str, object] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "touchstone/ip/1",
    "description": "An intensity profiling set. The root describes tasks.json; $defs/rating one line of "
    "ratings.jsonl.",
    **_object(
        {
            "schema": {"const": "touchstone/ip/1"},
            "name": _TEXT,
            "version": {"type": "integer", "minimum": 1},
            "items": _array({"$ref": "#/$defs/item"}),
        }
    ),
    "$defs": {
        "item": _ITEM,
        "rating": _object({"item_id": _TEXT, "moment_id": _TEXT, "rater": _TEXT, "score": _SCORE}),
    },
}
