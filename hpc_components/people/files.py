from collections.abc import Mapping

from hpc_components.people.node.directory_settings import CA_FILE, CONFIGURATION, SETTINGS_FILE, Settings
from hpc_components.people.node.document import Document, Group, Person
from hpc_components.spec.cluster import ClusterSpec
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


def directory_files(cluster: ClusterSpec) -> dict[str, str]:
    """Return how the head node asks the directory, as a mapping from path to text. Empty without a directory."""
    directory = cluster.directory
    if directory is None:
        return {}
    settings = Settings(
        servers=directory.servers,
        base=directory.base,
        filter=directory.filter.strip(),
        bind_dn=directory.bind_dn,
        password_secret=directory.password_secret,
        attributes=directory.attributes,
        ca_file=f"{CONFIGURATION}/{CA_FILE}" if directory.ca_certificate else "",
        key_attribute=directory.key_attribute,
        administrators=directory.administrators or "",
        account=directory.account or "",
        accounts=directory.accounts,
        cluster=cluster.name if cluster.accounting else "",
        domain_sid=directory.domain_sid or "",
    )
    certificate = {CA_FILE: directory.ca_certificate} if directory.ca_certificate else {}
    return {SETTINGS_FILE: settings.write(), **certificate}


def _group(name: str, organization: Organization, people: People) -> Group:
    members = tuple(sorted(user for user, one in people.admitted.items() if one.organization == name))
    return Group(organization.gid, members, directory_of(name, organization))


def _person(user: User) -> Person:
    keys = tuple(key.strip() for key in user.keys)
    return Person(user.uid, user.full_name, keys, user.expires.date if user.expires else None)
