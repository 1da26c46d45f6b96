"""What tests ask of machines that run."""

from .lab import Machine, wait_for
from .lab_cluster import LabCluster


def jobs(head: Machine) -> str:
    return head.run("squeue", "-h", "-o", "%i %T %N").strip()


def address_of(name: str, on: Machine) -> str:
    """The address that a program on this machine gets for a name; empty if it gets none."""
    return on.run("getent", "ahostsv4", name, check=False).partition(" ")[0]


def files(machine: Machine) -> str:
    """All files of ours and of the system's configuration, with their times."""
    roots = ("/etc", "/opt/hpc/bin", "/opt/hpc/modulefiles", "/var/lib/hpc/keys", "/usr/sbin")
    return machine.run("sh", "-c", f"find {' '.join(roots)} -type f -printf '%T@ %m %u %p\\n' 2>/dev/null | sort -k4")


def state(machine: Machine, unit: str) -> str:
    return machine.run("systemctl", "is-active", unit, check=False).strip()


def journal(machine: Machine, *of: str) -> str:
    """Messages of a service or a program. What it has just written may come a moment later."""
    return machine.run("journalctl", "--quiet", "--output=cat", "--no-pager", *of)


def run_again(cluster: LabCluster, machine: Machine, role: str) -> str:
    """Run the role's script once more, as for a changed configuration; what it says."""
    node = {"HPC_ROLE": role, "HPC_CONFIG": cluster.config, "HPC_REGION": cluster.described.region}
    settings = " ".join(f"{name}={value}" for name, value in (cluster.lab.environment | node).items())
    return machine.run("sh", "-c", f"export {settings}; cd /opt/hpc/config && bash boot/{role}.sh 2>&1")


def update(machine: Machine) -> None:
    """Let the machine apply a changed configuration now, and again if that fails, as its timer does every minute."""
    unit = "hpc-update.service"

    def applied() -> bool:
        said = machine.run("systemctl", "start", unit, check=False)
        assert not said, machine.run("tail", "-n", "5", "/var/log/hpc-boot.log")
        return True

    wait_for(lambda: state(machine, unit) != "activating", "a run that may have begun before the change has ended")
    wait_for(applied, "the configuration is applied", 120)
