"""Completion codes: one for each path of a study."""

import secrets
from collections.abc import Mapping
from typing import Any

from django.db import transaction

from studies.errors import Refused
from studies.models import CompletionCode, Path, Study, StudyLog

User = Any  # whoever Django's user model is

_LETTERS = "ABCDEFGHJKMNPQRTUVWXY346789"
"""Letters and digits that nobody takes for one another, read or written: no 0 O, 1 I L, 2 Z, 5 S."""
_LENGTH = 7


def code_new() -> str:
    """A random code: C and seven letters that cannot be confused."""
    return "C" + "".join(secrets.choice(_LETTERS) for _ in range(_LENGTH))


@transaction.atomic
def codes_set(*, study: Study, codes: Mapping[str, str], by: User = None) -> list[str]:
    """Set the codes of these paths; an empty one takes a path's code away. Returns the paths that changed.

    A study that has been open to people from Prolific keeps a code for every path.
    """
    study = Study.objects.select_for_update().get(pk=study.pk)
    before = dict(study.codes.values_list("path", "code"))
    wanted = {Path(path): code.strip() for path, code in codes.items()}
    if (
        study.prolific
        and study.version
        and (gone := [p.label for p in wanted if not wanted[p] and p in before])
    ):
        raise Refused(
            "code_needed",
            f"{study.title} has been open to people from Prolific and needs a code for: {', '.join(gone)}.",
        )
    changed = [path for path, code in wanted.items() if code != before.get(path, "")]
    for path in changed:
        if wanted[path]:
            CompletionCode.objects.update_or_create(study=study, path=path, defaults={"code": wanted[path]})
        else:
            study.codes.filter(path=path).delete()
    if changed:
        what = f"completion codes changed: {', '.join(path.label for path in changed)}"
        StudyLog.objects.create(study=study, what=what[:300], by=by)
    return [path.value for path in changed]


@transaction.atomic
def codes_fill(*, study: Study, by: User = None) -> list[str]:
    """Give each path without a code a random one that no other path of the study has."""
    there = dict(Study.objects.select_for_update().get(pk=study.pk).codes.values_list("path", "code"))
    taken = set(there.values())
    fresh: dict[str, str] = {}
    for path in Path:
        if there.get(path):
            continue
        code = code_new()
        while code in taken:
            code = code_new()
        taken.add(code)
        fresh[path] = code
    return codes_set(study=study, codes=fresh, by=by)
