from collections.abc import Iterator

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.slurm.account_tree import NORMAL
from hpc_components.spec.slurm.settings import settings_of
from hpc_components.spec.slurm.tres import BUILT_IN
from hpc_components.wording import did_you_mean

NEED_ACCOUNTING = (
    "AccountingStorageEnforce",
    "AccountingStorageTRES",
    "AccountingStoreFlags",
    "PriorityWeightAge",
    "PriorityWeightAssoc",
    "PriorityWeightFairshare",
    "PriorityWeightQOS",
    "TrackWCKey",
)
TRES_KEY = "accountingstoragetres"
NEED_ACCOUNTING_OF_PARTITIONS = ("AllowQos", "DenyQos", "AllowAccounts", "DenyAccounts")


@rule("HPC-SLM-009", Level.ERROR)
def needs_accounting(cluster: ClusterSpec) -> Iterator[Problem]:
    """A cluster whose settings depend on accounts or QoS must have accounting.

    Without accounting, slurmctld refuses to start if a partition has a QoS, or if AccountingStorageTRES lists more
    than the resources that Slurm always counts ("slurmdbd is required to run with TRES"). It ignores the other
    settings that depend on accounting. Source: slurm.conf(5); Slurm source code, src/slurmctld/controller.c; run on
    Slurm 22.05 and 24.11.
    """
    if cluster.slurm.accounting is not None:
        return
    for index, queue in enumerate(cluster.queues):
        if queue.qos is not None:
            yield Problem(
                path=("queues", index, "qos"),
                value=queue.qos,
                reason="the cluster has no accounting and therefore no QoS, so Slurm would not start",
                remedy=f"add slurm.accounting: {{qos: {{{queue.qos}: {{}}}}}}, or remove the queue's qos",
            )
    for setting in settings_of(cluster):
        known = NEED_ACCOUNTING_OF_PARTITIONS if setting.scope == "partition" else NEED_ACCOUNTING
        if setting.key.lower() in {one.lower() for one in known}:
            fatal = setting.key.lower() == TRES_KEY and not set(setting.text.lower().split(",")) <= set(BUILT_IN)
            yield Problem(
                path=setting.path,
                reason=f"{setting.key} depends on accounts or QoS, but the cluster has no accounting"
                + (": Slurm would not start" if fatal else ""),
                remedy=f"add slurm.accounting: {{}}, or remove {setting.key}",
                level=None if fatal else Level.WARNING,
            )


@rule("HPC-SLM-010", Level.ERROR)
def qos_exists(cluster: ClusterSpec) -> Iterator[Problem]:
    """A queue's QoS must be described, so that it exists before slurmctld starts.

    Otherwise, slurmctld does not start: "Partition gpu has an invalid qos". Source: run on Slurm 22.05 and 24.11.
    """
    if cluster.slurm.accounting is None:
        return
    known = (*cluster.slurm.accounting.qos, NORMAL)
    for index, queue in enumerate(cluster.queues):
        if queue.qos is not None and queue.qos not in known:
            yield Problem(
                path=("queues", index, "qos"),
                value=queue.qos,
                reason=f"there is no QoS {queue.qos!r} under slurm.accounting.qos",
                remedy=did_you_mean(
                    queue.qos, known, f"add it there ({queue.qos}: {{}}), or remove the queue's qos", cutoff=0.7
                ),
            )
