from collections.abc import Sequence

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.slurm.packages import own_slurm
from hpc_components.wording import any_of


def use_system(cluster: ClusterSpec, names: Sequence[str] = ("ubuntu-24.04",)) -> str:
    """Return a remedy that suggests one of these systems.

    The remedy includes a Slurm release if the description's release differs from the one in the system's packages.
    """
    own = own_slurm(names[0])
    if not cluster.slurm.of_system or own is None:
        return f"use os: {any_of(names)}"
    alike = [name for name in names if own_slurm(name) == own]
    release = f' with slurm.version: "{own}"' if own != cluster.slurm.version else ""
    return f"use os: {any_of(alike)}{release}"
