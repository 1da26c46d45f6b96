"""The parts of a cluster that decide when jobs start and how long machines run, read from the generated files."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from hpc_components.cloud import cloud_named
from hpc_components.elastic.config import QueueConfig, load_config
from hpc_components.elastic.drivers.limits import Limits
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.slurm.times import minutes

_TAG_LENGTH = 256
"""Maximum length of a launch's tag. Only the number of launches depends on it, not the machines."""
_YEAR_SECONDS = 365 * 86400
"""Time limit of a job without a limit, in Slurm's plans. Source: Slurm source code, src/plugins/sched/backfill."""


@dataclass(frozen=True, kw_only=True)
class Scheduling:
    """Settings of Slurm's schedulers, in seconds. The defaults are those of slurm.conf(5)."""

    submit_delay: int = 3
    """Minimum time between two looks at jobs that were submitted (`batch_sched_delay`). The end of a job lets Slurm
    look at once."""
    backfill_interval: int = 30
    backfill_resolution: int = 60
    backfill_window: int = 86400
    backfill_depth: int = 500
    """Maximum number of waiting jobs that one backfill run considers."""
    stop_seconds: int = 30
    """`SuspendTimeout`: seconds after a power-down during which a node can't be used."""
    hold_seconds: int = 121
    """Seconds for which a requeued job can't start."""


@dataclass(frozen=True, kw_only=True, eq=False)
class QueueModel:
    """A queue as Slurm sees it. `cpus`, `memory_mib` and `gpus` are those of one node."""

    name: str
    cpus: int
    threads_per_core: int
    memory_mib: int
    gpus: int
    memory_per_cpu: int
    """MiB for each CPU of a job that doesn't request memory, or 0 for a whole node's memory."""
    whole_nodes: bool
    """Whether a job always gets whole nodes (`OverSubscribe=EXCLUSIVE`)."""
    max_nodes: int
    """Maximum number of nodes for one job."""
    max_seconds: float
    """Maximum time limit, or infinity."""
    default_seconds: int
    """Time limit of a job that doesn't specify one."""
    requeue: bool
    """Whether a job whose node is lost waits again, rather than fails."""
    idle_seconds: int
    """Seconds after which an idle node is powered down."""
    config: QueueConfig
    """The queue as the elastic daemon sees it."""

    @property
    def count(self) -> int:
        return self.config.max


@dataclass(frozen=True, kw_only=True)
class Fleet:
    queues: Mapping[str, QueueModel]
    default: str
    """Queue of jobs that don't name one."""
    scheduling: Scheduling
    boot_timeout: int
    cooldown: int
    """Seconds during which a pool without capacity isn't tried again."""
    limits: Limits


def fleet_of(cluster: ClusterSpec, files: Mapping[str, str]) -> Fleet:
    """Return the cluster's fleet. `files` are its `slurm.conf` and `elastic.json`, as written by `slurm_files`."""
    lines = [line for line in files["slurm.conf"].splitlines() if line and not line.startswith("#")]
    nodes: dict[str, dict[str, str]] = {}
    partitions: dict[str, dict[str, str]] = {}
    settings: dict[str, str] = {}
    for line in lines:
        keys = {key.lower(): value.strip('"') for key, value in re.findall(r'(\w+)=("[^"]*"|\S*)', line)}
        if line.startswith("NodeName="):
            nodes[re.sub(r"-(\d+|\[.*\])$", "", keys["nodename"])] = keys
        elif line.startswith("PartitionName="):
            partitions[keys["partitionname"]] = keys
        else:
            key, _, value = line.partition("=")
            settings[key.lower()] = value
    config = load_config(files["elastic.json"])
    queues = {
        each.name: _queue(cluster, each, nodes[each.name], partitions[each.name], settings) for each in config.queues
    }
    return Fleet(
        queues=queues,
        default=next((name for name, keys in partitions.items() if "default" in keys), next(iter(queues))),
        scheduling=_scheduling(settings),
        boot_timeout=round(config.boot_timeout),
        cooldown=round(config.cooldown),
        limits=Limits(
            list_lag_seconds=0,
            launch_size=cloud_named(cluster.cloud).launch_size,
            tag_length=_TAG_LENGTH,
            spot_notice_seconds=0,
        ),
    )


def _queue(
    cluster: ClusterSpec,
    config: QueueConfig,
    node: Mapping[str, str],
    own: Mapping[str, str],
    whole: Mapping[str, str],
) -> QueueModel:
    limit = _seconds(own.get("maxtime"))
    default = _seconds(own.get("defaulttime")) if "defaulttime" in own else limit
    share = own.get("defmempercpu") or whole.get("defmempercpu") or "0"
    gpus = [item.rpartition(":")[2] for item in node.get("gres", "").split(",") if item.startswith("gpu:")]
    return QueueModel(
        name=config.name,
        cpus=int(node["cpus"]),
        threads_per_core=int(node["threadspercore"]),
        memory_mib=int(node["realmemory"]),
        gpus=sum(map(int, gpus)),
        memory_per_cpu=int(share) if share.isdigit() else 0,
        whole_nodes=own.get("oversubscribe", "").upper().startswith("EXCLUSIVE"),
        max_nodes=min(_number(own.get("maxnodes"), config.max), config.max),
        max_seconds=limit,
        default_seconds=_YEAR_SECONDS if math.isinf(default) else int(default),
        requeue=cluster.queue(config.name).requeue,
        idle_seconds=_number(own.get("suspendtime") or whole.get("suspendtime"), _YEAR_SECONDS),
        config=config,
    )


def _scheduling(settings: Mapping[str, str]) -> Scheduling:
    parameters = dict(item.partition("=")[::2] for item in settings.get("schedulerparameters", "").split(","))
    expires = re.search(r"cred_expire=(\d+)", settings.get("authinfo", ""))
    ours = Scheduling()
    return Scheduling(
        submit_delay=_number(parameters.get("batch_sched_delay"), ours.submit_delay),
        backfill_interval=_positive(parameters.get("bf_interval"), ours.backfill_interval),
        backfill_resolution=_positive(parameters.get("bf_resolution"), ours.backfill_resolution),
        backfill_window=_positive(parameters.get("bf_window"), ours.backfill_window // 60) * 60,
        backfill_depth=_positive(parameters.get("bf_max_job_test"), ours.backfill_depth),
        stop_seconds=_number(settings.get("suspendtimeout"), ours.stop_seconds),
        hold_seconds=int(expires[1]) + 1 if expires else ours.hold_seconds,
    )


def _seconds(time: str | None) -> float:
    found = minutes(time) if time else None
    return math.inf if found is None else found * 60


def _number(text: str | None, otherwise: int) -> int:
    return int(text) if text and text.isdigit() else otherwise


def _positive(text: str | None, otherwise: int) -> int:
    """Return a setting of backfill. Slurm uses its default instead of 0.

    Source: Slurm source code, src/plugins/sched/backfill/backfill.c, _load_config.
    """
    return _number(text, otherwise) or otherwise
