"""The toy cloud's part of first boot: the stub's functions, and the verbs that the steps call."""

from clouds.toy.spec import ToyClusterSpec, ToyQueue
from hpc_components.boot.packaged import packaged_scripts, packaged_text


def stub_part() -> str:
    """The functions by which the stub knows who it is, and fetches objects."""
    return packaged_text(__name__, "user_data.sh")


def node_files(cluster: ToyClusterSpec) -> dict[str, str]:
    """The verbs."""
    return packaged_scripts(__name__)


def image_files(cluster: ToyClusterSpec) -> tuple[str, ...]:
    """The verbs are all in one file."""
    return ("common/cloud.sh",)


def created_lustre_mounts(cluster: ToyClusterSpec) -> tuple[str, ...]:
    """The toy cloud makes no file systems."""
    return ()


def jobs_may_use_node_identity(queue: ToyQueue) -> bool:
    """Nobody has an identity there."""
    return False
