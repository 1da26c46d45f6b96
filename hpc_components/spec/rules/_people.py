from collections.abc import Iterator

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Path
from hpc_components.spec.people import People

USERS = ("people", "users")
GROUPS = ("people", "groups")
ORGANIZATIONS = ("organizations",)

FREE_IDS = (range(2000, 60001), range(65536, 524288))
"""Ids for people. The users of images begin at 1000. systemd uses 60001-60577 and 61184-65519 for itself, 65534
belongs to unknown users, and containers use 524288 and above. Source: systemd, docs/UIDS-GIDS; Debian policy,
9.2.2."""

FREE_IDS_IN_WORDS = "2000-60000 or 65536-524287"


def described_people(cluster: ClusterSpec) -> People:
    return cluster.people or People()


def ids(cluster: ClusterSpec) -> Iterator[tuple[Path, int]]:
    people = described_people(cluster)
    for name, user in people.users.items():
        yield (*USERS, name, "uid"), user.uid
    for name, group in people.groups.items():
        yield (*GROUPS, name, "gid"), group.gid
    for name, organization in cluster.organizations.items():
        yield (*ORGANIZATIONS, name, "gid"), organization.gid


def is_free(id: int) -> bool:
    return any(id in ids for ids in FREE_IDS)


def next_id(cluster: ClusterSpec) -> int:
    """Return the lowest id above all ids in use. Ids of former users, which may lie between, are not proposed."""
    used = [id for _, id in ids(cluster) if is_free(id)]
    following = max(used, default=FREE_IDS[0].start - 1) + 1
    return following if is_free(following) else FREE_IDS[1].start
