"""Creates the cluster described in a stack file that has no program beside it, as in `hpc preview FILE`."""

from hpc_components.program import run

run()
