from typing import TYPE_CHECKING

from hpc_components.spec.bucket_access import LOGIN, Access, bucket_access
from hpc_components.spec.model import Flag
from hpc_components.spec.organizations import Organization

if TYPE_CHECKING:
    from hpc_components.aws.spec.cluster import AwsClusterSpec

_WEAK_TO_STRONG = (None, "read", "write")


class AwsOrganization(Organization):
    """An organization that shares the cluster with others. On AWS, it can have a bucket that only its jobs reach, and
    its jobs can use a role in the organization's own AWS account.
    """

    bucket: Flag = False
    """Whether it has a bucket, encrypted with its own key, which only its people and their jobs can use. Its users
    find the name in `/etc/hpc/buckets`. If the organization is removed, the bucket and the key stay."""
    external_role: str | None = None
    """ARN of a role in its own AWS account that its people and their jobs may assume. The stack's output
    `organizations` has the trust policy that this role needs."""
    cost_center: str | None = None
    """Value of the tag `CostCenter` on its role, bucket and key."""

    @property
    def has_role(self) -> bool:
        """Whether its people and their jobs get a role that others don't get."""
        return self.bucket or self.external_role is not None


def with_roles(cluster: "AwsClusterSpec") -> dict[str, AwsOrganization]:
    return {name: one for name, one in cluster.organizations.items() if one.has_role}


def places_of(cluster: "AwsClusterSpec", name: str) -> tuple[str, ...]:
    """Return the places where people of the organization may log in or run jobs: `LOGIN` and names of queues."""
    taken = {queue for other, one in cluster.organizations.items() if other != name for queue in one.queues}
    return (LOGIN, *(queue.name for queue in cluster.queues if queue.name not in taken))


def common_access(cluster: "AwsClusterSpec", name: str, bucket: str) -> Access | None:
    """Return the access to one of the cluster's buckets that the organization has in all of its places.

    Its role is the same in all places, so it can't have more access in some of them.
    """
    may = (bucket_access(cluster.buckets[bucket], place) for place in places_of(cluster, name))
    return min(may, key=_WEAK_TO_STRONG.index)
