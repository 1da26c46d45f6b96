"""Rules on the names of buckets, and on directory buckets."""

import re
from collections.abc import Iterator

from hpc_components.aws.catalog.bucket_names import express_bucket_name, is_express_base, wrong_bucket_name
from hpc_components.aws.catalog.limits import express_zones, service_limit
from hpc_components.aws.catalog.prices import service_price
from hpc_components.aws.rules._buckets import express_buckets, plain_buckets
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.aws.spec.storage import ExpressBucket
from hpc_components.catalog import zones
from hpc_components.catalog.autonaming import RANDOM_SUFFIX
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule
from hpc_components.wording import any_of

EXPRESS_SERVICE = "s3express"
"""The endpoint service of directory buckets, a gateway."""


@rule("HPC-BKT-001", Level.ERROR)
def bucket_name(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A bucket's name is one that S3 takes.

    Source: S3 user guide, "General purpose bucket naming rules" and "Directory bucket naming rules".
    """
    for path, bucket in plain_buckets(cluster):
        if bucket.name is not None and (wrong := wrong_bucket_name(bucket.name)):
            yield Problem(path=(*path, "name"), value=bucket.name, reason=wrong[0], remedy=wrong[1])
    for path, bucket in express_buckets(cluster):
        if bucket.name is not None and not is_express_base(bucket.name):
            proposed = re.sub(r"[^a-z0-9]+", "-", bucket.name.lower()).strip("-")
            yield Problem(
                path=(*path, "name"),
                value=bucket.name,
                reason=f"names of directory buckets can't begin with {bucket.name!r}",
                remedy="use small letters, digits and -" + (f": {proposed}" if proposed else ""),
            )


@rule("HPC-BKT-002", Level.WARNING)
def bucket_dots(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A bucket's name has no dots.

    The certificate of S3 does not cover `a.b.s3.amazonaws.com`. Source: S3 user guide, "General purpose bucket naming
    rules".
    """
    for path, bucket in plain_buckets(cluster):
        if bucket.name is not None and "." in bucket.name and not wrong_bucket_name(bucket.name):
            yield Problem(
                path=(*path, "name"),
                value=bucket.name,
                reason="S3's certificate does not cover names with dots",
                remedy=f"use {bucket.name.replace('.', '-')}",
            )


@rule("HPC-BKT-004", Level.ERROR)
def made_name_fits(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """The name that a bucket gets is not too long.

    By default it is `<cluster>-<bucket>` with a random end; for S3 Express, with shard, zone and `x-s3`. Source: S3
    user guide, "General purpose bucket naming rules" and "Directory bucket naming rules".
    """
    most = service_limit("s3.bucket_name_length")
    for key, bucket in cluster.buckets.items():
        made = f"{cluster.name}-{key}".lower()
        if isinstance(bucket, ExpressBucket):
            made = bucket.name or made
            long = len(express_bucket_name(made, bucket.zone or cluster.zone, max(bucket.shards, 1) - 1))
        else:
            long = len(made + RANDOM_SUFFIX) if bucket.name is None else 0
        if long > most:
            yield Problem(
                path=("buckets", key),
                reason=f"{made} becomes a name of {long} characters, S3 takes {most}",
                remedy=f"shorten the bucket's or the cluster's name by {long - most}",
            )


@rule("HPC-BKT-009", Level.ERROR)
def express_zone(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """S3 Express One Zone exists in a bucket's zone.

    Source: S3 user guide, "Endpoints for directory buckets in Availability Zones".
    """
    there = express_zones(cluster.region)
    for path, bucket in express_buckets(cluster):
        zone = bucket.zone or cluster.zone
        if zone in zones("aws", cluster.region) and zone not in there:
            near = [one for one in there if one in cluster.zones]
            yield Problem(
                path=(*path, "zone") if bucket.zone else path,
                value=bucket.zone,
                reason=f"S3 Express One Zone is not sold in {zone}" + (", the cluster's zone" if not near else ""),
                remedy=f"use zone: {any_of(near or there)}" + ("" if near else ", best with the nodes in it")
                if there
                else f"use type: s3; there is none in {cluster.region}",
            )


@rule("HPC-BKT-010", Level.WARNING)
def express_with_nodes(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A directory bucket is in a zone of the nodes.

    From elsewhere it is as slow as any bucket, and traffic between zones is paid for. Source: S3 user guide, "S3
    Express One Zone".
    """
    for path, bucket in express_buckets(cluster):
        nodes = {zone for queue in cluster.queues for zone in cluster.queue_zones(queue)}
        if bucket.zone and nodes and bucket.zone not in nodes and bucket.zone in express_zones(cluster.region):
            yield Problem(
                path=(*path, "zone"),
                value=bucket.zone,
                reason=f"compute nodes are in {', '.join(sorted(nodes))}, none in {bucket.zone}",
                remedy="put queues and bucket into the same zone, or use type: s3 without zone",
            )


@rule("HPC-BKT-011", Level.ERROR)
def express_shards(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A sharded bucket is 1 to 100 buckets.

    An account has 100 directory buckets in a region. Source: S3 user guide, "Directory bucket quotas".
    """
    most = service_limit("s3.directory_buckets")
    for path, bucket in express_buckets(cluster):
        if not 1 <= bucket.shards <= most:
            yield Problem(
                path=(*path, "shards"),
                value=bucket.shards,
                reason=f"an account can have 1 to {most} directory buckets in a region",
                remedy=f"use {max(1, min(bucket.shards, most))}",
            )


@rule("HPC-BKT-012", Level.ERROR)
def express_endpoint(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Nodes reach S3 Express One Zone by its own endpoint, which is free.

    The endpoint for s3 does not carry it. Through NAT it is paid by the GB and limited by the gateway, which is only
    warned about; without NAT there is no way. Source: S3 user guide, "Networking for directory buckets in an
    Availability Zone".
    """
    network = cluster.network
    if network.cidr is None or EXPRESS_SERVICE in network.endpoints:
        return
    price = service_price("nat_gateway.data", cluster.region)
    for path, _ in express_buckets(cluster):
        through = f"its data goes through NAT, at {price.usd} USD per GB" if price else "its data goes through NAT"
        yield Problem(
            path=path,
            reason="without NAT and its endpoint, nodes can't reach it" if network.nat == "none" else through,
            remedy=f"use network.endpoints: [{', '.join((*network.endpoints, EXPRESS_SERVICE))}]",
            level=None if network.nat == "none" else Level.WARNING,
        )
