"""People who manage studies: browsers logged in as staff with exactly these permissions."""

import re

from django.contrib.auth.models import Permission, User
from django.http import HttpResponseBase
from django.test import Client
from django.urls import reverse

from studies.models import Study


def staff(*permissions: str, name: str = "mia") -> Client:
    """A browser logged in as a member of staff with these permissions and no other."""
    user = User.objects.create_user(name, is_staff=True)
    found = Permission.objects.filter(codename__in=permissions)
    assert found.count() == len(permissions)
    user.user_permissions.set(found)
    client = Client()
    client.force_login(user)
    return client


def manager(*more: str, name: str = "mia") -> Client:
    """Somebody who may see and change studies, and more."""
    return staff("view_study", "change_study", *more, name=name)


def address(study: Study, page: str, *more: object) -> str:
    """Where a manager's page of a study is."""
    return reverse(f"admin:studies_study_{page}", args=[study.pk, *more])


def words(response: HttpResponseBase) -> str:
    """The text of a page's content, tags and white space taken out."""
    body = response.content.decode()
    body = body[body.find("<main") if "<main" in body else 0 :]
    return " ".join(re.sub(r"<[^>]+>", " ", body).split())
