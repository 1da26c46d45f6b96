"""Defines which slurm.conf keys this package writes, and how the user's settings are combined with them.

The package derives its keys' values from the rest of the description. `owned` returns what to change instead.
"""

from collections.abc import Mapping

from hpc_components.spec.slurm.settings import Setting

_ADDRESS = "the head node's address is head_node.address, its ports are fixed"
_POWER_SAVING = "queues have min and idle_time, the cluster has slurm.idle_time"
_NODES = "nodes follow from queues"
_ACCOUNTS = "accounting is switched on and off by slurm.accounting"
_LAYOUT = "the boot scripts and Slurm's systemd units depend on these paths and users"
_KEYS = "the head node creates the cluster's keys at first boot"
_FENCE = "cgroups confine jobs on every node; nothing else is supported"
_HOOKS = "the program would have to be on every node; use TaskProlog, or a service in an image of your own"
_START = "the head node's prolog starts a job as soon as its nodes are up; you may set TaskProlog and EpilogSlurmctld"
_PROLOG_TIME = "leave it out: Slurm would kill the prolog that waits for a job's nodes, and requeue the job"
_TREE = "it follows from placement and from nodes that come and go"

OWNED: Mapping[str, str] = {
    "ClusterName": "set name",
    "SlurmctldHost": _ADDRESS,
    "SlurmctldAddr": _ADDRESS,
    "ControlMachine": _ADDRESS,
    "ControlAddr": _ADDRESS,
    "BackupController": _ADDRESS,
    "BackupAddr": _ADDRESS,
    "SlurmctldPort": _ADDRESS,
    "SlurmdPort": _ADDRESS,
    "NodeName": _NODES,
    "NodeSet": _NODES,
    "DownNodes": _NODES,
    "FrontendName": _NODES,
    "PartitionName": "add a queue",
    "MaxNodeCount": _NODES,
    "GresTypes": "GPUs follow from queues[].machine",
    "TreeWidth": _TREE,
    "TopologyPlugin": _TREE,
    "ResumeProgram": _POWER_SAVING,
    "ResumeFailProgram": _POWER_SAVING,
    "ResumeTimeout": "set slurm.boot_time: Slurm waits three times as long",
    "ResumeRate": _POWER_SAVING,
    "SuspendProgram": _POWER_SAVING,
    "SuspendTimeout": _POWER_SAVING,
    "SuspendRate": _POWER_SAVING,
    "SuspendTime": "set slurm.idle_time, or idle_time of a queue",
    "SuspendExcNodes": "set min of a queue: that many of its nodes are kept running",
    "SuspendExcParts": "set min of a queue: that many of its nodes are kept running",
    "SuspendExcStates": _POWER_SAVING,
    "ReconfigFlags": _POWER_SAVING,
    "ReturnToService": _POWER_SAVING,
    "SlurmctldParameters": _POWER_SAVING,
    "SlurmdParameters": _NODES,
    "JobRequeue": "set requeue of a queue",
    "AccountingStorageType": _ACCOUNTS,
    "AccountingStorageHost": "set slurm.accounting.database",
    "AccountingStorageBackupHost": _ACCOUNTS,
    "AccountingStoragePort": _ACCOUNTS,
    "AccountingStorageUser": _ACCOUNTS,
    "AccountingStoragePass": _ACCOUNTS,
    "JobAcctGatherType": _ACCOUNTS,
    "AuthType": _KEYS,
    "AuthInfo": _KEYS,
    "AuthAltTypes": _KEYS,
    "AuthAltParameters": _KEYS,
    "CredType": _KEYS,
    "CryptoType": _KEYS,
    "SlurmUser": _LAYOUT,
    "SlurmdUser": _LAYOUT,
    "StateSaveLocation": "it is on the head node's state volume: head_node.state",
    "SlurmdSpoolDir": _LAYOUT,
    "SlurmctldPidFile": _LAYOUT,
    "SlurmdPidFile": _LAYOUT,
    "SlurmctldLogFile": _LAYOUT,
    "SlurmdLogFile": _LAYOUT,
    "PluginDir": _LAYOUT,
    "ProctrackType": _FENCE,
    "TaskPlugin": _FENCE,
    "SelectType": "nodes are shared by cons_tres; OverSubscribe: EXCLUSIVE of a queue gives a job whole nodes",
    "SwitchType": "set fabric of a queue",
    "PrologSlurmctld": _START,
    "PrologEpilogTimeout": _PROLOG_TIME,
    "PrologTimeout": _PROLOG_TIME,
    "Prolog": _HOOKS,
    "Epilog": _HOOKS,
}
"""Maps slurm.conf keys that this package writes, or that its slurm.conf depends on, to what to do instead of setting
them. Source: ParallelCluster 3.16, its deny-list; and keys that our own slurm.conf depends on."""

ADDITIONS: Mapping[str, tuple[str, ...]] = {
    "LaunchParameters": (
        "batch_step_set_cpu_freq", "disable_send_gids", "lustre_no_flush", "mem_sort", "mpir_use_nodeaddr",
        "slurmstepd_memlock", "slurmstepd_memlock_all", "test_exec", "ulimit_pam_adopt",
        "enable_nss_slurm", "use_interactive_step",
    ),
    "PrivateData": ("accounts", "events", "jobs", "partitions", "reservations", "usage", "users", "cloud"),
    "PrologFlags": ("Serial", "X11", "Alloc", "Contain"),
}  # fmt: skip
"""Maps lists that this package writes to the words that the user may add. Source: slurm.conf(5) of 22.05 to 25.11.

The following are excluded: PrivateData's `nodes`, which hides the nodes from users; PrologFlags' `NoHold` and
`DeferBatch`, which change when jobs start on booting nodes; and words that prevent a supported release from starting.
"""

OWNED_OF_PARTITIONS: Mapping[str, str] = {
    "PartitionName": "set the queue's name",
    "Nodes": "set the queue's max",
    "Default": "the first queue is the default: put this one first",
    "State": "a queue is up while it is described; to close it for a while, use `scontrol update`",
    "SuspendTime": "set the queue's idle_time",
    "SuspendTimeout": _POWER_SAVING,
    "ResumeTimeout": "set slurm.boot_time: Slurm waits three times as long",
    "PowerDownOnIdle": "set the queue's idle_time",
    "QOS": "set the queue's qos",
}
"""Maps partition keys that this package writes to what to do instead. Source: ParallelCluster 3.16, its deny-list for
queues."""

MERGED_LISTS = frozenset({
    "accountingstorageenforce", "accountingstoragetres", "jobsubmitplugins", "launchparameters", "privatedata",
    "prologflags",
})  # fmt: skip
"""Lower-case names of lists to which the user's entries are added."""

MERGED_BY_NAME = frozenset({"schedulerparameters"})
"""Lists of named parameters. The user's parameters are added to ours, replacing any of the same name regardless of
case."""

REPLACED_KEYS: Mapping[str, str] = {"propagateresourcelimits": "propagateresourcelimitsexcept"}
"""Maps each key that the user may set to the one of ours that it replaces, because Slurm accepts only one of the two.
Both are in lower case."""

_ADDITIONS = {key.lower(): words for key, words in ADDITIONS.items()}
_LOW = {key.lower(): instead for key, instead in OWNED.items()}
_LOW_OF_PARTITIONS = {key.lower(): instead for key, instead in OWNED_OF_PARTITIONS.items()}


def owned(setting: Setting) -> str | None:
    """Return what to set in the description instead of this key, or None if the user may set the key."""
    return (_LOW_OF_PARTITIONS if setting.scope == "partition" else _LOW).get(setting.key.lower())


def additions(setting: Setting) -> tuple[str, ...]:
    """Return the words that the user may add to this setting's list, or an empty tuple if the user may set any
    value."""
    return _ADDITIONS.get(setting.key.lower(), ()) if setting.scope == "global" else ()
