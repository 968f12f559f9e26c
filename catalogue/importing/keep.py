"""Putting media files into the storage, and taking them out again when the import fails."""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from django.core.files.base import File
from django.core.files.storage import storages

from catalogue.importing.media import MediaFile, MediaKey, Progress
from catalogue.models import new_storage_key
from evaluator.formats import Problem


class MediaChanged(Exception):
    """A file was not the same any more when it was copied; `problem` names it."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.text)
        self.problem = problem


class _HashedFile(File):  # type: ignore[type-arg]  # generic for the type checker only
    """A file that knows the SHA-256 of what a storage has read of it."""

    def __init__(self, file: IO[bytes], name: str) -> None:
        super().__init__(file, name)
        self.sha256 = hashlib.sha256()

    def chunks(self, chunk_size: int | None = None) -> Iterator[bytes]:
        for chunk in super().chunks(chunk_size):
            self.sha256.update(chunk)
            yield chunk


@contextmanager
def media_kept(files: Mapping[MediaKey, MediaFile], progress: Progress) -> Iterator[dict[MediaKey, str]]:
    """Store the files under random names for the time of the block, and for good if it ends well.

    Yields the storage key of each. MediaChanged when a file is not what was measured. Whatever the block
    raises, the files are removed again before it goes on.
    """
    storage = storages["clips"]
    keys: dict[MediaKey, str] = {}
    try:
        for done, (key, file) in enumerate(files.items()):
            progress("Storing media", done, len(files))
            keys[key] = new_storage_key()
            _store(storage, keys[key], key, file)
        progress("Storing media", len(files), len(files))
        yield keys
    except BaseException:
        for name in keys.values():
            storage.delete(name)
        raise


def _store(storage: Any, name: str, key: MediaKey, file: MediaFile) -> None:
    try:
        with Path(file.path).open("rb") as source:
            content = _HashedFile(source, name)
            # Random names do not meet; were one taken, the storage would choose another and say so here.
            if storage.save(name, content) != name:
                raise FileExistsError(name)
        same = content.sha256.hexdigest() == file.sha256
    except FileNotFoundError:
        same = False
    if not same:
        place = f"{key[0]}/{key[1]}"
        raise MediaChanged(
            Problem(place, None, None, "a file that changed during the import", "files at rest; import again")
        )
