"""Azure's part of a node's first boot: functions of the stub, and verbs for the steps (`scripts/common/cloud.sh`)."""

import json
import shlex
from collections.abc import Iterator

from hpc_components.azure.spec import AzureClusterSpec, AzureQueue, Lustre
from hpc_components.boot.packaged import packaged_scripts, packaged_text


def stub_part() -> str:
    """Return the shell functions with which the stub identifies its node and fetches blobs."""
    return packaged_text(__name__, "user_data.sh")


def node_files(cluster: AzureClusterSpec) -> dict[str, str]:
    """Return the verbs, the programs that they run, and the addresses of software that they fetch."""
    facts = "".join(f"HPC_{key}={shlex.quote(value)}\n" for key, value in _software(cluster.os))
    return {**packaged_scripts(__name__), "common/cloud.env": facts}


def created_lustre_mounts(cluster: AzureClusterSpec) -> tuple[str, ...]:
    """Return the mount directories of the Managed Lustre file systems that the cluster creates."""
    lustre = [one for one in cluster.storage.values() if isinstance(one, Lustre)]
    return tuple(one.mount for one in lustre if one.existing is None)


def jobs_may_use_node_identity(queue: AzureQueue) -> bool:
    """Return False: jobs can't query the metadata service, and nodes pass an existing identity's tokens to them."""
    return False


def _software(os: str) -> Iterator[tuple[str, str]]:
    """Yield names and addresses of software from Microsoft and NVIDIA; empty if it does not exist for this system."""
    records = json.loads(packaged_text(__name__, "software.json"))
    hpcx = next((record for record in records if record.get("os") == os), {"address": "", "sha256": ""})
    lustre = next(record for record in records if record["name"] == "lustre")
    yield "HPCX", hpcx["address"]
    yield "HPCX_SHA256", hpcx["sha256"]
    yield "LUSTRE_PACKAGES", lustre["packages"]
    yield "LUSTRE_KEY", lustre["key"]
