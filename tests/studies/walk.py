"""Canaries stay home: one annotator goes everywhere, tries everything, and is told nothing private."""

import random
import uuid
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.db import connection
from django.db.models import F
from django.http import HttpResponseBase
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from catalogue.models import MediaVersion
from catalogue.services import clip_block
from studies import arrival
from studies.access import cookie_name
from studies.device import beeps
from studies.identity import ParticipantIdentity, Payment, ProlificSubmission, ProlificSync
from studies.kinds import Unit
from studies.models import (
    Assignment,
    CompletionCode,
    Enrolment,
    EnrolmentKey,
    Invitation,
    Participant,
    Study,
    StudyUnit,
    TechnicalFault,
)
from studies.services.invitation import invitations_make
from studies.tokens import token_hash
from tests.studies.canaries import Listener
from tests.studies.contract import World, must, two_answers, works

PAGES = ("join", "welcome", "work", "leave", "stop", "my_data", "my_data_file", "withdraw", "thanks")


def check_canaries(world: World) -> None:
    """Walk every page and every answer of the API as one annotator: nothing private is anywhere."""
    listener = Listener()
    with CaptureQueriesContext(connection) as queries:
        _Walk(world, listener).everywhere()
    for where, told in listener.heard:
        found = world.canaries.found_in(told)
        must(not found, f"{where} gives away: {', '.join(found)}")
    nosy = [q["sql"] for q in queries if "catalogue_nomination" in q["sql"]]
    must(not nosy, f"answering an annotator read the private table: {nosy[:1]}")


def plant_people(world: World) -> Assignment:
    """Others who have worked, known by canaries; returns a finished assignment of one of them."""
    plant = world.canaries
    for number in range(2):
        other = works(world, number, most=2)
        enrolment = other.enrolment
        Participant.objects.filter(pk=enrolment.participant_id).update(public_id=plant.text("person")[:24])
        Enrolment.objects.filter(pk=enrolment.pk).update(
            public_id=plant.text("enrolment")[:24],
            pool=plant.text("pool"),
            tab=plant.text("tab"),
        )
        EnrolmentKey.objects.filter(enrolment=enrolment).update(token_hash=token_hash(plant.text("token")))
        ParticipantIdentity.objects.create(
            participant=enrolment.participant,
            source=plant.text("source of an identity"),
            external_id=plant.text("outside id"),
        )
        for event_id in enrolment.events.values_list("event_id", flat=True):
            plant.watch("event of somebody else", str(event_id))
    _plant_around(world, other.enrolment)
    for hashed in EnrolmentKey.objects.values_list("token_hash", flat=True):
        plant.watch("hashed token", hashed)
    given = Assignment.objects.filter(state="finished").latest("id")
    TechnicalFault.objects.create(assignment=given, role="reaction", code=plant.text("fault"))
    return given


def _plant_around(world: World, other: Enrolment) -> None:
    """What managers and Prolific know of somebody else, and of the study's practice, checks and codes."""
    plant, study = world.canaries, world.study
    Study.objects.filter(pk=study.pk).update(prolific_study_ids=plant.text("Prolific's study"))
    CompletionCode.objects.create(study=study, path="completed", code=plant.text("completion code"))
    Invitation.objects.create(study=study, number=1, token_hash=token_hash(plant.text("invitation")))
    for hashed in Invitation.objects.values_list("token_hash", flat=True):
        plant.watch("hashed invitation", hashed)
    StudyUnit.objects.create(
        study=study,
        key=plant.text("key of a check"),
        purpose="check",
        accepts={"q": [plant.text("accepted answer")]},
        feedback=plant.text("feedback"),
    )
    submission = ProlificSubmission.objects.create(
        participant=other.participant,
        study=study,
        enrolment=other,
        session_id=plant.text("session"),
        prolific_study_id=plant.text("Prolific's study of a submission"),
        status=plant.text("status"),
        entered_code=plant.text("entered code"),
    )
    Payment.objects.create(
        submission=submission,
        what="approve",
        reason=plant.text("reason of a payment"),
        said=plant.text("what Prolific said"),
        batch=plant.text("batch"),
    )
    ProlificSync.objects.create(
        study=study,
        at=timezone.now(),
        ok=True,
        sentence=plant.text("sentence of a sync"),
        oddities={"code": [plant.text("oddity")]},
    )


class _Walk:
    """One annotator who goes everywhere and tries everything."""

    def __init__(self, world: World, listener: Listener) -> None:
        self.world, self.browser = world, listener
        self.study = world.study
        self.others = plant_people(world)
        self.body: dict[str, Any] = {}
        self.unit: Unit

    def everywhere(self) -> None:
        """All of it, in the order of a life in a study."""
        self.pages(*PAGES)
        self.from_prolific()
        self.browser.post(self.url("join"), {"answer": "decline"})
        self.browser.post(self.url("join"), {"answer": "agree"})
        self.plant_myself()
        self.pages(*PAGES)
        self.device_check()
        self.first_unit()
        self.report()
        self.blocked_unit()
        self.to_the_end()
        self.strange_places()
        self.withdraw()
        self.by_invitation()

    def url(self, name: str, *args: Any) -> str:
        return reverse(f"studies:{name}", args=args or [self.study.slug])

    def pages(self, *names: str) -> None:
        for name in names:
            self.browser.get(self.url(name))

    def post(self, act: str, body: Mapping[str, Any]) -> HttpResponseBase:
        return self.browser.post(self.url(f"api_{act}"), dict(body), content_type="application/json")

    def from_prolific(self) -> None:
        """The link with ids that are wrong, of another study, and declined."""
        ids = {name: f"{number:024x}" for number, name in enumerate(arrival.PARAMETERS)}
        for prolific in (False, True):
            Study.objects.filter(pk=self.study.pk).update(prolific=prolific)
            self.browser.get(self.url("join"), {"PROLIFIC_PID": "{{%PROLIFIC_PID%}}"})
            self.browser.get(self.url("join"), ids, follow=True)  # the study names other ids
            self.browser.get(self.url("join"), {arrival.TOKEN: "nothing"})
        named = Study.objects.values_list("prolific_study_ids", flat=True).get(pk=self.study.pk)
        Study.objects.filter(pk=self.study.pk).update(prolific_study_ids="")
        self.browser.get(self.url("join"), ids, follow=True)
        self.browser.post(self.url("join"), {"answer": "decline"})
        Study.objects.filter(pk=self.study.pk).update(prolific=False, prolific_study_ids=named)
        self.browser.cookies.clear()

    def withdraw(self) -> None:
        """The last thing that somebody can do."""
        self.pages(*PAGES)
        self.browser.post(self.url("withdraw"), {})
        self.browser.post(self.url("withdraw"), {"answers": "keep"})
        self.pages(*PAGES)

    def by_invitation(self) -> None:
        """Another life, begun by an invitation and ended at once."""
        [(_, token)] = invitations_make(study=self.study, number=1)
        for answer in ("decline", "agree", "agree"):
            self.browser.get(self.url("invite", token))
            self.browser.post(self.url("invite", token), {"answer": answer}, follow=True)
        self.browser.get(self.url("invite", "nobody"))
        self.browser.post(self.url("stop"), follow=True)
        self.browser.post(self.url("withdraw"), {"answers": "delete"})
        self.browser.get(self.url("invite", token))

    def plant_myself(self) -> None:
        """Even about oneself some things are not shown: the person's id, the hash of the token."""
        enrolment = Enrolment.objects.latest("id")
        self.world.canaries.watch("my own person", enrolment.participant.public_id)
        self.world.canaries.watch("my own hashed token", enrolment.keys.get().token_hash)

    def device_check(self) -> None:
        """The check before the work: a wrong answer, then right ones."""
        Study.objects.filter(pk=self.study.pk).update(device_check=True)
        self.pages("work", "device", "welcome", "leave", "thanks")
        self.open()
        must(self.body["state"] == "device_check", "the work can be opened before the device check")
        enrolment = Enrolment.objects.latest("id")
        for wrong in (1, 0):
            for sound in self.post("device_start", {}).json()["sounds"]:
                for asked in ("", "bytes=0-9", "bytes=9999999-"):
                    self.browser.get(sound["url"], headers={"Range": asked} if asked else {})
                role, number = sound["role"], sound["number"]
                heard = beeps(enrolment, role, number) + wrong
                self.post("device_answer", {"role": role, "number": number, "heard": heard})
        self.post("device_answer", {})
        claim = {"width": 1280, "frames": 90, "browser": "Firefox 153"}
        self.post("device_pass", claim | {"width": 10})
        passed = self.post("device_pass", claim).json()
        must(passed["state"] == "working", f"the device check ended as {passed}")
        self.post("device_fail", {"reason": "sound", "browser": "other"})

    def open(self) -> None:
        self.body = self.post("open", {"tab": "t"}).json()
        if "assignment" in self.body:
            Assignment.objects.filter(pk=self.body["assignment"]["id"]).update(
                opened_at=F("opened_at") - timedelta(hours=1)
            )
            self.read_unit()

    def read_unit(self) -> None:
        """The open unit as its kind builds it."""
        key = Assignment.objects.get(pk=self.body["assignment"]["id"]).unit.key
        self.unit = self.world.kind.units([key], self.world.kind.defaults())[key]

    def say(self, question: str, value: Any, **changes: Any) -> HttpResponseBase:
        body = {
            "event_id": str(uuid.uuid4()),
            "assignment": self.body["assignment"]["id"],
            "tab": "t",
            "action": "answer",
            "scope": "question",
            "question": question,
            "value": value,
            "replaces": None,
            "played": self.watched(question),
        } | changes
        return self.post("events", body)

    def watched(self, key: str) -> dict[str, list[list[float]]]:
        """What has to be played before a question of the open unit can be answered."""
        question = self.unit.question(key)
        claim: dict[str, list[list[float]]] = {}
        for window in question.must_play if question else ():
            claim.setdefault(window.role, []).append([window.start_ms / 1000, window.end_ms / 1000])
        return claim

    def first_unit(self) -> None:
        self.open()
        must(
            (self.body["answers"], self.body["report"], self.body["played"], self.body["previous"])
            == ({}, None, {}, None),
            "a new person's first unit comes with somebody's answers",
        )
        self.media()
        unit = self.unit
        for question in unit.questions:
            first, second = two_answers(self.world.kind, unit, question)
            self.say(question.key, first, played={})  # not watched
            event_id = str(uuid.uuid4())
            self.say(question.key, first, event_id=event_id)
            self.say(question.key, first, event_id=event_id)  # known
            self.say(question.key, second, event_id=event_id)  # reused
            self.say(question.key, second)  # stale
            self.say(question.key, second, replaces=event_id, tab="other")  # another tab's
            self.say(question.key, {"no": "answer"}, replaces=event_id)  # invalid
            undone = self.say(question.key, None, replaces=event_id, action="undo").json()
            self.say(question.key, second, replaces=undone["head"])
        self.say("no-such-question", 1)
        self.say(unit.questions[0].key, 1, assignment=self.others.pk)
        self.say(unit.questions[0].key, 1, event_id=str(self.others.events.first().event_id))
        self.post("events", {})
        self.post("heartbeat", {"tab": "t", "assignment": self.others.pk})
        self.post("heartbeat", {"tab": "x", "assignment": self.body["assignment"]["id"]})

    def media(self) -> None:
        heartbeat = {"tab": "t", "assignment": self.body["assignment"]["id"]}
        fault = {"role": next(iter(self.body["media"]), "reaction"), "code": "MEDIA_ERR_DECODE"}
        fresh = self.post("heartbeat", heartbeat | {"fault": fault}).json()
        for medium in [*self.body["media"].values(), *fresh["media"].values()]:
            for asked in ("", "bytes=0-9", "bytes=99999-", "bytes=oops"):
                response = self.browser.get(medium["url"], headers={"Range": asked} if asked else {})
                must(response.status_code in (200, 206, 416), f"{medium['url']}: {response.status_code}")
            self.browser.head(medium["url"])
            self.browser.post(medium["url"])
            self.browser.get(medium["url"][:-3] + "/")

    def report(self) -> None:
        self.open()
        report = {"action": "report", "scope": "unit"}
        head = self.say("", {"reason": "no_sound"}, **report).json()["head"]
        self.say("", {"reason": "boring"}, **report, replaces=head)
        undo = self.say("", None, action="undo", scope="unit", replaces=head).json()["head"]
        self.open()
        self.say("", {"reason": "rather_not"}, **report, replaces=undo)

    def blocked_unit(self) -> None:
        self.open()
        unit, before = self.unit, self.body
        clip_block(clip_ids=self._clips())
        self.say(unit.questions[0].key, 1)
        self.post("heartbeat", {"tab": "t", "assignment": before["assignment"]["id"]})
        for medium in before["media"].values():
            must(self.browser.get(medium["url"]).status_code == 404, "a blocked clip is still served")

    def _clips(self) -> list[str]:
        given = Assignment.objects.get(pk=self.body["assignment"]["id"])
        shown = [file["id"] for file in given.media.values()]
        return list(MediaVersion.objects.filter(pk__in=shown).values_list("clip__clip_id", flat=True))

    def to_the_end(self) -> None:
        self.open()
        while self.body["state"] == "working":
            unit = self.unit
            for answer in self.world.kind.simulate(unit, random.Random(1)):
                done = self.say(answer.question, answer.value)
                must(done.status_code == 201, f"{answer.question}: {done.content!r}")
            self.open()
        must(self.body["state"] == "nothing_left", f"the work ended as {self.body['state']}")
        self.pages(*PAGES)
        self.post("hand_in", {"tab": "t"})
        self.post("open", {"tab": "t"})
        self.pages(*PAGES)

    def strange_places(self) -> None:
        token = self.browser.cookies[cookie_name(self.study)].value
        self.browser.get(self.url("return", token))
        self.browser.get(self.url("return", "nobody"))
        self.browser.get(self.url("media", "nothing"))
        for state in ("paused", "halted", "closed"):
            Study.objects.filter(pk=self.study.pk).update(state=state)
            self.pages("join", "work")
            self.post("open", {"tab": "t"})
        Study.objects.filter(pk=self.study.pk).update(state="open")
        for name in ("monitoring:studies", "schema", "login", "admin:index"):
            self.browser.get(reverse(name))
        self.browser.get(reverse("monitoring:overview", args=[self.study.slug]))
        self.browser.get("/nowhere/")
