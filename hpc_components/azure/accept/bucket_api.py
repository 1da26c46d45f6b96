"""Blob Storage as users reach it: by the tokens that the node lends at IDENTITY_ENDPOINT.

Source: Blob Storage REST API, Put Blob, Get Blob, Delete Blob, List Blobs; App Service documentation, "Use managed
identities", REST endpoint reference.
"""

import json
import os
import urllib.error
import urllib.request

_TOKEN = "{}?api-version=2019-08-01&resource=https://storage.azure.com/"
_SECONDS = 30


def _answer(method: str, url: str, headers: "dict[str, str]", content: "bytes | None" = None) -> bytes:
    request = urllib.request.Request(url, content, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=_SECONDS) as response:
            return response.read()
    except urllib.error.HTTPError as error:
        code = error.headers.get("x-ms-error-code") or error.reason
        raise OSError(f"{method} {url.partition('?')[0]}: {error.code} {code}") from None


class Bucket:
    def __init__(self, url: str) -> None:
        self._url = url
        header = {"X-IDENTITY-HEADER": os.environ["IDENTITY_HEADER"]}
        lent = _answer("GET", _TOKEN.format(os.environ["IDENTITY_ENDPOINT"]), header)
        # the first version that knows tokens is 2017-11-09
        self._headers = {"Authorization": f"Bearer {json.loads(lent)['access_token']}", "x-ms-version": "2021-08-06"}

    def list_one(self) -> None:
        _answer("GET", f"{self._url}?restype=container&comp=list&maxresults=1", self._headers)

    def put(self, name: str, content: bytes) -> None:
        _answer("PUT", f"{self._url}/{name}", {"x-ms-blob-type": "BlockBlob", **self._headers}, content)

    def get(self, name: str) -> bytes:
        return _answer("GET", f"{self._url}/{name}", self._headers)

    def delete(self, name: str) -> None:
        _answer("DELETE", f"{self._url}/{name}", self._headers)
