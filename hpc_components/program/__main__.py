"""Runs stack files that have no program beside them, as in `hpc preview FILE`."""

from hpc_components.program import run

run()
