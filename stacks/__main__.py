"""The program of every stack: creates the cluster that the stack file describes."""

from hpc_components.program import run

run()
