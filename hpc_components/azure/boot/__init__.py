"""Azure-specific parts of the first boot: functions for the boot stub, and commands for the boot steps
(`scripts/common/cloud.sh`).
"""

import json
import shlex
from collections.abc import Iterator

from hpc_components.azure.spec import AzureClusterSpec, AzureQueue, Lustre
from hpc_components.boot.packaged import packaged_scripts, packaged_text
from hpc_components.boot.system import system_of
from hpc_components.catalog import OperatingSystem


def stub_part() -> str:
    return packaged_text(__name__, "user_data.sh")


def node_files(cluster: AzureClusterSpec) -> dict[str, str]:
    facts = "".join(f"HPC_{key}={shlex.quote(value)}\n" for key, value in _software(system_of(cluster)))
    return {**packaged_scripts(__name__), "common/cloud.env": facts}


def image_files(cluster: AzureClusterSpec) -> tuple[str, ...]:
    files = ("common/cloud.env", "common/cloud.sh", "common/fabric/infiniband.sh", "common/lustre.sh")
    return (
        (*files, "common/azure.py", "common/azure_logs.py", "common/azure_rest.py", "common/azure_vault.py")
        if cluster.images_read_buckets
        else files
    )


def created_lustre_mounts(cluster: AzureClusterSpec) -> tuple[str, ...]:
    lustre = [one for one in cluster.storage.values() if isinstance(one, Lustre)]
    return tuple(one.mount for one in lustre if one.existing is None)


def jobs_may_use_node_identity(queue: AzureQueue) -> bool:
    """Return False: on Azure, jobs can't query the metadata service. Instead, nodes lend jobs tokens for an existing
    identity.
    """
    return False


def _software(system: OperatingSystem) -> Iterator[tuple[str, str]]:
    """Yield (name, value) for software from Microsoft and NVIDIA. The value is empty if the software isn't available
    for this system.
    """
    records = json.loads(packaged_text(__name__, "software.json"))
    hpcx = next((record for record in records if record.get("os") == system.name), {"address": "", "sha256": ""})
    lustre = next(record for record in records if record.get("family") == system.family)
    yield "HPCX", hpcx["address"]
    yield "HPCX_SHA256", hpcx["sha256"]
    yield "LUSTRE_PACKAGES", lustre["packages"]
    yield "LUSTRE_KEY", lustre["key"]
