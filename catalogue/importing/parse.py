"""Reading an import folder line by line. Only the text is looked at here, not the catalogue or the media."""

import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from catalogue.importing.lines import (
    CLIPS,
    MOMENTS,
    WINDOWS,
    ClipLine,
    FolderLines,
    MomentLine,
    NominationValue,
    WindowLine,
)
from evaluator.formats import Fields, Findings, Problem, read_jsonl, shown

LONGEST_NAME = 200
LONGEST_S = 1_000_000
HIGHEST_RANK = 2**31 - 1

CLIP_KEYS = (
    "clip_id",
    "creator",
    "channel",
    "category",
    "domain",
    "source_group",
    "parent_clip",
    "duration_s",
    "reaction",
    "stimulus",
)
MOMENT_KEYS = ("moment_id", "clip_id", "start_s", "end_s", "nomination")
NOMINATION_KEYS = ("selector", "score", "rank", "evidence")
WINDOW_KEYS = ("window_id", "clip_id", "start_s", "end_s", "description")

Line = TypeVar("Line")
Make = Callable[[Fields, str], Line | None]


def folder_lines(folder: Path, findings: Findings) -> FolderLines:
    """The usable lines of the folder's files; every fault of the others is noted in `findings`."""
    found = FolderLines()
    if not folder.is_dir():
        findings.problem(str(folder), None, None, found="no such folder", expected="an import folder")
        return found
    if not any((folder / name).exists() for name in (CLIPS, MOMENTS, WINDOWS)):
        findings.problem(
            str(folder),
            None,
            None,
            found="none of the files that an import reads",
            expected=f"{CLIPS}, {MOMENTS} or {WINDOWS}",
        )
    found.clips, found.clip_ids = _file_lines(folder, CLIPS, "clip_id", CLIP_KEYS, _clip, findings)
    found.moments, _ = _file_lines(folder, MOMENTS, "moment_id", MOMENT_KEYS, _moment, findings)
    found.windows, _ = _file_lines(folder, WINDOWS, "window_id", WINDOW_KEYS, _window, findings)
    _note_unread(folder, found, findings)
    return found


def _file_lines(
    folder: Path, name: str, key: str, keys: tuple[str, ...], make: Make[Line], findings: Findings
) -> tuple[dict[str, Line], set[str]]:
    """The lines that could be made, by id, and all ids seen."""
    lines: dict[str, Line] = {}
    first_at: dict[str, int] = {}
    for row in read_jsonl(name, _file_bytes(folder, name, findings), findings):
        fields = Fields(row.value, findings, file=name, line=row.line)
        fields.known(keys)
        own_id = _word(fields, key)
        line = make(fields, own_id or "")
        if own_id is None:
            continue
        if own_id in first_at:
            fields.refuse(
                key,
                found=f"{shown(own_id)} again, first on line {first_at[own_id]}",
                expected=f"each {key} once",
            )
            continue
        first_at[own_id] = row.line
        if line is not None:
            lines[own_id] = line
    return lines, set(first_at)


def _file_bytes(folder: Path, name: str, findings: Findings) -> bytes:
    path = folder / name
    if not path.exists():
        return b""
    try:
        return path.read_bytes()
    except OSError as fault:
        findings.problem(name, None, None, found=fault.strerror or "a fault", expected="a readable file")
        return b""


def _clip(fields: Fields, clip_id: str) -> ClipLine | None:
    if "/" in clip_id or "\\" in clip_id:
        # A published media key is "<clip_id>/reaction", and people will make file names of it.
        fields.refuse("clip_id", expected="an id without / and \\")
    words = {key: _word(fields, key) for key in ("creator", "channel", "category", "source_group")}
    domain = _word(fields, "domain", optional=True)
    parent = _word(fields, "parent_clip", optional=True)
    duration = fields.number("duration_s", low=0, high=LONGEST_S, optional=True)
    reaction = _plain(fields, "reaction")
    stimulus = _plain(fields, "stimulus")
    creator, channel, category, group = words.values()
    if not (creator and channel and category and group and reaction and stimulus):
        return None
    return ClipLine(
        line=fields.line or 0,
        clip_id=clip_id,
        creator=creator,
        channel=channel,
        category=category,
        domain=domain or "",
        source_group=group,
        parent_clip=parent,
        duration_ms=None if duration is None else _ms(duration),
        reaction=reaction,
        stimulus=stimulus,
    )


def _moment(fields: Fields, moment_id: str) -> MomentLine | None:
    clip_id, times = _word(fields, "clip_id"), _times(fields)
    nomination = None
    if fields.value.get("nomination") is not None:
        nomination = _nomination(fields)
    if clip_id is None or times is None:
        return None
    return MomentLine(fields.line or 0, moment_id, clip_id, *times, nomination)


def _nomination(moment: Fields) -> NominationValue | None:
    fields = moment.nested("nomination")
    if fields is None:
        return None
    fields.known(NOMINATION_KEYS)
    selector = _word(fields, "selector")
    score = fields.number("score")
    rank = fields.integer("rank", low=0, high=HIGHEST_RANK)
    evidence = _plain(fields, "evidence", empty=True)
    if selector is None or score is None or rank is None or evidence is None:
        return None
    return NominationValue(selector, score, rank, evidence)


def _window(fields: Fields, window_id: str) -> WindowLine | None:
    clip_id, times = _word(fields, "clip_id"), _times(fields)
    description = _plain(fields, "description", empty=True)
    if clip_id is None or times is None or description is None:
        return None
    return WindowLine(fields.line or 0, window_id, clip_id, *times, description)


def _times(fields: Fields) -> tuple[int, int] | None:
    start = fields.number("start_s", low=0, high=LONGEST_S)
    end = fields.number("end_s", low=0, high=LONGEST_S)
    if start is None or end is None:
        return None
    if _ms(end) <= _ms(start):
        fields.refuse("end_s", expected=f"more than start_s ({shown(fields.value['start_s'])})")
        return None
    return _ms(start), _ms(end)


def _ms(seconds: float) -> int:
    return round(seconds * 1000)


def _word(fields: Fields, key: str, *, optional: bool = False) -> str | None:
    """A name or id: one line of at most 200 characters without white space at its ends."""
    text = fields.text(key, optional=optional)
    if text is None:
        return None
    if len(text) > LONGEST_NAME:
        found, expected = f"{len(text)} characters", f"at most {LONGEST_NAME}"
    elif any(unicodedata.category(character) in ("Cc", "Zl", "Zp") for character in text):
        found, expected = shown(text), "text without control characters"
    elif text != text.strip():
        found, expected = shown(text), "text without white space at its ends"
    else:
        return text
    fields.refuse(key, found=found, expected=expected)
    return None


def _plain(fields: Fields, key: str, *, empty: bool = False) -> str | None:
    """Any text that a database can hold."""
    text = fields.text(key, empty=empty)
    if text is not None and "\x00" in text:
        fields.refuse(key, expected="text without zero characters")
        return None
    return text


def _note_unread(folder: Path, lines: FolderLines, findings: Findings) -> None:
    """Warn of files beside the known ones, since `moment.jsonl` for `moments.jsonl` would go unnoticed."""
    media = {path for line in lines.clips.values() for path in (line.reaction, line.stimulus)}
    for name in sorted(path.name for path in folder.iterdir() if path.is_file()):
        if name not in {CLIPS, MOMENTS, WINDOWS, *media} and not name.startswith("."):
            findings.warnings.append(
                Problem(name, None, None, "a file that is not read", f"{CLIPS}, {MOMENTS}, {WINDOWS}, media")
            )
