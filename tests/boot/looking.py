"""What tests ask of machines that run."""

from .cluster import Cluster
from .lab import Machine

__all__ = ["address_of", "files", "jobs", "run_again", "state"]


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


def run_again(cluster: Cluster, machine: Machine, role: str) -> str:
    """Run the role's script once more, as for a changed configuration; what it says."""
    node = f"export HPC_ROLE={role} HPC_CONFIG={cluster.plan.bucket} HPC_REGION=us-east-2; "
    aws = "export S3=http://169.254.169.254 AWS_ENDPOINT_URL=http://169.254.169.254; "
    return machine.run("sh", "-c", f"{node}{aws}cd /opt/hpc/config && bash boot/{role}.sh 2>&1")
