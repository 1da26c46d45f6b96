"""Containers of blobs, as Blob Storage shows them to who has a token."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

PAGE = 2
"""Blobs in a page of a list: the real 5,000 would show no second page."""


Answer = tuple[int, dict[str, str], bytes]
"""Status, headers and content."""


@dataclass
class FakeBlob:
    """The containers of all accounts, which have different names here."""

    containers: dict[str, dict[str, bytes]] = field(default_factory=dict)

    def get(self, container: str, name: str) -> Answer:
        """A blob."""
        content = self.containers.get(container, {}).get(name)
        return self.error(404, "BlobNotFound") if content is None else (200, {"ETag": _etag(content)}, content)

    def put(self, container: str, name: str, content: bytes, headers: Mapping[str, str]) -> Answer:
        """A blob is written, if it is as the headers say."""
        _, there, _ = self.get(container, name)
        if "If-None-Match" in headers and "ETag" in there:
            return self.error(409, "BlobAlreadyExists")
        if "If-Match" in headers and headers["If-Match"] != there.get("ETag"):
            return self.error(412, "ConditionNotMet")
        self.containers[container][name] = content
        return 201, {"ETag": _etag(content)}, b""

    def delete(self, container: str, name: str) -> Answer:
        """A blob goes. Source: Blob Storage REST API, Delete Blob."""
        if self.containers.get(container, {}).pop(name, None) is None:
            return self.error(404, "BlobNotFound")
        return 202, {}, b""

    def listed(self, container: str, query: Mapping[str, str]) -> Answer:
        """A page of names. Source: Blob Storage REST API, List Blobs."""
        names = sorted(
            name for name in self.containers.get(container, {}) if name.startswith(query.get("prefix", ""))
        )
        begin = int(query.get("marker") or 0)
        blobs = "".join(
            f"<Blob><Name>{escape(name)}</Name><Properties><ResourceType>file</ResourceType></Properties></Blob>"
            for name in names[begin : begin + PAGE]
        )
        more = str(begin + PAGE) if len(names) > begin + PAGE else ""
        text = f"<EnumerationResults><Blobs>{blobs}</Blobs><NextMarker>{more}</NextMarker></EnumerationResults>"
        return 200, {}, f'\ufeff<?xml version="1.0" encoding="utf-8"?>{text}'.encode()

    @staticmethod
    def error(status: int, code: str) -> Answer:
        """As the service words it."""
        message = (
            "This request is not authorized to perform this operation using this permission.\nRequestId:1\nTime:2"
        )
        text = f"<Error><Code>{code}</Code><Message>{message}</Message></Error>"
        return status, {"x-ms-error-code": code}, f'\ufeff<?xml version="1.0" encoding="utf-8"?>{text}'.encode()


def _etag(content: bytes) -> str:
    return f'"0x{hashlib.sha256(content).hexdigest()[:16]}"'
