"""Writes slurm.conf in sections: settings that all clusters share, settings derived from the description, and the
user's own settings."""

import math
from collections.abc import Iterator, Sequence

from hpc_components.cloud import cloud_named
from hpc_components.slurm.billing import billing_settings, billing_weights
from hpc_components.slurm.health import checks_jobs, health_settings
from hpc_components.slurm.job_costs import MAIL_WRAPPER, wrapped_mail_program
from hpc_components.slurm.job_scripts import program_keys
from hpc_components.slurm.job_submit_lua import needs_job_submit
from hpc_components.slurm.partitions import node_line, partition_line
from hpc_components.slurm.queue_nodes import QueueNodes, host_range
from hpc_components.slurm.releases import at_least
from hpc_components.slurm.settings import merged
from hpc_components.slurm.slurmdbd_conf import PRIVATE_BETWEEN_ORGANIZATIONS
from hpc_components.spec.addresses import head_address
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.people import ADMIN_GROUP
from hpc_components.spec.queue_defaults import purchase_kind
from hpc_components.spec.slurm import Accounting
from hpc_components.spec.slurm.settings import MAX_JOB_COUNT, max_time
from hpc_components.spec.slurm.tres import counted_gres, counted_licenses
from hpc_components.spec.slurm.values import Value
from hpc_components.spec.software import PLUGSTACK
from hpc_components.spec.spending import has_budgets

Keys = dict[str, Value]

NO_TREE = 65533
"""TreeWidth that makes slurmctld contact every node directly. Nodes can't forward messages to each other, because
they can't find each other's addresses."""

RESUME_TIMEOUT_FACTOR = 3
"""ResumeTimeout as a multiple of the boot timeout. A factor of 3 leaves the elastic daemon time to replace a machine
twice."""

SUSPEND_TIMEOUT_SECONDS = 60
"""Seconds that must pass after a node is powered down before Slurm may power it up again."""

REQUEUE_HOLD_SECONDS = 30
"""Seconds for which Slurm holds a requeued job. The job can't start until one second after the hold ends. Source:
job_mgr.c, batch_requeue_fini, 22.05 to 25.11."""

GROUP_UPDATE_SECONDS = 60
"""Seconds for which Slurm caches the members of groups. With Slurm's default of 600 s, the jobs of a new member could
not use the group's files for ten minutes. Source: slurm.conf(5), GroupUpdateTime."""

SCHEDULER_INTERVAL_SECONDS = 10
"""Seconds between scheduler runs. The end of a requeue hold does not trigger a run, so the job waits for the next
regular one. Slurm's default interval is 60 s, or 30 s with backfill. A shorter interval costs little: with 5,300 jobs
waiting, a run takes a millisecond. Source: controller.c (_slurmctld_background) and slurm.conf(5), sched_interval;
`sdiag` of 24.11."""

HOUR, DAY, WEEK, MONTH = 60, 1440, 10080, 43200
"""Durations in minutes. By default, Slurm's scheduler plans one day ahead; the maximum is 30 days. Source:
slurm.conf(5), bf_window."""


def slurm_conf(cluster: ClusterSpec, nodes: Sequence[QueueNodes], version: str) -> str:
    settings = cluster.slurm.settings
    sections = dict(_sections(cluster, nodes, version))
    whole = merged({key: value for keys in sections.values() for key, value in keys.items()}, settings)
    if wrapped_mail_program(cluster):
        whole["MailProg"] = MAIL_WRAPPER
    lines = [f"# Slurm {version}: written from the description of cluster {cluster.name}; changes go there."]
    for title, keys in sections.items():
        lines += ["", f"# {title}", *(f"{key}={whole.pop(key)}" for key in keys if key in whole)]
    if whole:
        lines += ["", "# slurm.settings of the description", *(f"{key}={value}" for key, value in whole.items())]
    lines += ["", "# Queues", *(node_line(one, version) for one in nodes)]
    owners = {queue: name for name, one in cluster.organizations.items() for queue in one.queues}
    budgets = has_budgets(cluster)
    lines += [
        partition_line(
            queue,
            one,
            settings,
            default=index == 0,
            group=owners.get(queue.name),
            weights=billing_weights(cluster, queue, one) if budgets else None,
        )
        for index, (queue, one) in enumerate(zip(cluster.queues, nodes, strict=True))
    ]
    return "\n".join([*lines, ""])


def cluster_name(cluster: ClusterSpec) -> str:
    """Return the cluster's name in lowercase, as used by Slurm and the accounting database."""
    return cluster.name.lower()


def _sections(cluster: ClusterSpec, nodes: Sequence[QueueNodes], version: str) -> Iterator[tuple[str, Keys]]:
    address = str(head_address(cluster))
    yield "The cluster", {"ClusterName": cluster_name(cluster), "SlurmctldHost": f"head({address})"}
    yield (
        "Users, files and keys, where Debian's and Ubuntu's packages have them",
        _layout() | _groups(cluster) | _plugins(cluster),
    )
    yield "Nodes come and go", _elastic(cluster, version)
    yield "Jobs are fenced", _fences(nodes) | _separation(cluster)
    if programs := program_keys(cluster, version):
        yield "Before and after jobs", dict(programs)
    if health := health_settings(cluster):
        yield "Health of idle nodes", health
    yield "Scheduling", _scheduling(cluster, version) | _priorities(cluster)
    if (accounting := cluster.accounting) is not None:
        yield "Accounting", _accounting(cluster, accounting, nodes)
    if budgets := billing_settings(cluster):
        yield "Budgets: billing is in millionths of a dollar", budgets


def _layout() -> Keys:
    return {
        "SlurmUser": "slurm",
        "AuthType": "auth/munge",
        "AuthInfo": f"cred_expire={REQUEUE_HOLD_SECONDS}",
        "AuthAltTypes": "auth/jwt",
        "AuthAltParameters": "jwt_key=/etc/slurm/jwt_hs256.key",
        "StateSaveLocation": "/var/lib/hpc/slurmctld",
        "SlurmctldPidFile": "/run/slurmctld/slurmctld.pid",
        "SlurmctldLogFile": "/var/log/slurm/slurmctld.log",
        "SlurmdSpoolDir": "/var/spool/slurmd",
        "SlurmdPidFile": "/run/slurmd.pid",
        "SlurmdLogFile": "/var/log/slurm/slurmd.log",
    }


def _groups(cluster: ClusterSpec) -> Keys:
    return {"GroupUpdateTime": GROUP_UPDATE_SECONDS} if cluster.people else {}


def _plugins(cluster: ClusterSpec) -> Keys:
    return {"PlugStackConfig": PLUGSTACK} if cluster.software and cluster.software.pyxis else {}


def _elastic(cluster: ClusterSpec, version: str) -> Keys:
    parameters = ["enable_configless", "idle_on_node_suspend", "power_save_interval=1", "power_save_min_interval=0"]
    if not at_least(version, "23.11"):
        parameters.append("cloud_reg_addrs")  # later releases do this by default and warn about the option
    keys: Keys = {
        "SlurmctldParameters": ",".join(parameters),
        "ResumeProgram": "/opt/hpc/bin/hpc-resume",
        "ResumeFailProgram": "/opt/hpc/bin/hpc-resume-fail",
        "ResumeTimeout": RESUME_TIMEOUT_FACTOR * cluster.slurm.boot_time.seconds,
        # waits until the job's nodes are up; Slurm sets no timeout for it
        "PrologSlurmctld": "/opt/hpc/bin/hpc-prolog",
        "ResumeRate": 0,
        "SuspendProgram": "/opt/hpc/bin/hpc-suspend",
        "SuspendTime": cluster.slurm.idle_time.seconds,
        "SuspendTimeout": SUSPEND_TIMEOUT_SECONDS,
        "SuspendRate": 0,
    }
    if kept := [host_range(queue.name, queue.min) for queue in cluster.queues if queue.min > 0]:
        keys["SuspendExcNodes"] = ",".join(kept)
    if at_least(version, "23.02"):
        # powering a node down would clear a state that an administrator has set
        keys["SuspendExcStates"] = "DOWN,DRAIN"
    return keys | {
        "ReturnToService": 1,  # an unresponsive node returns to service by itself; a node set to DOWN does not
        "TreeWidth": NO_TREE,
        # `cloud` also shows powered-down nodes
        "PrivateData": ",".join(("cloud", *PRIVATE_BETWEEN_ORGANIZATIONS) if cluster.organizations else ("cloud",)),
        "ReconfigFlags": "KeepPartState",
    }


def _fences(nodes: Sequence[QueueNodes]) -> Keys:
    keys: Keys = {
        "ProctrackType": "proctrack/cgroup",
        "TaskPlugin": "task/affinity,task/cgroup",
        "PrologFlags": "Contain",
        "LaunchParameters": "use_interactive_step",
        "MpiDefault": "pmix",  # makes a plain `srun` start one job with N ranks, not N jobs with one rank each
        "PropagateResourceLimitsExcept": "MEMLOCK",  # the login node's limit would prevent MPI from using the fabric
        "UnkillableStepTimeout": 180,
    }
    kinds = [kind for one in nodes if one.gpus for kind in one.gpus.gres]
    return keys | ({"GresTypes": ",".join(dict.fromkeys(kind.partition(":")[0] for kind in kinds))} if kinds else {})


def _separation(cluster: ClusterSpec) -> Keys:
    """Return settings that keep a node to the jobs of one organization, or of administrators who belong to none.

    A job has the first of these groups to which its user belongs. By account instead of group (`mcs/account`),
    departments of an organization would not share nodes either. Source: slurm.conf(5), MCSParameters; run on Slurm
    22.05 and 24.11.
    """
    if not (cluster.slurm.separate_organizations and cluster.organizations):
        return {}
    groups = "|".join((*cluster.organizations, ADMIN_GROUP))
    return {"MCSPlugin": "mcs/group", "MCSParameters": f"enforced,select:{groups}"}


def _scheduling(cluster: ClusterSpec, version: str) -> Keys:
    parameters = (
        "default_queue_depth=5000", "bf_max_job_test=5000", "bf_continue",
        "sched_max_job_start=0", "max_sched_time=4", f"sched_interval={SCHEDULER_INTERVAL_SECONDS}",
        "sbatch_wait_nodes", "salloc_wait_nodes", *_window(cluster), *_after_failed_prolog(cluster, version),
    )  # fmt: skip
    keys: Keys = {
        "SelectType": "select/cons_tres",
        "SelectTypeParameters": "CR_Core_Memory",
        "TopologyPlugin": "topology/tree",
        "SchedulerType": "sched/backfill",
        "SchedulerParameters": ",".join(parameters),
        "EnforcePartLimits": "ALL",
        "JobRequeue": 1,
        "MaxJobCount": MAX_JOB_COUNT,
        "MaxArraySize": 10001,
        "MailProg": "/bin/true",  # nodes send no mail; without this setting, Slurm logs an error
    }
    if any(purchase_kind(queue) == "spot" for queue in cluster.queues):
        # Give jobs half of the spot notice to write a checkpoint, and leave the other half for flushing the
        # checkpoint to the file system.
        keys["KillWait"] = cloud_named(cluster.cloud).spot_notice_seconds // 2
    return keys | ({"JobSubmitPlugins": "lua"} if needs_job_submit(cluster) else {})


def _window(cluster: ClusterSpec) -> tuple[str, ...]:
    """Return parameters that make the scheduler plan far enough ahead: the longest time limit plus an hour.

    If a job's nodes were busy beyond the planning window, the job would not be planned, and smaller jobs would keep
    starting before it. The extra hour is needed because a longer window is divided into larger steps, and a job that
    has just started is expected to end in the step after its limit. Source: slurm.conf(5), bf_window (minutes),
    bf_resolution (seconds); run on Slurm 22.05 and 24.11.
    """
    longest = math.ceil(max(_limits(cluster), default=0))
    if longest + HOUR <= DAY:
        return ()
    return f"bf_window={min(longest + HOUR, MONTH)}", f"bf_resolution={600 if longest > WEEK else 300}"


def _after_failed_prolog(cluster: ClusterSpec, version: str) -> tuple[str, ...]:
    """Return the parameter that lets a job start elsewhere if a node fails its check before the job. Otherwise, Slurm
    would hold the job until an administrator releases it. Source: slurm.conf(5), Prolog and nohold_on_prolog_fail;
    run on Slurm 24.11.
    """
    checked = at_least(version, "23.11") and checks_jobs(cluster, "prolog")
    return ("nohold_on_prolog_fail",) if checked else ()


def _limits(cluster: ClusterSpec) -> Iterator[float]:
    """Yield the time limits of queues and QoS, in minutes."""
    times = map(max_time, cluster.queues)
    yield from (time for time in times if time is not None and time != math.inf)
    for qos in cluster.slurm.accounting.qos.values() if cluster.slurm.accounting else ():
        if qos.max_wall is not None:
            yield qos.max_wall.seconds / 60


def _priorities(cluster: ClusterSpec) -> Keys:
    """Multifactor priority needs accounting. Without accounting, jobs run in submission order."""
    if cluster.slurm.accounting is None:
        return {"PriorityType": "priority/basic"}
    return {
        "PriorityType": "priority/multifactor",
        "PriorityWeightAge": 1000,
        "PriorityWeightFairshare": 10000,
        "PriorityWeightPartition": 1000,
        "PriorityWeightQOS": 10000,
    }


def _accounting(cluster: ClusterSpec, accounting: Accounting, nodes: Sequence[QueueNodes]) -> Keys:
    keys: Keys = {
        "AccountingStorageType": "accounting_storage/slurmdbd",
        "AccountingStorageHost": str(head_address(cluster)),
        "JobAcctGatherType": "jobacct_gather/cgroup",
    }
    if accounting.accounts:
        # with `safe`, Slurm starts only jobs that end within a limit, and never ends a job at one
        safe = () if accounting.at_limit == "end" and has_budgets(cluster) else ("safe",)
        keys["AccountingStorageEnforce"] = ",".join(("associations", "limits", "qos", *safe))
    if counted := (*counted_gres(one.gpus for one in nodes), *counted_licenses(cluster.slurm.settings)):
        keys["AccountingStorageTRES"] = ",".join(counted)
    return keys
