"""Converts another tool's configuration to a stack file, and reports on each key.

Each format is handled by a cloud's `convert` part (see `SourceFormat`).
"""
