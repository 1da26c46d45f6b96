"""The daemon's view of Slurm: Slurm's commands and their output, the meaning of node states, and host lists.

Imports only the standard library and the values of `elastic`, and depends neither on the cloud nor on decisions.
"""
