"""The program of a stack file that stands alone: `hpc preview FILE` needs no other."""

from hpc_components.program import run

run()
