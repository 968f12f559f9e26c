"""A player asks for a clip in pieces, as Safari does."""

import hashlib
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage, storages
from django.core.signals import request_finished
from django.db import close_old_connections
from django.http import Http404, HttpResponseBase, StreamingHttpResponse
from django.test import RequestFactory
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalogue import serving
from catalogue.models import Clip, MediaVersion
from catalogue.serving import RANGE_BYTES, WHOLE_BYTES, WHOLE_STREAMS, media_response

SIZE = WHOLE_BYTES + 12_345
CONTENT = bytes(hashlib.shake_256(b"touchstone").digest(SIZE))
ETAG = f'"{hashlib.sha256(CONTENT).hexdigest()}"'


@pytest.fixture(autouse=True)
def _connections_stay() -> Iterator[None]:
    """Closing an answer ends a request, which would look after database connections; there are none here."""
    request_finished.disconnect(close_old_connections)
    yield
    request_finished.connect(close_old_connections)


@pytest.fixture(autouse=True)
def _free_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers that a test does not read to the end take no place away from the next test."""
    monkeypatch.setattr(serving, "_streams", threading.BoundedSemaphore(WHOLE_STREAMS))


@pytest.fixture
def media(clips_folder: Path) -> MediaVersion:
    """A stored file that is too large to be answered whole from memory."""
    media = MediaVersion(
        clip=Clip(clip_id="a-telling-id"),
        role="reaction",
        sha256=ETAG.strip('"'),
        size=SIZE,
        content_type="video/mp4",
    )
    storages["clips"].save(media.storage_key, ContentFile(CONTENT))
    return media


def ask(
    media: MediaVersion, range_: str | None = None, method: str = "GET", **headers: str
) -> HttpResponseBase:
    if range_ is not None:
        headers["Range"] = range_
    return media_response(RequestFactory().generic(method, "/media", headers=headers), media)


def body(response: HttpResponseBase) -> bytes:
    content = b"".join(response.streaming_content) if response.streaming else response.content
    response.close()
    return content


def test_bytes_100_to_199_are_a_206_of_100_bytes(media: MediaVersion) -> None:
    response = ask(media, "bytes=100-199")
    assert response.status_code == 206
    assert response["Content-Range"] == f"bytes 100-199/{SIZE}"
    assert response["Content-Length"] == "100"
    assert response["Accept-Ranges"] == "bytes"
    assert response["Content-Type"] == "video/mp4"
    assert body(response) == CONTENT[100:200]


@pytest.mark.parametrize(
    "range_", ["bytes=999999999-", f"bytes={SIZE}-", f"bytes=9{'9' * 5000}-", "bytes=-0"]
)
def test_a_range_behind_the_end_is_a_416_that_tells_the_size(media: MediaVersion, range_: str) -> None:
    response = ask(media, range_)
    assert response.status_code == 416
    assert response["Content-Range"] == f"bytes */{SIZE}"
    assert body(response) == b""


@pytest.mark.parametrize(
    "range_",
    [
        "bytes=",
        "bytes=-",
        "bytes=a-b",
        "bytes=200-100",
        "bytes=1-2-3",
        "bytes=0x10-0x20",
        "bytes=٣-٥",
        "bytes=+1-2",
        "bytes 0-1",
        "seconds=0-1",
        "0-1",
        "bytes=0-1,5-6",
        "",
    ],
)
def test_a_malformed_or_manifold_range_gets_the_whole_file(media: MediaVersion, range_: str) -> None:
    response = ask(media, range_)
    assert response.status_code == 200
    assert response["Content-Length"] == str(SIZE)
    assert "Content-Range" not in response
    assert body(response) == CONTENT


@pytest.mark.parametrize(
    ("range_", "first", "last"),
    [
        ("bytes=0-1", 0, 1),  # how Safari asks whether ranges are known here
        ("bytes=0-", 0, RANGE_BYTES - 1),
        (f"bytes=5-{SIZE}", 5, RANGE_BYTES + 4),
        (f"bytes={SIZE - 10}-", SIZE - 10, SIZE - 1),
        (f"bytes={SIZE - 1}-{SIZE + 100}", SIZE - 1, SIZE - 1),
        ("bytes=-10", SIZE - 10, SIZE - 1),
        (f"bytes=-{SIZE * 3}", 0, RANGE_BYTES - 1),
        ("bytes=007-009", 7, 9),
        ("BYTES=3-4", 3, 4),
        ("bytes= 3-4 ", 3, 4),
    ],
)
def test_every_form_of_a_single_range_is_understood(
    media: MediaVersion, range_: str, first: int, last: int
) -> None:
    response = ask(media, range_)
    assert response.status_code == 206
    assert response["Content-Range"] == f"bytes {first}-{last}/{SIZE}"
    assert body(response) == CONTENT[first : last + 1]
    assert int(response["Content-Length"]) == last + 1 - first <= RANGE_BYTES


def test_without_a_range_the_whole_file_comes(media: MediaVersion) -> None:
    response = ask(media)
    assert (response.status_code, response["Content-Length"]) == (200, str(SIZE))
    assert response["Accept-Ranges"] == "bytes"
    assert body(response) == CONTENT


@pytest.mark.parametrize("range_", [None, "bytes=0-99", "bytes=999999999-"])
def test_head_tells_the_size_without_a_body_and_knows_no_ranges(
    media: MediaVersion, range_: str | None
) -> None:
    response = ask(media, range_, method="HEAD")
    assert (response.status_code, response["Content-Length"]) == (200, str(SIZE))
    assert response["Accept-Ranges"] == "bytes"
    assert body(response) == b""


def test_if_range_holds_the_pieces_of_one_file_together(media: MediaVersion) -> None:
    assert ask(media, "bytes=0-9", **{"If-Range": ETAG}).status_code == 206
    for other in ('"another"', f"W/{ETAG}", "Wed, 21 Oct 2015 07:28:00 GMT"):
        assert ask(media, "bytes=0-9", **{"If-Range": other}).status_code == 200


def test_a_browser_that_has_the_file_is_told_so(media: MediaVersion) -> None:
    response = ask(media, "bytes=0-9", **{"If-None-Match": ETAG})
    assert response.status_code == 304
    assert response["ETag"] == ETAG
    assert ask(media, "bytes=0-9", **{"If-Match": '"another"'}).status_code == 412


def test_no_header_tells_which_clip_it_is_and_none_lets_it_be_shared(media: MediaVersion) -> None:
    for response in (ask(media), ask(media, "bytes=0-9"), ask(media, method="HEAD"), ask(media, "bytes=-0")):
        headers = str(response.headers)
        assert "telling" not in headers
        assert media.storage_key not in headers
        assert response["Content-Disposition"] == "inline"
        assert response["Cache-Control"].startswith("private, max-age=")
        assert response["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_media_are_only_read(media: MediaVersion, method: str) -> None:
    assert ask(media, method=method).status_code == 405


def test_behind_nginx_the_file_is_handed_over(media: MediaVersion, settings) -> None:
    settings.MEDIA_ACCEL_PREFIX = "/protected/"
    response = ask(media, "bytes=0-9")
    assert response["X-Accel-Redirect"] == f"/protected/{media.storage_key}"
    assert response["Content-Type"] == "video/mp4"
    assert body(response) == b""


@pytest.mark.parametrize("range_", [None, "bytes=0-9"])
def test_a_lost_file_is_a_404(media: MediaVersion, range_: str | None) -> None:
    storages["clips"].delete(media.storage_key)
    with pytest.raises(Http404):
        ask(media, range_)


def test_a_reader_that_stalls_holds_no_file(media: MediaVersion, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []
    real_open = FileSystemStorage._open

    def watched(self, name, mode="rb"):
        opened.append(real_open(self, name, mode))
        return opened[-1]

    monkeypatch.setattr(FileSystemStorage, "_open", watched)
    ranged, whole = ask(media, "bytes=0-"), ask(media)
    assert not isinstance(ranged, StreamingHttpResponse)
    next(iter(whole.streaming_content))
    assert opened
    assert all(file.closed for file in opened)


def test_a_small_file_comes_whole_from_memory(media: MediaVersion, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "WHOLE_BYTES", SIZE)
    response = ask(media)
    assert not response.streaming
    assert response["Content-Length"] == str(SIZE)
    assert body(response) == CONTENT


def test_large_files_asked_for_whole_cannot_take_every_thread(media: MediaVersion) -> None:
    """A whole large file holds a thread while its reader is slow, which ranges never do."""
    slow = [ask(media) for _ in range(WHOLE_STREAMS)]
    assert {response.status_code for response in slow} == {200}
    refused = ask(media)
    assert refused.status_code == 503
    assert int(refused["Retry-After"]) > 0
    assert ask(media, "bytes=0-").status_code == 206
    slow[0].close()
    slow[0].close()
    assert ask(media).status_code == 200
    assert ask(media).status_code == 503


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=40)
@given(cuts=st.sets(st.integers(1, SIZE - 1), max_size=8), as_suffix=st.booleans())
def test_any_sequence_of_ranges_puts_the_file_together_again(
    media: MediaVersion, cuts: set[int], as_suffix: bool
) -> None:
    """A player asks for pieces; where an answer is shorter than asked for, it asks for the rest."""
    edges = [0, *sorted(cuts), SIZE]
    got = bytearray()
    for end in edges[1:]:
        while len(got) < end:
            asked = (
                f"bytes=-{SIZE - len(got)}" if as_suffix and end == SIZE else f"bytes={len(got)}-{end - 1}"
            )
            response = ask(media, asked)
            first, rest = response["Content-Range"].removeprefix("bytes ").split("-")
            assert int(first) == len(got)
            piece = body(response)
            assert int(rest.split("/")[0]) == len(got) + len(piece) - 1 < end
            got += piece
    assert bytes(got) == CONTENT
