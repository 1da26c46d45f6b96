from hpc_components.aws.convert.parallelcluster import FORMAT

__all__ = ["FORMAT"]
