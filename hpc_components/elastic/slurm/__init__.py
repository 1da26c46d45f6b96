"""The daemon's interface to Slurm: Slurm's commands and their output, the meaning of node states, and host lists.

Imports only the standard library and the plain values of `elastic`. Depends on neither the cloud nor the decision
code.
"""
