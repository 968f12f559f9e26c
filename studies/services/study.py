"""What a manager does to a study: add units, open, pause, halt, close, reopen."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone

from studies.accepting import rule_fault
from studies.errors import Refused
from studies.kinds import Unit
from studies.models import Path, Study, StudyLog, StudyUnit, StudyVersion, Wave
from studies.queries import kind_of
from studies.services.places import places_sync

User = Any  # whoever Django's user model is

_ALLOWED = {
    Study.State.OPEN: {Study.State.DRAFT, Study.State.PAUSED, Study.State.HALTED, Study.State.CLOSED},
    Study.State.PAUSED: {Study.State.OPEN},
    Study.State.HALTED: {Study.State.OPEN, Study.State.PAUSED},
    Study.State.CLOSED: {Study.State.OPEN, Study.State.PAUSED, Study.State.HALTED},
}


def study_frozen(study: Study) -> dict[str, Any]:
    """What shapes answers, as it stands now: the content of the next `StudyVersion`."""
    kind = kind_of(study)
    return {
        "kind": kind.name,
        "kind_version": kind.version,
        "parameters": kind.defaults() | study.parameters,
        "instructions": study.instructions,
        "consent": study.consent,
        "content_warning": study.content_warning,
        "language": study.language,
        "training": {
            "pass": study.training_pass,
            "attempts": study.training_attempts,
            "items": _items(study, StudyUnit.Purpose.PRACTICE),
        },
        "checks": {"every": study.check_every, "items": _items(study, StudyUnit.Purpose.CHECK)},
        "repeats": {"number": study.repeats, "gap": study.repeat_gap},
    }


def _items(study: Study, purpose: str) -> list[dict[str, Any]]:
    """The practice or check items of a study in their order, with what is accepted."""
    units = study.units.filter(purpose=purpose, state=StudyUnit.State.ACTIVE).order_by("order", "key")
    return [dict(row) for row in units.values("key", "accepts", "feedback")]


def _log(study: Study, what: str, by: User | None) -> None:
    StudyLog.objects.create(study=study, what=what, by=by)


@transaction.atomic
def study_add_units(
    *,
    study: Study,
    keys: Sequence[str] | None = None,
    wave: str = "main",
    pilot: bool = False,
    raters: int | None = None,
    issued: bool = True,
    by: User = None,
) -> int:
    """Put units into a wave of the study (all that the catalogue offers when `keys` is None).

    Units already in the study stay where they are. Returns how many were added; unknown keys are refused.
    """
    kind = kind_of(study)
    offered = kind.unit_keys()
    chosen = offered if keys is None else list(dict.fromkeys(keys))
    unknown = sorted(set(chosen) - set(offered))
    if unknown:
        raise Refused("unknown_units", f"not in the catalogue: {', '.join(unknown[:20])}", unknown=unknown)
    held = dict(StudyUnit.objects.filter(study=study).values_list("key", "purpose"))
    other = sorted(key for key in chosen if held.get(key, "study") != StudyUnit.Purpose.STUDY)
    if keys is not None and other:
        raise Refused(
            "other_purpose", f"practice or check items cannot be study items: {', '.join(other[:20])}"
        )
    present = set(held)
    fresh = [key for key in chosen if key not in present]
    number = study.waves.count() + 1
    defaults = {"number": number, "pilot": pilot, "raters": raters, "issued": issued}
    into, _ = Wave.objects.get_or_create(study=study, name=wave, defaults=defaults)
    StudyUnit.objects.bulk_create(StudyUnit(study=study, wave=into, key=key) for key in fresh)
    if fresh:
        _log(study, f"added {len(fresh)} units to wave {into.name}", by)
        places_sync(study)
    return len(fresh)


def state_reachable(study: Study, state: str) -> bool:
    """Whether a study can go to that state from the one it is in."""
    return study.state in _ALLOWED.get(Study.State(state), set())


@transaction.atomic
def study_set_state(*, study: Study, state: str, by: User = None) -> Study:
    """Open, pause, halt, close or reopen a study; opening freezes a version when something changed."""
    study = Study.objects.select_for_update().get(pk=study.pk)
    target = Study.State(state)
    if study.state == target:
        return study
    if not state_reachable(study, target):
        raise Refused("state", f"A study that is {study.state} cannot become {target.value}.")
    if target is Study.State.OPEN:
        _ready_or_refused(study)
        places_sync(study)
        study_freeze_version(study, by)
    study.state = target
    study.save(update_fields=["state", "version"])
    _log(study, f"state: {target.value}", by)
    return study


def _ready_or_refused(study: Study) -> None:
    lacking = study_lacks(study)
    if lacking:
        raise Refused("not_ready", f"{study.title} cannot be opened: {'; '.join(lacking)}.")


def study_lacks(study: Study) -> list[str]:
    """What a study still lacks before it can be opened, in words; empty when it can."""
    lacking = []
    active = study.units.filter(state=StudyUnit.State.ACTIVE)
    if not active.filter(purpose=StudyUnit.Purpose.STUDY).exists():
        lacking.append("it has no units yet (add clips first)")
    if not study.consent.strip():
        lacking.append("its consent text is empty")
    if not study.contact.strip():
        lacking.append("it names no contact")
    if study.check_every and not active.filter(purpose=StudyUnit.Purpose.CHECK).exists():
        lacking.append("it mixes in attention checks and has none")
    practice = active.filter(purpose=StudyUnit.Purpose.PRACTICE).count()
    if study.training_pass and study.training_pass > practice:
        lacking.append(f"its practice needs {study.training_pass} items right and has {practice}")
    if study.prolific:
        there = set(study.codes.exclude(code="").values_list("path", flat=True))
        if missing := [path.label for path in Path if path not in there]:
            lacking.append(
                f"it takes people from Prolific and has no completion code for: {', '.join(missing)}"
            )
    return lacking


def study_freeze_version(study: Study, by: User | None) -> None:
    """Freeze the next version if what shapes answers has changed; the caller saves the study's number."""
    frozen = study_frozen(study)
    newest = study.versions.order_by("-number").first()
    if newest is not None and newest.frozen == frozen:
        return
    study.version += 1
    StudyVersion.objects.create(study=study, number=study.version, frozen=frozen, created_by=by)
    _log(study, f"version {study.version} frozen", by)


@transaction.atomic
def study_refreeze(*, study: Study, by: User = None) -> Study:
    """Make version n+1 when what shapes answers was changed in a study that has been opened before."""
    study = Study.objects.select_for_update().get(pk=study.pk)
    if study.version:
        study_freeze_version(study, by)
        study.save(update_fields=["version"])
    return study


@transaction.atomic
def study_raise(*, study: Study, raters: int, wave: Wave | None = None, by: User = None) -> int:
    """Want more raters for each unit (in a panel: more seats), of the whole study or of one wave.

    Returns how many places that makes. A study that has been open never wants fewer than it did.
    """
    study = Study.objects.select_for_update().get(pk=study.pk)
    before = study.raters_per_unit if wave is None else wave.raters or study.raters_per_unit
    if study.version and raters < before:
        raise Refused("raters", f"Found {raters}, expected {before} or more: a target is only ever raised.")
    if wave is None:
        study.raters_per_unit = raters
        study.save(update_fields=["raters_per_unit"])
    else:
        wave.raters = raters
        wave.save(update_fields=["raters"])
    made = places_sync(study)
    if raters != before:
        _log(study, f"raters per unit {f'in wave {wave.name} ' if wave else ''}raised to {raters}", by)
    return made


@transaction.atomic
def study_set_items(
    *, study: Study, purpose: str, items: Sequence[Mapping[str, Any]], by: User = None
) -> int:
    """Set the practice items or the attention checks of a study: `{"key", "accepts", "feedback"?}` each.

    Replaces those there were; ones that people have worked on stay stored, withdrawn. All problems are told
    in one go: a key the catalogue lacks, one that is a study item, an unknown question, a rule that is none.
    """
    study = Study.objects.select_for_update().get(pk=study.pk)
    _items_or_refused(study, purpose, items)
    kept = {item["key"] for item in items}
    old = study.units.filter(purpose=purpose).exclude(key__in=kept)
    old.filter(assignments=None).delete()
    old.update(state=StudyUnit.State.WITHDRAWN)
    for order, item in enumerate(items, 1):
        StudyUnit.objects.update_or_create(
            study=study,
            key=item["key"],
            defaults={
                "purpose": purpose,
                "order": order,
                "accepts": item.get("accepts", {}),
                "feedback": item.get("feedback", ""),
                "state": StudyUnit.State.ACTIVE,
            },
        )
    _log(study, f"{len(items)} items of {purpose} set", by)
    if study.version:
        study_freeze_version(study, by)
        study.save(update_fields=["version"])
    return len(items)


def _items_or_refused(study: Study, purpose: str, items: Sequence[Mapping[str, Any]]) -> None:
    faults = items_faults(study, purpose, items)
    if faults:
        raise Refused("items", "; ".join(fault.text for fault in faults))


@dataclass(frozen=True, slots=True)
class ItemFault:
    """What is wrong with one item, counted from 1: the field, what was found there, what was expected."""

    number: int
    key: str
    field: str
    found: str
    expected: str

    @property
    def text(self) -> str:
        """The fault as one line."""
        where = "" if self.field == "key" else f"{self.field}: "
        return f"item {self.number} ({self.key}): {where}found {self.found}, expected {self.expected}"


def items_faults(study: Study, purpose: str, items: Sequence[Mapping[str, Any]]) -> list[ItemFault]:
    """Everything for which these practice items or checks could not be set."""
    keys = [str(item.get("key")) for item in items]
    built = kind_of(study).units(keys, kind_of(study).defaults() | study.parameters)
    taken = dict(study.units.filter(key__in=keys).exclude(purpose=purpose).values_list("key", "purpose"))
    faults: list[ItemFault] = []
    for number, (key, item) in enumerate(zip(keys, items, strict=True), 1):
        accepts = item.get("accepts", {})
        if keys.index(key) != number - 1:
            first = keys.index(key) + 1
            faults.append(ItemFault(number, key, "key", f"item {first} again", "each item once"))
        elif key in taken:
            found = f"a {taken[key]} item of this study"
            faults.append(ItemFault(number, key, "key", found, "an item that is only one of them"))
        elif key not in built:
            found = "no such item in the catalogue, or a blocked one"
            faults.append(ItemFault(number, key, "key", found, "an item of the catalogue"))
        elif not isinstance(accepts, Mapping):
            expected = "an object of rules by question"
            faults.append(ItemFault(number, key, "accepts", repr(accepts), expected))
        else:
            faults += (ItemFault(number, key, *fault) for fault in _rule_faults(built[key], accepts))
    return faults


def _rule_faults(unit: Unit, accepts: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    asked = [question.key for question in unit.questions]
    for question, rule in accepts.items():
        if question not in asked:
            yield "accepts", f"the question {question!r}", f"one of {', '.join(asked)}"
        elif fault := rule_fault(rule):
            found, _, expected = fault.removeprefix("found ").partition(", expected ")
            yield f"accepts.{question}", found, expected


@transaction.atomic
def wave_issue(*, wave: Wave, by: User = None) -> Wave:
    """Give out the work of a wave that was held back."""
    if not wave.issued:
        wave.issued = True
        wave.save(update_fields=["issued"])
        _log(wave.study, f"wave {wave.name} issued", by)
    return wave


@transaction.atomic
def unit_return_to_queue(*, unit: StudyUnit, by: User = None) -> StudyUnit:
    """A manager's decision after technical reports: the unit is fine and is given out again."""
    unit.state = StudyUnit.State.ACTIVE
    unit.decided_at = timezone.now()
    unit.save(update_fields=["state", "decided_at"])
    _log(unit.study, f"unit {unit.key} returned to the queue", by)
    return unit


@transaction.atomic
def unit_withdraw(*, unit: StudyUnit, by: User = None) -> StudyUnit:
    """A manager's decision: the unit is given to nobody any more; its answers stay, outside the figures."""
    unit.state = StudyUnit.State.WITHDRAWN
    unit.save(update_fields=["state"])
    _log(unit.study, f"unit {unit.key} withdrawn", by)
    return unit
