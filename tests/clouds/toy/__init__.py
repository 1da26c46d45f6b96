"""A cloud to play with: all that a cloud must bring, in the fewest words, and other than AWS wherever clouds are.

Its subnets are of a region, its labels know no capital letter and no colon, its spot machines have thirty seconds,
its buckets are `pond://`, its GPUs are AMD's. Its resources are those of Pulumi's package for Google Cloud.
"""

from typing import Any


def __getattr__(name: str) -> Any:
    if name != "Cluster":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from clouds.toy.cluster import Cluster

    return Cluster
