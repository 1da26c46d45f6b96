"""One kind of Lustre file system of a deployment type."""

from hpc_components.aws.lustre.capacities import LustreSteps, lustre_kinds


def lustre_steps(
    deployment: str, throughput: int | None, efa: bool = False, *, storage: str = "ssd"
) -> LustreSteps | None:
    """Return the steps of sizes, or None if FSx does not offer the combination.

    `throughput` is in MB/s per TiB, and None for scratch.
    """
    found = [
        kind for kind in lustre_kinds(deployment, storage=storage) if (kind.throughput, kind.efa) == (throughput, efa)
    ]
    assert len(found) <= 1, found
    return found[0] if found else None
