from collections.abc import Mapping

from hpc_components.people.node.document import Document, Group, Person
from hpc_components.spec.organizations import Organization, directory_of
from hpc_components.spec.people import ADMIN_GID, ADMIN_GROUP, People, User


def described_document(people: People, organizations: Mapping[str, Organization]) -> Document:
    """Return who may use the cluster according to the description, for `hpc-people` on the head node. Other nodes get
    what the head node publishes.
    """
    gids = {name: group.gid for name, group in people.groups.items()} | {ADMIN_GROUP: ADMIN_GID}
    groups = {name: Group(gids[name], tuple(sorted(them))) for name, them in people.members.items()}
    return Document(
        people={name: _person(user) for name, user in people.admitted.items()},
        groups=groups | {name: _group(name, one, people) for name, one in organizations.items()},
        waiting_jobs=people.waiting_jobs,
    )


def _group(name: str, organization: Organization, people: People) -> Group:
    members = tuple(sorted(user for user, one in people.admitted.items() if one.organization == name))
    return Group(organization.gid, members, directory_of(name, organization))


def _person(user: User) -> Person:
    keys = tuple(key.strip() for key in user.keys)
    return Person(user.uid, user.full_name, keys, user.expires.date if user.expires else None)
