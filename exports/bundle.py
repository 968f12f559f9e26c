"""A frozen set as files: composed from what a kind hands over, checked as a stranger would, kept as a zip."""

import tempfile
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from django.core.files.base import ContentFile
from django.core.files.storage import storages

import evaluator
from evaluator.formats import Findings, SetName, content_sha256, sha256, zip_bytes
from evaluator.formats.goldset import MANIFEST
from evaluator.formats.write import goldset_files
from evaluator.validate import ip_set_read
from exports.datasheet import datasheet
from exports.models import GoldSetVersion
from exports.request import FreezeRequest
from studies.kinds import GoldSet


class BundleFaulty(Exception):
    """The platform composed a set that its own evaluator refuses: a fault of the program, not of the data."""


def bundle_files(
    request: FreezeRequest, gold: GoldSet, *, version: int, supersedes: GoldSetVersion | None, now: datetime
) -> dict[str, bytes]:
    """The files of one version by name, the manifest among them. Only the manifest knows `now`."""
    return goldset_files(
        set=gold.set,
        items=gold.items,
        tables=gold.tables,
        name=request.name,
        version=version,
        seed=request.seed,
        parameters=bundle_parameters(request, gold),
        counts=gold.counts,
        supersedes=_named(supersedes) if supersedes else None,
        software=f"touchstone {evaluator.__version__}",
        created_at=now,
        datasheet=datasheet(request, gold, version),
    )


def _named(version: GoldSetVersion) -> SetName:
    return SetName(version.name, version.version, version.content_sha256)


def bundle_parameters(request: FreezeRequest, gold: GoldSet) -> dict[str, object]:
    """Everything that shaped the set besides the answers and the seed."""
    kind = {"kind": request.kind.name, "kind_version": request.kind.version, "line": request.line}
    return {**gold.parameters, **kind}


def bundle_zip(files: Mapping[str, bytes]) -> bytes:
    """The deterministic zip of the files, after the evaluator has read and accepted it (`BundleFaulty`)."""
    data = zip_bytes(files)
    findings = Findings(strict=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "set.zip"
        path.write_bytes(data)
        ip_set_read(path, findings)
    if findings.problems:
        raise BundleFaulty("\n".join(problem.text for problem in findings.problems))
    return data


def bundle_hash(files: Mapping[str, bytes]) -> str:
    """The set's `content_sha256`: over every file but the manifest."""
    return content_sha256({name: sha256(data) for name, data in files.items() if name != MANIFEST})


def bundle_keep(name: str, data: bytes) -> None:
    """Keep a zip in the releases storage under exactly that name.

    To be called last in the transaction that stores the set's row: the row's unique version keeps everyone
    else off the name, so a file that is there already was left by a freeze that died before its commit.
    """
    storage = storages["releases"]
    if storage.exists(name):
        storage.delete(name)
    stored = storage.save(name, ContentFile(data))
    if stored != name:
        storage.delete(stored)
        raise OSError(f"the releases storage kept {name!r} as {stored!r}")
