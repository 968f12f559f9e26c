"""The contract of a study kind, and the registry that finds the kinds there are.

A kind is one frozen object in the `kind.py` of an app. Joining, consent, assignment, saving, progress,
completion, the monitoring frame and the freezing frame are written once against it. Kinds are strangers
to each other: what one needs of another it asks of the registry by name (`kind_ask`).
"""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from django.utils.module_loading import autodiscover_modules

if TYPE_CHECKING:
    from studies.models import Assignment, ResponseEvent, Study


@dataclass(frozen=True, slots=True)
class Parameter:
    """A setting of a study that its kind declares: frozen when the study opens."""

    name: str
    default: Any
    meaning: str
    choices: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class RecordedField:
    """One field of a response's payload, and what it means."""

    name: str
    type: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of one medium, in milliseconds of media time."""

    role: str
    start_ms: int
    end_ms: int


@dataclass(frozen=True, slots=True)
class Question:
    """One thing asked of a unit. `key` is unique within a study; `must_play` is what has to be seen first."""

    key: str
    must_play: tuple[Window, ...] = ()


@dataclass(frozen=True, slots=True)
class Media:
    """A file that a unit shows: the role that its page knows it by, and the stored version."""

    role: str
    version_id: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Unit:
    """What one assignment gives an annotator (intensity: a clip)."""

    key: str
    questions: tuple[Question, ...]
    media: tuple[Media, ...]

    def question(self, key: str) -> Question | None:
        """The question of that key, or None when the unit does not ask it."""
        return next((q for q in self.questions if q.key == key), None)


@dataclass(frozen=True, slots=True)
class View:
    """What an annotator may see of a unit. A kind subclasses it and names each public field."""

    def public(self) -> dict[str, Any]:
        """The view as plain data for the page."""
        return asdict(self)


class InvalidResponse(Exception):
    """A payload the kind does not accept; the message says what was found and what was expected."""


@dataclass(frozen=True, slots=True)
class GoldSet:
    """The content of a set before it is written: items in file order, ratings, counts and sentences.

    `tables` maps a file name to its rows; `removed` holds one sentence for what each rule removed.
    """

    set: str
    items: Sequence[Mapping[str, Any]]
    tables: Mapping[str, Sequence[Mapping[str, Any]]]
    counts: Mapping[str, Any]
    removed: Sequence[str]
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels of a release line. Each function takes stable ids and returns label by id."""

    raters: Callable[[Iterable[str]], Mapping[str, str]]
    creators: Callable[[Iterable[str]], Mapping[str, str]]
    channels: Callable[[Iterable[str]], Mapping[str, str]]
    source_groups: Callable[[Iterable[str]], Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One figure of a study for the dashboards: key, value (None when undefined) and why it is."""

    key: str
    value: Any
    note: str = ""


@dataclass(frozen=True, slots=True)
class AnswersIn:
    """What an import of answers did: a sentence for the person who asked, and what was odd in the file."""

    sentence: str
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SimulatedAnswer:
    """What a simulated annotator says to one question."""

    question: str
    value: Any


@dataclass(frozen=True, slots=True)
class StudyKind:
    """Everything the platform needs to know of one way of judging.

    `unit_keys` lists what the catalogue offers, `units(keys, parameters, blocked=False)` builds units by key
    (those that nobody may be shown any more only when `blocked`), `view` says what may be seen of one,
    `validate` returns the payload as it is stored, `record` and `forget` keep the typed current answer inside
    the saving transaction, `rebuild` makes it anew from the events, `goldset` chooses and shapes the items of
    a set, `simulate` answers as a person would. `current` returns the current answers by (rater, question),
    `ratings` those that count as lines of a ratings file; `answers_in(study=, name=, file=, data=, by=,
    strict=)` imports a file of answers, all or nothing, and raises the evaluator's InputRefused;
    `diagnostics` reads through the database alias it is given. `mode` is how its studies give work out unless
    their manager says otherwise, `roles` the media that its page plays with sound, `scale` the values of an
    answer that is one number, in order: repeats are compared on it.
    """

    name: str
    version: str
    title: str
    asks: str
    template: str
    parameters: tuple[Parameter, ...]
    fields: tuple[RecordedField, ...]
    unit_keys: Callable[[], list[str]]
    units: Callable[..., dict[str, Unit]]
    view: Callable[[Unit, Mapping[str, Any]], View]
    validate: Callable[[Question, Any, Mapping[str, Any]], Any]
    record: Callable[["Assignment", Question, "ResponseEvent"], None]
    forget: Callable[["Assignment", Question], None]
    rebuild: Callable[[Sequence[int]], int]
    current: Callable[[Sequence[int]], Mapping[tuple[str, str], Any]]
    ratings: Callable[[Sequence[int]], Iterable[Mapping[str, Any]]]
    answers_in: Callable[..., AnswersIn]
    diagnostics: Callable[..., list[Diagnostic]]
    goldset: Callable[[Sequence["Study"], Mapping[str, Any], Labels], GoldSet]
    goldset_name: str
    goldset_parameters: tuple[Parameter, ...]
    simulate: Callable[[Unit, random.Random], list[SimulatedAnswer]]
    offers: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    mode: str = "pool"
    roles: tuple[str, ...] = ("reaction",)
    scale: tuple[int, ...] = ()

    def defaults(self) -> dict[str, Any]:
        """The kind's parameters at their defaults."""
        return {p.name: p.default for p in self.parameters}


class KindUnknown(LookupError):
    """No kind of that name; the message lists those there are."""


_kinds: dict[str, StudyKind] = {}


def kind_register(kind: StudyKind) -> StudyKind:
    """Add a kind to the registry and return it. Two kinds of one name are an error."""
    held = _kinds.get(kind.name)
    if held is not None and held is not kind:
        raise ValueError(f"two study kinds are called {kind.name!r}")
    _kinds[kind.name] = kind
    return kind


def kinds_discover() -> None:
    """Import the `kind` module of every installed app, each of which registers itself."""
    autodiscover_modules("kind")


def kinds_all() -> list[StudyKind]:
    """Every registered kind, by name."""
    return [_kinds[name] for name in sorted(_kinds)]


def kind_named(name: str) -> StudyKind:
    """The kind of that name; `KindUnknown` names the known ones otherwise."""
    try:
        return _kinds[name]
    except KeyError:
        raise KindUnknown(f"no study kind is called {name!r}; known: {', '.join(sorted(_kinds))}") from None


def kind_for_goldset(name: str) -> StudyKind:
    """The kind whose answers make gold sets of that name (`ip`, `grg`, `anchor`)."""
    for kind in kinds_all():
        if kind.goldset_name == name:
            return kind
    known = ", ".join(kind.goldset_name for kind in kinds_all())
    raise KindUnknown(f"no study kind makes a gold set {name!r}; known: {known}")


def kind_ask(offer: str, /, *args: Any, **kwargs: Any) -> Any:
    """Ask whichever kind offers `offer` (for instance `consensus_for`); nobody offering is an error."""
    for kind in kinds_all():
        if offer in kind.offers:
            return kind.offers[offer](*args, **kwargs)
    known = sorted({name for kind in kinds_all() for name in kind.offers})
    raise KindUnknown(f"no study kind offers {offer!r}; offered: {', '.join(known) or 'nothing'}")
