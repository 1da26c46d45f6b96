from hpc_components.gcp.node_reaper.component import NodeReaperArgs
from hpc_components.gcp.ports import ConfigStore
from hpc_components.gcp.tags import Tags


def reaper_args(config: ConfigStore, tags: Tags) -> NodeReaperArgs:
    return NodeReaperArgs(config=config, tags=tags)
