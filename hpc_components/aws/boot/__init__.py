"""AWS's part of first boot: the stub's functions, and the verbs that the steps call (`scripts/common/cloud.sh`)."""

import json
import shlex
from collections.abc import Iterator

from hpc_components.aws.spec import AwsClusterSpec, AwsQueue, Lustre
from hpc_components.boot.packaged import packaged_scripts, packaged_text


def stub_part() -> str:
    """The functions by which the stub knows who it is, and fetches objects from S3."""
    return packaged_text(__name__, "user_data.sh")


def node_files(cluster: AwsClusterSpec) -> dict[str, str]:
    """The verbs, what they run, and the versions of software that they fetch from AWS."""
    facts = "".join(f"HPC_{key}={shlex.quote(value)}\n" for key, value in _software())
    return {**packaged_scripts(__name__), "common/cloud.env": facts}


def created_lustre_mounts(cluster: AwsClusterSpec) -> tuple[str, ...]:
    """Where the FSx for Lustre file systems that the cluster makes are mounted."""
    lustre = [one for one in cluster.storage.values() if isinstance(one, Lustre)]
    return tuple(one.mount for one in lustre if one.existing is None)


def jobs_may_use_node_identity(queue: AwsQueue) -> bool:
    """Whether the queue has an instance profile of the user's own, whose role its jobs use too."""
    return queue.instance_profile is not None


def _software() -> Iterator[tuple[str, str]]:
    """What is fetched from AWS's own addresses, in which version, and who has signed it."""
    records = {record["name"]: record for record in json.loads(packaged_text(__name__, "software.json"))}
    yield "EFA_INSTALLER", records["efa"]["version"]
    yield "EFA_KEY", records["efa"]["key"]
    yield "LUSTRE_PACKAGES", records["lustre"]["packages"]
    yield "LUSTRE_KEY", records["lustre"]["key"]
