"""The media files that an import names: found inside the folder, measured, and made fit to be served."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from catalogue.importing.lines import CLIPS, ClipLine
from catalogue.models import MediaVersion
from catalogue.probe import MediaFacts, MediaUnreadable, file_sha256, normalise, probe
from evaluator.formats import Findings, Problem, shown

LENGTH_TOLERANCE_MS = 500
"""How far a claimed length may be off, and how far reaction and stimulus may differ unremarked."""

ROLES = (MediaVersion.Role.REACTION.value, MediaVersion.Role.STIMULUS.value)

Progress = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done, and how much there is."""

MediaKey = tuple[str, str]
"""Clip id and role."""


@dataclass(frozen=True, slots=True)
class MediaFile:
    """A usable file of a clip. `path` holds the bytes to be stored: the given ones or a normalised copy."""

    path: Path
    source_sha256: str
    sha256: str
    size: int
    content_type: str
    duration_ms: int
    has_audio: bool
    width: int
    height: int
    stored: bool = False  # the catalogue has these very bytes in force


@dataclass(slots=True)
class MediaReader:
    """Reads each file once, however many clips share it. `scratch` receives normalised copies."""

    folder: Path
    scratch: Path
    findings: Findings
    stored: Mapping[MediaKey, MediaVersion]
    _hashes: dict[Path, str] = field(default_factory=dict)
    _facts: dict[Path, MediaFile | str] = field(default_factory=dict)
    _notes: dict[Path, str] = field(default_factory=dict)

    def read(self, clips: Mapping[str, ClipLine], progress: Progress) -> dict[MediaKey, MediaFile]:
        """Every usable file of the clips; the faults of the others are noted."""
        files: dict[MediaKey, MediaFile] = {}
        for done, line in enumerate(clips.values()):
            progress("Reading media", done * len(ROLES), len(clips) * len(ROLES))
            for role in ROLES:
                file = self._file(line, role)
                if file is not None:
                    files[line.clip_id, role] = file
            self._compare(line, files)
        progress("Reading media", len(clips) * len(ROLES), len(clips) * len(ROLES))
        return files

    def _file(self, line: ClipLine, role: str) -> MediaFile | None:
        name: str = getattr(line, role)
        try:
            path = self._inside(name)
            known = self.stored.get((line.clip_id, role))
            file = self._as_stored(path, known) or self._measured(path)
        except MediaUnreadable as fault:
            self.findings.problem(
                CLIPS,
                line.line,
                role,
                found=f"{shown(name)}: {fault.reason}",
                expected="a readable video inside the folder",
            )
            return None
        if path in self._notes and not file.stored:
            self._warn(line, role, f"{shown(name)}: {self._notes[path]}", "nothing; a clean copy is stored")
        return file

    def _inside(self, name: str) -> Path:
        """The file that a line names; MediaUnreadable when it lies outside the folder or is not there."""
        given = Path(name)
        if given.is_absolute() or ".." in given.parts:
            raise MediaUnreadable("The path leads out of the import folder.")
        try:
            path = (self.folder / given).resolve(strict=True)
            if not path.is_relative_to(self.folder.resolve()):
                raise MediaUnreadable("The path leads out of the import folder through a link.")
            if not path.is_file():
                raise MediaUnreadable("There is no file at this path.")
        except FileNotFoundError as fault:
            raise MediaUnreadable("There is no file at this path.") from fault
        except (OSError, RuntimeError) as fault:
            raise MediaUnreadable(f"The path cannot be followed ({_why(fault)}).") from fault
        return path

    def _as_stored(self, path: Path, known: MediaVersion | None) -> MediaFile | None:
        """The stored file if it came from the same bytes: then there is nothing to measure."""
        if known is None or self._hash(path) != known.source_sha256:
            return None
        return MediaFile(
            path=path,
            source_sha256=known.source_sha256,
            sha256=known.sha256,
            size=known.size,
            content_type=known.content_type,
            duration_ms=known.duration_ms,
            has_audio=known.has_audio,
            width=known.width,
            height=known.height,
            stored=True,
        )

    def _hash(self, path: Path) -> str:
        if path not in self._hashes:
            try:
                self._hashes[path] = file_sha256(path)
            except OSError as fault:
                raise MediaUnreadable(f"The file cannot be read ({_why(fault)}).") from fault
        return self._hashes[path]

    def _measured(self, path: Path) -> MediaFile:
        if path not in self._facts:
            try:
                self._facts[path] = self._measure(path)
            except MediaUnreadable as fault:
                self._facts[path] = fault.reason
        known = self._facts[path]
        if isinstance(known, str):
            raise MediaUnreadable(known)
        return known

    def _measure(self, path: Path) -> MediaFile:
        try:
            facts = probe(path)
            source = facts.sha256
            if not facts.has_video:
                raise MediaUnreadable("The file has sound but no video stream.")
            if facts.needs_normalising:
                self._notes[path] = facts.needs_normalising
                clean = self.scratch / f"{len(self._notes)}.media"
                return _media_file(clean, source, normalise(path, clean))
        except OSError as fault:
            raise MediaUnreadable(f"The file cannot be read ({_why(fault)}).") from fault
        return _media_file(path, source, facts)

    def _compare(self, line: ClipLine, files: Mapping[MediaKey, MediaFile]) -> None:
        reaction = files.get((line.clip_id, "reaction"))
        stimulus = files.get((line.clip_id, "stimulus"))
        if reaction is None:
            return
        length = reaction.duration_ms
        claimed = line.duration_ms
        if claimed is not None and abs(claimed - length) > LENGTH_TOLERANCE_MS:
            self.findings.problem(
                CLIPS,
                line.line,
                "duration_s",
                found=f"{claimed / 1000}",
                expected=f"the {length / 1000} s that the reaction lasts",
            )
        if not reaction.has_audio:
            self._warn(line, "reaction", "a video without sound", "a reaction that can be heard")
        if stimulus is not None and abs(stimulus.duration_ms - length) > LENGTH_TOLERANCE_MS:
            self._warn(
                line,
                "stimulus",
                f"{stimulus.duration_ms / 1000} s",
                f"about the {length / 1000} s of the reaction",
            )

    def _warn(self, line: ClipLine, role: str, found: str, expected: str) -> None:
        self.findings.warnings.append(Problem(CLIPS, line.line, role, found, expected))


def _media_file(path: Path, source_sha256: str, facts: MediaFacts) -> MediaFile:
    return MediaFile(
        path=path,
        source_sha256=source_sha256,
        sha256=facts.sha256,
        size=facts.bytes,
        content_type=facts.content_type,
        duration_ms=facts.duration_ms,
        has_audio=facts.has_audio,
        width=facts.width,
        height=facts.height,
    )


def _why(fault: Exception) -> str:
    return getattr(fault, "strerror", None) or str(fault)
