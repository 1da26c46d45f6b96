"""Provides the Google Cloud part of the first boot: the shell functions of the user data, and the commands that boot
steps call.

The commands are in `scripts/common`.
"""

import json
import shlex

from hpc_components.boot.packaged import packaged_scripts, packaged_text
from hpc_components.boot.system import system_of
from hpc_components.gcp.spec import GcpClusterSpec, GcpQueue, Lustre


def stub_part() -> str:
    return packaged_text(__name__, "user_data.sh")


def node_files(cluster: GcpClusterSpec) -> dict[str, str]:
    software = json.loads(packaged_text(__name__, "software.json"))
    lustre, gib, nvidia = software["lustre"][system_of(cluster).family or ""], software["gib"], software["nvidia"]
    facts = {
        "LUSTRE_PACKAGES": lustre["packages"],
        "LUSTRE_KEY": lustre["key"],
        "GIB_PACKAGES": gib["packages"],
        "GIB_VERSION": gib["version"],
        "TRANSPORT_PACKAGES": gib["transport"],
        "TRANSPORT_KEY": gib["transport_key"],
        "NVIDIA_KEYRING": nvidia["keyring"],
        "NCCL_VERSION": nvidia["nccl"],
        "DCGM_PACKAGE": nvidia["dcgm"],
    }
    env = "".join(f"HPC_{key}={shlex.quote(value)}\n" for key, value in facts.items())
    files = {**packaged_scripts(__name__), "common/cloud.env": env}
    if links := _links(cluster):
        files["head/lustre.json"] = json.dumps(links, indent=1) + "\n"
    return files


def image_files(cluster: GcpClusterSpec) -> tuple[str, ...]:
    files = ("common/agent.sh", "common/cloud.env", "common/cloud.sh", "common/fabric/cards.sh", "common/lustre.sh")
    return (
        (*files, "common/google_node.py", "common/google_rest.py", "common/google_secrets.py")
        if cluster.images_read_buckets
        else files
    )


def created_lustre_mounts(cluster: GcpClusterSpec) -> tuple[str, ...]:
    return tuple(one.mount for one in _lustre(cluster))


def jobs_may_use_node_identity(queue: GcpQueue) -> bool:
    return queue.service_account is not None


def _lustre(cluster: GcpClusterSpec) -> list[Lustre]:
    return [one for one in cluster.storage.values() if isinstance(one, Lustre) and one.existing is None]


def _links(cluster: GcpClusterSpec) -> list[dict[str, str]]:
    links = []
    for one in _lustre(cluster):
        ends = {"import_from": one.import_from, "export_to": one.export_to}
        given = {key: value for key, value in ends.items() if value is not None}
        if given:
            links.append({"mount": one.mount, "zone": one.zone or cluster.zone, **given})
    return links
