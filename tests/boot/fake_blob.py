"""Containers of blobs, as Blob Storage shows them to who has a token."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

__all__ = ["FakeBlob"]

PAGE = 2
"""Blobs in a page of a list: the real 5,000 would show no second page."""


@dataclass
class FakeBlob:
    """The containers of all accounts, which have different names here."""

    containers: dict[str, dict[str, bytes]] = field(default_factory=dict)

    def get(self, container: str, name: str) -> tuple[int, bytes, str]:
        """A blob: status, content and ETag."""
        content = self.containers.get(container, {}).get(name)
        return (404, self.error("BlobNotFound"), "") if content is None else (200, content, _etag(content))

    def put(self, container: str, name: str, content: bytes, headers: Mapping[str, str]) -> tuple[int, bytes, str]:
        """A blob that is written if it is as the headers say."""
        _, _, etag = self.get(container, name)
        if "If-None-Match" in headers and etag:
            return 409, self.error("BlobAlreadyExists"), ""
        if headers.get("If-Match", etag) != etag:
            return 412, self.error("ConditionNotMet"), ""
        self.containers[container][name] = content
        return 201, b"", _etag(content)

    def listed(self, container: str, query: Mapping[str, str]) -> tuple[int, bytes]:
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
        return 200, f'\ufeff<?xml version="1.0" encoding="utf-8"?>{text}'.encode()

    @staticmethod
    def error(code: str) -> bytes:
        """As the service words it."""
        message = (
            "This request is not authorized to perform this operation using this permission.\nRequestId:1\nTime:2"
        )
        text = f"<Error><Code>{code}</Code><Message>{message}</Message></Error>"
        return f'\ufeff<?xml version="1.0" encoding="utf-8"?>{text}'.encode()


def _etag(content: bytes) -> str:
    return f'"0x{hashlib.sha256(content).hexdigest()[:16]}"'
