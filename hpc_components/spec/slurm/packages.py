"""Which release of Slurm the packages of an operating system contain."""

from functools import cache

from hpc_components.catalog._load import records


@cache
def own_slurm(os: str) -> str | None:
    """Return the release, such as `23.11`; None for a system without Slurm among its packages."""
    return next((record["slurm"] for record in records("packages", __file__) if record["os"] == os), None)
