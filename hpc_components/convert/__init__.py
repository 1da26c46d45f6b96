"""Converts another tool's configuration to a stack file, and reports on each key.

Each format is read by the `convert` part of a cloud (see `SourceFormat`). A cloud without this part has no formats.
"""
