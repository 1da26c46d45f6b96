"""Accounts of clouds that are asked over REST. What would change something is refused, and counted."""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

Reply = tuple[int, dict[str, str], bytes]
Answer = Callable[[Mapping[str, str], Any], Any]
"""Takes the query and the body, and returns a document, or raises `RefusedError`."""

GOOGLE_READS_BY_POST = (":testIamPermissions", ":getEffectiveOrgPolicy")
"""Ends of paths to which Google takes POST requests that change nothing."""

AZURE_READS_BY_POST = ("/checkNameAvailability", "/checkPolicyRestrictions")
"""Ends of paths to which Azure takes such requests."""


class RefusedError(Exception):
    """An error of the cloud: its status, document and headers."""

    def __init__(self, status: int, document: Any = None, **headers: str) -> None:
        super().__init__(status)
        self.status, self.document, self.headers = status, document or {}, headers


class RestAccount:
    """What answers requests. `documents` maps host and path to a document, to its pages, or to an `Answer`."""

    def __init__(self, reads_by_post: tuple[str, ...] = ()) -> None:
        self.base = ""
        self.documents: dict[str, Any] = {}
        self.calls: Counter[str] = Counter()
        self.writes: Counter[str] = Counter()
        """Requests that would change something."""
        self.tokens: set[str] = set()
        self.projects: set[str | None] = set()
        """Projects against which Google counts requests."""
        self._reads_by_post = reads_by_post

    def send(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> Reply:
        parts = urlsplit(url)
        path = unquote(parts.path.lstrip("/"))
        query = {key: values[-1] for key, values in parse_qs(parts.query).items()}
        self.calls[path] += 1
        self.projects.add(headers.get("X-Goog-User-Project"))
        self.tokens.add(headers.get("Authorization", ""))
        if method != "GET" and not path.endswith(self._reads_by_post):
            self.writes[f"{method} {path}"] += 1
            return _reply(405, {})
        try:
            return _reply(200, self._document(path, query, json.loads(body) if body else None))
        except RefusedError as error:
            return _reply(error.status, error.document, error.headers)

    def purpose(self, method: str, url: str, body: bytes) -> str:
        return unquote(urlsplit(url).path.lstrip("/"))

    def _document(self, path: str, query: Mapping[str, str], body: Any) -> Any:
        if path not in self.documents:
            raise RefusedError(404)
        found = self.documents[path]
        if callable(found):
            return found(query, body)
        if isinstance(found, list):
            return self._page(path, found, int(query.get("pageToken", 0)))
        return found

    def _page(self, path: str, pages: list[Any], number: int) -> Any:
        if number + 1 == len(pages):
            return pages[number]
        if path.startswith("management.azure.com"):
            return pages[number] | {"nextLink": f"{self.base}/{path}?pageToken={number + 1}"}
        return pages[number] | {"nextPageToken": str(number + 1)}


def _reply(status: int, document: Any, headers: Mapping[str, str] | None = None) -> Reply:
    return status, {"content-type": "application/json", **(headers or {})}, json.dumps(document).encode()
