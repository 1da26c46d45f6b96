import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from hpc_components.aws.catalog.bucket_names import wrong_bucket_name
from hpc_components.catalog.by_kind import RecordsByKind
from hpc_components.catalog.offer import Limit, Refusal

_BUCKET = Limit(
    id="HPC-FSX-014",
    title="A link must specify its bucket as `s3://bucket` or `s3://bucket/prefix`",
    source="FSx API reference, CreateDataRepositoryAssociation, DataRepositoryPath; S3 user guide, bucket names",
)
_PATH = Limit(
    id="HPC-FSX-015",
    title="Linked directories must begin with / and must not overlap",
    why="If the whole file system is linked (with `import_from` or path /), no other links are possible.",
    source="FSx API reference, CreateDataRepositoryAssociation, FileSystemPath",
)

LIMITS = (_BUCKET, _PATH)

facts_of_kind = RecordsByKind.in_files(Path(__file__).with_name("facts.json")).records


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkOrder:
    """An order for a link. `bucket` is None if the bucket's name is not known yet."""

    path: str
    bucket: str | None
    earlier: Mapping[str, str]
    """Maps each directory linked earlier in this file system to its bucket."""


def refusals(order: LinkOrder) -> Iterator[Refusal]:
    if order.bucket is not None:
        yield from _bucket(order.bucket)
    overlapping = next((each for each in order.earlier if link_paths_overlap(each, order.path)), None)
    if not is_link_path(order.path):
        yield _PATH.refuse(
            "path",
            reason=f"{order.path!r} is not a valid directory path in the file system",
            changes={"path": _proposed(order.path)},
        )
    elif overlapping is not None:
        yield _PATH.refuse(
            "path",
            reason=f"{order.path} overlaps {overlapping}, which is linked to {order.earlier[overlapping]}",
            advice="link directories that don't contain one another, e.g. /data and /results",
        )


def _bucket(bucket: str) -> Iterator[Refusal]:
    match = re.fullmatch(r"s3://([^/]*)(/.*)?", bucket)
    if match is None:
        name = re.sub(r"^(arn:aws[\w-]*:s3:::|\w+:/*)", "", bucket)
        reason = f"{bucket!r} does not have the form s3://bucket or s3://bucket/prefix"
        yield _BUCKET.refuse("bucket", reason=reason, advice=f"did you mean s3://{name}?")
    elif wrong := wrong_bucket_name(match[1]):
        yield _BUCKET.refuse("bucket", reason=wrong[0], advice=wrong[1])


def _proposed(path: str) -> str:
    parts = re.sub(r"\s+", "-", path.strip()).split("/")
    return "/" + "/".join(part for part in parts if part not in ("", ".", ".."))


def is_link_path(path: str) -> bool:
    return re.fullmatch(r"/|(/[^/\s]+)+/?", path) is not None and ".." not in path.split("/")


def link_paths_overlap(one: str, other: str) -> bool:
    """Return whether the directories are the same or one contains the other."""
    first, second = PurePosixPath(one), PurePosixPath(other)
    return first.is_relative_to(second) or second.is_relative_to(first)
