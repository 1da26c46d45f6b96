"""AWS-specific parts of the first boot: functions for the boot stub, and commands for the boot steps
(`scripts/common/cloud.sh`).
"""

import json
import shlex
from collections.abc import Iterator

from hpc_components.aws.spec import AwsClusterSpec, AwsQueue, Lustre
from hpc_components.boot.packaged import packaged_scripts, packaged_text
from hpc_components.boot.system import system_of
from hpc_components.catalog import OperatingSystem


def stub_part() -> str:
    return packaged_text(__name__, "user_data.sh")


def node_files(cluster: AwsClusterSpec) -> dict[str, str]:
    facts = "".join(f"HPC_{key}={shlex.quote(value)}\n" for key, value in _software(system_of(cluster)))
    return {**packaged_scripts(__name__), "common/cloud.env": facts}


def image_files(cluster: AwsClusterSpec) -> tuple[str, ...]:
    files = ("common/cloud.env", "common/cloud.sh", "common/efa.sh", "common/lustre.sh")
    return (*files, "common/aws.py") if cluster.images_read_buckets else files


def created_lustre_mounts(cluster: AwsClusterSpec) -> tuple[str, ...]:
    lustre = [one for one in cluster.storage.values() if isinstance(one, Lustre)]
    return tuple(one.mount for one in lustre if one.existing is None)


def jobs_may_use_node_identity(queue: AwsQueue) -> bool:
    return queue.instance_profile is not None


def _software(system: OperatingSystem) -> Iterator[tuple[str, str]]:
    records = json.loads(packaged_text(__name__, "software.json"))
    efa = next(record for record in records if record["name"] == "efa")
    lustre = next(record for record in records if record.get("family") == system.family)
    yield "EFA_INSTALLER", efa["version"]
    yield "EFA_KEY", efa["key"]
    yield "LUSTRE_PACKAGES", lustre["packages"]
    yield "LUSTRE_KEY", lustre["key"]
