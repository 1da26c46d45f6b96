"""Conversion of another tool's configuration into a stack file, with a report on each key.

The cloud's part `convert` reads the format, see `SourceFormat`; clouds without that part have nothing to convert
from.
"""
