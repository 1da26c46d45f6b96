import re
from dataclasses import dataclass

from hpc_components.gcp.catalog.names import wrong_name


@dataclass(frozen=True, slots=True)
class GcsUrl:
    bucket: str
    prefix: str
    """Prefix without a trailing slash, or "" for the whole bucket."""

    def __str__(self) -> str:
        return f"gs://{self.bucket}" + (f"/{self.prefix}" if self.prefix else "")

    def overlaps(self, other: "GcsUrl") -> bool:
        """Return whether an object can be under both URLs."""
        if self.bucket != other.bucket:
            return False
        one, two = (f"{each.prefix}/" if each.prefix else "" for each in (self, other))
        return one.startswith(two) or two.startswith(one)


def gcs_url(text: str) -> GcsUrl | None:
    found = re.fullmatch(r"gs://([^/\s]+)(?:/(.*))?", text)
    if found is None or _wrong_bucket(found[1]):
        return None
    prefix = (found[2] or "").strip("/")
    return None if re.search(r"[\s*?\[\]#]|//", prefix) else GcsUrl(found[1], prefix)


def wrong_gcs_url(text: str) -> tuple[str, str] | None:
    """Return a reason and a remedy if `text` is not a Cloud Storage URL.

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
            f"{scheme}:// is not a Cloud Storage scheme",
            f"use gs://{rest}" if scheme == "s3" else "write gs://<bucket>/<prefix>",
        )
    if scheme == "gs" and (wrong := _wrong_bucket(bucket)):
        return wrong
    return f"{text!r} is not a Cloud Storage URL", "write gs://<bucket>/<prefix>, without * or ?"


def _wrong_bucket(name: str) -> tuple[str, str] | None:
    """Return the result of `wrong_name`, but allow domain names, because existing buckets can be named after
    domains.
    """
    return wrong_name("bucket", name.replace(".", "-")) and wrong_name("bucket", name)
