"""Reads from a cloud over REST. Only the calls in the cloud's `data/calls.json` are possible, and these only read.

A call is a GET request. The only other ones are POST requests that the cloud documents as tests: of permissions,
names and policies.
"""

import http.client
import json
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from hpc_components.catalog._load import records
from hpc_components.preflight.account import NoAccountError, NotAnsweredError, NotPermittedError

_TIMEOUT = 30
"""Timeout in seconds for connecting and for each read."""
_ATTEMPTS = 5
_LONGEST_PAUSE = 20.0
_AGAIN = (429, 500, 502, 503, 504)
"""Status codes after which the same request may succeed a moment later."""
_NONE: Mapping[str, str] = MappingProxyType({})


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follows no redirect, because the token would go along."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> None:
        return None


_OPENER = urllib.request.build_opener(_NoRedirect)


class ServiceOffError(NotAnsweredError):
    """Raised if the account has not enabled the service that a call belongs to. `service` is its name."""

    def __init__(self, service: str) -> None:
        super().__init__(f"{service} is not enabled")
        self.service = service


@dataclass(frozen=True, kw_only=True)
class RestCall:
    """A request that preflight may send."""

    name: str
    method: str
    url: str
    """URL with placeholders, e.g. `https://compute.googleapis.com/compute/v1/projects/{project}`."""
    permission: str | None
    """The permission that it needs, or None if everyone may send it."""
    reads: tuple[str, ...]
    """Methods of the account, and kinds of things, that send this request."""


def rest_calls(module_file: str) -> Mapping[str, RestCall]:
    """Return the calls in `data/calls.json` beside a module, keyed by name."""
    keys = ("name", "method", "url", "permission")
    return {
        record["name"]: RestCall(**{key: record[key] for key in keys}, reads=tuple(record["reads"]))
        for record in records("calls", module_file)
    }


def permissions_of(calls: Mapping[str, RestCall]) -> Mapping[str, tuple[str, ...]]:
    """Return the permissions that each read needs."""
    found: dict[str, tuple[str, ...]] = {}
    for call in calls.values():
        for read in call.reads:
            found[read] = found.get(read, ()) + ((call.permission,) if call.permission else ())
    return {read: tuple(dict.fromkeys(names)) for read, names in found.items()}


class RestReader:
    """Sends requests. It is safe to use from several threads.

    - `token`: returns an access token; called once
    - `headers`: sent with each request
    - `off`: given the body of a refusal, returns the service that is not enabled, or None for any other reason
    - `server`: replaces `https:/` in all addresses, for a server that stands in for the cloud
    """

    def __init__(
        self,
        calls: Mapping[str, RestCall],
        token: Callable[[], str],
        *,
        headers: Mapping[str, str] = _NONE,
        off: Callable[[Any], str | None] = lambda body: None,
        server: str = "https:/",
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._calls, self._new_token, self._headers = calls, token, headers
        self._off, self._server, self._sleep = off, server, sleep
        self._token: str | None = None
        self._lock = threading.Lock()

    def read(
        self, name: str, query: Mapping[str, str] = _NONE, body: Any = None, /, **parts: str
    ) -> Mapping[str, Any] | None:
        """Return the response of a call, or None if the thing doesn't exist. `parts` fill the URL's placeholders.

        A response that is a list is returned as a mapping with the key `value`.

        Raise KeyError for a call that is not listed, NotPermittedError, or NotAnsweredError.
        """
        call = self._calls[name]
        url = call.url.format_map({key: quote(part.lstrip("/"), safe="/@:") for key, part in parts.items()})
        if query:
            url += f"{'&' if '?' in url else '?'}{urlencode(query)}"
        return self._answer(call, url, body)

    def pages(self, name: str, query: Mapping[str, str] = _NONE, /, **parts: str) -> Iterator[Mapping[str, Any]]:
        """Yield all pages of a list, whose address or token is in `nextLink` or `nextPageToken`."""
        page = self.read(name, query, **parts)
        while page is not None:
            yield page
            if link := page.get("nextLink"):
                page = self._answer(self._calls[name], self._same_host(name, link), None)
            elif token := page.get("nextPageToken"):
                page = self.read(name, {**query, "pageToken": token}, **parts)
            else:
                return

    def _same_host(self, name: str, link: str) -> str:
        """Return the link. Raise NotAnsweredError if it leads elsewhere, where the token must not be sent."""
        host = urlsplit(self._calls[name].url).netloc
        if not link.startswith((f"https://{host}/", f"{self._server}/{host}/")):
            raise NotAnsweredError(f"the next page of {host} is on another host")
        return link

    def _answer(self, call: RestCall, url: str, body: Any) -> Mapping[str, Any] | None:
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                return self._sent(call, url, body)
            except urllib.error.HTTPError as error:
                with error:
                    if error.code == 404:
                        return None
                    if error.code not in _AGAIN or attempt == _ATTEMPTS:
                        raise self._refusal(call, error) from None
                    pause = _pause(error.headers.get("Retry-After"), attempt)
            except (http.client.HTTPException, OSError) as error:
                if attempt == _ATTEMPTS:
                    reason = getattr(error, "reason", None) or error
                    raise NotAnsweredError(f"can't reach {urlsplit(call.url).hostname} ({reason})") from None
                pause = _pause(None, attempt)
            self._sleep(pause)
        raise AssertionError("the last attempt returns or raises")

    def _sent(self, call: RestCall, url: str, body: Any) -> Mapping[str, Any]:
        address = url if url.startswith(self._server) else f"{self._server}/{url.removeprefix('https://')}"
        headers = {
            **self._headers,
            "Authorization": f"Bearer {self._current_token()}",
            "User-Agent": "hpc-components",
        }
        data = None if body is None else json.dumps(body).encode()
        if data is not None:
            headers["Content-Type"] = "application/json"
        request = urllib.request.Request(address, data, headers, method=call.method)
        with _OPENER.open(request, timeout=_TIMEOUT) as answer:
            try:
                found = json.loads(answer.read() or b"{}")
                found = {"value": found} if isinstance(found, list) else found
            except ValueError:
                found = None
        if not isinstance(found, dict):
            raise NotAnsweredError(f"the response from {urlsplit(call.url).hostname} is not a JSON object")
        return found

    def _current_token(self) -> str:
        with self._lock:
            if self._token is None:
                self._token = self._new_token()
            return self._token

    def _refusal(self, call: RestCall, error: urllib.error.HTTPError) -> Exception:
        try:
            body = json.loads(error.read())
        except ValueError:
            body = None
        if error.code == 401:
            return NoAccountError("the cloud does not accept the credentials; log in again")
        if (service := self._off(body)) is not None:
            return ServiceOffError(service)
        if error.code == 403 and call.permission:
            return NotPermittedError(call.permission)
        return NotAnsweredError(f"{urlsplit(call.url).hostname} responded with {error.code} {error.reason}")


def _pause(wanted: str | None, attempt: int) -> float:
    """Return the seconds to wait: those that the cloud asks for, or twice as long after each attempt."""
    return min(float(wanted) if wanted and wanted.isdigit() else 2.0 ** (attempt - 1), _LONGEST_PAUSE)
