"""Creates the arguments of `NodeReaper`."""

from hpc_components.gcp.node_reaper.component import NodeReaperArgs
from hpc_components.gcp.ports import ConfigStore
from hpc_components.gcp.tags import Tags


def reaper_args(config: ConfigStore, tags: Tags) -> NodeReaperArgs:
    """Return the arguments for the object that marks the cluster as one that should exist."""
    return NodeReaperArgs(config=config, tags=tags)
