"""The files by which nodes learn which software the description wants."""

import json
from importlib.resources import files

from hpc_components.software.eessi_files import eessi_files
from hpc_components.software.pyxis_files import pyxis_facts
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.software import EasyBuild

WANTED = "common/software/build.json"
"""Path in the config bucket of what is to be built."""

_PINNED = "easybuild.txt"


def pinned_easybuild() -> str:
    """Return the packages of EasyBuild's release, with hashes, as `pip install --requirement` reads them."""
    return (files("hpc_components.software") / "data" / _PINNED).read_text(encoding="utf-8")


def software_files(cluster: ClusterSpec) -> dict[str, str]:
    """Return the files for the config bucket, as a mapping from path to text. Empty without `software`."""
    if cluster.software is None:
        return {}
    found = {"common/module_directories": "".join(f"{each}\n" for each in cluster.module_directories)}
    if (built := cluster.software.easybuild) is not None:
        found |= _build_files(cluster, built)
    if (eessi := cluster.software.eessi) is not None:
        found |= eessi_files(cluster, eessi)
    if cluster.software.pyxis:
        found |= pyxis_facts(cluster)
    return found


def _build_files(cluster: ClusterSpec, built: EasyBuild) -> dict[str, str]:
    queue = cluster.build_queue
    assert queue is not None
    accounting = cluster.accounting
    wanted = {
        "directory": cluster.build_directory,
        "install": built.install,
        "queue": queue.name,
        "account": (built.account or "hpc-software") if accounting and accounting.accounts else "",
        "minutes": int(built.time.seconds // 60) if built.time else 0,
        "scratch": queue.local_scratch or "/var/tmp",
    }
    return {
        WANTED: json.dumps(wanted, indent=1) + "\n",
        f"common/software/{_PINNED}": pinned_easybuild(),
        **{f"common/software/easyconfigs/{name}": text for name, text in built.files.items()},
        "compute/build_queue": f"{queue.name}\n",
    }
