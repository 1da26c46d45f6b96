"""Defines which slurm.conf keys this package writes, and how users' settings are combined with them.

Users can't set keys whose values are derived from the rest of the description. For such a key, `owned` returns what
to change instead.
"""

from collections.abc import Mapping

from hpc_components.spec.slurm.settings import Setting

_ADDRESS = "set head_node.address; Slurm's ports can't be changed"
_POWER_SAVING = "set a queue's min or idle_time, or slurm.idle_time for the whole cluster"
_NODES = "change queues, from which all nodes are derived"
_ACCOUNTS = "add or remove slurm.accounting to switch accounting on or off"
_LAYOUT = "leave this setting out: the boot scripts and Slurm's systemd units depend on these paths and users"
_KEYS = "leave this setting out: the head node creates the cluster's authentication keys at first boot"
_FENCE = "leave this setting out: cgroups confine jobs on every node, and no other method is supported"
_HOOKS = "write it as a script with at: prolog or at: epilog under scripts, so that it exists on every node"
_START = (
    "use TaskProlog or EpilogSlurmctld; the cluster needs its own PrologSlurmctld to start each job as soon as "
    "the job's nodes are up"
)
_PROLOG_TIME = "leave this setting out: Slurm would kill the prolog that waits for a job's nodes, and requeue the job"
_TREE = "leave this setting out: its value depends on placement and on nodes that come and go"

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
    "GresTypes": "change queues[].machine, which determines the GPUs",
    "TreeWidth": _TREE,
    "TopologyPlugin": _TREE,
    "ResumeProgram": _POWER_SAVING,
    "ResumeFailProgram": _POWER_SAVING,
    "ResumeTimeout": "set slurm.boot_time; ResumeTimeout is three times that value",
    "ResumeRate": _POWER_SAVING,
    "SuspendProgram": _POWER_SAVING,
    "SuspendTimeout": _POWER_SAVING,
    "SuspendRate": _POWER_SAVING,
    "SuspendTime": "set slurm.idle_time, or a queue's idle_time",
    "SuspendExcNodes": "set a queue's min, which is the number of nodes that are kept running",
    "SuspendExcParts": "set a queue's min, which is the number of nodes that are kept running",
    "SuspendExcStates": _POWER_SAVING,
    "ReconfigFlags": _POWER_SAVING,
    "ReturnToService": _POWER_SAVING,
    "SlurmctldParameters": _POWER_SAVING,
    "SlurmdParameters": _NODES,
    "JobRequeue": "set a queue's requeue",
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
    "StateSaveLocation": "set head_node.state, which is the volume that stores Slurm's state",
    "SlurmdSpoolDir": _LAYOUT,
    "SlurmctldPidFile": _LAYOUT,
    "SlurmdPidFile": _LAYOUT,
    "SlurmctldLogFile": _LAYOUT,
    "SlurmdLogFile": _LAYOUT,
    "PluginDir": _LAYOUT,
    "ProctrackType": _FENCE,
    "TaskPlugin": _FENCE,
    "SelectType": "add OverSubscribe: EXCLUSIVE to a queue's slurm settings to give each "
    "job whole nodes; by default, jobs share nodes (cons_tres)",
    "SwitchType": "set a queue's fabric",
    "PrologSlurmctld": _START,
    "PrologEpilogTimeout": _PROLOG_TIME,
    "PrologTimeout": _PROLOG_TIME,
    "Prolog": _HOOKS,
    "Epilog": _HOOKS,
}
"""Keys that users can't set in slurm.conf, because this package writes them or relies on them. Each key is mapped to
a remedy: what to do instead. Source: the deny-list of ParallelCluster 3.16; our own slurm.conf."""

ADDITIONS: Mapping[str, tuple[str, ...]] = {
    "LaunchParameters": (
        "batch_step_set_cpu_freq", "disable_send_gids", "lustre_no_flush", "mem_sort", "mpir_use_nodeaddr",
        "slurmstepd_memlock", "slurmstepd_memlock_all", "test_exec", "ulimit_pam_adopt",
        "enable_nss_slurm", "use_interactive_step",
    ),
    "PrivateData": ("accounts", "events", "jobs", "partitions", "reservations", "usage", "users", "cloud"),
    "PrologFlags": ("Serial", "X11", "Alloc", "Contain"),
}  # fmt: skip
"""Words that users may add to the lists that this package writes, keyed by list. Source: slurm.conf(5) of 22.05 to
25.11.

The following are excluded: PrivateData's `nodes`, which hides the nodes from users; PrologFlags' `NoHold` and
`DeferBatch`, which change when jobs start on booting nodes; and words that prevent a supported release from starting.
"""

OWNED_OF_PARTITIONS: Mapping[str, str] = {
    "PartitionName": "set the queue's name",
    "Nodes": "set the queue's max",
    "Default": "move this queue to the top of the list: the first queue is the default",
    "State": "leave this setting out: every queue in the description is up; to close one temporarily, use `scontrol "
    "update`",
    "SuspendTime": "set the queue's idle_time",
    "SuspendTimeout": _POWER_SAVING,
    "ResumeTimeout": "set slurm.boot_time; ResumeTimeout is three times that value",
    "PowerDownOnIdle": "set the queue's idle_time",
    "QOS": "set the queue's qos",
}
"""Partition keys that users can't set, because this package writes them. Each key is mapped to a remedy: what to do
instead. Source: the deny-list for queues in ParallelCluster 3.16."""

MERGED_LISTS = frozenset({
    "accountingstorageenforce", "accountingstoragetres", "jobsubmitplugins", "launchparameters", "privatedata",
    "prologflags",
})  # fmt: skip
"""Lower-case names of the lists to which users' entries are added."""

MERGED_BY_NAME = frozenset({"schedulerparameters"})
"""Lower-case names of parameter lists. A user's parameter is added to ours, or replaces the one of ours that has the
same name, regardless of case."""

REPLACED_KEYS: Mapping[str, str] = {"propagateresourcelimits": "propagateresourcelimitsexcept"}
"""Maps keys that users may set to the keys of ours that they replace, because Slurm accepts only one of the two. All
keys are in lower case."""

_ADDITIONS = {key.lower(): words for key, words in ADDITIONS.items()}
_LOW = {key.lower(): instead for key, instead in OWNED.items()}
_LOW_OF_PARTITIONS = {key.lower(): instead for key, instead in OWNED_OF_PARTITIONS.items()}


def owned(setting: Setting) -> str | None:
    """Return what to do instead of setting this key, or None if users may set the key."""
    return (_LOW_OF_PARTITIONS if setting.scope == "partition" else _LOW).get(setting.key.lower())


def additions(setting: Setting) -> tuple[str, ...]:
    """Return the words that users may add to this setting's list, or an empty tuple if any value is allowed."""
    return _ADDITIONS.get(setting.key.lower(), ()) if setting.scope == "global" else ()
