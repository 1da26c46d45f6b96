"""Addresses of objects in Cloud Storage, as people write them."""

import re
from dataclasses import dataclass

from hpc_components.gcp.catalog.names import wrong_name


@dataclass(frozen=True, slots=True)
class GcsUrl:
    """The parts of `gs://<bucket>/<prefix>`."""

    bucket: str
    prefix: str
    """Without a slash at its end; empty for the whole bucket."""

    def __str__(self) -> str:
        return f"gs://{self.bucket}" + (f"/{self.prefix}" if self.prefix else "")

    def overlaps(self, other: "GcsUrl") -> bool:
        """Whether some objects are in both."""
        if self.bucket != other.bucket:
            return False
        one, two = (f"{each.prefix}/" if each.prefix else "" for each in (self, other))
        return one.startswith(two) or two.startswith(one)


def gcs_url(text: str) -> GcsUrl | None:
    """The parts of an address; None if it is none."""
    found = re.fullmatch(r"gs://([^/\s]+)(?:/(.*))?", text)
    if found is None or _wrong_bucket(found[1]):
        return None
    prefix = (found[2] or "").strip("/")
    return None if re.search(r"[\s*?\[\]#]|//", prefix) else GcsUrl(found[1], prefix)


def wrong_gcs_url(text: str) -> tuple[str, str] | None:
    """Reason and remedy where a text is no address of objects.

    Source: Cloud Storage documentation, "About Cloud Storage objects", object naming guidelines.
    """
    if gcs_url(text):
        return None
    scheme, mark, rest = text.partition("://")
    bucket = rest.partition("/")[0] if mark else text.partition("/")[0]
    if not mark and gcs_url(f"gs://{text}"):
        return f"{text!r} has no scheme", f"use gs://{text}"
    if mark and scheme != "gs" and gcs_url(f"gs://{rest}"):
        return (
            f"{scheme}:// is not Cloud Storage",
            f"use gs://{rest}" if scheme == "s3" else "write gs://<bucket>/<prefix>",
        )
    if scheme == "gs" and (wrong := _wrong_bucket(bucket)):
        return wrong
    return f"{text!r} is no address of objects in Cloud Storage", "write gs://<bucket>/<prefix>, without * or ?"


def _wrong_bucket(name: str) -> tuple[str, str] | None:
    """As `wrong_name`; one that is there already may have the name of a domain."""
    return wrong_name("bucket", name.replace(".", "-")) and wrong_name("bucket", name)
