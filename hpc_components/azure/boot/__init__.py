"""Azure's part of first boot: the stub's functions, and the verbs that the steps call (`scripts/common/cloud.sh`)."""

import json
import shlex
from collections.abc import Iterator

from hpc_components.azure.spec import AzureClusterSpec, AzureQueue, Lustre
from hpc_components.boot.packaged import packaged_scripts, packaged_text


def stub_part() -> str:
    """The functions by which the stub knows who it is, and fetches blobs."""
    return packaged_text(__name__, "user_data.sh")


def node_files(cluster: AzureClusterSpec) -> dict[str, str]:
    """The verbs, what they run, and where the software is that they fetch."""
    facts = "".join(f"HPC_{key}={shlex.quote(value)}\n" for key, value in _software(cluster.os))
    return {**packaged_scripts(__name__), "common/cloud.env": facts}


def created_lustre_mounts(cluster: AzureClusterSpec) -> tuple[str, ...]:
    """Where the Managed Lustre file systems that the cluster makes are mounted."""
    lustre = [one for one in cluster.storage.values() if isinstance(one, Lustre)]
    return tuple(one.mount for one in lustre if one.existing is None)


def jobs_may_use_node_identity(queue: AzureQueue) -> bool:
    """Whether jobs may ask the metadata service. None may: an identity of the user's is lent to them."""
    return False


def _software(os: str) -> Iterator[tuple[str, str]]:
    """What is fetched from addresses of Microsoft and NVIDIA; empty where there is none for this system."""
    records = json.loads(packaged_text(__name__, "software.json"))
    hpcx = next((record for record in records if record.get("os") == os), {"address": "", "sha256": ""})
    lustre = next(record for record in records if record["name"] == "lustre")
    yield "HPCX", hpcx["address"]
    yield "HPCX_SHA256", hpcx["sha256"]
    yield "LUSTRE_PACKAGES", lustre["packages"]
    yield "LUSTRE_KEY", lustre["key"]
