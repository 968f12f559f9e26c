"""The contract of a study kind, as checks. Each raises `ContractBroken` when a kind does not keep it.

A kind brings its own world in `tests/<its app>/contract.py`: `KIND` (its name), `build(canaries)` (fills the
catalogue with at least four units, a canary in every private field) and `FREEZE` (parameters of its set).
"""

import importlib
import json
import random
import uuid
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType
from typing import Any

from django.core.files.storage import storages
from django.db import transaction

from exports.models import GoldSetVersion
from exports.services import goldset_freeze
from studies.errors import Refused
from studies.kinds import Question, StudyKind, Unit, kind_named
from studies.models import (
    ResponseEvent,
    Study,
)
from studies.services.assignment import Opened
from studies.services.response import response_record
from studies.services.settling import Said
from studies.services.study import study_add_units, study_set_state
from studies.simulation import SimulatedAnnotator
from tests.studies.canaries import Canaries

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
RATERS = 4


class ContractBroken(AssertionError):
    """A kind does not keep its contract; the message says where."""


def must(holds: bool, otherwise: str) -> None:
    """Raise `ContractBroken` with these words unless it holds."""
    if not holds:
        raise ContractBroken(otherwise)


# --- the world ----------------------------------------------------------------------------------------


def world_of(kind: StudyKind) -> ModuleType:
    """The module under `tests/` that builds the kind's world."""
    for path in sorted(Path(__file__).parent.parent.glob("*/contract.py")):
        if path.parent != Path(__file__).parent:
            module = importlib.import_module(f"tests.{path.parent.name}.contract")
            if kind.name == module.KIND:
                return module
    raise ContractBroken(f"the kind {kind.name!r} has no world: add tests/<its app>/contract.py")


@dataclass
class World:
    """An open study of one kind, and what must never be seen of it."""

    study: Study
    canaries: Canaries
    freeze: Mapping[str, Any]

    @property
    def kind(self) -> StudyKind:
        """The kind as it is registered now."""
        return kind_named(self.study.kind)


def build(kind: StudyKind) -> World:
    """The kind's world with an open study over all that its catalogue offers."""
    canaries = Canaries()
    module = world_of(kind)
    module.build(canaries)
    study = Study.objects.create(
        slug="contract",
        title="A study",
        kind=kind.name,
        consent="I agree.",
        contact="lab@example.org",
        raters_per_unit=50,
        device_check=False,
        seed=7,
    )
    study_add_units(study=study, wave=canaries.text("wave"))
    study = study_set_state(study=study, state=Study.State.OPEN)
    study.log.create(what=canaries.text("log"))
    return World(study, canaries, module.FREEZE)


def two_answers(kind: StudyKind, unit: Unit, question: Question) -> list[Any]:
    """Two different answers to a question, of people as the kind imagines them."""
    found: list[Any] = []
    for seed in range(200):
        for answer in kind.simulate(unit, random.Random(seed)):
            if answer.question == question.key and answer.value not in found:
                found.append(answer.value)
        if len(found) == 2:
            return found
    raise ContractBroken(f"{question.key}: simulated people never differ")


def works(world: World, number: int, *, most: int | None = None) -> SimulatedAnnotator:
    """A simulated person of that number comes and works."""
    annotator = SimulatedAnnotator.join(world.study, NOON + timedelta(minutes=number))
    annotator.work(lambda unit: world.kind.simulate(unit, random.Random(f"{number}:{unit.key}")), most=most)
    return annotator


# --- nothing said is lost, nothing is counted twice ---------------------------------------------------


@dataclass
class Notebook:
    """What one annotator said, kept beside the platform."""

    world: World
    annotator: SimulatedAnnotator
    events: int = 0

    def current(self, question: str) -> Any:
        """What the kind says is this person's current answer."""
        person = self.annotator.enrolment.participant.public_id
        return self.world.kind.current([self.world.study.pk]).get((person, question))

    def says(
        self, opened: Opened, question: Question, value: Any, replaces: uuid.UUID | None = None, **how: Any
    ) -> uuid.UUID:
        """Say something twice, and look whether exactly one event came of it."""
        event_id = uuid.uuid4()
        first = self.annotator.say(opened, question, value, replaces=replaces, event_id=event_id, **how)
        again = self.annotator.say(opened, question, value, replaces=replaces, event_id=event_id, **how)
        self.events += 1
        must(first.created and not again.created, f"{question.key}: sent twice, it was not one event")
        must(first.value == again.value, f"{question.key}: sent twice, it gave two results")
        stored = ResponseEvent.objects.filter(enrolment=self.annotator.enrolment)
        must(stored.filter(event_id=event_id).count() == 1, f"{question.key}: an event was lost")
        must(stored.count() == self.events, f"{question.key}: {stored.count()} events, said {self.events}")
        return event_id

    def holds(self, question: Question, value: Any, when: str) -> None:
        """The current answer is this one."""
        found = self.current(question.key)
        must(found == value, f"{question.key}: {when} the current answer is {found!r}, not {value!r}")


def check_saving(world: World) -> None:
    """Join, answer, send twice, revise, undo, report, finish, hand in: each act is kept and means itself."""
    works(world, 0, most=1)  # somebody else, whose answers must stay as they are
    others = dict(world.kind.current([world.study.pk]))
    notebook = Notebook(world, SimulatedAnnotator.join(world.study, NOON))
    _check_a_unit(notebook)
    _check_a_report(notebook)
    annotator = notebook.annotator
    annotator.work(lambda unit: world.kind.simulate(unit, random.Random(unit.key)))
    must(annotator.open().state == "nothing_left", "work was left after every unit was done")
    _check_hand_in(notebook)
    now = world.kind.current([world.study.pk])
    must({key: now.get(key) for key in others} == others, "one person's work changed another's answers")


def _check_a_unit(notebook: Notebook) -> None:
    opened = notebook.annotator.open()
    must(opened.unit is not None and bool(opened.unit.questions), "a new person was given nothing")
    assert opened.unit
    assert opened.assignment
    for question in opened.unit.questions:
        first, second = two_answers(notebook.world.kind, opened.unit, question)
        one = notebook.says(opened, question, first)
        notebook.holds(question, first, "after the first answer")
        two = notebook.says(opened, question, second, one)
        notebook.holds(question, second, "after a changed mind")
        three = notebook.says(opened, question, None, two, action="undo")
        notebook.holds(question, first, "after an undo")
        four = notebook.says(opened, question, None, three, action="undo")
        notebook.holds(question, None, "after undoing everything")
        notebook.says(opened, question, second, four)
        notebook.holds(question, second, "after answering anew")
    opened.assignment.refresh_from_db()
    must(opened.assignment.state == "finished", f"all answered, and the unit is {opened.assignment.state}")


def _check_a_report(notebook: Notebook) -> None:
    opened = notebook.annotator.open()
    assert opened.unit
    assert opened.assignment
    about = Question(opened.unit.key)
    one = notebook.says(opened, about, {"reason": "rather_not"}, action="report")
    opened.assignment.refresh_from_db()
    must(opened.assignment.state == "skipped", f"reported, and the unit is {opened.assignment.state}")
    undo = {
        "event_id": uuid.uuid4(),
        "assignment_id": opened.assignment.pk,
        "tab": notebook.annotator.tab,
        "action": "undo",
        "scope": "unit",
        "question": "",
        "value": None,
        "replaces": one,
    }
    response_record(enrolment=notebook.annotator.enrolment, said=Said(**undo), now=notebook.annotator.now)
    notebook.events += 1
    opened.assignment.refresh_from_db()
    must(opened.assignment.state == "open", f"report undone, and the unit is {opened.assignment.state}")
    notebook.says(opened, about, {"reason": "rather_not"}, undo["event_id"], action="report")
    for question in opened.unit.questions:
        notebook.holds(question, None, "after a report")


def _check_hand_in(notebook: Notebook) -> None:
    annotator = notebook.annotator
    event = ResponseEvent.objects.filter(enrolment=annotator.enrolment, action="answer").latest("id")
    before = notebook.current(event.question)
    annotator.hand_in()
    opened = Opened("working", 0, event.assignment, None)
    try:
        annotator.say(opened, Question(event.question), event.payload, replaces=event.event_id)
    except Refused as refusal:
        must(refusal.code == "handed_in", f"after handing in the refusal was {refusal.code}")
    else:
        raise ContractBroken("an answer was taken after handing in")
    must(notebook.current(event.question) == before, "an answer changed after handing in")


def check_rebuilding(world: World) -> None:
    """Current answers are what the events say: made anew from them alone, they are the same."""
    for number in range(2):
        annotator = works(world, number, most=2)
        opened = annotator.open()
        if opened.unit:
            notebook = Notebook(world, annotator, annotator.enrolment.events.count())
            question = opened.unit.questions[0]
            first, second = two_answers(world.kind, opened.unit, question)
            one = notebook.says(opened, question, first)
            two = notebook.says(opened, question, second, one)
            if number:
                notebook.says(opened, question, None, two, action="undo")
    before = dict(world.kind.current([world.study.pk]))
    must(bool(before), "there are no current answers after people worked")
    made = world.kind.rebuild([world.study.pk])
    after = dict(world.kind.current([world.study.pk]))
    must(after == before, "rebuilt from the events, the current answers are others")
    must(made == len(before), f"rebuilding says it made {made} answers of {len(before)}")


# --- freezing -----------------------------------------------------------------------------------------


def check_freezing(world: World) -> None:
    """Freezing the same answers twice gives the same bytes, and the second time nothing new is made."""
    for number in range(RATERS):
        works(world, number).hand_in()
    first = _frozen_and_forgotten(world, NOON)
    second = _frozen_and_forgotten(world, NOON + timedelta(days=1))
    must(sorted(first) == sorted(second), f"other files: {sorted(first)}, then {sorted(second)}")
    different = [name for name in first if first[name] != second[name]]
    must(not different, f"freezing twice gave different bytes: {', '.join(different)}")
    kept = _freeze(world, NOON)
    again = _freeze(world, NOON + timedelta(days=1))
    must(kept.made_now and not again.made_now, "freezing unchanged answers made another version")
    must(again.pk == kept.pk, "freezing unchanged answers gave another set back")


def _freeze(world: World, now: datetime) -> GoldSetVersion:
    return goldset_freeze(
        set=world.kind.goldset_name,
        studies=[world.study.slug],
        name="contract",
        seed=0,
        parameters=world.freeze,
        now=now,
    )


def _frozen_and_forgotten(world: World, now: datetime) -> dict[str, bytes]:
    """The files of a set that is frozen and rolled back, the manifest's time of making left out."""
    with transaction.atomic():
        frozen = _freeze(world, now)
        with storages["releases"].open(frozen.bundle) as file, zipfile.ZipFile(file) as archive:
            files = {name: archive.read(name) for name in archive.namelist()}
        transaction.set_rollback(True)
    manifest = json.loads(files["manifest.json"])
    must(manifest.pop("created_at") is not None, "the manifest has no time of making")
    return files | {"manifest.json": json.dumps(manifest, sort_keys=True).encode()}
