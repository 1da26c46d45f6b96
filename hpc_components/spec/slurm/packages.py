"""Looks up which Slurm release an operating system's packages contain."""

from functools import cache

from hpc_components.catalog._load import records


@cache
def own_slurm(os: str) -> str | None:
    """Return the release, e.g. `23.11`, or None if the system has no Slurm packages."""
    return next((record["slurm"] for record in records("packages", __file__) if record["os"] == os), None)
