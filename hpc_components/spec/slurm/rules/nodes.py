import re
from collections.abc import Iterator

from hpc_components.cloud import cloud_named
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.values import Duration
from hpc_components.wording import any_of

MIN_IDLE_SECONDS = 60
"""Minimum idle time. Nodes take minutes to boot, and with a shorter idle time they would be terminated before the
next job starts."""

MAX_IDLE_DAYS = 1

MAX_STORED_SECONDS = 2**31 - 1
"""Maximum idle time. Slurm stores the time as a signed 32-bit number, so an idle time of 100 years would be stored as
a negative number."""

MIN_BOOT_SECONDS, MAX_BOOT_SECONDS = 120, 7200


@rule("HPC-SLM-015", Level.ERROR)
def package_address(cluster: ClusterSpec) -> Iterator[Problem]:
    """Slurm's packages must come from an `https://` address or from a bucket in the cluster's cloud.

    Nodes download the packages at first boot and install them as root. Source: ParallelCluster 3.16, UrlValidator.
    """
    source, bucket = cluster.slurm.package_source, cloud_named(cluster.cloud).bucket_scheme
    if source is None or re.fullmatch(rf"({bucket}|https)://[^\s/]+(/\S*)?", source):
        return
    rest = re.sub(r"^\w+:/*", "", source)
    plain, forms = source.startswith("http://"), {bucket: "bucket/prefix"} | {"https": "host/path"}
    yield Problem(
        path=("slurm", "package_source"),
        value=source,
        reason="packages can be tampered with in transit over http"
        if plain
        else f"{source!r} is not a valid address",
        remedy=f"use https://{rest}"
        if plain
        else f"write {any_of(f'{scheme}://{path}' for scheme, path in forms.items())}",
    )


@rule("HPC-SLM-016", Level.WARNING)
def idle_times(cluster: ClusterSpec) -> Iterator[Problem]:
    """Idle nodes should be kept for at least a minute and at most a day.

    A node takes minutes to boot, and a large one costs hundreds of USD per idle day. A time of more than 68 years is
    an error, because Slurm can't store it, and some such values prevent slurmctld from starting. Source:
    ParallelCluster 3.16 keeps nodes for 10 minutes; the bounds are our own choice; run on Slurm 22.05 and 24.11.
    """
    times: list[tuple[Path, Duration]] = [(("slurm", "idle_time"), cluster.slurm.idle_time)]
    times += [
        (("queues", index, "idle_time"), queue.idle_time)
        for index, queue in enumerate(cluster.queues)
        if queue.idle_time is not None
    ]
    for path, time in times:
        if time.seconds < MIN_IDLE_SECONDS:
            reason, remedy = (
                "nodes would be terminated before the next job starts, and would have to boot again",
                "use 5m or more",
            )
        elif time.seconds > MAX_STORED_SECONDS:
            reason, remedy = (
                f"Slurm can't store an idle time of {time}",
                "to keep nodes running permanently, set the queue's min key instead",
            )
        elif time.days > MAX_IDLE_DAYS:
            reason = f"nodes are billed for {time} after their last job"
            remedy = "use 10m; to keep nodes running, set the queue's min key"
        else:
            continue
        level = Level.ERROR if time.seconds > MAX_STORED_SECONDS else None
        yield Problem(path=path, value=str(time), reason=reason, remedy=remedy, level=level)


@rule("HPC-SLM-021", Level.ERROR)
def boot_time(cluster: ClusterSpec) -> Iterator[Problem]:
    """`boot_time` must be between two minutes and two hours.

    If the time is too short, machines are terminated before they can register, and are launched again and again. If
    it is too long, a machine that hangs is billed all that time while jobs wait for it. Source: ParallelCluster 3.16
    allows 35 minutes; the bounds are our own choice.
    """
    time = cluster.slurm.boot_time
    if MIN_BOOT_SECONDS <= time.seconds <= MAX_BOOT_SECONDS:
        return
    short = time.seconds < MIN_BOOT_SECONDS
    yield Problem(
        path=("slurm", "boot_time"),
        value=str(time),
        reason="machines take longer than this to boot, so each one would be terminated and launched again"
        if short
        else f"a job would wait {time} for a machine that hangs",
        remedy="use 20m, or 35m for images that install a lot of software at boot",
    )
