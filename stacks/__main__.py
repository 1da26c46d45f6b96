"""The program of every stack: makes the cluster that the stack file describes."""

from hpc_components.program import run

run()
