"""Limits on object ages are in `catalog.lifecycle`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hpc_components.aws.catalog.bucket_names import express_bucket_name, is_express_base, wrong_bucket_name
from hpc_components.aws.catalog.limits import service_limit
from hpc_components.aws.catalog.machines import regions
from hpc_components.catalog.autonaming import RANDOM_SUFFIX
from hpc_components.catalog.by_kind import RecordsByKind
from hpc_components.catalog.offer import Limit, Refusal
from hpc_components.wording import any_of

_NAME = Limit(
    id="HPC-BKT-001",
    title="Bucket names must follow S3's naming rules",
    source='S3 user guide, "General purpose bucket naming rules" and "Directory bucket naming rules"',
)
_LENGTH = Limit(
    id="HPC-BKT-004",
    title="A full bucket name must not exceed S3's length limit",
    why="By default, the name is `<cluster>-<bucket>` with a random suffix; S3 Express adds the shard, the zone "
    "and `x-s3`.",
    source='S3 user guide, "General purpose bucket naming rules" and "Directory bucket naming rules"',
)
_ZONE = Limit(
    id="HPC-BKT-009",
    title="The zone of a directory bucket must offer S3 Express One Zone",
    source='S3 user guide, "Endpoints for directory buckets in Availability Zones"',
)
_SHARDS = Limit(
    id="HPC-BKT-011",
    title="A sharded bucket must consist of 1 to 100 buckets",
    why="An account can have at most 100 directory buckets per region.",
    source='S3 user guide, "Directory bucket quotas"',
)

LIMITS = (_NAME, _LENGTH, _ZONE, _SHARDS)

facts_of_kind = RecordsByKind.in_files(Path(__file__).with_name("facts.json")).records


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketOrder:
    name: str | None = None
    """Name of the bucket, or None if it is generated."""
    default: str | None = None
    """Prefix of the generated name, or None if unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpressOrder:
    base: str
    """Prefix of the bucket names."""
    zone: str
    region: str
    shards: int


def refusals(order: BucketOrder | ExpressOrder) -> Iterator[Refusal]:
    if isinstance(order, ExpressOrder):
        yield from _express(order)
    elif order.name is not None:
        if wrong := wrong_bucket_name(order.name):
            yield _NAME.refuse("name", reason=wrong[0], advice=wrong[1])
    elif order.default is not None:
        yield from _length(order.default, f"{order.default}{RANDOM_SUFFIX}", "default")


def _express(order: ExpressOrder) -> Iterator[Refusal]:
    if not is_express_base(order.base):
        proposed = re.sub(r"[^a-z0-9]+", "-", order.base.lower()).strip("-")
        yield _NAME.refuse(
            "base",
            reason=f"directory bucket names can't begin with {order.base!r}",
            advice="use lower-case letters, digits and hyphens" + (f": {proposed}" if proposed else ""),
        )
    yield from _length(order.base, express_bucket_name(order.base, order.zone, max(order.shards, 1) - 1), "base")
    there = express_zones(order.region)
    if order.zone in regions().get(order.region, ()) and order.zone not in there:
        yield _ZONE.refuse(
            "zone",
            reason=f"S3 Express One Zone is not available in zone {order.zone}",
            changes={"zone": there[0]} if there else None,
            advice=f"use {any_of(there)} in {order.region}, preferably a zone with nodes"
            if there
            else f"use a general purpose bucket: S3 Express One Zone is not available in {order.region}",
        )
    most = service_limit("s3.directory_buckets")
    if not 1 <= order.shards <= most:
        yield _SHARDS.refuse(
            "shards",
            reason=f"the number of buckets must be between 1 and {most}, the limit for directory buckets per account "
            "and region",
            changes={"shards": max(1, min(order.shards, most))},
        )


def _length(prefix: str, name: str, field: str) -> Iterator[Refusal]:
    most = service_limit("s3.bucket_name_length")
    if len(name) > most:
        yield _LENGTH.refuse(
            field,
            reason=f"{prefix} expands to a name of {len(name)} characters, but S3 allows only {most}",
            advice="shorten the bucket name or the cluster name (number of characters to "
            f"remove: {len(name) - most})",
        )


def express_zones(region: str) -> tuple[str, ...]:
    return next((tuple(r["zones"]) for r in facts_of_kind("express_zones") if r["region"] == region), ())
