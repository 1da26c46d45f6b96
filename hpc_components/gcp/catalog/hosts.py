"""What a machine's host brings with it: which disks it takes, and whether machines move off it while they run."""

from functools import cache

from hpc_components.catalog._load import records

__all__ = ["migrates", "takes_persistent_disk"]


def takes_persistent_disk(machine: str) -> bool:
    """Whether machines of a type take Persistent Disk; otherwise they take hyperdisks only."""
    return not _is_in(machine, _without("persistent_disk"))


def migrates(machine: str) -> bool:
    """Whether running machines of a type move to another host when theirs needs maintenance (live migration)."""
    return not machine.endswith("-metal") and not _is_in(machine, _without("live_migration"))


def _is_in(machine: str, families: frozenset[str]) -> bool:
    """Whether a machine type is of one of these families, or of these parts of one: `a3`, `a3-ultragpu`."""
    parts = machine.split("-")
    return bool({parts[0], "-".join(parts[:2])} & families)


@cache
def _without(what: str) -> frozenset[str]:
    return frozenset(
        name for record in records("hosts", __file__) if record.get(what) is False for name in record["families"]
    )
