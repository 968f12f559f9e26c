"""Prolific's API over HTTP. Reads are repeated with growing pauses; what changes something is sent once.

https://docs.prolific.com/api-reference. Addresses hold ids of people, so nothing here writes to a log, and
no exception of the HTTP library leaves this module. Processes that never call Prolific do not load it.
"""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Self

import requests
from django.conf import settings
from requests.adapters import HTTPAdapter
from requests.auth import AuthBase
from urllib3 import BaseHTTPResponse
from urllib3.exceptions import MaxRetryError, NewConnectionError
from urllib3.util.retry import Retry

from studies.prolific.answers import (
    BulkBonus,
    FetchedSubmission,
    NoAnswer,
    ProlificError,
    bulk_bonus_of,
    submission_of,
)

PAGE = 20
TIMEOUT = (5, 30)  # seconds to connect, and between two bytes
PATIENCE = 60  # a longer Retry-After is not waited for here
PAGES_MOST = 5000


class _Patient(Retry):
    """Waits as long as Prolific says; gives up when that is longer than a worker should sit and wait."""

    def increment(
        self, method: str | None = None, url: str | None = None, response: Any = None, *args: Any, **more: Any
    ) -> Self:
        wait = _retry_after(response.headers) if isinstance(response, BaseHTTPResponse) else None
        if wait is not None and wait > PATIENCE:
            pool: Any = args[1] if len(args) > 1 else more.get("_pool")
            raise MaxRetryError(pool, "")
        return super().increment(method, url, response, *args, **more)


class _Token(AuthBase):
    """The token as Prolific wants it; as an `auth` it wins over any .netrc of the machine."""

    def __init__(self, token: str) -> None:
        self._token = token

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"Token {self._token}"
        return request


class Prolific:
    """Prolific's API with one token. Every method raises `ProlificError` or `NoAnswer`."""

    def __init__(
        self, *, token: str, url: str, retries: int = 5, backoff: float = 0.5, timeout: Any = TIMEOUT
    ) -> None:
        self._auth = _Token(token)
        self._url = url.rstrip("/") + "/"
        self._timeout = timeout
        self._reading = requests.Session()
        again = _Patient(
            total=retries,
            backoff_factor=backoff,
            backoff_jitter=backoff,
            status_forcelist=(429, 500, 502, 503, 504),
            allowed_methods=("GET",),
            raise_on_status=False,
            retry_after_max=PATIENCE + 1,
        )
        for scheme in ("https://", "http://"):
            self._reading.mount(scheme, HTTPAdapter(max_retries=again))

    # --- reads ---------------------------------------------------------------------------------------

    def submissions(self, study_id: str) -> Iterator[FetchedSubmission]:
        """Every submission of a study on Prolific, each once, page by page."""
        seen: set[str] = set()
        for number in range(1, PAGES_MOST):
            try:
                body = self._get("submissions/", {"study": study_id, "page": number, "page_size": PAGE})
            except ProlificError as error:
                if error.status == 404 and number > 1:
                    return  # there is no page behind the last one
                raise
            found = _results(body)
            new = [row for row in found if str(row.get("id")) not in seen]
            seen |= {str(row.get("id")) for row in new}
            for row in new:
                yield submission_of(row, study_id)
            if not new or _is_last(body, read=len(seen), here=len(found)):
                return

    def submission(self, session_id: str) -> FetchedSubmission:
        """One submission."""
        return submission_of(_object(self._get(f"submissions/{session_id}/", {})))

    # --- what changes something: sent once -------------------------------------------------------------

    def approve(self, session_id: str) -> FetchedSubmission | None:
        """Approve a submission; returns it as it stands then, where Prolific says so."""
        body = self._post(f"submissions/{session_id}/transition/", {"action": "APPROVE"})
        try:
            return submission_of(body)
        except ProlificError:
            return None  # done all the same

    def bonuses_set_up(self, study_id: str, lines: Sequence[tuple[str, Decimal]]) -> BulkBonus:
        """Set up a bulk bonus of (submission, amount in whole currency). Nothing is paid by this."""
        csv = "\n".join(f"{session},{amount:.2f}" for session, amount in lines)
        body = self._post("submissions/bonus-payments/", {"study_id": study_id, "csv_bonuses": csv})
        return bulk_bonus_of(body)

    def bonuses_pay(self, batch: str) -> None:
        """Pay a bulk bonus. Called twice, Prolific pays twice."""
        self._post(f"bulk-bonus-payments/{batch}/pay/", None)

    # --- the wire ------------------------------------------------------------------------------------

    def _get(self, path: str, query: Mapping[str, Any]) -> Any:
        try:
            response = self._reading.get(
                self._url + path,
                params=dict(query),
                auth=self._auth,
                timeout=self._timeout,
                allow_redirects=False,
            )
        except requests.RequestException as error:
            # "from None": the library's message holds the address.
            raise ProlificError(0, _unreached(error)) from None
        if response.status_code != 200:
            raise _refusal(response)
        try:
            return response.json()
        except ValueError:
            raise ProlificError(200, "the answer is not JSON") from None

    def _post(self, path: str, body: Mapping[str, Any] | None) -> Mapping[str, Any]:
        try:
            with requests.Session() as once:  # a connection of its own: an old one may be dead already
                response = once.post(
                    self._url + path,
                    json=body,
                    auth=self._auth,
                    timeout=self._timeout,
                    allow_redirects=False,
                )
        except requests.RequestException as error:
            if _never_left(error):
                raise ProlificError(0, _unreached(error)) from None
            raise NoAnswer("Prolific was asked and did not answer") from None
        if response.status_code >= 500 or response.status_code == 408:
            raise NoAnswer(f"Prolific answered {response.status_code}: whether it was done is unknown")
        if not 200 <= response.status_code < 300:
            raise _refusal(response)
        try:
            found = response.json()
        except ValueError:
            found = {}
        return found if isinstance(found, Mapping) else {}


def client_from_settings() -> Prolific | None:
    """The API with the token of the settings; None without one."""
    if not settings.PROLIFIC_TOKEN:
        return None
    return Prolific(token=settings.PROLIFIC_TOKEN, url=settings.PROLIFIC_API_URL)


def _never_left(error: requests.RequestException) -> bool:
    """Whether no connection came about, so that nothing can have been asked."""
    reason = getattr(error.args[0], "reason", None) if error.args else None
    return isinstance(error, requests.ConnectTimeout) or isinstance(reason, NewConnectionError)


def _unreached(error: requests.RequestException) -> str:
    return f"Prolific could not be reached ({type(error).__name__})"


def _retry_after(headers: Mapping[str, str]) -> float | None:
    try:
        return Retry(retry_after_max=86_400).parse_retry_after(headers.get("Retry-After", ""))
    except Exception:  # a header that cannot be read is none
        return None


def _refusal(response: requests.Response) -> ProlificError:
    """What Prolific says is wrong: `{"error": {"title", "detail": text, list or object}}`."""
    try:
        body = response.json()
    except ValueError:
        body = {}
    error = body.get("error", body) if isinstance(body, Mapping) else {}
    detail = error.get("detail") or error.get("title") if isinstance(error, Mapping) else error
    return ProlificError(response.status_code, str(detail or response.reason), _retry_after(response.headers))


def _object(body: Any) -> Mapping[str, Any]:
    if not isinstance(body, Mapping):
        raise ProlificError(200, "the answer is not an object")
    return body


def _results(body: Any) -> list[Mapping[str, Any]]:
    rows = body if isinstance(body, list) else _object(body).get("results")
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
        raise ProlificError(200, "the answer holds no list of results")
    return rows


def _is_last(body: Any, *, read: int, here: int) -> bool:
    """Whether nothing follows: as the link to the next page or the count says, else by a page's length."""
    if not isinstance(body, Mapping):
        return True
    links, meta = body.get("_links"), body.get("meta")
    places = [(body, "next"), (links, "next"), (body, "count"), (meta, "count")]
    said = [where[name] for where, name in places if isinstance(where, Mapping) and name in where]
    for value in said:
        if isinstance(value, int):
            return read >= value
        if not (value.get("href") if isinstance(value, Mapping) else value):
            return True
    return here < PAGE if not said else False
