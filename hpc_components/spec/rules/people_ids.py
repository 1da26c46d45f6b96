from collections.abc import Iterator

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Change, Level, Path, Problem, dotted
from hpc_components.spec.people import ADMIN_GID, ADMIN_GROUP
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._people import (
    FREE_IDS_IN_WORDS,
    GROUPS,
    ORGANIZATIONS,
    described_people,
    ids,
    is_free,
    next_id,
)


@rule("HPC-PPL-002", Level.ERROR)
def id_ranges(cluster: ClusterSpec) -> Iterator[Problem]:
    """Ids of users and groups must be in 2000-60000 or 65536-524287.

    The users of images begin at 1000, and other ranges belong to systemd and to containers. Source: systemd,
    docs/UIDS-GIDS; Debian policy, 9.2.2.
    """
    for path, id in ids(cluster):
        if not is_free(id):
            yield Problem(
                path=path,
                value=id,
                reason=f"{id} may be the id of one of the system's own users or groups",
                remedy=f"use an id in {FREE_IDS_IN_WORDS}, e.g. {next_id(cluster)}",
            )


@rule("HPC-PPL-003", Level.ERROR)
def ids_differ(cluster: ClusterSpec) -> Iterator[Problem]:
    """No two users or groups may have the same id, and no user and group the same name.

    A user's primary group has the user's own name and id. Two people with the same id would own each other's files.
    Source: Debian policy, 9.2.2 (user private groups).
    """
    people = described_people(cluster)
    first: dict[int, Path] = {ADMIN_GID: (ADMIN_GROUP,)}
    for path, id in ids(cluster):
        if first.setdefault(id, path) != path:
            change = Change(path, next_id(cluster))
            reason = f"{dotted(first[id][:-1]) or ADMIN_GROUP} has the same id"
            yield Problem(path=path, value=id, reason=reason, fix=(change,))
    for path in (
        *((*GROUPS, name) for name in people.groups),
        *((*ORGANIZATIONS, name) for name in cluster.organizations),
    ):
        if path[-1] in people.users:
            yield Problem(
                path=path,
                reason=f"{path[-1]!r} is also the name of a user, whose primary group has the same name",
                remedy=f"rename the {'group' if path[:-1] == GROUPS else 'organization'}",
            )
        elif path[:-1] == ORGANIZATIONS and path[-1] in people.groups:
            yield Problem(
                path=path,
                reason=f"{path[-1]!r} is also the name of a group, and the organization's group has the same name",
                remedy="remove the group: the organization's people are in its own",
            )
