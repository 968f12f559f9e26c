"""What a manager does to a study: add units, open, pause, halt, close, reopen."""

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone

from studies.errors import Refused
from studies.models import Study, StudyLog, StudyUnit, StudyVersion, Wave
from studies.queries import kind_of

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
    }


def _log(study: Study, what: str, by: User | None) -> None:
    StudyLog.objects.create(study=study, what=what, by=by)


@transaction.atomic
def study_add_units(
    *,
    study: Study,
    keys: Sequence[str] | None = None,
    wave: str = "main",
    pilot: bool = False,
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
    present = set(StudyUnit.objects.filter(study=study).values_list("key", flat=True))
    fresh = [key for key in chosen if key not in present]
    number = study.waves.count() + 1
    into, _ = Wave.objects.get_or_create(study=study, name=wave, defaults={"number": number, "pilot": pilot})
    StudyUnit.objects.bulk_create(StudyUnit(study=study, wave=into, key=key) for key in fresh)
    if fresh:
        _log(study, f"added {len(fresh)} units to wave {into.name}", by)
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
        study_freeze_version(study, by)
    study.state = target
    study.save(update_fields=["state", "version"])
    _log(study, f"state: {target.value}", by)
    return study


def _ready_or_refused(study: Study) -> None:
    lacking = []
    if not study.units.filter(state=StudyUnit.State.ACTIVE).exists():
        lacking.append("it has no units yet (add clips first)")
    if not study.consent.strip():
        lacking.append("its consent text is empty")
    if not study.contact.strip():
        lacking.append("it names no contact")
    if lacking:
        raise Refused("not_ready", f"{study.title} cannot be opened: {'; '.join(lacking)}.")


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
