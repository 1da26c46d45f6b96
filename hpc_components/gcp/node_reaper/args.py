"""Arguments of the node reaper."""

from hpc_components.gcp.node_reaper.component import NodeReaperArgs
from hpc_components.gcp.ports import ConfigStore
from hpc_components.gcp.tags import Tags


def reaper_args(config: ConfigStore, tags: Tags) -> NodeReaperArgs:
    """Return the arguments of the object that says that the cluster should exist."""
    return NodeReaperArgs(config=config, tags=tags)
