"""What somebody asks to freeze, checked before anything is read: every fault is told in one go."""

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from exports.models import GoldSetVersion
from studies.kinds import KindUnknown, Parameter, StudyKind, kind_for_goldset
from studies.models import Study

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}")
_NAME_EXPECTED = "letters A-Z a-z, digits, - and _, starting with a letter or digit, at most 80"
_SEED_END = 2**63


class FreezeRefused(Exception):
    """A set cannot be frozen as asked. `sentences` say everything that stands in the way."""

    def __init__(self, sentences: Iterable[str]) -> None:
        self.sentences = tuple(sentences)
        super().__init__("\n".join(self.sentences))


@dataclass(frozen=True, slots=True)
class FreezeRequest:
    """A sound request: the kind whose answers make the set, the studies by address, complete parameters."""

    kind: StudyKind
    studies: tuple[Study, ...]
    name: str
    line: str
    seed: int
    parameters: Mapping[str, Any]


def freeze_request(
    *,
    set: str,  # noqa: A002 - the files' own word
    studies: Sequence[str],
    name: str,
    line: str,
    seed: int,
    parameters: Mapping[str, Any],
) -> FreezeRequest:
    """The request that these words make, `studies` being addresses (slugs). Raises `FreezeRefused`."""
    try:
        kind = kind_for_goldset(set)
    except KindUnknown as error:
        raise FreezeRefused([f"{error}."]) from None
    faults: list[str] = []
    found = _studies(studies, kind, faults)
    _check_names(set, name, line, faults)
    if not 0 <= seed < _SEED_END:
        faults.append(f"seed: found {seed}; expected a whole number of at least 0, below 2^63.")
    complete = _parameters(kind.goldset_parameters, parameters, faults)
    if faults:
        raise FreezeRefused(faults)
    return FreezeRequest(kind, found, name, line, seed, complete)


def _studies(slugs: Sequence[str], kind: StudyKind, faults: list[str]) -> tuple[Study, ...]:
    if not slugs:
        faults.append("studies: found none; expected at least one.")
    known = {study.slug: study for study in Study.objects.order_by("slug")}
    found = []
    for slug in sorted(set(slugs)):
        study = known.get(slug)
        if study is None:
            faults.append(f'No study is called "{slug}".{_near(slug, known, "Studies")}')
        elif study.kind != kind.name:
            faults.append(
                f'Study "{slug}" is of kind {study.kind}; '
                f"a gold set {kind.goldset_name} is made of kind {kind.name}."
            )
        else:
            found.append(study)
    return tuple(found)


def _check_names(set_name: str, name: str, line: str, faults: list[str]) -> None:
    for what, given in (("name", name), ("line", line)):
        if not _NAME.fullmatch(given):
            faults.append(f'{what}: found "{given}"; expected {_NAME_EXPECTED}.')
    held = GoldSetVersion.objects.filter(set=set_name, name=name).exclude(line=line).first()
    if held is not None:
        # A version names the one it replaces, which would tie the two lines together.
        faults.append(
            f'Gold set "{name}" belongs to the release line "{held.line}"; '
            f'expected that line or, for the line "{line}", another name.'
        )


def _parameters(declared: Sequence[Parameter], given: Mapping[str, Any], faults: list[str]) -> dict[str, Any]:
    known = {parameter.name: parameter for parameter in declared}
    for name in sorted(given.keys() - known.keys()):
        faults.append(f'No parameter is called "{name}".{_near(name, known, "Parameters")}')
    complete = {name: parameter.default for name, parameter in known.items()}
    for name, value in given.items():
        if name in known:
            complete[name] = value
            if (expected := _expected(known[name], value)) is not None:
                faults.append(f"{name}: found {value!r}; expected {expected}.")
    return complete


def _expected(parameter: Parameter, value: Any) -> str | None:
    """What was expected where the value does not fit the parameter, else None."""
    if parameter.choices:
        return None if value in parameter.choices else f"one of {', '.join(map(str, parameter.choices))}"
    if type(value) is not type(parameter.default):
        return {bool: "true or false", int: "a whole number"}.get(type(parameter.default), "text")
    return "at least 1" if type(value) is int and value < 1 else None


def _near(word: str, known: Iterable[str], what: str) -> str:
    names = list(known)
    close = difflib.get_close_matches(word, names, n=3, cutoff=0.5)
    if close:
        return f" Did you mean {' or '.join(close)}?"
    return f" {what} there are: {', '.join(names[:10]) or 'none'}."
