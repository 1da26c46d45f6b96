from collections.abc import Iterator

from hpc_components.aws.buckets.model import Bucket, ExpressBucket, order_of
from hpc_components.aws.buckets.offer import LIMITS, BucketOrder, ExpressOrder, express_zones, refusals
from hpc_components.aws.catalog.bucket_names import wrong_bucket_name
from hpc_components.aws.catalog.limits import service_limit
from hpc_components.aws.catalog.prices import service_price
from hpc_components.aws.organizations.model import with_roles
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.aws.spec.storage import AnyBucket
from hpc_components.catalog.autonaming import RANDOM_SUFFIX
from hpc_components.spec.bucket_access import LOGIN, bucket_access, places
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.surfaces import Surface, offer_rules
from hpc_components.wording import listed

EXPRESS_SERVICE = "s3express"
"""Service name of the gateway endpoint for directory buckets."""


def _orders(cluster: AwsClusterSpec) -> Iterator[tuple[BucketOrder | ExpressOrder, Surface]]:
    return (order_of(bucket, ("buckets", key), cluster) for key, bucket in cluster.buckets.items())


offer_rules(__name__, AwsClusterSpec, LIMITS, refusals, _orders)


def _express_buckets(cluster: AwsClusterSpec) -> Iterator[tuple[Path, ExpressBucket]]:
    return ((("buckets", key), each) for key, each in cluster.buckets.items() if isinstance(each, ExpressBucket))


@rule("HPC-BKT-002", Level.WARNING)
def bucket_dots(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Bucket names should not contain dots.

    S3's TLS certificate does not cover `a.b.s3.amazonaws.com`. Source: S3 user guide, "General purpose bucket naming
    rules".
    """
    for key, bucket in cluster.buckets.items():
        dotted = isinstance(bucket, Bucket) and bucket.name is not None and "." in bucket.name
        if dotted and not wrong_bucket_name(bucket.name):
            yield Problem(
                path=("buckets", key, "name"),
                value=bucket.name,
                reason="S3's TLS certificate does not cover bucket names with dots",
                remedy=f"use {bucket.name.replace('.', '-')}",
            )


@rule("HPC-BKT-010", Level.WARNING)
def express_with_nodes(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A directory bucket should be in a zone that has compute nodes.

    Access from other zones is as slow as access to an ordinary bucket, and cross-zone traffic is billed. Source: S3
    user guide, "S3 Express One Zone".
    """
    for path, bucket in _express_buckets(cluster):
        nodes = {zone for queue in cluster.queues for zone in cluster.queue_zones(queue)}
        if bucket.zone and nodes and bucket.zone not in nodes and bucket.zone in express_zones(cluster.region):
            yield Problem(
                path=(*path, "zone"),
                value=bucket.zone,
                reason=f"compute nodes run in {', '.join(sorted(nodes))}, but not in {bucket.zone}",
                remedy="move the bucket to a zone that has queues, or use `type: s3` and remove `zone`",
            )


@rule("HPC-BKT-012", Level.ERROR)
def express_endpoint(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Nodes should reach S3 Express One Zone through its own endpoint, which is free.

    The endpoint for S3 does not cover S3 Express One Zone. Without a separate endpoint, traffic to the buckets goes
    through NAT, where it is billed per GB and limited by the NAT gateway (a warning). Without NAT, nodes can't reach
    the buckets at all (an error). Source: S3 user guide, "Networking for directory buckets in an Availability Zone".
    """
    network = cluster.network
    if network.cidr is None or EXPRESS_SERVICE in network.endpoints:
        return
    price = service_price("nat_gateway.data", cluster.region)
    for path, _ in _express_buckets(cluster):
        through = (
            f"traffic to this bucket goes through NAT, at {price.usd} USD per GB"
            if price
            else "traffic to this bucket goes through NAT"
        )
        yield Problem(
            path=path,
            reason="nodes can't reach this bucket without NAT or an endpoint for S3 Express One Zone"
            if network.nat == "none"
            else through,
            remedy=f"use network.endpoints: [{', '.join((*network.endpoints, EXPRESS_SERVICE))}]",
            level=None if network.nat == "none" else Level.WARNING,
        )


@rule("HPC-BKT-014", Level.WARNING)
def lent_by_own_profile(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Nodes that need the role for buckets should not use an existing instance profile.

    Only roles that the cluster creates can assume the role for buckets. If a queue has an existing profile, its jobs
    use that profile's role instead, so you must attach the permissions to that role. If the login nodes have an
    existing profile, users have no access to buckets.
    """
    for path, place, profile in _profiles(cluster):
        keys = [key for key, bucket in cluster.buckets.items() if bucket_access(bucket, place)]
        if not keys:
            continue
        named = listed(keys, 4)
        of_queue = path[0] == "queues"
        yield Problem(
            path=(*path, "instance_profile"),
            value=profile,
            reason=f"jobs in queue {place} access {named} with the role of instance profile {profile}; the role's "
            "permissions are unknown"
            if of_queue
            else f"users can't read {named} on these nodes, because the role of an existing instance profile can't "
            "assume the role for buckets",
            remedy="make sure that the role has the permissions that jobs need, or remove instance_profile"
            if of_queue
            else f"remove instance_profile, or set read_from: [{_queues(cluster)}] to exclude {LOGIN} from access",
            level=Level.INFO if of_queue else None,
        )


@rule("HPC-BKT-015", Level.ERROR)
def buckets_fit_into_a_policy(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """The list of buckets that a queue or the login nodes can use must fit in the role's inline policy.

    IAM refuses inline policies of more than 10,240 characters. Source: IAM user guide, "IAM and AWS STS quotas".
    """
    most = service_limit("iam.role_policy_length")
    for place in places(cluster):
        usable = {key: bucket for key, bucket in cluster.buckets.items() if bucket_access(bucket, place)}
        long = (1500 if with_roles(cluster) else 900) + sum(
            _length(cluster, key, bucket) for key, bucket in usable.items()
        )
        if long > most:
            yield Problem(
                path=("buckets",),
                value=len(usable),
                reason=f"the policy for {place} would list {len(usable)} buckets and be about {long} characters "
                f"long; IAM allows {most}",
                remedy="limit access to the buckets with read_from, or use fewer buckets with more prefixes",
            )
            return


@rule("HPC-BKT-016", Level.ERROR)
def role_fits_into_a_tag(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """If there are buckets, `iam.role_path` must be short enough for the role's ARN to fit in a tag.

    Nodes read the ARN from the tag, whose value is limited to 256 characters. Source: AWS Tagging user guide, Tag
    naming limits.
    """
    longest = max(map(len, places(cluster)))
    rest = (
        len(f"arn:aws:iam::123456789012:role{cluster.name}/data//") + longest + service_limit("iam.role_name_length")
    )
    most = service_limit("tags.value_length") - rest
    path = cluster.iam.role_path
    if cluster.buckets and len(path) > most:
        yield Problem(
            path=("iam", "role_path"),
            value=path,
            reason=f"the path has {len(path)} characters, which makes the ARN of the role for buckets too long for a "
            "tag",
            remedy=f"use at most {most} characters",
        )


def _profiles(cluster: AwsClusterSpec) -> Iterator[tuple[Path, str, str]]:
    people = ("login_nodes", cluster.login_nodes) if cluster.login_nodes else ("head_node", cluster.head_node)
    if people[1].instance_profile:
        yield (people[0],), LOGIN, people[1].instance_profile
    for index, queue in enumerate(cluster.queues):
        if queue.instance_profile:
            yield ("queues", index), queue.name, queue.instance_profile


def _queues(cluster: AwsClusterSpec) -> str:
    return ", ".join(queue.name for queue in cluster.queues)


def _length(cluster: AwsClusterSpec, key: str, bucket: AnyBucket) -> int:
    """Return the number of characters that a bucket adds to a policy. The policy contains the ARN of a general
    purpose bucket three times: to list, read and write.
    """
    name = len(bucket.name or f"{cluster.name}-{key}{RANDOM_SUFFIX}")
    if isinstance(bucket, ExpressBucket):
        patterns = len(str(max(bucket.shards, 1) - 1))  # one pattern for each possible number of digits
        return patterns * (name + len('"arn:aws:s3express:*:*:bucket/-99--zone-azid--x-s3", '))
    return 3 * (name + len('"arn:aws:s3:::/*", '))
