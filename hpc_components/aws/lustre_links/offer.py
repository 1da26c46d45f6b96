"""FSx for Lustre's limits on links between directories and buckets."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from hpc_components.aws.catalog.bucket_names import wrong_bucket_name
from hpc_components.catalog.by_kind import RecordsByKind
from hpc_components.catalog.offer import Limit, Refusal

_BUCKET = Limit(
    id="HPC-FSX-014",
    title="A link names its bucket as `s3://bucket` or `s3://bucket/prefix`",
    source="FSx API reference, CreateDataRepositoryAssociation, DataRepositoryPath; S3 user guide, bucket names",
)
_PATH = Limit(
    id="HPC-FSX-015",
    title="Linked directories begin with / and do not overlap",
    why="The whole file system (`import_from`, or path /) can only be linked alone.",
    source="FSx API reference, CreateDataRepositoryAssociation, FileSystemPath",
)

LIMITS = (_BUCKET, _PATH)

facts_of_kind = RecordsByKind.in_files(Path(__file__).with_name("facts.json")).records


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkOrder:
    """An order for a link between a directory and a bucket. `bucket` is None if its name is unknown."""

    path: str
    bucket: str | None
    earlier: Mapping[str, str]
    """Maps the directories of the file system's earlier links to their buckets."""


def refusals(order: LinkOrder) -> Iterator[Refusal]:
    """Yield the reasons why FSx would refuse a link."""
    if order.bucket is not None:
        yield from _bucket(order.bucket)
    overlapping = next((each for each in order.earlier if link_paths_overlap(each, order.path)), None)
    if not is_link_path(order.path):
        yield _PATH.refuse(
            "path",
            reason=f"{order.path!r} is not a directory of the file system",
            changes={"path": _proposed(order.path)},
        )
    elif overlapping is not None:
        yield _PATH.refuse(
            "path",
            reason=f"{order.path} and {overlapping}, linked to {order.earlier[overlapping]}, overlap",
            advice="link directories that do not contain one another: /data, /results",
        )


def _bucket(bucket: str) -> Iterator[Refusal]:
    match = re.fullmatch(r"s3://([^/]*)(/.*)?", bucket)
    if match is None:
        name = re.sub(r"^(arn:aws[\w-]*:s3:::|\w+:/*)", "", bucket)
        reason = f"{bucket!r} is not like s3://bucket or s3://bucket/prefix"
        yield _BUCKET.refuse("bucket", reason=reason, advice=f"did you mean s3://{name}?")
    elif wrong := wrong_bucket_name(match[1]):
        yield _BUCKET.refuse("bucket", reason=wrong[0], advice=wrong[1])


def _proposed(path: str) -> str:
    parts = re.sub(r"\s+", "-", path.strip()).split("/")
    return "/" + "/".join(part for part in parts if part not in ("", ".", ".."))


def is_link_path(path: str) -> bool:
    """Return whether `path` is a directory in the file system that can be linked to a bucket."""
    return re.fullmatch(r"/|(/[^/\s]+)+/?", path) is not None and ".." not in path.split("/")


def link_paths_overlap(one: str, other: str) -> bool:
    """Return whether the directories are the same or one contains the other; FSx refuses both for links."""
    first, second = PurePosixPath(one), PurePosixPath(other)
    return first.is_relative_to(second) or second.is_relative_to(first)
