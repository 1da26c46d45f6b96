"""Buckets, as Cloud Storage's JSON API shows them to who has a token."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["FakeStorage"]

PAGE = 2
"""Objects in a page of a list: the real 1,000 would show no second page."""


@dataclass
class FakeStorage:
    """As far as nodes ask it. Source: Cloud Storage, JSON API v1, Objects."""

    buckets: dict[str, dict[str, bytes]] = field(default_factory=dict)

    def get(self, bucket: str, name: str, query: Mapping[str, str]) -> tuple[int, bytes]:
        """An object, or what is known of it."""
        content = self.buckets.get(bucket, {}).get(name)
        if content is None:
            return self.error(404, f"No such object: {bucket}/{name}")
        if query.get("alt") == "media":
            return 200, content
        return 200, json.dumps({"name": name, "size": str(len(content))}).encode()

    def listed(self, bucket: str, query: Mapping[str, str]) -> tuple[int, bytes]:
        """A page of names."""
        names = sorted(name for name in self.buckets.get(bucket, {}) if name.startswith(query.get("prefix", "")))
        begin = int(query.get("pageToken") or 0)
        page = {"items": [{"name": name} for name in names[begin : begin + PAGE]]}
        more = {"nextPageToken": str(begin + PAGE)} if len(names) > begin + PAGE else {}
        return 200, json.dumps((page if page["items"] else {}) | more).encode()

    @staticmethod
    def error(status: int, message: str) -> tuple[int, bytes]:
        """As the service words it: an object's content has its errors in plain text."""
        return status, message.encode()
