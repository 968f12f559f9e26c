"""Answering a request for one media file, with byte ranges as RFC 9110 and Safari want them.

Who may see the file is decided before this is called. A range is answered from memory, at most
`RANGE_BYTES` at a time, so that a reader who never reads on holds neither a file nor a thread.
"""

import hashlib
import logging
import re
import threading
from collections.abc import Iterator
from urllib.parse import quote

from django.conf import settings
from django.core.files.storage import Storage, storages
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseNotAllowed,
    StreamingHttpResponse,
)
from django.utils.cache import get_conditional_response

from catalogue.models import MediaVersion

RANGE_BYTES = 1024 * 1024
"""The most bytes one range answer carries; players ask for the rest when they need it."""

WHOLE_BYTES = 4 * RANGE_BYTES
"""Up to this size a whole file is answered from memory too."""

WHOLE_STREAMS = 8
"""How many larger files one process sends whole at a time. Players ask for ranges and never meet this."""

RETRY_SECONDS = 10

CACHE_SECONDS = 60
"""Short, so that a taken-down clip leaves the browsers of those who had it open soon."""

_ONE_RANGE = re.compile(r"bytes=[ \t]*([0-9]*)-([0-9]*)[ \t]*", re.IGNORECASE)
_MOST_DIGITS = 19  # a longer position lies behind the end of any file

_streams = threading.BoundedSemaphore(WHOLE_STREAMS)

logger = logging.getLogger(__name__)


def media_response(request: HttpRequest, media: MediaVersion) -> HttpResponseBase:
    """The answer to GET or HEAD for `media`: 200, 206, 304, 405, 412, 416, or 503.

    One satisfiable range gives a 206 of at most `RANGE_BYTES`, perhaps shorter than asked for, which its
    `Content-Range` says; a range behind the end gives a 416; a malformed header or several ranges give the
    whole file, unless too many large ones are on their way (503). `If-Range` is honoured by the strong
    entity tag alone. With `MEDIA_ACCEL_PREFIX` set, nginx answers instead. Http404 when the storage has
    lost the file.
    """
    if request.method not in ("GET", "HEAD"):
        return HttpResponseNotAllowed(["GET", "HEAD"])
    headers = _headers(media)
    if settings.MEDIA_ACCEL_PREFIX:
        headers["X-Accel-Redirect"] = f"{settings.MEDIA_ACCEL_PREFIX.rstrip('/')}/{quote(media.storage_key)}"
        return HttpResponse(headers=headers)
    unconditional = HttpResponse(headers=headers)
    answer = get_conditional_response(request, etag=headers["ETag"], response=unconditional)
    if answer is not None and answer is not unconditional:
        return answer
    asked = _asked_range(request, media.size, headers["ETag"])
    if asked is None:
        return _whole(request, media, headers)
    first, last = asked
    if first >= media.size:
        return HttpResponse(status=416, headers=headers | {"Content-Range": f"bytes */{media.size}"})
    last = min(last, media.size - 1, first + RANGE_BYTES - 1)
    headers["Content-Range"] = f"bytes {first}-{last}/{media.size}"
    body = _read(storages["clips"], media, first, last - first + 1)
    return HttpResponse(body, status=206, headers=headers | {"Content-Length": str(len(body))})


def bytes_response(request: HttpRequest, body: bytes, *, content_type: str, name: str) -> HttpResponseBase:
    """The answer to GET or HEAD for a small file in memory: 200, 206 or 416, with ranges as above.

    The entity tag is made from `name`, which stands for this file at this address alone, and not from what
    is in the file: two addresses of the same file cannot be told to be that.
    """
    headers = _header_fields(content_type, hashlib.sha256(name.encode()).hexdigest())
    asked = _asked_range(request, len(body), headers["ETag"])
    if asked is None:
        return HttpResponse(body, headers=headers | {"Content-Length": str(len(body))})
    first, last = asked
    if first >= len(body):
        return HttpResponse(status=416, headers=headers | {"Content-Range": f"bytes */{len(body)}"})
    last = min(last, len(body) - 1, first + RANGE_BYTES - 1)
    headers["Content-Range"] = f"bytes {first}-{last}/{len(body)}"
    return HttpResponse(body[first : last + 1], status=206, headers=headers)


def _headers(media: MediaVersion) -> dict[str, str]:
    return _header_fields(media.content_type, media.sha256)


def _header_fields(content_type: str, tag: str) -> dict[str, str]:
    return {
        "Content-Type": content_type,
        "Content-Disposition": "inline",
        "Accept-Ranges": "bytes",
        "ETag": f'"{tag}"',
        "Cache-Control": f"private, max-age={CACHE_SECONDS}",
        "X-Content-Type-Options": "nosniff",
        "Cross-Origin-Resource-Policy": "same-origin",
    }


def _asked_range(request: HttpRequest, size: int, etag: str) -> tuple[int, int] | None:
    """First and last byte asked for, not yet cut to the file; None when the whole file is the answer.

    A range counts for GET only. An empty suffix, which no file can satisfy, is given as a start at `size`.
    """
    found = _ONE_RANGE.fullmatch(request.headers.get("Range", ""))
    if found is None or request.method != "GET" or request.headers.get("If-Range", etag) != etag:
        return None
    first, last = found.groups()
    if first:
        start = _position(first)
        end = _position(last) if last else max(start, size)
        return (start, end) if start <= end else None
    if not last:
        return None
    return max(size - _position(last), 0), size


def _position(digits: str) -> int:
    return int(digits.lstrip("0")[:_MOST_DIGITS] or "0")


def _whole(request: HttpRequest, media: MediaVersion, headers: dict[str, str]) -> HttpResponseBase:
    headers = headers | {"Content-Length": str(media.size)}
    if request.method == "HEAD":
        return HttpResponse(headers=headers)
    storage = storages["clips"]
    if media.size <= WHOLE_BYTES:
        return HttpResponse(_read(storage, media, 0, media.size), headers=headers)
    _read(storage, media, media.size - 1, 1)  # a lost file is told before the answer begins
    if not _streams.acquire(blocking=False):
        return HttpResponse(status=503, headers={"Retry-After": str(RETRY_SECONDS)})
    return StreamingHttpResponse(_Pieces(storage, media), headers=headers)


class _Pieces:
    """A whole file in pieces, opened anew for each: a stalled reader holds no file handle.

    It does hold a thread of the web server, so there are only so many; `close` gives the place back.
    """

    def __init__(self, storage: Storage, media: MediaVersion) -> None:
        self.storage = storage
        self.media = media
        self.open = True

    def __iter__(self) -> Iterator[bytes]:
        for start in range(0, self.media.size, RANGE_BYTES):
            yield _read(self.storage, self.media, start, min(RANGE_BYTES, self.media.size - start))

    def close(self) -> None:
        """Called by the server at the end, and when the reader is gone; more than once does no harm."""
        if self.open:
            self.open = False
            _streams.release()


def _read(storage: Storage, media: MediaVersion, start: int, length: int) -> bytes:
    try:
        with storage.open(media.storage_key) as file:
            file.seek(start)
            body: bytes = file.read(length)
    except FileNotFoundError:
        body = b""
    if len(body) != length:
        logger.error("The storage lost %s (media version %s): %s bytes expected", media, media.pk, media.size)
        raise Http404("This media file cannot be read.")
    return body
