"""Converts AWS ParallelCluster 3 configurations. See `convert.formats.SourceFormat`."""

from hpc_components.aws.convert.parallelcluster import FORMAT

__all__ = ["FORMAT"]
