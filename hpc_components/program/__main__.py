"""The program for a stack file without a program beside it, as in `hpc preview FILE`."""

from hpc_components.program import run

run()
