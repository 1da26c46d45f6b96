from functools import cache

from hpc_components.catalog._load import records


@cache
def own_slurm(os: str) -> str | None:
    """Return the Slurm release that the operating system includes, e.g. `23.11`, or None if it has no Slurm
    packages.
    """
    return next((record["slurm"] for record in records("packages", __file__) if record["os"] == os), None)
