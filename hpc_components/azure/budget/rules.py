from collections.abc import Iterator

from hpc_components.azure.catalog.arm_ids import wrong_arm_id
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.spec.findings import Level, Path
from hpc_components.spec.rules._values import Wrong, value_rule


def _groups(cluster: AzureClusterSpec) -> Iterator[tuple[Path, str]]:
    for index, id in enumerate(cluster.budget.action_groups if cluster.budget else ()):
        yield ("budget", "action_groups", index), id


@value_rule("HPC-BUD-016", Level.ERROR, _groups)
def action_group_ids(_: AzureClusterSpec, path: Path, id: str) -> Wrong | None:
    """Action groups must be specified by their ids.

    Source: Azure REST API reference, Budgets - Create Or Update, contactGroups.
    """
    return wrong_arm_id(id, "action_group")
