"""Conversion of another tool's configuration into a stack file, with a report of what became of each key.

What is read depends on the cloud: `hpc_components/<cloud>/convert`, see `SourceFormat`. A cloud without that part has
nothing to convert from.
"""
