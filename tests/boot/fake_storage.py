"""Buckets, as Cloud Storage's JSON API shows them to who has a token."""

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field

PAGE = 2
"""Objects in a page of a list: the real 1,000 would show no second page."""

Answer = tuple[int, Mapping[str, str], bytes]
"""Status, headers and content."""


@dataclass
class FakeStorage:
    """As far as nodes ask it. Source: Cloud Storage, JSON API v1, Objects."""

    buckets: dict[str, dict[str, bytes]] = field(default_factory=dict)

    def get(self, bucket: str, name: str, query: Mapping[str, str]) -> Answer:
        """An object, or what is known of it."""
        content = self.buckets.get(bucket, {}).get(name)
        if content is None:
            return 404, {}, f"No such object: {bucket}/{name}".encode()  # in plain text, as for an object's content
        generation = str(zlib.crc32(content))
        if query.get("ifGenerationNotMatch") == generation:
            return 304, {}, b""
        if query.get("alt") != "media":
            content = json.dumps({"name": name, "size": str(len(content))}).encode()
        return 200, {"x-goog-generation": generation}, content

    def delete(self, bucket: str, name: str) -> Answer:
        """An object goes."""
        content = self.buckets.get(bucket, {}).pop(name, None)
        return (204, {}, b"") if content is not None else (404, {}, f"No such object: {bucket}/{name}".encode())

    def listed(self, bucket: str, query: Mapping[str, str]) -> Answer:
        """A page of names."""
        names = sorted(name for name in self.buckets.get(bucket, {}) if name.startswith(query.get("prefix", "")))
        begin = int(query.get("pageToken") or 0)
        page = {"items": [{"name": name} for name in names[begin : begin + PAGE]]}
        more = {"nextPageToken": str(begin + PAGE)} if len(names) > begin + PAGE else {}
        return 200, {}, json.dumps((page if page["items"] else {}) | more).encode()
