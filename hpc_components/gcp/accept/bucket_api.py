"""Cloud Storage as users reach it: by the tokens that the node lends at GCE_METADATA_HOST.

Source: Cloud Storage, JSON API v1, Objects: insert, get, delete, list.
"""

import json
import os
import urllib.error
import urllib.request

# the variable that Google's client libraries read
_API = os.environ.get("STORAGE_EMULATOR_HOST", "https://storage.googleapis.com")
_TOKEN = "http://{}/computeMetadata/v1/instance/service-accounts/default/token"
_SECONDS = 30


def _answer(method: str, url: str, headers: "dict[str, str]", content: "bytes | None" = None) -> bytes:
    request = urllib.request.Request(url, content, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=_SECONDS) as response:
            return response.read()
    except urllib.error.HTTPError as error:
        raise OSError(f"{method} {url.partition('?')[0]}: {error.code} {error.reason}") from None


class Bucket:
    def __init__(self, url: str) -> None:
        self._name = url[len("gs://") :]
        self._objects = f"{_API}/storage/v1/b/{self._name}/o"
        lent = _answer("GET", _TOKEN.format(os.environ["GCE_METADATA_HOST"]), {"Metadata-Flavor": "Google"})
        self._headers = {"Authorization": f"Bearer {json.loads(lent)['access_token']}"}

    def list_one(self) -> None:
        _answer("GET", f"{self._objects}?maxResults=1", self._headers)

    def put(self, name: str, content: bytes) -> None:
        url = f"{_API}/upload/storage/v1/b/{self._name}/o?uploadType=media&name={name}"
        _answer("POST", url, self._headers, content)

    def get(self, name: str) -> bytes:
        return _answer("GET", f"{self._objects}/{name}?alt=media", self._headers)

    def delete(self, name: str) -> None:
        _answer("DELETE", f"{self._objects}/{name}", self._headers)
