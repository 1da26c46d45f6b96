"""The files by which nodes learn how to build Enroot and Pyxis."""

import shlex

from hpc_components.catalog import operating_system
from hpc_components.catalog.pyxis import gpu_tools_archive, https_mirror, pinned_source
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.software import PLUGSTACK

PLUGIN = "/opt/hpc/lib/spank_pyxis.so"
"""The plugin on all nodes. Slurm's own directory for plugins differs between systems and packages."""

CONTAINERS = "/var/lib/hpc-containers"
"""Directory of a compute node in which Pyxis makes one directory for each user of containers."""

FACTS = "common/pyxis.env"
"""Path in the config bucket of the facts that the steps read."""


def pyxis_facts(cluster: ClusterSpec) -> dict[str, str]:
    """Return the file for nodes and for images. Empty without `software.pyxis`."""
    if cluster.software is None or not cluster.software.pyxis:
        return {}
    mirrored, mirror = https_mirror()
    system = operating_system(cluster.os)
    assert system
    assert system.family
    archive, key = gpu_tools_archive(system.family)
    facts = {
        "PYXIS_PLUGIN": PLUGIN,
        "PYXIS_CONTAINERS": CONTAINERS,
        "PLUGSTACK": PLUGSTACK,
        "MUSL_GIT": mirrored,
        "MUSL_HTTPS": mirror,
        "GPU_TOOLS_ARCHIVE": archive,
        "GPU_TOOLS_KEY": key,
    }
    for name in ("enroot", "pyxis"):
        pinned = pinned_source(name)
        facts |= {
            f"{name.upper()}_VERSION": pinned.version,
            f"{name.upper()}_REPOSITORY": pinned.repository,
            f"{name.upper()}_COMMIT": pinned.commit,
        }
    return {FACTS: "".join(f"HPC_{key}={shlex.quote(value)}\n" for key, value in facts.items())}
