"""Rules on Slurm: what needs accounting, where its packages come from, and how long nodes boot and idle."""

import re
from collections.abc import Iterator

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.slurm.settings import settings_of
from hpc_components.spec.values import Duration
from hpc_components.wording import did_you_mean

__all__: list[str] = []

BUSY_IDLE_SECONDS = 60
"""Below this, nodes that took minutes to boot go before the next job is scheduled."""

LONG_IDLE_DAYS = 1

LEAST_BOOT_SECONDS, MOST_BOOT_SECONDS = 120, 7200

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
NEED_ACCOUNTING_OF_PARTITIONS = ("AllowQos", "DenyQos", "AllowAccounts", "DenyAccounts")


@rule("HPC-SLM-009", Level.ERROR)
def needs_accounting(cluster: ClusterSpec) -> Iterator[Problem]:
    """What goes by accounts and QoS is set only with accounting.

    Without it there are none: slurmctld refuses a partition's QoS at start and ignores the rest. Source:
    slurm.conf(5); Slurm's own source, src/slurmctld/controller.c; run on Slurm 22.05 and 24.11.
    """
    if cluster.slurm.accounting is not None:
        return
    for index, queue in enumerate(cluster.queues):
        if queue.qos is not None:
            yield Problem(
                path=("queues", index, "qos"),
                value=queue.qos,
                reason="the cluster keeps no accounts, so it has no QoS: Slurm would not start",
                remedy=f"add slurm.accounting: {{qos: {{{queue.qos}: {{}}}}}}, or leave it out",
            )
    for setting in settings_of(cluster):
        known = NEED_ACCOUNTING_OF_PARTITIONS if setting.scope == "partition" else NEED_ACCOUNTING
        if setting.key.lower() in {one.lower() for one in known}:
            yield Problem(
                path=setting.path,
                reason=f"{setting.key} goes by accounts or QoS, and the cluster keeps none",
                remedy="add slurm.accounting: {}, or leave it out",
                level=Level.WARNING,
            )


@rule("HPC-SLM-010", Level.ERROR)
def qos_exists(cluster: ClusterSpec) -> Iterator[Problem]:
    """A queue's QoS is one of those described: so it is there before Slurm's controller starts.

    Otherwise it does not start at all ("Partition gpu has an invalid qos"). Source: run on Slurm 22.05 and 24.11.
    """
    if cluster.slurm.accounting is None:
        return
    known = (*cluster.slurm.accounting.qos, "normal")
    for index, queue in enumerate(cluster.queues):
        if queue.qos is not None and queue.qos not in known:
            yield Problem(
                path=("queues", index, "qos"),
                value=queue.qos,
                reason=f"there is no QoS {queue.qos!r} under slurm.accounting.qos",
                remedy=did_you_mean(
                    queue.qos, known, f"add it there ({queue.qos}: {{}}), or leave it out", cutoff=0.7
                ),
            )


@rule("HPC-SLM-015", Level.ERROR)
def package_address(cluster: ClusterSpec) -> Iterator[Problem]:
    """Slurm's packages come from an `s3://` or `https://` address.

    Nodes fetch them at first boot, and run them as root. Source: ParallelCluster 3.16, UrlValidator.
    """
    source = cluster.slurm.package_source
    if source is None or re.fullmatch(r"(s3|https)://[^\s/]+(/\S*)?", source):
        return
    rest = re.sub(r"^\w+:/*", "", source)
    plain = source.startswith("http://")
    yield Problem(
        path=("slurm", "package_source"),
        value=source,
        reason="over http anybody on the way can change the packages" if plain else f"{source!r} is no address",
        remedy=f"use https://{rest}" if plain else "write s3://bucket/prefix or https://host/path",
    )


@rule("HPC-SLM-016", Level.WARNING)
def idle_times(cluster: ClusterSpec) -> Iterator[Problem]:
    """Idle nodes are kept for a minute at least, and not for more than a day.

    A node needs minutes to boot; a large one costs hundreds of USD on an idle day. Source: ParallelCluster 3.16 keeps
    10 minutes; the bounds are ours.
    """
    times: list[tuple[Path, Duration]] = [(("slurm", "idle_time"), cluster.slurm.idle_time)]
    times += [
        (("queues", index, "idle_time"), queue.idle_time)
        for index, queue in enumerate(cluster.queues)
        if queue.idle_time is not None
    ]
    for path, time in times:
        if time.seconds < BUSY_IDLE_SECONDS:
            reason, remedy = "nodes go before the next job is scheduled, and boot again for it", "use 5m or more"
        elif time.days > LONG_IDLE_DAYS:
            reason, remedy = f"nodes are paid for {time} after their last job", "use 10m; min keeps nodes on purpose"
        else:
            continue
        yield Problem(path=path, value=str(time), reason=reason, remedy=remedy)


@rule("HPC-SLM-021", Level.ERROR)
def boot_time(cluster: ClusterSpec) -> Iterator[Problem]:
    """A machine has between two minutes and two hours to boot.

    With less, machines are ended before they can register, and launched again for ever; with more, one that hangs is
    paid for and waited for that long. Source: ParallelCluster 3.16 gives it 35 minutes; the bounds are ours.
    """
    time = cluster.slurm.boot_time
    if LEAST_BOOT_SECONDS <= time.seconds <= MOST_BOOT_SECONDS:
        return
    short = time.seconds < LEAST_BOOT_SECONDS
    yield Problem(
        path=("slurm", "boot_time"),
        value=str(time),
        reason="no machine registers that fast: each would be ended and launched again"
        if short
        else f"a job would wait {time} for a machine that hangs",
        remedy="use 20m, or 35m for images that install much at boot",
    )
