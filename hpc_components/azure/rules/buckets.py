"""Rules on buckets: names of storage accounts, and who may use them."""

from collections.abc import Iterator

from hpc_components.azure.catalog.names import wrong_name
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.spec.bucket_access import LOGIN, bucket_access
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.rule import rule
from hpc_components.wording import any_of

MONTH = 30


@rule("HPC-BKT-017", Level.ERROR)
def account_name(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """A bucket's name is one that a storage account can have: 3 to 24 small letters and digits.

    Source: Azure Resource Manager documentation, "Naming rules and restrictions for Azure resources".
    """
    for key, bucket in cluster.buckets.items():
        if bucket.name is not None and (wrong := wrong_name("storage_account", bucket.name)):
            yield Problem(path=("buckets", key, "name"), value=bucket.name, reason=wrong[0], remedy=wrong[1])


@rule("HPC-BKT-018", Level.INFO)
def account_of_the_world(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """The name of a storage account is free.

    It is taken once, by anybody in the world; by default it has a random end. Source: Azure Storage documentation,
    "Storage account name".
    """
    for key, bucket in cluster.buckets.items():
        if bucket.name is not None and not wrong_name("storage_account", bucket.name):
            yield Problem(
                path=("buckets", key, "name"),
                value=bucket.name,
                reason=f"somebody else may have a storage account called {bucket.name}: then this one can't be made",
                remedy=f"look it up: az storage account check-name --name {bucket.name}; or remove it for a name with"
                " a random end",
            )


@rule("HPC-BKT-019", Level.WARNING)
def frozen_objects(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """Objects that jobs read are not in the archive tier by then.

    There, nothing can be read before somebody brings it back, which takes up to 15 hours; that data is used for a
    month is our figure. Source: Azure Storage documentation, "Blob rehydration from the archive tier".
    """
    for key, bucket in cluster.buckets.items():
        age = bucket.archive.get("archive")
        if age is not None and age.days < MONTH and bucket.read_from != ():
            yield Problem(
                path=("buckets", key, "archive", "archive"),
                value=str(age),
                reason=f"after {age} nobody can read an object before it is brought back, for up to 15 hours",
                remedy="use cold, which is read at once, or a later age: 180d",
            )


@rule("HPC-BKT-020", Level.WARNING)
def lent_by_own_identity(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """Nodes with an identity of your own lend none for buckets.

    Only what the cluster makes gets roles. Jobs of such a queue are lent that identity, which may be given the
    rights; people on such login nodes have none. Source: the project's documentation, "What a cloud brings".
    """
    for path, place, identity in _own_identities(cluster):
        keys = [key for key, bucket in cluster.buckets.items() if bucket_access(bucket, place)]
        if not keys:
            continue
        of_queue = path[0] == "queues"
        yield Problem(
            path=(*path, "identity"),
            value=identity,
            reason=f"jobs of queue {place} reach {any_of(keys)} by it alone, and its roles are not known here"
            if of_queue
            else f"people there can't read {any_of(keys)}: nodes with an identity of your own lend none for it",
            remedy="give it the role Storage Blob Data Contributor there, or remove identity"
            if of_queue
            else f"remove identity, or {LOGIN} from who may read it: "
            f"read_from: [{', '.join(queue.name for queue in cluster.queues)}]",
            level=Level.INFO if of_queue else None,
        )


def _own_identities(cluster: AzureClusterSpec) -> Iterator[tuple[Path, str, str]]:
    """Identities of the user's own where there are people or jobs."""
    people = ("login_nodes", cluster.login_nodes) if cluster.login_nodes else ("head_node", cluster.head_node)
    if people[1].identity:
        yield (people[0],), LOGIN, people[1].identity
    for index, queue in enumerate(cluster.queues):
        if queue.identity:
            yield ("queues", index), queue.name, queue.identity
