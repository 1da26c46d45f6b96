from collections.abc import Iterator

from hpc_components.azure.catalog.names import wrong_name
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.spec.bucket_access import LOGIN, bucket_access
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.rule import rule
from hpc_components.wording import any_of

MONTH_DAYS = 30


@rule("HPC-BKT-017", Level.ERROR)
def account_name(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """A bucket's name must be a valid storage account name: 3 to 24 lowercase letters and digits.

    Source: Azure Resource Manager documentation, "Naming rules and restrictions for Azure resources".
    """
    for key, bucket in cluster.buckets.items():
        if bucket.name is not None and (wrong := wrong_name("storage_account", bucket.name)):
            yield Problem(path=("buckets", key, "name"), value=bucket.name, reason=wrong[0], remedy=wrong[1])


@rule("HPC-BKT-018", Level.INFO)
def account_of_the_world(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """Make sure that a storage account's name isn't already taken.

    Names must be unique across all of Azure; the default name has a random suffix. Source: Azure Storage
    documentation, "Storage account name".
    """
    for key, bucket in cluster.buckets.items():
        if bucket.name is not None and not wrong_name("storage_account", bucket.name):
            yield Problem(
                path=("buckets", key, "name"),
                value=bucket.name,
                reason=f"another customer may already have a storage account named {bucket.name}; if so, Azure "
                "refuses the name",
                remedy=f"check the name with `az storage account check-name --name {bucket.name}`, or remove `name` "
                "to get one with a random suffix",
            )


@rule("HPC-BKT-019", Level.WARNING)
def frozen_objects(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """Objects should not be moved to the archive tier while jobs may still read them.

    An archived object can be read only after it has been rehydrated, which takes up to 15 hours. We assume that data
    is in use for a month. Source: Azure Storage documentation, "Blob rehydration from the archive tier".
    """
    for key, bucket in cluster.buckets.items():
        age = bucket.archive.get("archive")
        if age is not None and age.days < MONTH_DAYS and bucket.read_from != ():
            yield Problem(
                path=("buckets", key, "archive", "archive"),
                value=str(age),
                reason=f"after {age}, an object can be read only after rehydration, which takes up to 15 hours",
                remedy="use tier cold, whose objects can be read immediately, or a higher age, such as 180d",
            )


@rule("HPC-BKT-020", Level.WARNING)
def lent_by_own_identity(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """Nodes that use buckets should have an identity created by the cluster.

    The cluster grants roles only to identities that it creates. Jobs in a queue with an existing identity use that
    identity, so you can give them access by granting it a role. On login nodes with an existing identity, however,
    users can't access buckets at all. Source: the project's documentation, "What a cloud brings".
    """
    for path, place, identity in _own_identities(cluster):
        keys = [key for key, bucket in cluster.buckets.items() if bucket_access(bucket, place)]
        if not keys:
            continue
        of_queue = path[0] == "queues"
        yield Problem(
            path=(*path, "identity"),
            value=identity,
            reason=f"jobs in queue {place} can access {any_of(keys)} only with this identity, whose roles are unknown"
            if of_queue
            else f"users on these nodes can't read {any_of(keys)}: nodes with an existing identity don't get a "
            "separate identity for buckets",
            remedy="grant the identity the role Storage Blob Data Contributor on these buckets, or remove identity "
            "so that the cluster creates one"
            if of_queue
            else f"remove identity so that the cluster creates one, or remove {LOGIN} from the places that may "
            f"read the bucket: read_from: [{', '.join(queue.name for queue in cluster.queues)}]",
            level=Level.INFO if of_queue else None,
        )


def _own_identities(cluster: AzureClusterSpec) -> Iterator[tuple[Path, str, str]]:
    """Yield (path, place, identity id) for the existing identities of nodes that have users or jobs."""
    people = ("login_nodes", cluster.login_nodes) if cluster.login_nodes else ("head_node", cluster.head_node)
    if people[1].identity:
        yield (people[0],), LOGIN, people[1].identity
    for index, queue in enumerate(cluster.queues):
        if queue.identity:
            yield ("queues", index), queue.name, queue.identity
