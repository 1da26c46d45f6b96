"""One kind of Lustre file system out of those that a deployment type comes in."""

from hpc_components.aws.lustre.capacities import LustreSteps, lustre_kinds


def lustre_steps(
    deployment: str, throughput: int | None, efa: bool = False, *, storage: str = "ssd"
) -> LustreSteps | None:
    """Its steps, or None when FSx has no such combination; `throughput` is MB/s per TiB, None for scratch."""
    found = [
        kind for kind in lustre_kinds(deployment, storage=storage) if (kind.throughput, kind.efa) == (throughput, efa)
    ]
    assert len(found) <= 1, found
    return found[0] if found else None
