"""Slurm as the daemon knows it: its commands, what they print, what the states of a node mean, its host lists.

Imports nothing but the standard library and the values of `elastic`; knows neither the cloud nor what is decided.
"""
