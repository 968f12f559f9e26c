"""DATASHEET.md: what a set is and how it came about, for whoever opens it. Free of dates and names."""

import json
from collections.abc import Mapping
from typing import Any

from exports.request import FreezeRequest
from studies.kinds import GoldSet


def totals(counts: Mapping[str, Any]) -> str:
    """The plain counts of a set in one line, by name: databases do not keep the order of a JSON object."""
    return ", ".join(f"{n} {name}" for name, n in sorted(counts.items()) if isinstance(n, int))


def datasheet(request: FreezeRequest, gold: GoldSet, version: int) -> str:
    """The data sheet of a set, in Markdown."""
    kind = request.kind
    return "\n".join(
        [
            f"# {request.name}, version {version}",
            "",
            f"Gold set `{gold.set}`. People answered: {kind.asks}",
            "",
            "## What a recorded answer holds",
            *(f"- `{field.name}` ({field.type}): {field.meaning}" for field in kind.fields),
            "",
            "## How much there is",
            f"{totals(gold.counts)}.",
            "",
            "## What was left out, and how items were chosen",
            *(f"- {sentence}" for sentence in gold.removed),
            "",
            "## Parameters",
            *(f"- {name}: {json.dumps(value)}" for name, value in sorted(gold.parameters.items())),
            f"- seed: {request.seed}",
            "",
            "## Whom the labels stand for",
            "R is a rater, P a creator persona, C a channel, S the recording that clips were cut from.",
            f"Labels are pseudonyms of the release line `{request.line}`: its sets share them, and those of",
            "another line cannot be matched with them.",
            "Clip and moment ids are those of the catalogue. Media files are not part of the set.",
            "",
            "## Files",
            "`manifest.json` vouches for the other files by hash. `tasks.json` holds the items (`input`: all",
            "that a model may see; `gold`: labels; `source`: provenance),",
            f"{', '.join(f'`{name}`' for name in sorted(gold.tables))} the single answers.",
            "`schema.json` describes every field.",
            "",
        ]
    )
