"""Options of node_exporter: the collectors that are useful on a node of a cluster, and no others."""

from hpc_components.spec.cluster import ClusterSpec

COLLECTORS = (
    "diskstats", "edac", "filesystem", "infiniband", "loadavg", "meminfo", "netdev", "pressure", "stat", "textfile",
    "timex", "uname", "vmstat",
)  # fmt: skip
"""Collectors on all nodes. Those that read a file for each process, socket or interrupt are left out, and so is
`cpu`, which has series for each CPU: `hpc-metrics` writes one for each mode."""

_NETWORK_FILE_SYSTEMS = "nfs|nfs4|lustre|fuse.+|cvmfs2|ceph|gpfs"
_PSEUDO_FILE_SYSTEMS = (
    "autofs|binfmt_misc|bpf|cgroup2?|configfs|debugfs|devpts|devtmpfs|efivarfs|fusectl|hugetlbfs|iso9660|mqueue|nsfs|"
    "overlay|proc|pstore|rpc_pipefs|securityfs|selinuxfs|squashfs|sysfs|tmpfs|tracefs"
)
_VIRTUAL_INTERFACES = "lo|veth.+|docker.+|br-.+|virbr.+|cni.+"


def exporter_options() -> str:
    """Return the options on compute and login nodes, on one line.

    They do not ask for the space on network file systems: thousands of nodes would ask the same, and the head node
    asks for all.
    """
    return _options(COLLECTORS, f"{_PSEUDO_FILE_SYSTEMS}|{_NETWORK_FILE_SYSTEMS}")


def head_exporter_options(cluster: ClusterSpec) -> str:
    """Return the options on the head node, on one line."""
    options = _options((*COLLECTORS, "systemd"), _PSEUDO_FILE_SYSTEMS)
    return f"{options} --collector.systemd.unit-include=({'|'.join(services(cluster))})[.]service"


def services(cluster: ClusterSpec) -> tuple[str, ...]:
    """Return the names of the services that run on the head node at all times."""
    accounting = cluster.slurm.accounting
    named = ["slurmctld", "hpc-elastic", "hpc-name-server", "hpc-names", "munge", "chrony"]
    named += ["slurmdbd"] if accounting else []
    named += ["mariadb"] if accounting and accounting.database is None else []
    named += ["hpc-people"] if cluster.people else []
    return tuple(named)


def _options(collectors: tuple[str, ...], excluded: str) -> str:
    words = ["--collector.disable-defaults", *(f"--collector.{name}" for name in collectors)]
    words += [
        f"--collector.filesystem.fs-types-exclude=^({excluded})$",
        f"--collector.netdev.device-exclude=^({_VIRTUAL_INTERFACES})$",
        "--web.max-requests=4",
    ]
    return " ".join(words)
