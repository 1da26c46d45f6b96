"""Rules on Slurm: accounting, its database, and times."""

import re
from collections.abc import Iterator

from hpc_components.catalog import real_memory_mib
from hpc_components.spec.cluster import AwsClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.queues import Queue
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._arns import read_arn
from hpc_components.spec.rules._fleet import close_word, queue_machines
from hpc_components.spec.slurm_settings import settings_of
from hpc_components.spec.slurm_time import minutes
from hpc_components.spec.values import Duration

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
def needs_accounting(cluster: AwsClusterSpec) -> Iterator[Problem]:
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
def qos_exists(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A queue's QoS is one of those described: so it is there before Slurm's controller starts.

    Otherwise it does not start at all ("Partition gpu has an invalid qos"). Source: run on Slurm 22.05 and 24.11.
    """
    if cluster.slurm.accounting is None:
        return
    known = (*cluster.slurm.accounting.qos, "normal")
    for index, queue in enumerate(cluster.queues):
        if queue.qos is not None and queue.qos not in known:
            near = close_word(queue.qos, known)
            yield Problem(
                path=("queues", index, "qos"),
                value=queue.qos,
                reason=f"there is no QoS {queue.qos!r} under slurm.accounting.qos",
                remedy=f"did you mean {near}?" if near else f"add it there ({queue.qos}: {{}}), or leave it out",
            )


@rule("HPC-SLM-011", Level.ERROR)
def database_host(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """The accounting database is named by its host alone.

    Source: slurmdbd.conf(5), StorageHost; ParallelCluster 3.16, DatabaseUriValidator.
    """
    database = cluster.slurm.accounting.database if cluster.slurm.accounting else None
    if database is None or re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?", database.host):
        return
    host = re.sub(r"^\w+://", "", database.host).rpartition("@")[2]
    name, _, port = host.partition("/")[0].partition(":")
    yield Problem(
        path=("slurm", "accounting", "database", "host"),
        value=database.host,
        reason=f"{database.host!r} is no host",
        remedy=f"write host: {name}" + (f" and port: {port}" if port.isdigit() else ""),
    )


@rule("HPC-SLM-012", Level.ERROR)
def database_port(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """The accounting database's port is one, and not Slurm's own.

    Source: slurmdbd.conf(5), StoragePort.
    """
    database = cluster.slurm.accounting.database if cluster.slurm.accounting else None
    if database and not 1 <= database.port <= 65535:
        yield Problem(
            path=("slurm", "accounting", "database", "port"),
            value=database.port,
            reason="ports are 1 to 65535",
            remedy="use 3306, MySQL's own",
        )
    elif database and 6817 <= database.port <= 6820:
        yield Problem(
            path=("slurm", "accounting", "database", "port"),
            value=database.port,
            reason="that is a port of Slurm's daemons; here the database's is wanted",
            remedy="use 3306, MySQL's own",
            level=Level.WARNING,
        )


@rule("HPC-SLM-013", Level.ERROR)
def database_secret(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """The database's password is a secret of Secrets Manager in the cluster's region.

    The head node reads it there; it stands in no file of the project. Source: Secrets Manager API reference,
    GetSecretValue.
    """
    database = cluster.slurm.accounting.database if cluster.slurm.accounting else None
    if database is None:
        return
    path, arn = ("slurm", "accounting", "database", "password_secret"), read_arn(database.password_secret)
    if arn is None or arn.service != "secretsmanager" or not arn.resource.startswith("secret:"):
        # a password itself may stand here: it is not repeated
        yield Problem(
            path=path,
            reason="this is no ARN of a secret",
            remedy=f"write it like arn:aws:secretsmanager:{cluster.region}:123456789012:secret:slurm-db-AbCdEf, "
            "never the password itself",
        )
    elif arn.region != cluster.region:
        yield Problem(
            path=path,
            value=database.password_secret,
            reason=f"the secret is in {arn.region}, the cluster in {cluster.region}",
            remedy=f"replicate it to {cluster.region}, and name the copy",
        )


@rule("HPC-SLM-014", Level.ERROR)
def database_names(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Names of the database and its user are those of MySQL.

    Source: MySQL reference manual, "Schema Object Names".
    """
    database = cluster.slurm.accounting.database if cluster.slurm.accounting else None
    if database is None:
        return
    for field, value, most in (("user", database.user, 32), ("name", database.name, 64)):
        if not re.fullmatch(rf"[A-Za-z0-9_$-]{{1,{most}}}", value):
            yield Problem(
                path=("slurm", "accounting", "database", field),
                value=value,
                reason=f"{value!r} is no name to MySQL",
                remedy=f"use letters, digits and _, at most {most}",
            )


@rule("HPC-SLM-015", Level.ERROR)
def package_address(cluster: AwsClusterSpec) -> Iterator[Problem]:
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
def idle_times(cluster: AwsClusterSpec) -> Iterator[Problem]:
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
def boot_time(cluster: AwsClusterSpec) -> Iterator[Problem]:
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


@rule("HPC-SLM-017", Level.WARNING)
def default_time(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A partition's default time is not more than its longest.

    Jobs that name no time could never start. Source: slurm.conf(5), DefaultTime.
    """
    for index, queue in enumerate(cluster.queues):
        given = {key.lower(): (key, minutes(str(value))) for key, value in queue.slurm.items()}
        key, default = given.get("defaulttime", ("", None))
        _, longest = given.get("maxtime", ("", None))
        if default is not None and longest is not None and default > longest:
            yield Problem(
                path=("queues", index, "slurm", key),
                value=queue.slurm[key],
                reason=f"jobs without a time get {queue.slurm[key]}, more than the partition's MaxTime allows",
                remedy="use at most MaxTime",
            )


@rule("HPC-SLM-018", Level.ERROR)
def partition_nodes(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A partition asks no job for more nodes than it has.

    Source: slurm.conf(5), MinNodes.
    """
    for index, queue in enumerate(cluster.queues):
        key, least = _number(queue, "minnodes")
        if least is not None and least > queue.max:
            yield Problem(
                path=("queues", index, "slurm", key),
                value=queue.slurm[key],
                reason=f"each job must have {least} nodes, and the queue has {queue.max}",
                remedy=f"use at most {queue.max}",
            )


@rule("HPC-SLM-019", Level.ERROR)
def partition_memory(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """The memory that a job gets when it names none is there.

    Jobs that name none would be refused. Source: slurm.conf(5), DefMemPerNode; memory as the system sees it.
    """
    for index, queue in enumerate(cluster.queues):
        seen = [real_memory_mib(machine) for _, machine in queue_machines(index, queue)]
        seen += [queue.memory.bytes // 2**20] if queue.memory else []
        key, wanted = _number(queue, "defmempernode")
        if seen and wanted is not None and wanted > min(seen):
            yield Problem(
                path=("queues", index, "slurm", key),
                value=queue.slurm[key],
                reason=f"a job that names no memory gets {wanted} MiB, a node has {min(seen)}",
                remedy=f"use at most {min(seen)}; the number is MiB",
            )


def _number(queue: Queue, low: str) -> tuple[str, int | None]:
    """A number among the settings of a partition, and the key as it is written."""
    for key, value in queue.slurm.items():
        if key.lower() == low and str(value).isdigit():
            return key, int(value)
    return "", None
