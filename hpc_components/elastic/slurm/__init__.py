"""Slurm as the daemon knows it: its commands and their output, the meaning of a node's states, its host lists.

Imports only the standard library and the values of `elastic`; knows neither the cloud nor the decisions.
"""
