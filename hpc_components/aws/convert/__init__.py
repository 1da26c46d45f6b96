"""Conversion of an AWS ParallelCluster 3 configuration. See `convert.formats.SourceFormat`."""

from hpc_components.aws.convert.parallelcluster import FORMAT

__all__ = ["FORMAT"]
