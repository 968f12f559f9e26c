"""Every address of the platform and who may pass it; one without a line in this table fails the test."""

import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from catalogue.models import MediaVersion
from studies.access import cookie_name
from studies.device import film_token, sounds_of
from studies.models import Enrolment
from studies.services.invitation import invitations_make
from tests.studies.person import Person, open_study, two_moments

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "monitor"])

ROLES = ("nobody", "annotator", "other annotator", "monitor", "manager")


@dataclass
class World:
    """An open study, two people in it, and the two kinds of account."""

    annotator: Person
    other: Person
    clients: Mapping[str, Client] = field(default_factory=dict)

    def act(self, **changes: Any) -> dict[str, Any]:
        """A body that every endpoint understands, about the annotator's own unit."""
        report = {"action": "report", "scope": "unit", "value": {"reason": "rather_not"}}
        own = {"assignment": self.annotator.assignment_id, "tab": "tab-1", "replaces": None}
        heard = {"role": "reaction", "number": 1, "heard": 3, "width": 1280, "frames": 90}
        own |= heard | {"browser": "other", "reason": "other"}
        return report | own | {"event_id": str(uuid.uuid4())} | changes


@dataclass(frozen=True)
class Door:
    """How an address is asked, and the status that each role gets, in the order of `ROLES`."""

    expected: tuple[int, int, int, int, int]
    method: str = "get"
    args: Callable[[World], list[Any]] = lambda world: []


def slug(world: World) -> list[Any]:
    return [world.annotator.study.slug]


def own_token(world: World) -> list[Any]:
    return [world.annotator.client.cookies[cookie_name(world.annotator.study)].value]


def invitation(world: World) -> list[Any]:
    [(_, token)] = invitations_make(study=world.annotator.study, number=1)
    return [token]


def own_media(world: World) -> list[Any]:
    return [world.annotator.opened["media"]["reaction"]["url"].split("/")[2]]


def own_film(world: World) -> list[Any]:
    enrolment = Enrolment.objects.get(pk=world.annotator.assignment.enrolment_id)
    return [film_token(enrolment, sounds_of(enrolment)[0])]


DOORS = {
    "login": Door((200, 200, 200, 200, 200)),
    "logout": Door((302, 302, 302, 302, 302), "post"),
    "schema": Door((403, 403, 403, 403, 200)),
    "studies:join": Door((200, 302, 302, 200, 200), args=slug),
    # An invitation is for whoever holds it, in whatever browser.
    "studies:invite": Door((200, 200, 200, 200, 200), args=invitation),
    # The personal address is the key itself: whoever holds it is the person.
    "studies:return": Door((302, 302, 302, 302, 302), args=own_token),
    "studies:work": Door((403, 200, 200, 403, 403), args=slug),
    "studies:welcome": Door((403, 200, 200, 403, 403), args=slug),
    # In this world the check is off: whoever asks for it is sent on to the work.
    "studies:device": Door((403, 302, 302, 403, 403), args=slug),
    "studies:device_film": Door((404, 200, 404, 404, 404), args=own_film),
    "studies:leave": Door((403, 200, 200, 403, 403), args=slug),
    "studies:thanks": Door((403, 302, 302, 403, 403), args=slug),
    "studies:stop": Door((403, 200, 200, 403, 403), args=slug),
    "studies:my_data": Door((403, 200, 200, 403, 403), args=slug),
    "studies:my_data_file": Door((403, 200, 200, 403, 403), args=slug),
    "studies:withdraw": Door((403, 200, 200, 403, 403), args=slug),
    "studies:media": Door((404, 200, 404, 404, 404), args=own_media),
    "studies:api_open": Door((403, 200, 200, 403, 403), "post", slug),
    # The body is about the annotator's own unit, which the other was never given.
    "studies:api_events": Door((403, 201, 409, 403, 403), "post", slug),
    "studies:api_heartbeat": Door((403, 200, 409, 403, 403), "post", slug),
    "studies:api_hand_in": Door((403, 200, 200, 403, 403), "post", slug),
    "studies:api_device_start": Door((403, 200, 200, 403, 403), "post", slug),
    "studies:api_device_answer": Door((403, 409, 409, 403, 403), "post", slug),
    "studies:api_device_pass": Door((403, 409, 409, 403, 403), "post", slug),
    "studies:api_device_fail": Door((403, 409, 409, 403, 403), "post", slug),
    "monitoring:studies": Door((302, 302, 302, 200, 200)),
    "monitoring:overview": Door((302, 302, 302, 200, 200), args=slug),
}


@pytest.fixture
def world(tmp_path, settings) -> World:
    """Everybody, each in a browser of their own; the annotator has a clip open whose file is there."""
    settings.STORAGES = settings.STORAGES | {
        "clips": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": tmp_path},
        }
    }
    study = open_study(two_moments())
    media = MediaVersion.objects.get()
    storages["clips"].save(media.storage_key, ContentFile(bytes(media.size)))
    people = [Person.joins(study) for _ in range(2)]
    for person in people:
        person.open()
    users = get_user_model().objects
    monitor, manager = Client(), Client()
    watcher = users.create_user("monitor")
    watcher.user_permissions.add(Permission.objects.get(codename="monitor_study"))
    monitor.force_login(watcher)
    manager.force_login(users.create_superuser("manager"))
    clients = [Client(), people[0].client, people[1].client, monitor, manager]
    return World(people[0], people[1], dict(zip(ROLES, clients, strict=True)))


def names(patterns: list[URLPattern | URLResolver], space: str = "") -> Iterator[str]:
    """Every name that an address can be asked by, the admin's own left out."""
    for entry in patterns:
        if isinstance(entry, URLResolver):
            if entry.namespace != "admin":
                inside = f"{space}{entry.namespace}:" if entry.namespace else space
                yield from names(entry.url_patterns, inside)
        else:
            yield f"{space}{entry.name}"


def test_every_address_stands_in_the_table():
    assert sorted(names(get_resolver().url_patterns)) == sorted(DOORS)


@pytest.mark.parametrize("name", sorted(DOORS))
def test_each_role_passes_or_is_stopped_as_the_table_says(world, name):
    door = DOORS[name]
    address = reverse(name, args=door.args(world))
    body = {"data": world.act(), "content_type": "application/json"} if door.method == "post" else {}
    found = tuple(getattr(world.clients[role], door.method)(address, **body).status_code for role in ROLES)
    assert dict(zip(ROLES, found, strict=True)) == dict(zip(ROLES, door.expected, strict=True))


def test_the_admin_is_for_staff_alone(world):
    for role in ROLES:
        expected = 200 if role == "manager" else 302
        assert world.clients[role].get("/admin/").status_code == expected
