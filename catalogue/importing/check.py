"""Whether the lines agree with each other, with the media and with the clips that the catalogue knows."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from catalogue.importing.lines import CLIPS, MOMENTS, WINDOWS, FolderLines, MomentLine, WindowLine
from catalogue.importing.media import MediaFile, MediaKey
from catalogue.importing.names import ids_with_names
from catalogue.importing.stored import Stored
from evaluator.formats import Findings, Problem, shown

END_TOLERANCE_MS = 50
"""A moment this little past the end (a frame, a rounding) is taken to end with the clip."""

SHORT_MS = 1000


@dataclass(slots=True)
class Check:
    """One check of a folder: `lines` against `media` and `stored`. Faults and remarks go to `findings`."""

    lines: FolderLines
    media: Mapping[MediaKey, MediaFile]
    stored: Stored
    findings: Findings

    def run(self) -> None:
        """All checks. Moments that end a frame late are shortened in `lines`."""
        self._clips_are_known()
        self._parents_make_sense()
        self._moments_fit()
        self._stored_moments_still_fit()
        self._windows_fit()
        self._moments_lie_apart()
        self._ids_name_nobody()

    def _warn(self, file: str, line: int, field: str, found: str, expected: str) -> None:
        self.findings.warnings.append(Problem(file, line, field, found, expected))

    def _clips_are_known(self) -> None:
        if not self.lines.clip_ids and any(p.file == CLIPS for p in self.findings.problems):
            return  # a clip file that could not be read says nothing about which clips there are
        known = self.lines.clip_ids | self.stored.clips.keys()
        groups: Iterable[tuple[str, Iterable[MomentLine | WindowLine]]] = (
            (MOMENTS, self.lines.moments.values()),
            (WINDOWS, self.lines.windows.values()),
        )
        for file, lines in groups:
            for line in lines:
                if line.clip_id not in known:
                    self.findings.problem(
                        file,
                        line.line,
                        "clip_id",
                        found=f"{shown(line.clip_id)}, an unknown clip",
                        expected=f"a clip of {CLIPS} or of the catalogue",
                    )

    def _parents_make_sense(self) -> None:
        parents = self.stored.parents | {i: line.parent_clip for i, line in self.lines.clips.items()}
        known = self.lines.clip_ids | parents.keys()
        for clip_id, line in self.lines.clips.items():
            if line.parent_clip is None:
                continue
            if line.parent_clip not in known:
                found, expected = "an unknown clip", f"a clip of {CLIPS} or of the catalogue"
            elif _comes_back(clip_id, parents):
                found, expected = "a clip that descends from this one", "a clip it was cut from"
            else:
                continue
            found = f"{shown(line.parent_clip)}, {found}"
            self.findings.problem(CLIPS, line.line, "parent_clip", found=found, expected=expected)

    def _length(self, clip_id: str, role: str) -> int | None:
        """Milliseconds that the clip's file will last after the import; None when that is not known."""
        if (clip_id, role) in self.media:
            return self.media[clip_id, role].duration_ms
        stored = self.stored.media.get((clip_id, role))
        if clip_id in self.lines.clip_ids or stored is None:
            return None
        return stored.duration_ms

    def _moments_fit(self) -> None:
        for moment in list(self.lines.moments.values()):
            length = self._length(moment.clip_id, "reaction")
            if length is not None and moment.end_ms > length:
                if moment.end_ms - length <= END_TOLERANCE_MS and moment.start_ms < length:
                    self.lines.moments[moment.moment_id] = replace(moment, end_ms=length)
                    continue
                self.findings.problem(
                    MOMENTS,
                    moment.line,
                    "end_s",
                    found=f"{moment.end_ms / 1000}",
                    expected=f"at most {length / 1000}, the end of clip {shown(moment.clip_id)}",
                )
            if moment.end_ms - moment.start_ms < SHORT_MS:
                found = f"a moment of {(moment.end_ms - moment.start_ms) / 1000} s"
                self._warn(MOMENTS, moment.line, "end_s", found, "at least 1 s to judge")

    def _stored_moments_still_fit(self) -> None:
        """Replaced media must not cut moments that the folder does not mention."""
        for moment in self.stored.moments.values():
            clip = self.lines.clips.get(moment.clip.clip_id)
            length = self._length(moment.clip.clip_id, "reaction")
            if clip is None or length is None or moment.moment_id in self.lines.moments:
                continue
            if moment.end_ms > length:
                end = f"{moment.end_ms / 1000} s, where moment {shown(moment.moment_id)} ends"
                found, expected = f"a file of {length / 1000} s", f"at least {end}"
                self.findings.problem(CLIPS, clip.line, "reaction", found=found, expected=expected)

    def _windows_fit(self) -> None:
        for window in self.lines.windows.values():
            length = self._length(window.clip_id, "stimulus")
            if length is not None and window.end_ms > length + END_TOLERANCE_MS:
                expected = f"at most {length / 1000}, the end of the stimulus"
                self._warn(WINDOWS, window.line, "end_s", f"{window.end_ms / 1000}", expected)

    def _moments_lie_apart(self) -> None:
        kept = [
            (m.clip.clip_id, m.start_ms, m.end_ms, m.moment_id)
            for m in self.stored.moments.values()
            if m.moment_id not in self.lines.moments
        ]
        given = [(m.clip_id, m.start_ms, m.end_ms, m.moment_id) for m in self.lines.moments.values()]
        furthest: tuple[str, int, str] | None = None
        for clip_id, start, end, moment_id in sorted(kept + given):
            if furthest and furthest[0] == clip_id and start < furthest[1]:
                self._note_overlap(moment_id, furthest[2])
            if furthest is None or furthest[0] != clip_id or end > furthest[1]:
                furthest = (clip_id, end, moment_id)

    def _note_overlap(self, later: str, earlier: str) -> None:
        line = self.lines.moments.get(later) or self.lines.moments.get(earlier)
        if line is not None:
            other = earlier if line.moment_id == later else later
            self._warn(MOMENTS, line.line, "start_s", f"an overlap with moment {shown(other)}", "none")

    def _ids_name_nobody(self) -> None:
        names = {name for line in self.lines.clips.values() for name in (line.creator, line.channel)}
        for clip in self.stored.clips.values():
            names |= {clip.creator.name, clip.creator.channel.name}
        groups = (
            (CLIPS, "clip_id", {i: line.line for i, line in self.lines.clips.items()}),
            (MOMENTS, "moment_id", {i: line.line for i, line in self.lines.moments.items()}),
        )
        for file, field, lines in groups:
            for own_id, name in ids_with_names(lines, names):
                found = f"{shown(own_id)}, which contains the name {shown(name)}"
                self._warn(file, lines[own_id], field, found, "an id without names: it is published as it is")


def _comes_back(clip_id: str, parents: Mapping[str, str | None]) -> bool:
    """Whether a clip is among its own ancestors."""
    seen: set[str] = set()
    ancestor = parents.get(clip_id)
    while ancestor is not None and ancestor not in seen:
        if ancestor == clip_id:
            return True
        seen.add(ancestor)
        ancestor = parents.get(ancestor)
    return False
