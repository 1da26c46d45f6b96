from collections.abc import Iterator

from hpc_components.aws.catalog.arns import read_arn
from hpc_components.aws.catalog.bucket_names import wrong_bucket_name
from hpc_components.aws.catalog.limits import service_limit
from hpc_components.aws.organizations.model import common_access, places_of, with_roles
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.catalog.autonaming import RANDOM_SUFFIX
from hpc_components.spec.bucket_access import LOGIN, bucket_access
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._values import Wrong, too_long, value_rule


def _external_roles(cluster: AwsClusterSpec) -> Iterator[tuple[Path, str]]:
    for name, one in cluster.organizations.items():
        if one.external_role is not None:
            yield ("organizations", name, "external_role"), one.external_role


@value_rule("HPC-OWN-001", Level.ERROR, _external_roles)
def external_roles(_: AwsClusterSpec, path: Path, role: str) -> Wrong | None:
    """`external_role` must be the ARN of a role.

    Source: IAM user guide, "IAM identifiers".
    """
    arn = read_arn(role)
    if arn is not None and arn.service == "iam" and arn.account.isdigit() and arn.resource.startswith("role/"):
        return None
    name = role.rpartition("/")[2]
    return f"{role!r} is not the ARN of a role", f"write it like arn:aws:iam::123456789012:role/{name}"


def _names(cluster: AwsClusterSpec) -> Iterator[tuple[Path, str]]:
    return ((("organizations", name), name) for name in with_roles(cluster))


@value_rule("HPC-OWN-002", Level.ERROR, _names)
def names_made_of_it(cluster: AwsClusterSpec, path: Path, name: str) -> Wrong | None:
    """Names of an organization's role and bucket must be valid.

    Both are named `<cluster>-<organization>` plus a random suffix. Source: IAM API reference, CreateRole; S3 user
    guide, "General purpose bucket naming rules".
    """
    made, whose = f"{cluster.name}-{name}", "the organization's or cluster's name"
    most = service_limit("iam.role_name_length")
    if wrong := too_long(made, most, what="the role", whose=whose, end=RANDOM_SUFFIX):
        return wrong
    wrong_bucket = wrong_bucket_name(f"{made.lower()}{RANDOM_SUFFIX}") if cluster.organizations[name].bucket else None
    if wrong_bucket is None:
        return None
    return f"its bucket would be named {made.lower()} plus a random suffix: {wrong_bucket[0]}", wrong_bucket[1]


@rule("HPC-OWN-003", Level.ERROR)
def nodes_that_lend(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """If an organization has a role, login nodes and queues must not use existing instance profiles.

    The cluster adds no policies to an existing profile, so these nodes could not lend the role. Jobs of a queue with
    an existing profile can also read the munge key, and so act as any user of any organization.
    """
    named = " and ".join(with_roles(cluster))
    for path, profile in _existing_profiles(cluster) if named else ():
        yield Problem(
            path=(*path, "instance_profile"),
            value=profile,
            reason=f"nodes with an existing instance profile can't keep the role of {named} to its people",
            remedy=f"remove instance_profile, or bucket and external_role of {named}",
        )


def _existing_profiles(cluster: AwsClusterSpec) -> Iterator[tuple[Path, str]]:
    with_users = ("login_nodes", cluster.login_nodes) if cluster.login_nodes else ("head_node", cluster.head_node)
    if profile := with_users[1].instance_profile:
        yield (with_users[0],), profile
    for index, queue in enumerate(cluster.queues):
        if queue.instance_profile:
            yield ("queues", index), queue.instance_profile


@rule("HPC-OWN-004", Level.WARNING)
def access_in_all_places(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """An organization with a role should have the same access to a shared bucket in all of its queues and at login.

    Its role is the same everywhere, so it has only the access that `read_from` and `write_from` give in all of these
    places. For more, people can choose the role for everyone, which depends on the place.
    """
    for name in with_roles(cluster):
        for key, bucket in cluster.buckets.items():
            common, where = common_access(cluster, name, key), places_of(cluster, name)
            lost = [place for place in where if bucket_access(bucket, place) != common]
            if lost:
                yield Problem(
                    path=("organizations", name),
                    about={"bucket": key},
                    reason=f"people of {name} can {'only read' if common else 'not use'} the bucket {key}, although "
                    f"it gives more access to {', '.join(lost)}",
                    remedy=f"give {', '.join(where)} the same access to {key}, or let its people use the role for "
                    "everyone there (docs/organizations.md)",
                )


@rule("HPC-OWN-005", Level.ERROR)
def names_of_buckets(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """An organization with a bucket must not have the name of a bucket under `buckets`.

    Users find both in `/etc/hpc/buckets` by these names.
    """
    for name, one in cluster.organizations.items():
        if one.bucket and name in cluster.buckets:
            yield Problem(
                path=("organizations", name, "bucket"),
                reason=f"buckets also describes a bucket named {name}",
                remedy=f"give the bucket another name, e.g. {name}-shared",
            )


@rule("HPC-OWN-006", Level.ERROR)
def trust_fits(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """The list of roles that may assume an organization's role must fit in its trust policy.

    The list has a role for each queue that its people may use, and one for the nodes where they log in. Source: IAM
    user guide, "IAM and AWS STS quotas", role trust policy length.
    """
    most = service_limit("iam.trust_policy_length")
    for name in with_roles(cluster):
        long = 120 + sum(_length(cluster, place) for place in places_of(cluster, name))
        if long > most:
            yield Problem(
                path=("organizations", name),
                reason=f"the trust policy of its role would list the nodes of {len(places_of(cluster, name))} places "
                f"and be about {long} characters long; IAM allows {most}",
                remedy="give queues to other organizations, or describe fewer queues with more machines",
            )


def _length(cluster: AwsClusterSpec, place: str) -> int:
    path = cluster.iam.role_path if place == LOGIN else f"{cluster.iam.role_path}{cluster.name}/compute/"
    return len(f'"arn:aws:iam::123456789012:role{path}{cluster.name}-{place}-role{RANDOM_SUFFIX}",')


@rule("HPC-OWN-007", Level.WARNING)
def cost_centers_apply(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """An organization with `cost_center` should have a bucket or an external role.

    `cost_center` is a tag on what belongs to the organization alone.
    """
    for name, one in cluster.organizations.items():
        if one.cost_center is not None and not one.has_role:
            yield Problem(
                path=("organizations", name, "cost_center"),
                value=one.cost_center,
                reason="nothing in the cloud belongs to this organization alone, so the tag is not used",
                remedy="add bucket: true, or remove cost_center",
            )
