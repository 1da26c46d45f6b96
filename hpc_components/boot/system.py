"""What a node's files depend on in its operating system, and in where Slurm comes from."""

import re
from collections.abc import Mapping

from hpc_components.boot.archive import DEFAULT_PYTHON
from hpc_components.catalog import OperatingSystem, operating_system
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.slurm.sources import source_of


def system_of(cluster: ClusterSpec) -> OperatingSystem:
    """Return the cluster's operating system, for which there are steps. Raise ValueError if there are none."""
    system = operating_system(cluster.os)
    if system is None or system.family is None:
        raise ValueError(f"nodes can't be set up with {cluster.os!r}")
    return system


def system_facts(cluster: ClusterSpec) -> dict[str, str]:
    """Return the variables of `common/cluster.env` about the system, without their prefix."""
    system = system_of(cluster)
    return {"OS": cluster.os, "FAMILY": system.family or "", "PYTHON": system.python}


def for_system(cluster: ClusterSpec, texts: Mapping[str, str]) -> dict[str, str]:
    """Return the files with the Python that the system has for our programs."""
    python = system_of(cluster).python
    return {path: re.sub(rf"{DEFAULT_PYTHON}(?!\.)", python, text) for path, text in texts.items()}


def slurm_source_files(cluster: ClusterSpec) -> dict[str, str]:
    """Return the file that tells nodes to build Slurm: version, SHA-256 and addresses of its source."""
    source = source_of(cluster.slurm.version) if cluster.slurm.from_source else None
    if source is None:
        return {}
    return {"common/slurm_source": " ".join((source.version, source.sha256, *source.addresses)) + "\n"}
